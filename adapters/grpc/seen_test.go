package arenagrpc

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
)

// showsReplies reads a field of grpc.Server. If gRPC renames it, every reply is copied, and this test fails.
func TestShowsReplies(t *testing.T) {
	if showsReplies(grpc.NewServer()) {
		t.Error("a server without a stats handler shows replies")
	}
	if !showsReplies(grpc.NewServer(grpc.StatsHandler(nobody{}))) || !showsReplies(Wrap(grpc.NewServer(), arena.NewAutoPool(0))) || !showsReplies((*grpc.Server)(nil)) {
		t.Error("a server that may have a stats handler shows no replies")
	}
}

// No records of messages may remain, because they would keep messages alive.
func TestNotesAreTaken(t *testing.T) {
	c := newCall(t.Context(), &registrar{pool: arena.NewAutoPool(0)})
	for _, m := range []any{nil, "text", []int{1}} {
		if expect(m, c) || taken(m) != nil {
			t.Errorf("%v has an address", m)
		}
	}
	m := new(int)
	if !expect(m, c) || taken(m) != c || taken(m) != nil {
		t.Error("a note is taken once")
	}
	expect(m, c)
	if forget(m); taken(m) != nil {
		t.Error("a note was not forgotten")
	}
}

type nobody struct{ stats.Handler }

// A goroutine that receives, at each point at which its handler may return. The arena must be put back, and
// not while it is in use.
func TestHandlerReturnsWhileReceiving(t *testing.T) {
	wire, err := proto.Marshal(&pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Message: "text"}})
	if err != nil {
		t.Fatal(err)
	}
	unmarshal := func(m any) error { return codec{}.Unmarshal(mem.BufferSlice{mem.SliceBuffer(wire)}, m) }
	end := func(c *call) {
		c.over()
		c.finish(nil, new(error))
	}
	for _, x := range []struct {
		name string
		recv func(c *call, m any) error
		code codes.Code
		gets uint64
	}{
		{"before the message", func(c *call, m any) error { end(c); return unmarshal(m) }, codes.OK, 0},
		{"after it", func(c *call, m any) error { defer end(c); return unmarshal(m) }, codes.Canceled, 1},
		{"not", func(c *call, m any) error { return unmarshal(m) }, codes.OK, 1},
	} {
		pool, m := arena.NewAutoPool(0), new(pb.SimpleRequest)
		c := newCall(t.Context(), &registrar{pool: pool})
		err := c.read(m, func(m any) error { return x.recv(c, m) })
		if status.Code(err) != x.code || x.code == codes.OK && m.ResponseStatus.GetMessage() != "text" {
			t.Errorf("the handler returns %s: %v", x.name, err)
		}
		if x.name == "not" {
			end(c)
		}
		if s := pool.Stats(); s.Gets != x.gets || s.Puts != x.gets {
			t.Errorf("the handler returns %s: %+v", x.name, s)
		}
	}
}

// Nothing of a malformed message may remain, because its arena belongs to another call by then.
func TestMalformedLeavesNothing(t *testing.T) {
	wire, err := proto.Marshal(&pb.SimpleRequest{ResponseStatus: &pb.EchoStatus{Message: "text"}})
	if err != nil {
		t.Fatal(err)
	}
	pool, m := arena.NewAutoPool(0), new(pb.SimpleRequest)
	c := newCall(t.Context(), &registrar{pool: pool})
	err = c.read(m, func(m any) error {
		return codec{}.Unmarshal(mem.BufferSlice{mem.SliceBuffer(append(wire, 0xff))}, m)
	})
	if err == nil || m.ResponseStatus != nil || pool.Stats().Puts != 1 {
		t.Errorf("%v: %v is left", err, m)
	}
}
