package arenagrpc_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"google.golang.org/grpc"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// A tagged message has no descriptor, like messages of gogo/protobuf. Package proto cannot decode its second
// field.
type taggedMessage struct {
	Name  string      `protobuf:"bytes,1,opt,name=name,proto3"`
	Pairs []taggedSub `protobuf:"bytes,2,rep,name=pairs,proto3"`
}

type taggedSub struct {
	Key string `protobuf:"bytes,1,opt,name=key,proto3"`
}

func (m *taggedMessage) Reset()         { *m = taggedMessage{} }
func (m *taggedMessage) String() string { return fmt.Sprintf("%+v", *m) }
func (*taggedMessage) ProtoMessage()    {}

// Like generated code, it encodes and decodes itself.
func (m *taggedMessage) Marshal() ([]byte, error) {
	b := append([]byte{0x0a, byte(len(m.Name))}, m.Name...)
	for _, p := range m.Pairs {
		b = append(append(b, 0x12, byte(2+len(p.Key)), 0x0a, byte(len(p.Key))), p.Key...)
	}
	return b, nil
}

func (m *taggedMessage) Unmarshal(b []byte) error {
	for len(b) > 2 {
		n := int(b[1])
		if n > len(b)-2 {
			return errors.New("cut off")
		}
		if b[0] == 0x0a {
			m.Name = string(b[2 : 2+n])
		} else {
			m.Pairs = append(m.Pairs, taggedSub{string(b[4 : 2+n])})
		}
		b = b[2+n:]
	}
	return nil
}

// Messages with tags and no descriptor are decoded into the call's arena, and into the arena of a client's
// call.
func TestTaggedMessages(t *testing.T) {
	pool := arena.NewAutoPool(0)
	desc := &grpc.ServiceDesc{ServiceName: "tagged.Service", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			in := new(taggedMessage)
			if err := dec(in); err != nil {
				return nil, err
			}
			a := arenagrpc.FromContext(ctx)
			if a == nil || !decodedIn(a, in.Name) || !decodedIn(a, in.Pairs[1].Key) {
				t.Error("the request is not in the call's arena")
			}
			return in, nil
		},
	}}}
	conn := serve(t, pool, withCodec(), func(_, wrapped grpc.ServiceRegistrar) { wrapped.RegisterService(desc, nil) })
	a := arena.NewArena(1<<10, 0)
	for i := range 3 {
		want, got := &taggedMessage{fmt.Sprint("name ", i), []taggedSub{{"a"}, {"b"}}}, new(taggedMessage)
		if err := conn.Invoke(within(t), "/tagged.Service/Echo", want, got, arenagrpc.Into(a)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || !decodedIn(a, got.Name) {
			t.Errorf("%+v, want %+v in the arena", got, want)
		}
	}
}
