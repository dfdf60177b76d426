package arenaconnect_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
)

func TestUnary(t *testing.T) {
	each(t, func(t *testing.T, name string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		late := make(chan context.Context, 3)
		c := serve(t, pool, &service{unary: func(ctx context.Context, r *request) (*response, error) {
			if a := arena.FromContext(ctx); a == nil {
				t.Error("no arena")
			} else if name != "json" && !decodedIn(a, r.Msg.Name) {
				t.Error("the request is not in the call's arena")
			}
			late <- ctx
			return echo(ctx, r)
		}})(options...)
		for i := range 3 {
			c.calls(t, numbered("request", i))
		}
		if awaitIdle(t, pool) != 0 || pool.Stats().Gets != 3 {
			t.Errorf("%+v after 3 calls", pool.Stats())
		}
		for range 3 {
			if arena.FromContext(<-late) != nil {
				t.Error("a context that was kept still leads to the arena, which is another call's by now")
			}
		}
	})
}

// Many concurrent calls with replies, headers, trailers and errors in the arena. Anything written after the
// arena was put back would contain another call's text.
func TestRepliesLiveUntilWritten(t *testing.T) {
	n := 30
	if testing.Short() || check.Race || check.ASan {
		n = 5
	}
	each(t, func(t *testing.T, _ string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		serving := serve(t, pool, &service{unary: func(ctx context.Context, r *request) (*response, error) {
			if r.Msg.Version == "fails" {
				err := connect.NewError(connect.CodeAborted, errors.New(r.Msg.Name))
				err.Meta().Set("In-Error", r.Msg.Name)
				return nil, err
			}
			return echo(ctx, r)
		}})
		c := serving(options...)
		var all sync.WaitGroup
		for g := range 6 {
			all.Go(func() {
				for i := range n {
					text := strings.TrimSpace(strings.Repeat(numbered(numbered("text", g), i)+" ", 1+i%5*30))
					if !c.calls(t, text) {
						return
					}
					m := api(text)
					m.Version = "fails"
					_, err := c.unary.CallUnary(within(t), connect.NewRequest(m))
					var from *connect.Error
					if !errors.As(err, &from) || from.Code() != connect.CodeAborted || from.Message() != text || from.Meta().Get("In-Error") != text {
						t.Errorf("%v, want %q", err, text)
						return
					}
				}
			})
		}
		all.Wait()
		if awaitIdle(t, pool) != 0 {
			t.Error("arenas were abandoned")
		}
	})
}

// The codec is not called for an empty message.
func TestEmptyRequest(t *testing.T) {
	each(t, func(t *testing.T, _ string, options []connect.ClientOption) {
		pool := arena.NewAutoPool(0)
		c := serve(t, pool, &service{unary: func(ctx context.Context, r *request) (*response, error) {
			return connect.NewResponse(&apipb.Api{Name: arena.FromContext(ctx).Concat("em", "pty")}), nil
		}})(options...)
		reply, err := c.unary.CallUnary(within(t), connect.NewRequest(&apipb.Api{}))
		if err != nil || reply.Msg.Name != "empty" {
			t.Errorf("%v (%v)", reply, err)
		}
		awaitIdle(t, pool)
	})
}

// With Option but without Handler, or the other way round, messages are on the heap. So they are with a nil
// or disabled pool.
func TestOnTheHeap(t *testing.T) {
	pool := arena.NewAutoPool(0)
	seen := func(ctx context.Context, r *request) (*response, error) {
		if a := arena.FromContext(ctx); a != nil && (pool.Stats().Mode != "heap" || isIn(a, r.Msg.Name)) {
			t.Error("a call has an arena")
		}
		return echo(ctx, r)
	}
	s := &service{unary: seen, client: func(ctx context.Context, in *connect.ClientStream[apipb.Api]) (*response, error) {
		in.Receive()
		return seen(ctx, connect.NewRequest(in.Msg()))
	}}
	without := &service{
		unary: func(ctx context.Context, r *request) (*response, error) {
			if a := arena.FromContext(ctx); isIn(a, r.Msg.Name) {
				t.Error("a request is in the arena")
			}
			return echo(ctx, r)
		},
		client: func(ctx context.Context, in *connect.ClientStream[apipb.Api]) (*response, error) {
			in.Receive()
			if a := arena.FromContext(ctx); a == nil || isIn(a, in.Msg().Name) {
				t.Error("no arena of the request, or a message is in it")
			}
			return echo(ctx, connect.NewRequest(in.Msg()))
		},
	}
	for name, test := range map[string]struct {
		h  http.Handler
		on bool
	}{
		"no handler": {s.handler(arenaconnect.Option()), true},
		"no option":  {arenaconnect.Handler(pool, without.handler()), true},
		"arenahttp":  {arenahttp.Handler(pool, without.handler(arenaconnect.Option())), true},
		"no pool":    {arenaconnect.Handler(nil, s.handler(arenaconnect.Option())), true},
		"off":        {arenaconnect.Handler(pool, s.handler(arenaconnect.Option())), false},
	} {
		t.Run(name, func(t *testing.T) {
			arena.SetEnabled(test.on)
			defer arena.SetEnabled(true)
			c := start(t, test.h)()
			c.calls(t, "text")
			in := c.client.CallClientStream(within(t))
			in.Send(api("more"))
			if reply, err := in.CloseAndReceive(); err != nil || !isEcho(t, "more", reply.Msg) {
				t.Error(err)
			}
		})
	}
	awaitIdle(t, pool)
}

// A value that is not a protobuf message gives the same error as with connect's own codec.
func TestErrorsAreConnects(t *testing.T) {
	s := &service{unary: echo}
	asked := func(h http.Handler) []string {
		var all []string
		c := start(t, h)
		for _, name := range []string{"connect", "grpc", "grpcweb"} {
			_, err := c(append(protocols[name], connect.WithCodec(broken{}))...).unary.CallUnary(within(t), connect.NewRequest(api("x")))
			wantCode(t, err, connect.CodeInvalidArgument)
			all = append(all, strings.ReplaceAll(err.Error(), "\u00a0", " ")) // package proto uses either kind of space at random
		}
		return all
	}
	theirs, ours := asked(s.handler()), asked(arenaconnect.Handler(arena.NewAutoPool(0), s.handler(arenaconnect.Option())))
	if strings.Join(theirs, "\n") != strings.Join(ours, "\n") {
		t.Errorf("%q, want %q", ours, theirs)
	}
}

// broken is a client's codec that sends malformed messages.
type broken struct{}

func (broken) Name() string                    { return "proto" }
func (broken) Marshal(any) ([]byte, error)     { return []byte{0x0a, 1, 'x', 0xff}, nil }
func (broken) Unmarshal(b []byte, v any) error { return proto.Unmarshal(b, v.(proto.Message)) }

// A type that is not a message causes an error, not a panic.
func TestNoMessage(t *testing.T) {
	type text struct{ Text string }
	mux := http.NewServeMux()
	mux.Handle("/test/Unary", connect.NewUnaryHandler("/test/Unary", func(context.Context, *connect.Request[text]) (*response, error) {
		return nil, errors.New("called")
	}, arenaconnect.Option()))
	pool := arena.NewAutoPool(0)
	_, err := start(t, arenaconnect.Handler(pool, mux))().unary.CallUnary(within(t), connect.NewRequest(api("x")))
	if err == nil || !strings.Contains(err.Error(), "unmarshal into *arenaconnect_test.text: arenapb: UnmarshalStruct: arenaconnect_test.text has no protobuf tags") {
		t.Error(err)
	}
	awaitIdle(t, pool)
}

func TestHandlerRefusesNil(t *testing.T) {
	defer func() {
		if v, _ := recover().(string); !strings.HasPrefix(v, "arenaconnect: Handler: ") {
			t.Error(v)
		}
	}()
	arenaconnect.Handler(arena.NewAutoPool(0), nil)
}
