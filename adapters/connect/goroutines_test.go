package arenaconnect_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	"github.com/ebbpool/arena/arenahttp"
)

// timeouts is an interceptor that runs methods on another goroutine. If the request says so, it responds
// without the method, after wait. It calls begin before the method.
func timeouts(begin, wait func()) connect.Interceptor {
	return connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
			type ending struct {
				reply connect.AnyResponse
				err   error
			}
			ended := make(chan ending, 1)
			late := r.Header().Get("Late") != ""
			go func() {
				begin()
				reply, err := next(ctx, r)
				ended <- ending{reply, err}
			}()
			if late {
				wait()
				return nil, connect.NewError(connect.CodeDeadlineExceeded, errors.New("too late"))
			}
			e := <-ended
			return e.reply, e.err
		}
	})
}

// A method that an interceptor leaves running keeps its request and its arena. No other call gets them.
func TestMethodThatGoesOn(t *testing.T) {
	each(t, func(t *testing.T, name string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		entered, later, ended := make(chan bool), make(chan bool), make(chan string)
		s := &service{unary: func(ctx context.Context, r *request) (*response, error) {
			if !strings.HasPrefix(r.Msg.Name, "late") {
				return echo(ctx, r)
			}
			close(entered)
			<-later
			if name != "json" && arena.FromContext(ctx) != nil {
				t.Error("a goroutine is led to the arena of another one")
			}
			ended <- strings.Clone(r.Msg.Name + r.Msg.Methods[0].Name)
			return echo(ctx, r)
		}}
		c := serve(t, pool, s, connect.WithInterceptors(timeouts(func() {}, func() { <-entered })))(options...)
		late := connect.NewRequest(api("late"))
		late.Header().Set("Late", "1")
		_, err := c.unary.CallUnary(within(t), late)
		wantCode(t, err, connect.CodeDeadlineExceeded)
		for i := range 5 {
			c.calls(t, numbered("other", i))
		}
		close(later)
		if text := <-ended; text != "latelate?" {
			t.Errorf("the request of a method that goes on is %q by now", text)
		}
		if n := awaitIdle(t, pool); n == 0 && name != "json" {
			t.Error("the arena of a method that goes on went back")
		}
	})
}

// A method that begins after its call has ended must not read another call's request.
func TestMethodThatBeginsLate(t *testing.T) {
	pool := arena.NewAutoPool(0)
	gone, refused := make(chan bool), make(chan error, 1)
	s := &service{unary: func(ctx context.Context, r *request) (*response, error) {
		t.Error("the method was called")
		return echo(ctx, r)
	}}
	c := serve(t, pool, s, connect.WithInterceptors(
		timeouts(func() { <-gone }, func() {}),
		connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
			return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
				reply, err := next(ctx, r)
				refused <- err
				return reply, err
			}
		})))()
	late := connect.NewRequest(api("late"))
	late.Header().Set("Late", "1")
	_, err := c.unary.CallUnary(within(t), late)
	wantCode(t, err, connect.CodeDeadlineExceeded)
	if awaitIdle(t, pool) != 0 {
		t.Error("an arena was abandoned")
	}
	close(gone)
	wantCode(t, <-refused, connect.CodeCanceled)
}

// A goroutine that reads a stream after the method has returned gets an error, and nothing of another call.
// If it has just received a message, it puts the message's arena back.
func TestReceiverThatGoesOn(t *testing.T) {
	t.Run("message", func(t *testing.T) { testReceiverThatGoesOn(t, new(apipb.Api)) })
	t.Run("tagged", func(t *testing.T) { testReceiverThatGoesOn(t, new(tagged)) })
}

func testReceiverThatGoesOn(t *testing.T, m any) {
	pool := arena.NewAutoPool(0)
	there, later, ended := make(chan bool, 9), make(chan bool), make(chan bool)
	s := &service{bidi: func(ctx context.Context, b *both) error {
		go func() {
			defer close(ended)
			for range 2 {
				err := b.Conn().Receive(m)
				if wantCode(t, err, connect.CodeCanceled); reflect.ValueOf(m).Elem().FieldByName("Name").String() != "" {
					t.Errorf("%v was read", m)
				}
			}
		}()
		<-there
		if arena.FromContext(ctx) != nil {
			t.Error("an arena of a message that is being received")
		}
		return nil
	}, unary: echo}
	c := serve(t, pool, s, connect.WithInterceptors(received(func(connect.StreamingHandlerConn) {
		there <- true
		<-later
	})))()
	b := c.bidi.CallBidiStream(within(t))
	b.Send(api("text"))
	b.Receive() // the end
	b.CloseRequest()
	b.CloseResponse()
	close(later)
	<-ended
	if awaitIdle(t, pool) != 0 || len(there) != 0 {
		t.Errorf("%+v, and %d messages were read", pool.Stats(), len(there))
	}
	c.calls(t, "x")
}

// One goroutine receives, and another one sends. Only the first has the arenas. If the other one asks for an
// arena, the arena is abandoned.
func TestTwoGoroutines(t *testing.T) {
	for _, asks := range []bool{false, true} {
		pool := arena.NewAutoPool(0)
		s := &service{bidi: func(ctx context.Context, b *both) error {
			texts, next := make(chan string), make(chan bool)
			go func() {
				defer close(texts)
				for {
					m, err := b.Receive()
					if err != nil {
						return
					}
					if a := arena.FromContext(ctx); a == nil || !decodedIn(a, m.Name) {
						t.Error("a message is not in the arena of the goroutine that received it")
					}
					texts <- strings.Clone(m.Name)
					<-next
				}
			}()
			for text := range texts {
				if asks && arena.FromContext(ctx) != nil {
					t.Error("two goroutines are led to one arena")
				}
				b.Send(&apipb.Api{Name: text + "!"})
				next <- true
			}
			return nil
		}}
		b := serve(t, pool, s)().bidi.CallBidiStream(within(t))
		for i := range 5 {
			b.Send(api(numbered("text", i)))
			if m, err := b.Receive(); err != nil || m.Name != numbered("text", i)+"!" {
				t.Errorf("%v (%v)", m, err)
			}
		}
		b.CloseRequest()
		b.Receive()
		b.CloseResponse()
		if n := awaitIdle(t, pool); asks && n == 0 || !asks && n != 0 {
			t.Errorf("%d arenas were abandoned", n)
		}
	}
}

// A goroutine of a stream that asked for an arena, or received a message, and outlives the method keeps the
// arena.
func TestGoroutineOfStreamThatGoesOn(t *testing.T) {
	for _, receives := range []bool{false, true} {
		pool := arena.NewAutoPool(0)
		later, ended := make(chan bool), make(chan string, 1)
		s := &service{bidi: func(ctx context.Context, b *both) error {
			m, begun := &apipb.Api{}, make(chan bool)
			if !receives {
				m, _ = b.Receive()
			}
			go func() {
				if receives {
					m, _ = b.Receive()
				} else if arena.FromContext(ctx) != nil {
					t.Error("two goroutines are led to one arena")
				}
				close(begun)
				<-later
				ended <- strings.Clone(m.Name)
			}()
			<-begun
			return nil
		}, unary: echo}
		c := serve(t, pool, s)()
		b := c.bidi.CallBidiStream(within(t))
		b.Send(api("kept"))
		b.Receive()
		b.CloseRequest()
		b.CloseResponse()
		for i := range 5 {
			c.calls(t, numbered("other", i))
		}
		close(later)
		if text := <-ended; text != "kept" || awaitIdle(t, pool) != 1 {
			t.Errorf("a message of a goroutine that goes on is %q by now: %+v", text, pool.Stats())
		}
	}
}

// A client's deadline ends the call. With a TimeoutHandler inside, messages are on the heap.
func TestTimeouts(t *testing.T) {
	pool := arena.NewAutoPool(0)
	s := &service{unary: func(ctx context.Context, r *request) (*response, error) {
		if r.Msg.Name == "waits" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return echo(ctx, r)
	}}
	each(t, func(t *testing.T, _ string, options []connect.ClientOption) {
		c := serve(t, pool, s)(options...)
		ctx, cancel := context.WithTimeout(within(t), 20*time.Millisecond)
		defer cancel()
		// The client's error depends on which of the two comes first.
		if _, err := c.unary.CallUnary(ctx, connect.NewRequest(api("waits"))); err == nil {
			t.Error("a call beyond its deadline has succeeded")
		}
		c.calls(t, "x")
		awaitIdle(t, pool)
	})
	inside := arenahttp.TimeoutHandler(s.handler(arenaconnect.Option()), time.Minute, "too late")
	start(t, arenaconnect.Handler(pool, inside))().calls(t, "x")
	awaitIdle(t, pool)
}
