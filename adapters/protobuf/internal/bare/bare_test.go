// Package bare contains tests that need a program without descriptorpb: most programs, but not those that
// test with the messages of descriptorpb itself.
package bare

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/barepb"
	"github.com/ebbpool/arena/internal/machine"
)

// With descriptorpb linked, these tests would test nothing.
func TestMain(m *testing.M) {
	for _, name := range []protoreflect.FullName{"google.protobuf.MessageOptions", "google.protobuf.FileDescriptorProto"} {
		if _, err := protoregistry.GlobalTypes.FindMessageByName(name); err != protoregistry.NotFound {
			panic(fmt.Sprintf("this program links %s (%v): find out with go list -deps -test what imports descriptorpb", name, err))
		}
	}
	m.Run()
}

func field(n protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, n, protowire.BytesType), value)
}

// A message with an option, or one that contains such a message, is decoded the first time and every time
// after.
func TestOptions(t *testing.T) {
	a := arena.NewArena(4<<10, 0)
	under := string(field(1, "under"))
	for _, m := range []proto.Message{ // the outer types come first
		(*barepb.Field)(nil), (*barepb.List)(nil), (*barepb.Map)(nil), (*barepb.Oneof)(nil), (*barepb.Group)(nil),
		(*barepb.Plain)(nil), (*barepb.Under)(nil), (*barepb.Deep)(nil),
	} {
		doc := field(2, "text")
		switch m.(type) {
		case *barepb.Map:
			doc = append(doc, field(1, string(field(1, "key"))+string(field(2, under)))...)
		case *barepb.Field, *barepb.List, *barepb.Oneof:
			doc = append(doc, field(1, under)...)
		case *barepb.Under:
			doc = append(field(1, "text"), field(2, "\x08\x01")...)
		case *barepb.Deep:
			doc = append([]byte{8, 1}, field(100, "\x12\x03abc")...)
		case *barepb.Group:
			doc = append(doc, 0x0b, 0x38, 1, 0x0c)
		}
		for range 3 {
			got, want := oracle.Fresh(a, m), oracle.Fresh(nil, m)
			o, p := arenapb.UnmarshalOptions{AllowPartial: true}, proto.UnmarshalOptions{AllowPartial: true}
			if err, wantErr := o.Unmarshal(a, doc, got), p.Unmarshal(doc, want); err != nil || wantErr != nil {
				t.Fatalf("%s: %v, package proto says %v", oracle.NameOf(m), err, wantErr)
			}
			if !proto.Equal(got, want) || len(got.ProtoReflect().GetUnknown()) != len(want.ProtoReflect().GetUnknown()) {
				t.Errorf("%s is %v, package proto has %v", oracle.NameOf(m), got, want)
			}
		}
	}
	if !machine.LayoutOK {
		return
	}
	for _, f := range arenapb.Fallbacks() {
		t.Errorf("%s: package proto reads it: %s", f.Message, f.Why)
	}
}

// Goroutines that first use mutually recursive messages at the same time see only complete programs.
func TestFirstAtOnce(t *testing.T) {
	text := field(2, "text")
	three := field(2, "three")
	two := append(field(1, string([]byte{8, 1})+string(field(2, string(three)))), text...)
	one := append(field(1, string(two)), text...)
	zero := append(field(1, string(one)), text...)
	docs := []struct {
		m   proto.Message
		doc []byte
	}{{(*barepb.Race0)(nil), zero}, {(*barepb.Race1)(nil), one}, {(*barepb.Race2)(nil), two}, {(*barepb.Race3)(nil), three}}
	var all sync.WaitGroup
	start := make(chan bool)
	for i := range 16 {
		all.Go(func() {
			<-start
			a := arena.NewArena(4<<10, 0)
			for k := range 8 {
				c := docs[(i+k)%len(docs)]
				got, want := oracle.Fresh(a, c.m), oracle.Fresh(nil, c.m)
				if err := arenapb.Unmarshal(a, c.doc, got); err != nil {
					t.Error(err)
				}
				if err := proto.Unmarshal(c.doc, want); err != nil {
					t.Error(err)
				}
				if err := oracle.Unlike(got, want); err != nil {
					t.Errorf("%s: %v", oracle.NameOf(c.m), err)
				}
			}
		})
	}
	close(start)
	all.Wait()
}

// broken has a list of wrappers with a nil element, which causes a panic.
type broken struct{ state protoimpl.MessageState }

// above has such a message as a field.
type above struct {
	state protoimpl.MessageState
	U     *broken `protobuf:"bytes,1,opt,name=u"`
	S     *string `protobuf:"bytes,2,opt,name=s"`
}

var (
	brokenInfo = protoimpl.MessageInfo{
		GoReflectType: reflect.TypeFor[*broken](), Desc: (*barepb.Under)(nil).ProtoReflect().Descriptor(), OneofWrappers: []any{nil},
	}
	aboveInfo = protoimpl.MessageInfo{GoReflectType: reflect.TypeFor[*above](), Desc: (*barepb.Field)(nil).ProtoReflect().Descriptor()}
)

func (m *broken) ProtoReflect() protoreflect.Message { return brokenInfo.MessageOf(m) }
func (m *above) ProtoReflect() protoreflect.Message  { return aboveInfo.MessageOf(m) }

// A type whose description panics is permanently left to package proto, and so are fields of that type. No
// incomplete program may remain.
func TestHalfMade(t *testing.T) {
	says := func(f func() error) (s string) {
		defer func() {
			if x := recover(); x != nil {
				s = fmt.Sprint("panics: ", x)
			}
		}()
		return fmt.Sprint(f())
	}
	a := arena.NewArena(4<<10, 0)
	with := append(field(1, string(field(1, "x"))), field(2, "text")...)
	for range 3 {
		for _, doc := range [][]byte{nil, field(2, "text"), with} {
			got, want := new(above), new(above)
			ours, theirs := says(func() error { return arenapb.Unmarshal(a, doc, got) }), says(func() error { return proto.Unmarshal(doc, want) })
			if ours != theirs {
				t.Errorf("%x: %s, package proto: %s", doc, ours, theirs)
			}
			if (got.S == nil) != (want.S == nil) || got.S != nil && *got.S != *want.S {
				t.Errorf("%x is %+v, package proto has %+v", doc, got, want)
			}
			ours, theirs = says(func() error { return arenapb.Unmarshal(a, doc, new(broken)) }), says(func() error { return proto.Unmarshal(doc, new(broken)) })
			if ours != theirs {
				t.Errorf("%x: %s, package proto: %s", doc, ours, theirs)
			}
		}
	}
	if !machine.LayoutOK {
		return
	}
	found := false
	for _, f := range arenapb.Fallbacks() {
		found = found || f.Message == "arenapb.test.bare.Under" && f.Count > 0 && f.Why != ""
	}
	if !found {
		t.Errorf("Fallbacks does not tell: %v", arenapb.Fallbacks())
	}
}
