package arenaconnect_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
)

// recovered recovers from panics of methods, as servers do.
var recovered = connect.WithRecover(func(context.Context, connect.Spec, http.Header, any) error {
	return connect.NewError(connect.CodeInternal, errors.New("a method panicked"))
})

// A request over the limit is refused in the decoder. Connect turns errors of a codec into invalid_argument,
// which blames the client.
func TestLimitInDecoder(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto decodes, on the heap, which no limit counts")
	}
	each(t, func(t *testing.T, name string, options []connect.ClientOption) {
		if name == "json" {
			t.Skip("JSON is decoded on the heap")
		}
		pool := arena.NewAutoPool(0)
		pool.SetLimit(256<<10, 0)
		s := &service{
			unary: echo,
			client: func(ctx context.Context, in *connect.ClientStream[apipb.Api]) (*response, error) {
				for in.Receive() {
				}
				wantExhausted(t, in.Err(), false)
				return nil, in.Err()
			},
			bidi: func(ctx context.Context, b *both) error {
				_, err := b.Receive()
				wantExhausted(t, err, false)
				m, err := b.Receive()
				if err != nil || m.Name != "after it" {
					t.Errorf("what came after the message that was refused is %v (%v)", m, err)
				}
				return b.Send(m)
			},
			server: func(context.Context, *request, *connect.ServerStream[apipb.Api]) error {
				t.Error("a method was called with what was refused")
				return nil
			},
		}
		c := serve(t, pool, s, recovered)(options...)
		large := api(strings.Repeat("x", 1<<20))
		if name != "get" { // the URL would be too long
			_, err := c.unary.CallUnary(within(t), connect.NewRequest(large))
			wantExhausted(t, err, false)
		}
		c.calls(t, "small")

		in := c.client.CallClientStream(within(t))
		in.Send(api("small"))
		in.Send(large)
		_, err := in.CloseAndReceive()
		wantExhausted(t, err, false)

		out, err := c.server.CallServerStream(within(t), connect.NewRequest(large))
		if err == nil {
			out.Receive()
			err = out.Err()
			out.Close()
		}
		wantExhausted(t, err, false)

		b := c.bidi.CallBidiStream(within(t))
		b.Send(large)
		b.Send(api("after it"))
		if m, err := b.Receive(); err != nil || m.Name != "after it" {
			t.Errorf("%v (%v)", m, err)
		}
		b.CloseRequest()
		b.CloseResponse()
		awaitIdle(t, pool)
	})
}

// If a method, or an interceptor before Option, exceeds a limit, the client and recovery interceptors get an
// error.
func TestLimitInMethod(t *testing.T) {
	each(t, func(t *testing.T, _ string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		pool.SetLimit(256<<10, 0)
		use := func(ctx context.Context) { arena.FromContext(ctx).AllocBytes(1 << 20) }
		s := &service{
			unary: func(ctx context.Context, r *request) (*response, error) { use(ctx); return echo(ctx, r) },
			bidi: func(ctx context.Context, b *both) error {
				b.Send(api("begun"))
				use(ctx)
				return nil
			},
		}
		c := serve(t, pool, s, recovered)(options...)
		_, err := c.unary.CallUnary(within(t), connect.NewRequest(api("x")))
		wantExhausted(t, err, false)
		b := c.bidi.CallBidiStream(within(t))
		b.Send(nil)
		if m, err := b.Receive(); err != nil || m.Name != "begun" {
			t.Errorf("%v (%v)", m, err)
		}
		_, err = b.Receive()
		wantExhausted(t, err, false)
		b.CloseRequest()
		b.CloseResponse()

		before := connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
			return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
				reply, err := next(ctx, r)
				use(ctx)
				return reply, err
			}
		})
		c = serve(t, pool, &service{unary: echo}, connect.WithInterceptors(before))(options...)
		_, err = c.unary.CallUnary(within(t), connect.NewRequest(api("x")))
		wantExhausted(t, err, false)

		// A stream that has begun its response is cut off, so that it does not look complete.
		after := watcher(func(error) {
			small := arena.NewArena(64, 0)
			small.SetLimit(100)
			small.AllocBytes(1 << 20)
		})
		c = serve(t, pool, &service{server: func(_ context.Context, r *request, out *connect.ServerStream[apipb.Api]) error {
			return out.Send(r.Msg)
		}}, connect.WithInterceptors(after))(options...)
		out, err := c.server.CallServerStream(within(t), connect.NewRequest(api("x")))
		for err == nil && out.Receive() {
		}
		if err == nil {
			err = out.Err()
			out.Close()
		}
		if err == nil || connect.CodeOf(err) == connect.CodeResourceExhausted {
			t.Errorf("%v of an answer that has begun", err)
		}
		awaitIdle(t, pool)
	})
}

// If other calls hold the memory, the client may retry.
func TestLimitOfPool(t *testing.T) {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(0, 1<<20)
	pool.SetMaxIdleBytes(0)
	c := serve(t, pool, &service{unary: func(ctx context.Context, r *request) (*response, error) {
		arena.FromContext(ctx).AllocBytes(700 << 10)
		return echo(ctx, r)
	}})()
	other := pool.Get()
	other.AllocBytes(700 << 10)
	_, err := c.unary.CallUnary(within(t), connect.NewRequest(api("x")))
	wantExhausted(t, err, true)
	pool.Put(other)
	other = nil
	c.calls(t, "x")
}

// Other panics continue, and the arena is put back.
func TestPanics(t *testing.T) {
	pool := arena.NewAutoPool(0)
	s := &service{
		unary: func(ctx context.Context, r *request) (*response, error) {
			arena.FromContext(ctx).AllocBytes(10)
			panic("of a method")
		},
		bidi: func(ctx context.Context, b *both) error {
			b.Receive()
			panic("of a stream")
		},
	}
	for _, options := range [][]connect.HandlerOption{nil, {recovered}} {
		c := serve(t, pool, s, options...)()
		want := connect.CodeInternal
		_, err := c.unary.CallUnary(within(t), connect.NewRequest(api("x")))
		if options != nil || err == nil {
			wantCode(t, err, want)
		}
		b := c.bidi.CallBidiStream(within(t))
		b.Send(api("x"))
		if _, err = b.Receive(); options != nil || err == nil {
			wantCode(t, err, want)
		}
		b.CloseRequest()
		b.CloseResponse()
	}
	if awaitIdle(t, pool) != 0 {
		t.Error("arenas were abandoned")
	}
}

// A panic with text in a stream's arena. The arena is put back before other code sees the panic, so the text
// is copied.
func TestPanicWithText(t *testing.T) {
	pool := arena.NewAutoPool(0)
	s := &service{bidi: func(ctx context.Context, b *both) error {
		b.Receive()
		panic(arena.FromContext(ctx).Sprintf("of one %d", 1))
	}}
	texts := make(chan any, 1)
	c := serve(t, pool, s, connect.WithRecover(func(_ context.Context, _ connect.Spec, _ http.Header, v any) error {
		for range 100 {
			pool.Do(func(a *arena.Arena) { a.AllocString("another of these") })
		}
		texts <- v
		return connect.NewError(connect.CodeInternal, errors.New("a method panicked"))
	}))()
	b := c.bidi.CallBidiStream(within(t))
	b.Send(api("x"))
	if _, err := b.Receive(); connect.CodeOf(err) != connect.CodeInternal {
		t.Error(err)
	}
	b.CloseRequest()
	b.CloseResponse()
	if got := <-texts; got != "of one 1" {
		t.Errorf("the panic became %v", got)
	}
}
