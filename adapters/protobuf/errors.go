package arenapb

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// The errors of package proto, which has no names for them: what it says of the
// smallest message that has the fault.
var (
	errDecode    = proto.Unmarshal([]byte{0xff}, new(emptypb.Empty))
	errUTF8      = proto.Unmarshal([]byte{0x0a, 1, 0xff}, new(wrapperspb.StringValue))
	errRecursion = proto.UnmarshalOptions{RecursionLimit: 1}.Unmarshal([]byte{0x0a, 0}, new(structpb.ListValue))
)

// mapsNest says that this version of package proto counts an entry of a map as one
// more level of messages.
var mapsNest = proto.UnmarshalOptions{RecursionLimit: 2}.Unmarshal([]byte{0x0a, 2, 0x12, 0}, new(structpb.Struct)) != nil

// trouble stops the reading: a panic, since nearly no message has any.
type trouble struct{ error }

//go:noinline
func fail(err error) { panic(trouble{err}) }
