package arenagrpc_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/protoadapt"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// counted is a buffer pool that counts.
type counted struct{ puts int }

func (c *counted) Get(n int) *[]byte { b := make([]byte, n); return &b }
func (c *counted) Put(*[]byte)       { c.puts++ }

// A request's buffer goes back to gRPC's pool once the codec has read it, or has failed to.
func TestBufferGoesBack(t *testing.T) {
	pool := arena.NewAutoPool(0)
	call := describe(t, pool, &service{unary: echo})
	good, err := arenagrpc.Codec().Marshal(request(strings.Repeat("x", 10_000)))
	if err != nil {
		t.Fatal(err)
	}
	doc := good.Materialize()
	for name, data := range map[string][]byte{"good": doc, "malformed": append(doc[:len(doc):len(doc)], 0xff)} {
		var buffers counted
		_, err := call(t.Context(), func(m any) error {
			b := mem.BufferSlice{mem.NewBuffer(&data, &buffers)}
			defer b.Free() // as gRPC does
			return arenagrpc.Codec().Unmarshal(b, m)
		}, nil)
		if (err == nil) != (name == "good") {
			t.Errorf("%s: %v", name, err)
		}
		if buffers.puts != 1 {
			t.Errorf("%s: the buffer went back %d times", name, buffers.puts)
		}
	}
}

// An error with nothing of the arena in it is returned as it is: interceptors of other
// libraries compare errors.
func TestErrorStaysItself(t *testing.T) {
	known := errors.New("known")
	call := describe(t, arena.NewAutoPool(0), &service{unary: func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		return nil, known
	}})
	if _, err := call(t.Context(), decoder(t, request("x")), nil); err != known {
		t.Errorf("the error became %v", err)
	}
}

// old is a message as programs had them before protobuf-go's second version.
type old struct {
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
}

func (m *old) Reset()         { *m = old{} }
func (m *old) String() string { return m.Name }
func (m *old) ProtoMessage()  {}

var _ protoadapt.MessageV1 = (*old)(nil)

// Messages of the old kind are read and answered with, and stay what they are.
func TestOldMessages(t *testing.T) {
	pool := arena.NewAutoPool(0)
	data, err := arenagrpc.Codec().Marshal(&old{Name: "Jo"})
	if err != nil {
		t.Fatal(err)
	}
	server := &collector{}
	arenagrpc.Wrap(server, pool).RegisterService(&grpc.ServiceDesc{Methods: []grpc.MethodDesc{{
		MethodName: "Greet",
		Handler: func(_ any, ctx context.Context, dec func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			r := new(old)
			if err := dec(r); err != nil {
				return nil, err
			}
			return &old{Name: arenagrpc.FromContext(ctx).Concat("Hello ", r.Name)}, nil
		},
	}}}, nil)
	reply, err := server.desc.Methods[0].Handler(nil, t.Context(), func(m any) error { return arenagrpc.Codec().Unmarshal(data, m) }, nil)
	if r, ok := reply.(*old); err != nil || !ok || r.Name != "Hello Jo" {
		t.Errorf("the reply is a %T, %v (%v)", reply, reply, err)
	}
	awaitIdle(t, pool)
}

// What is no message at all is an error, in both directions.
func TestNoMessage(t *testing.T) {
	if _, err := arenagrpc.Codec().Marshal("text"); err == nil || !strings.Contains(err.Error(), "string") {
		t.Error(err)
	}
	if err := arenagrpc.Codec().Unmarshal(nil, new(int)); err == nil || !strings.Contains(err.Error(), "*int") {
		t.Error(err)
	}
	_, err := describe(t, arena.NewAutoPool(0), &service{})(t.Context(), func(any) error {
		return arenagrpc.Codec().Unmarshal(nil, 1)
	}, nil)
	wantCode(t, err, codes.Unknown)
}
