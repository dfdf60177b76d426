package arenagrpc

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	"github.com/ebbpool/arena"
)

// Whether a server has a stats handler is read from a field that gRPC may rename: then
// every reply is copied, and this fails.
func TestShowsReplies(t *testing.T) {
	if showsReplies(grpc.NewServer()) {
		t.Error("a server without a stats handler shows replies")
	}
	if !showsReplies(grpc.NewServer(grpc.StatsHandler(nobody{}))) || !showsReplies(Wrap(grpc.NewServer(), arena.NewAutoPool(0))) || !showsReplies((*grpc.Server)(nil)) {
		t.Error("a server that may have a stats handler shows no replies")
	}
}

// Nothing may stay behind: notes would keep messages alive for ever.
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
