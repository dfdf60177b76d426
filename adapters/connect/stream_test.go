package arenaconnect_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// streams implements each kind of stream: each message has its own arena, and the previous message no longer
// has one.
func streams(t *testing.T, pool *arena.ArenaPool, decoded bool) *service {
	seen := func(ctx context.Context, m *apipb.Api) *apipb.Api {
		a := arena.FromContext(ctx)
		if a == nil || decoded && !decodedIn(a, m.Name) {
			t.Error("a message is not in its arena")
		}
		reply, _ := echo(ctx, connect.NewRequest(m))
		return reply.Msg
	}
	return &service{
		client: func(ctx context.Context, in *connect.ClientStream[apipb.Api]) (*response, error) {
			var all []string
			for in.Receive() {
				all = append(all, strings.Clone(seen(ctx, in.Msg()).Name))
			}
			return connect.NewResponse(api(arena.FromContext(ctx).Join(all, ","))), in.Err()
		},
		server: func(ctx context.Context, r *request, out *connect.ServerStream[apipb.Api]) error {
			for range 3 {
				if err := out.Send(seen(ctx, r.Msg)); err != nil {
					return err
				}
			}
			return errors.New(r.Msg.Name) // sent after the arena was put back
		},
		bidi: func(ctx context.Context, b *both) error {
			for {
				m, err := b.Receive()
				if errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				if err := b.Send(seen(ctx, m)); err != nil {
					return err
				}
			}
		},
	}
}

// Many concurrent streams of each kind.
func TestStreams(t *testing.T) {
	n := 10
	if testing.Short() || check.Race || check.ASan {
		n = 2
	}
	each(t, func(t *testing.T, name string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		c := serve(t, pool, streams(t, pool, name != "json"))(options...)
		var all sync.WaitGroup
		for g := range 6 {
			all.Go(func() {
				for i := range n {
					c.streams(t, strings.Repeat(numbered(numbered("text", g), i), 1+i%5*10))
				}
			})
		}
		all.Wait()
		if awaitIdle(t, pool) != 0 {
			t.Error("arenas were abandoned")
		}
	})
}

// streams makes a call of each kind of stream.
func (c client) streams(t *testing.T, text string) {
	in := c.client.CallClientStream(within(t))
	b := c.bidi.CallBidiStream(within(t))
	want := []string{}
	for i := range 3 {
		in.Send(api(numbered(text, i)))
		want = append(want, numbered(text, i)+"!")
		b.Send(api(numbered(text, i)))
		if m, err := b.Receive(); err != nil {
			t.Error(err)
		} else {
			isEcho(t, numbered(text, i), m)
		}
	}
	if reply, err := in.CloseAndReceive(); err != nil || reply.Msg.Name != strings.Join(want, ",") {
		t.Errorf("%v (%v), want %q", reply, err, want)
	}
	b.CloseRequest()
	if _, err := b.Receive(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	b.CloseResponse()
	out, err := c.server.CallServerStream(within(t), connect.NewRequest(api(text)))
	if err != nil {
		t.Error(err)
		return
	}
	for out.Receive() {
		isEcho(t, text, out.Msg())
	}
	var from *connect.Error
	if !errors.As(out.Err(), &from) || from.Code() != connect.CodeUnknown || from.Message() != text {
		t.Errorf("%v, want %q", out.Err(), text)
	}
	out.Close()
}

// A stream that waits for its peer has no arena.
func TestWaitingTakesNone(t *testing.T) {
	pool := arena.NewAutoPool(0)
	b := serve(t, pool, streams(t, pool, true))().bidi.CallBidiStream(within(t))
	for i := range 3 {
		b.Send(api("text"))
		if _, err := b.Receive(); err != nil {
			t.Fatal(err)
		}
		await(t, pool, 1)
		if n := pool.Stats().Gets; int(n) != i+1 {
			t.Errorf("%d arenas for %d messages", n, i+1)
		}
	}
	b.CloseRequest()
	b.Receive()
	b.CloseResponse()
}

// Messages that an interceptor before Option reads are on the heap, except for the first one. They do not
// fill an arena.
func TestInterceptorThatReceives(t *testing.T) {
	pool := arena.NewAutoPool(0)
	c := serve(t, pool, streams(t, pool, true), connect.WithInterceptors(received(func(conn connect.StreamingHandlerConn) {
		for range 3 {
			conn.Receive(&apipb.Api{})
		}
	})))()
	b := c.bidi.CallBidiStream(within(t))
	text := strings.Repeat("x", 10_000)
	for range 8 {
		b.Send(api(text))
	}
	for range 2 {
		if m, err := b.Receive(); err != nil {
			t.Error(err)
		} else {
			isEcho(t, text, m)
		}
	}
	b.CloseRequest()
	b.CloseResponse()
	awaitIdle(t, pool)
	if s := pool.Stats(); s.LargestArena > 80_000 {
		t.Errorf("%+v", s)
	}
}

// The context of an ended stream has no arena.
func TestStreamThatIsOver(t *testing.T) {
	pool := arena.NewAutoPool(0)
	late := make(chan context.Context, 1)
	c := serve(t, pool, &service{server: func(ctx context.Context, _ *request, _ *connect.ServerStream[apipb.Api]) error {
		late <- ctx
		return nil
	}})()
	out, err := c.server.CallServerStream(within(t), connect.NewRequest(api("x")))
	if err != nil {
		t.Fatal(err)
	}
	out.Receive()
	out.Close()
	awaitIdle(t, pool)
	asked := make(chan *arena.Arena)
	ctx := <-late
	for range 2 { // the first Get returns it, if any does
		go func() { asked <- arena.FromContext(ctx) }()
		if <-asked != nil {
			t.Error("an arena of a stream that is over")
		}
	}
}

// Nothing remains of a malformed message, because its arena is gone.
func TestBrokenMessageOfStream(t *testing.T) {
	pool := arena.NewAutoPool(0)
	c := serve(t, pool, &service{client: func(ctx context.Context, in *connect.ClientStream[apipb.Api]) (*response, error) {
		if in.Receive() || in.Msg().Name != "" {
			t.Errorf("%v was read", in.Msg())
		}
		return nil, in.Err()
	}})(connect.WithCodec(broken{}))
	in := c.client.CallClientStream(within(t))
	in.Send(api("x"))
	_, err := in.CloseAndReceive()
	wantCode(t, err, connect.CodeInvalidArgument)
	awaitIdle(t, pool)
}

// The parts of an error that connect sends are copied from the arena of the last message, and nothing else
// changes. An error without memory of the arena is returned unchanged.
func TestErrorsOfStreams(t *testing.T) {
	plain := errors.New("an error of its own")
	withMeta := func(field string, values []string) error {
		err := connect.NewError(connect.CodeAborted, plain)
		err.Meta()[field] = values
		d, _ := connect.NewErrorDetail(api("x"))
		err.AddDetail(d)
		return err
	}
	fails := map[string]func(m *apipb.Api) error{
		"plain":    func(*apipb.Api) error { return plain },
		"text":     func(m *apipb.Api) error { return errors.New(m.Methods[0].Name) },
		"code":     func(m *apipb.Api) error { return connect.NewError(connect.CodeAborted, errors.New(m.Methods[0].Name)) },
		"meta":     func(m *apipb.Api) error { return withMeta("In-Error", []string{m.Methods[0].Name}) },
		"field":    func(m *apipb.Api) error { return withMeta(m.Version, []string{"text of field"}) },
		"canceled": func(m *apipb.Api) error { return textError{m.Methods[0].Name, context.Canceled} },
		"late":     func(m *apipb.Api) error { return textError{m.Methods[0].Name, context.DeadlineExceeded} },
	}
	codes := map[string]connect.Code{"plain": connect.CodeUnknown, "text": connect.CodeUnknown, "canceled": connect.CodeCanceled, "late": connect.CodeDeadlineExceeded}
	for _, strays := range []bool{false, true} {
		var made error
		kept := make(chan error, 1)
		pool := arena.NewAutoPool(0)
		seen := watcher(func(err error) {
			a := pool.Get() // another call's arena
			a.AllocString(strings.Repeat("#", 4096))
			pool.Put(a)
			kept <- err
		})
		c := serve(t, pool, &service{server: func(ctx context.Context, r *request, _ *connect.ServerStream[apipb.Api]) error {
			if strays {
				var other sync.WaitGroup
				other.Go(func() { arena.FromContext(ctx) })
				other.Wait()
			}
			if r.Msg.Name == "slice" {
				made = withMeta("In-Error", arena.SliceOf(arena.FromContext(ctx), "text of slice"))
			} else {
				made = fails[r.Msg.Name](r.Msg)
			}
			return made
		}}, connect.WithInterceptors(seen))(connect.WithGRPC())
		for _, name := range append(slices.Collect(maps.Keys(fails)), "slice") {
			m := api(name)
			m.Version = "In-Error"
			m.Methods[0].Name = "text of " + name
			out, err := c.server.CallServerStream(within(t), connect.NewRequest(m))
			if err != nil {
				t.Fatal(err)
			}
			for out.Receive() {
			}
			var from *connect.Error
			if !errors.As(out.Err(), &from) {
				t.Fatal(out.Err())
			}
			code := connect.CodeAborted
			if x, ok := codes[name]; ok {
				code = x
			}
			text := m.Methods[0].Name
			meta := name == "meta" || name == "field" || name == "slice"
			if name == "plain" || meta {
				text = plain.Error()
			}
			wantCode(t, from, code)
			if from.Message() != text {
				t.Errorf("%s: %q, want %q", name, from.Message(), text)
			}
			if meta && (from.Meta().Get("In-Error") != m.Methods[0].Name || len(from.Details()) != 1) {
				t.Errorf("%s: %v, %v", name, from.Meta(), from.Details())
			}
			itself := name == "plain" || strays || !machine.LayoutOK && name != "slice" // with an unknown layout messages are on the heap
			if err := <-kept; (err == made) != itself {
				t.Errorf("%s: %v, want the error itself: %v", name, err, itself)
			}
			out.Close()
		}
		awaitIdle(t, pool)
	}
}

// textError has its own text and wraps another error.
type textError struct {
	text string
	is   error
}

func (e textError) Error() string { return e.text }
func (e textError) Unwrap() error { return e.is }

// watcher is an interceptor that observes the errors of streams.
type watcher func(error)

// received is an interceptor that is called after each Receive of a connection.
type received func(conn connect.StreamingHandlerConn)

func (r received) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }
func (r received) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
func (r received) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		return next(ctx, shown{conn, r})
	}
}

type shown struct {
	connect.StreamingHandlerConn
	to received
}

func (s shown) Receive(m any) error {
	err := s.StreamingHandlerConn.Receive(m)
	s.to(s.StreamingHandlerConn)
	return err
}

func (w watcher) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc { return next }
func (w watcher) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
func (w watcher) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		err := next(ctx, conn)
		w(err)
		return err
	}
}
