package arenaconnect_test

import (
	"context"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
)

// A client's replies are in the arena of the call, with every protocol, for unary methods and streams, also
// in a method that has its own arena.
func TestInto(t *testing.T) {
	each(t, func(t *testing.T, name string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		s := &service{
			unary: func(ctx context.Context, r *request) (*response, error) {
				if r.Msg.Name == "fails" {
					return nil, connect.NewError(connect.CodeAborted, nil)
				}
				return echo(ctx, r)
			},
			server: func(ctx context.Context, r *request, out *connect.ServerStream[apipb.Api]) error {
				for range 3 {
					if err := out.Send(r.Msg); err != nil {
						return err
					}
				}
				return nil
			},
		}
		c := serve(t, pool, s)(append([]connect.ClientOption{arenaconnect.ClientOption()}, options...)...)
		a := arena.NewArena(1<<12, 0)
		placed := func(text string, m *apipb.Api) {
			t.Helper()
			if want := name != "json"; decodedIn(a, m.Name) != want || decodedIn(a, m.Methods[0].Name) != want {
				t.Errorf("the reply to %.20q is in the arena: %v, want %v", text, !want, want)
			}
		}
		for i := range 3 {
			text := numbered(strings.Repeat("text", 1+500*i), i)
			reply, err := c.unary.CallUnary(arenaconnect.Into(within(t), a), connect.NewRequest(api(text)))
			if err != nil {
				t.Fatal(err)
			}
			isEcho(t, text, reply.Msg)
			placed(text, reply.Msg)
			stream, err := c.server.CallServerStream(arenaconnect.Into(within(t), a), connect.NewRequest(api(text)))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for stream.Receive() {
				if m := stream.Msg(); m.Name != text {
					t.Errorf("%.20q", m.Name)
				} else {
					placed(text, m)
				}
				n++
			}
			if stream.Err() != nil || n != 3 {
				t.Error(n, stream.Err())
			}
			stream.Close()
			a.Reset()
		}
		if reply, err := c.unary.CallUnary(within(t), connect.NewRequest(api("heap"))); err != nil || isIn(a, reply.Msg.Name) {
			t.Error("without Into: ", err)
		}
		if reply, err := c.unary.CallUnary(arenaconnect.Into(within(t), nil), connect.NewRequest(api("heap"))); err != nil || isIn(a, reply.Msg.Name) {
			t.Error("Into nil: ", err)
		}
		_, err := c.unary.CallUnary(arenaconnect.Into(within(t), a), connect.NewRequest(api("fails")))
		wantCode(t, err, connect.CodeAborted)
		if name != "json" {
			a.SetLimit(32 << 10)
			_, err = c.unary.CallUnary(arenaconnect.Into(within(t), a), connect.NewRequest(api(strings.Repeat("x", 100<<10))))
			wantCode(t, err, connect.CodeResourceExhausted)
		}
		awaitIdle(t, pool) // and no goroutine is registered
	})
}

// A method that calls another service keeps its own request, and the reply is in the arena passed to Into.
func TestIntoInMethod(t *testing.T) {
	pool := arena.NewAutoPool(0)
	back := serve(t, pool, &service{unary: echo})(arenaconnect.ClientOption())
	front := serve(t, pool, &service{unary: func(ctx context.Context, r *request) (*response, error) {
		a := arena.FromContext(ctx)
		reply, err := back.unary.CallUnary(arenaconnect.Into(ctx, a), connect.NewRequest(api(r.Msg.Name)))
		if err != nil {
			return nil, err
		}
		if !decodedIn(a, reply.Msg.Name) || !decodedIn(a, r.Msg.Name) {
			t.Error("not in the method's arena")
		}
		reply.Msg.Name = r.Msg.Name + "!"
		answer := connect.NewResponse(reply.Msg)
		answer.Header().Set("In-Header", r.Msg.Name)
		answer.Trailer().Set("In-Trailer", r.Msg.Name)
		return answer, nil
	}})()
	for i := range 20 {
		front.calls(t, numbered("request", i))
	}
	awaitIdle(t, pool)
}
