package arenapb

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// The errors of package proto, which does not export them: obtained from the smallest message with each
// fault.
var (
	errDecode    = proto.Unmarshal([]byte{0xff}, new(emptypb.Empty))
	errUTF8      = proto.Unmarshal([]byte{0x0a, 1, 0xff}, new(wrapperspb.StringValue))
	errRecursion = proto.UnmarshalOptions{RecursionLimit: 1}.Unmarshal([]byte{0x0a, 0}, new(structpb.ListValue))
)

// mapsNest reports whether this version of package proto counts an entry of a map as a level of nesting.
var mapsNest = proto.UnmarshalOptions{RecursionLimit: 2}.Unmarshal([]byte{0x0a, 2, 0x12, 0}, new(structpb.Struct)) != nil

// trouble is the value of the panic by which decoding ends with an error, which is rare.
type trouble struct{ error }

//go:noinline
func fail(err error) { panic(trouble{err}) }
