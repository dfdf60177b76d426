package arenapb_test

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/internal/machine"
)

// crossed has tags in which package proto finds other field numbers than this package.
type crossed struct {
	state protoimpl.MessageState
	A     *string `protobuf:"bytes,+2,1,opt,name=a"`
	B     *string `protobuf:"bytes,+1,2,opt,name=b"`

	unknownFields protoimpl.UnknownFields
}

var crossedInfo protoimpl.MessageInfo

func (m *crossed) ProtoReflect() protoreflect.Message { return crossedInfo.MessageOf(m) }

// Verification finds a struct with an unexpected layout, and leaves it to package proto. Otherwise its fields
// would be swapped.
func TestCrossed(t *testing.T) {
	text := func(name string, n int32) *descriptorpb.FieldDescriptorProto {
		return &descriptorpb.FieldDescriptorProto{
			Name: &name, Number: &n, Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("crossed.proto"), Package: proto.String("arenapb.test"), Syntax: proto.String("proto2"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: proto.String("Crossed"), Field: []*descriptorpb.FieldDescriptorProto{text("a", 1), text("b", 2)},
		}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	crossedInfo.GoReflectType, crossedInfo.Desc = reflect.TypeFor[*crossed](), file.Messages().Get(0)
	doc, got, want := []byte("\x0a\x01a\x12\x01b"), new(crossed), new(crossed)
	if err := proto.Unmarshal(doc, want); err != nil {
		t.Fatal(err)
	}
	if err := arenapb.Unmarshal(arena.NewArena(1<<10, 0), doc, got); err != nil {
		t.Fatal(err)
	}
	if err := oracle.Unlike(got, want); err != nil {
		t.Error(err)
	}
	for _, f := range arenapb.Fallbacks() {
		if f.Message == "arenapb.test.Crossed" && f.Count > 0 {
			return
		}
	}
	if machine.LayoutOK {
		t.Errorf("package proto does not read it: %v", arenapb.Fallbacks())
	}
}
