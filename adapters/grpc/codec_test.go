package arenagrpc_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// counted is a buffer pool that counts.
type counted struct{ puts int }

func (c *counted) Get(n int) *[]byte { b := make([]byte, n); return &b }
func (c *counted) Put(*[]byte)       { c.puts++ }

// A request's buffer is returned to gRPC's pool after the codec has read it, or has failed.
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
		read := func(m any) error {
			b := mem.BufferSlice{mem.NewBuffer(&data, &buffers)}
			defer b.Free() // as gRPC does
			return arenagrpc.Codec().Unmarshal(b, m)
		}
		_, err := call(t.Context(), read, nil)
		if heap := read(new(pb.SimpleRequest)); (err == nil) != (name == "good") || (heap == nil) != (err == nil) {
			t.Errorf("%s: %v, on the heap %v", name, err, heap)
		}
		if buffers.puts != 2 {
			t.Errorf("%s: the buffer went back %d times", name, buffers.puts)
		}
	}
}

// A request that arrived in many frames is copied into the arena once.
func TestReadOnce(t *testing.T) {
	if !machine.LayoutOK || check.On {
		t.Skip("package proto decodes, or guards are counted, too")
	}
	var used int
	client := serveTests(t, arena.NewAutoPool(0), &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		used = arenagrpc.FromContext(ctx).Stats().UsedBytes
		return echo(ctx, r)
	}})
	text := strings.Repeat("x", 50_000) // occurs twice in a request
	if _, err := client.UnaryCall(within(t), request(text)); err != nil {
		t.Fatal(err)
	}
	if used < 2*len(text) || used > 2*len(text)+1000 {
		t.Errorf("a request of %d bytes takes %d of the arena", 2*len(text), used)
	}
}

// Buffers of replies are reused only after gRPC has released them.
func TestReplyBuffers(t *testing.T) {
	codec := arenagrpc.Codec()
	for _, n := range []int{0, 1, 1000, 1024, 1025, 2047, 2048, 2049, 75_000, 1<<17 - 4, 1<<20 - 20, 1<<20 - 4, 1 << 20, 1<<20 + 1, 3 << 20} {
		var held []mem.BufferSlice
		var want [][]byte
		for i := range 4 {
			m := &pb.Payload{Body: bytes.Repeat([]byte{byte('a' + i)}, n)}
			doc, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			b, err := codec.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if len(doc) <= 1<<20 && len(b) == 1 && cap(b[0].ReadOnlyData()) >= max(2*len(doc), 1) {
				t.Errorf("%d bytes in a buffer of %d", len(doc), cap(b[0].ReadOnlyData()))
			}
			if held, want = append(held, b), append(want, doc); i == 1 {
				held[0].Free()
				held, want = held[1:], want[1:]
			}
		}
		for i, b := range held {
			if !bytes.Equal(b.Materialize(), want[i]) {
				t.Errorf("%d bytes: a reply is not what was written", n)
			}
			b.Free()
		}
	}
	if check.On || check.Race {
		t.Skip("the race detector drops what comes back to a sync.Pool, checked builds allocate")
	}
	replies := []*pb.Payload{{Body: make([]byte, 70_000)}, {Body: make([]byte, 80_000)}}
	if n := testing.AllocsPerRun(200, func() {
		for _, m := range replies {
			b, _ := codec.Marshal(m)
			b.Free()
		}
	}); n > 2 {
		t.Errorf("%v allocations for two replies", n)
	}
}

// An error without memory of the arena is returned unchanged, because interceptors may compare errors.
func TestErrorStaysItself(t *testing.T) {
	known := errors.New("known")
	call := describe(t, arena.NewAutoPool(0), &service{unary: func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		return nil, known
	}})
	if _, err := call(t.Context(), decoder(t, request("x")), nil); err != known {
		t.Errorf("the error became %v", err)
	}
}

// old is a message of the API before protobuf-go's second version.
type old struct {
	Name string `protobuf:"bytes,1,opt,name=name,proto3"`
}

func (m *old) Reset()         { *m = old{} }
func (m *old) String() string { return m.Name }
func (m *old) ProtoMessage()  {}

var _ protoadapt.MessageV1 = (*old)(nil)

// Messages of the old API are decoded and encoded, and keep their type.
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

// A value that is not a message causes an error, in both directions.
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
