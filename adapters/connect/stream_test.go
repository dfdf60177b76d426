package arenaconnect_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// streams has each kind of stream: each message has an arena of its own, and the message
// before has none any more.
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
			return errors.New(r.Msg.Name) // which is sent when the arena went back
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

// Many streams of each kind at once.
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
		awaitIdle(t, pool)
		if n := pool.Stats().Gets; int(n) != i+1 {
			t.Errorf("%d arenas for %d messages", n, i+1)
		}
	}
	b.CloseRequest()
	b.Receive()
	b.CloseResponse()
}

// What connect sends of an error is copied out of the arena of the last message, and nothing
// else of it changes; an error that has nothing of the arena stays what it is.
func TestErrorsOfStreams(t *testing.T) {
	plain := errors.New("an error of its own")
	fails := map[string]func(m *apipb.Api) error{
		"plain": func(*apipb.Api) error { return plain },
		"text":  func(m *apipb.Api) error { return errors.New(m.Methods[0].Name) },
		"code":  func(m *apipb.Api) error { return connect.NewError(connect.CodeAborted, errors.New(m.Methods[0].Name)) },
		"meta": func(m *apipb.Api) error {
			err := connect.NewError(connect.CodeAborted, plain)
			err.Meta().Set("In-Error", m.Methods[0].Name)
			d, _ := connect.NewErrorDetail(m)
			err.AddDetail(d)
			return err
		},
		"canceled": func(m *apipb.Api) error { return textError{m.Methods[0].Name, context.Canceled} },
		"late":     func(m *apipb.Api) error { return textError{m.Methods[0].Name, context.DeadlineExceeded} },
	}
	codes := map[string]connect.Code{"plain": connect.CodeUnknown, "text": connect.CodeUnknown, "canceled": connect.CodeCanceled, "late": connect.CodeDeadlineExceeded}
	for _, strays := range []bool{false, true} {
		kept := make(chan error, 1)
		pool := arena.NewAutoPool(0)
		c := serve(t, pool, &service{server: func(ctx context.Context, r *request, _ *connect.ServerStream[apipb.Api]) error {
			if strays {
				var other sync.WaitGroup
				other.Go(func() { arena.FromContext(ctx) })
				other.Wait()
			}
			return fails[r.Msg.Name](r.Msg)
		}}, connect.WithInterceptors(watcher(func(err error) { kept <- err })))(connect.WithGRPC())
		for name := range fails {
			m := api(name)
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
			if name == "plain" || name == "meta" {
				text = plain.Error()
			}
			wantCode(t, from, code)
			if from.Message() != text {
				t.Errorf("%s: %q, want %q", name, from.Message(), text)
			}
			if name == "meta" && (from.Meta().Get("In-Error") != m.Methods[0].Name || len(from.Details()) != 1) {
				t.Errorf("%v, %v", from.Meta(), from.Details())
			}
			if err := <-kept; name == "plain" && !strays && err != plain {
				t.Errorf("%v was made of an error without anything of the arena", err)
			}
			out.Close()
		}
		awaitIdle(t, pool)
	}
}

// textError has a text of its own, and is another error.
type textError struct {
	text string
	is   error
}

func (e textError) Error() string { return e.text }
func (e textError) Unwrap() error { return e.is }

// watcher is an interceptor that sees the errors of streams.
type watcher func(error)

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
