package arenagrpc_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/stats"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// isIn reports whether s is in a: only then does Escape copy it.
func isIn(a *arena.Arena, s string) bool {
	return unsafe.StringData(arena.Escape(a, s)) != unsafe.StringData(s)
}

// decodedIn reports whether s, of a decoded message, is in the right place: in a, or on the heap if the
// runtime's layout is unknown and package proto decodes.
func decodedIn(a *arena.Arena, s string) bool { return isIn(a, s) == machine.LayoutOK }

func TestUnary(t *testing.T) {
	pool := arena.NewAutoPool(0)
	late := make(chan context.Context, 3)
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		a := arenagrpc.FromContext(ctx)
		if a == nil || a != arena.FromContext(ctx) {
			t.Error("no arena")
		} else if !decodedIn(a, r.ResponseStatus.Message) {
			t.Error("the request is not in the call's arena")
		}
		late <- ctx
		return echo(ctx, r)
	}}, grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		a := arenagrpc.FromContext(ctx)
		if r := req.(*pb.SimpleRequest); a == nil || !decodedIn(a, r.ResponseStatus.Message) {
			t.Error("an interceptor does not see the arena")
		}
		reply, err := next(ctx, req)
		if r, ok := reply.(*pb.SimpleResponse); !ok || !isIn(a, r.Username) {
			t.Errorf("an interceptor sees the reply %T", reply)
		}
		return reply, err
	}))
	for i := range 3 {
		text := fmt.Sprint("request ", i)
		reply, err := client.UnaryCall(within(t), request(text))
		isEcho(t, text, reply, err)
	}
	awaitIdle(t, pool)
	if n := pool.Stats().Gets; n != 3 {
		t.Errorf("%d arenas for 3 calls", n)
	}
	for range 3 {
		if a := arenagrpc.FromContext(<-late); a != nil {
			t.Error("a context that was kept still leads to the arena, which is another call's by now")
		}
	}
}

// Many concurrent calls with sizes below and above gRPC's thresholds for pooling and sending. A reply that is
// marshaled after its arena was put back has another call's text.
func TestRepliesLiveUntilMarshalled(t *testing.T) {
	pool := arena.NewAutoPool(0)
	client := serveTests(t, pool, &service{unary: echo})
	many(t, client)
}

func many(t *testing.T, client pb.TestServiceClient, options ...grpc.CallOption) {
	t.Helper()
	n := 200
	if testing.Short() || check.Race || check.ASan {
		n = 20
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range n {
				text := strings.Repeat(fmt.Sprint(g, "-", i, " "), 1+i%5*700)
				reply, err := client.UnaryCall(within(t), request(text), options...)
				if !isEcho(t, text, reply, err) {
					return
				}
			}
		})
	}
	all.Wait()
}

func TestCompressed(t *testing.T) {
	many(t, serveTests(t, arena.NewAutoPool(0), &service{unary: echo}), grpc.UseCompressor("gzip"))
}

// watcher is a stats handler that reads all payloads.
type watcher struct {
	t       *testing.T
	mu      sync.Mutex
	in, out int
	kept    []*pb.SimpleResponse
}

type watched struct{}

func (w *watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, watched{}, new(string))
}
func (w *watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (w *watcher) HandleConn(context.Context, stats.ConnStats)                       {}

func (w *watcher) HandleRPC(ctx context.Context, s stats.RPCStats) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := ctx.Value(watched{}).(*string)
	switch s := s.(type) {
	case *stats.InPayload:
		r, ok := s.Payload.(*pb.SimpleRequest)
		if !ok {
			w.t.Errorf("a stats handler sees the request %T", s.Payload)
			return
		}
		w.in++
		*text = strings.Clone(r.ResponseStatus.Message)
	case *stats.OutPayload:
		r, ok := s.Payload.(*pb.SimpleResponse)
		if !ok {
			w.t.Errorf("a stats handler sees the reply %T", s.Payload)
			return
		}
		w.out++
		isEcho(w.t, *text, r, nil)
		if len(w.kept) < 100 {
			w.kept = append(w.kept, r)
		}
	}
}

// gRPC shows a reply to stats handlers after it was sent, so it must be a copy.
func TestStatsHandlersSeeMessages(t *testing.T) {
	w := &watcher{t: t}
	many(t, serveTests(t, arena.NewAutoPool(0), &service{unary: echo}, grpc.StatsHandler(w)))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.in == 0 || w.in != w.out {
		t.Errorf("%d requests and %d replies were seen", w.in, w.out)
	}
	for _, r := range w.kept {
		isEcho(t, strings.TrimSuffix(r.Username, "!"), r, nil)
	}
}

// A reply shared by many calls is not in an arena.
func TestSharedReply(t *testing.T) {
	shared := &pb.SimpleResponse{Username: "shared"}
	client := serveTests(t, arena.NewAutoPool(0), &service{unary: func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		return shared, nil
	}})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if r, err := client.UnaryCall(within(t), request("x")); err != nil || r.Username != "shared" {
					t.Error(r, err)
				}
			}
		})
	}
	all.Wait()
}

func TestKeep(t *testing.T) {
	pool := arena.NewAutoPool(0)
	type kept struct {
		a    *arena.Arena
		text string
	}
	out := make(chan kept, 1)
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		a := arenagrpc.FromContext(ctx)
		k := arenagrpc.Keep(ctx)
		if k == nil || k != a {
			t.Error("Keep returns another arena")
		}
		if arenagrpc.Keep(ctx) != nil || arenagrpc.FromContext(ctx) != nil {
			t.Error("an arena that was kept can be had again")
		}
		out <- kept{k, r.ResponseStatus.Message}
		return &pb.SimpleResponse{Username: strings.Clone(r.ResponseStatus.Message)}, nil
	}})
	for i := range 3 {
		text := fmt.Sprint("kept ", i)
		if r, err := client.UnaryCall(within(t), request(text)); err != nil || r.Username != text {
			t.Error(r, err)
		}
		k := <-out
		if s := pool.Stats(); s.Gets != s.Puts+1 {
			t.Errorf("%+v: the arena that was kept is not out", s)
		}
		if k.text != text {
			t.Errorf("%q is in an arena that was kept, want %q", k.text, text)
		}
		pool.Put(k.a)
	}
	if arenagrpc.Keep(context.Background()) != nil || arenagrpc.FromContext(context.Background()) != nil {
		t.Error("an arena out of nowhere")
	}
}

// Messages that do not belong to a call are encoded and decoded as by gRPC's own codec.
func TestCodecAlone(t *testing.T) {
	c := arenagrpc.Codec()
	if c.Name() != "proto" {
		t.Error(c.Name())
	}
	for _, n := range []int{0, 1, 1 << 10, 1 << 20} {
		m := request(strings.Repeat("x", n))
		data, err := c.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var again pb.SimpleRequest
		if err := c.Unmarshal(data, &again); err != nil || !proto.Equal(m, &again) {
			t.Errorf("%d bytes: %v", n, err)
		}
		data.Free()
	}
	if _, err := c.Marshal("text"); err == nil {
		t.Error("a string was marshalled")
	}
	if err := c.Unmarshal(nil, new(string)); err == nil {
		t.Error("a string was unmarshalled")
	}
	if err := c.Unmarshal(nil, nil); err == nil {
		t.Error("nothing was unmarshalled")
	}
}

func TestWrapRefusesNil(t *testing.T) {
	defer func() {
		if v, _ := recover().(string); !strings.HasPrefix(v, "arenagrpc: Wrap: ") {
			t.Error(v)
		}
	}()
	arenagrpc.Wrap(nil, arena.NewAutoPool(0))
}
