package arenapb_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/barepb"
	"github.com/ebbpool/arena/internal/machine"
)

// Messages not made by protoc-gen-go, inside messages that look as if they were.
type (
	under struct{ m *dynamicpb.Message }
	group struct{ m *dynamicpb.Message }

	withField struct {
		state protoimpl.MessageState
		U     *under  `protobuf:"bytes,1,opt,name=u"`
		S     *string `protobuf:"bytes,2,opt,name=s"`

		unknownFields protoimpl.UnknownFields
	}
	withList struct {
		state protoimpl.MessageState
		U     []*under `protobuf:"bytes,1,rep,name=u"`
		S     *string  `protobuf:"bytes,2,opt,name=s"`

		unknownFields protoimpl.UnknownFields
	}
	withGroup struct {
		state protoimpl.MessageState
		Under *group  `protobuf:"group,1,opt,name=Under,json=under"`
		S     *string `protobuf:"bytes,2,opt,name=s"`

		unknownFields protoimpl.UnknownFields
	}
	withFussy struct {
		state protoimpl.MessageState
		U     *fussy  `protobuf:"bytes,1,opt,name=u"`
		S     *string `protobuf:"bytes,2,opt,name=s"`

		unknownFields protoimpl.UnknownFields
	}
	// fussy panics if it contains text, as during verification.
	fussy struct {
		state protoimpl.MessageState
		S     *string        `protobuf:"bytes,1,opt,name=s"`
		Deep  []*barepb.Deep `protobuf:"bytes,2,rep,name=deep"`

		unknownFields protoimpl.UnknownFields
	}
)

func infoFor[T any](like proto.Message) *protoimpl.MessageInfo {
	return &protoimpl.MessageInfo{GoReflectType: reflect.TypeFor[*T](), Desc: like.ProtoReflect().Descriptor()}
}

var (
	fieldInfo   = infoFor[withField]((*barepb.Field)(nil))
	listInfo    = infoFor[withList]((*barepb.List)(nil))
	groupInfo   = infoFor[withGroup]((*barepb.Group)(nil))
	withInfo    = infoFor[withFussy]((*barepb.Field)(nil))
	fussyInfo   = infoFor[fussy]((*barepb.Under)(nil))
	fussyPanics = true
)

func dynamic(m **dynamicpb.Message, like proto.Message) protoreflect.Message {
	if *m == nil {
		*m = dynamicpb.NewMessage(like.ProtoReflect().Descriptor())
	}
	return (*m).ProtoReflect()
}

func (m *under) ProtoReflect() protoreflect.Message {
	if m == nil {
		m = new(under)
	}
	return dynamic(&m.m, (*barepb.Under)(nil))
}

func (m *group) ProtoReflect() protoreflect.Message {
	if m == nil {
		m = new(group)
	}
	return dynamic(&m.m, (*barepb.Group_Under)(nil))
}

func (m *withField) ProtoReflect() protoreflect.Message { return fieldInfo.MessageOf(m) }
func (m *withList) ProtoReflect() protoreflect.Message  { return listInfo.MessageOf(m) }
func (m *withGroup) ProtoReflect() protoreflect.Message { return groupInfo.MessageOf(m) }
func (m *withFussy) ProtoReflect() protoreflect.Message { return withInfo.MessageOf(m) }
func (m *fussy) ProtoReflect() protoreflect.Message {
	if fussyPanics && m != nil && m.S != nil {
		panic("don't look")
	}
	return fussyInfo.MessageOf(m)
}

// Fields of any kind whose messages are not generated are left to package proto, but the rest of the message
// is not.
func TestHandmade(t *testing.T) {
	c := oracle.Random(rand.New(rand.NewPCG(27, 28)))
	a := arena.NewArena(4<<10, 0)
	for _, m := range []proto.Message{(*withField)(nil), (*withList)(nil), (*withGroup)(nil)} {
		for range 500 {
			o, doc := oracle.Options(c), oracle.Wire(c, m.ProtoReflect().Descriptor())
			if err := oracle.DifferBy(o, a, m, doc, oracle.Wire(c, m.ProtoReflect().Descriptor())); err != nil {
				t.Fatalf("%T: %v\nof %x", m, err, doc)
			}
		}
		a.Reset()
	}
	for _, f := range arenapb.Fallbacks() {
		for _, info := range []*protoimpl.MessageInfo{fieldInfo, listInfo, groupInfo} {
			if f.Message == string(info.Desc.FullName()) && machine.LayoutOK {
				t.Errorf("%s: package proto reads all of it: %s", f.Message, f.Why)
			}
		}
	}
}

// A type that fails verification is also left to package proto inside other types.
func TestFailsWhenTriedOut(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("nothing is tried out")
	}
	a := arena.NewArena(4<<10, 0)
	m := new(withFussy)
	if err := arenapb.Unmarshal(a, []byte("\x0a\x03\x0a\x01x\x12\x01y"), m); err != nil {
		t.Fatal(err)
	}
	fussyPanics = false
	if m.S == nil || *m.S != "y" || m.U == nil || m.U.S == nil || *m.U.S != "x" {
		t.Errorf("%v", m)
	}
	for _, f := range arenapb.Fallbacks() {
		if f.Message == "arenapb.test.bare.Under" && f.Count > 0 {
			return
		}
	}
	t.Errorf("it is not package proto's: %v", arenapb.Fallbacks())
}
