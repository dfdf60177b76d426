package arenaconnect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
	"unsafe"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/apipb"

	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	"github.com/ebbpool/arena/internal/machine"
)

type (
	request  = connect.Request[apipb.Api]
	response = connect.Response[apipb.Api]
	both     = connect.BidiStream[apipb.Api, apipb.Api]
)

// service has one method of each kind.
type service struct {
	unary  func(context.Context, *request) (*response, error)
	client func(context.Context, *connect.ClientStream[apipb.Api]) (*response, error)
	server func(context.Context, *request, *connect.ServerStream[apipb.Api]) error
	bidi   func(context.Context, *both) error
}

// handler stands for one that connect's generator makes.
func (s *service) handler(options ...connect.HandlerOption) http.Handler {
	mux := http.NewServeMux()
	unary := append([]connect.HandlerOption{connect.WithIdempotency(connect.IdempotencyNoSideEffects)}, options...)
	mux.Handle("/test/Unary", connect.NewUnaryHandler("/test/Unary", s.unary, unary...))
	mux.Handle("/test/Client", connect.NewClientStreamHandler("/test/Client", s.client, options...))
	mux.Handle("/test/Server", connect.NewServerStreamHandler("/test/Server", s.server, options...))
	mux.Handle("/test/Bidi", connect.NewBidiStreamHandler("/test/Bidi", s.bidi, options...))
	return mux
}

// client calls the methods of a service.
type client struct {
	unary, client, server, bidi *connect.Client[apipb.Api, apipb.Api]
}

// protocols are all that connect speaks.
var protocols = map[string][]connect.ClientOption{
	"connect": nil,
	"get":     {connect.WithHTTPGet()},
	"gzip":    {connect.WithSendGzip()},
	"json":    {connect.WithProtoJSON()},
	"grpc":    {connect.WithGRPC()},
	"grpcweb": {connect.WithGRPCWeb()},
}

// serve returns a client of s, with an arena from pool for each call.
func serve(t *testing.T, pool *arena.ArenaPool, s *service, options ...connect.HandlerOption) func(...connect.ClientOption) client {
	t.Helper()
	return start(t, arenaconnect.Handler(pool, s.handler(append(options, arenaconnect.Option())...)))
}

func start(t *testing.T, h http.Handler) func(...connect.ClientOption) client {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of panics
	server.Start()
	t.Cleanup(server.Close)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return func(options ...connect.ClientOption) client {
		to := func(method string) *connect.Client[apipb.Api, apipb.Api] {
			o := append([]connect.ClientOption{connect.WithIdempotency(connect.IdempotencyNoSideEffects)}, options...)
			return connect.NewClient[apipb.Api, apipb.Api](&http.Client{Transport: transport}, server.URL+"/test/"+method, o...)
		}
		return client{to("Unary"), to("Client"), to("Server"), to("Bidi")}
	}
}

// within is a context of a test that hangs for no longer than this.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// api is a message with text, and with messages.
func api(text string) *apipb.Api {
	return &apipb.Api{Name: text, Methods: []*apipb.Method{{Name: text + "?"}}}
}

// echo answers with what the request leads to, in the request's arena.
func echo(ctx context.Context, r *request) (*response, error) {
	a := arena.FromContext(ctx)
	reply := arena.New[apipb.Api](a)
	reply.Name, reply.Methods = a.Concat(r.Msg.Name, "!"), r.Msg.Methods
	answer := connect.NewResponse(reply)
	answer.Header().Set("In-Header", r.Msg.Name)
	answer.Trailer().Set("In-Trailer", r.Msg.Name)
	return answer, nil
}

func isEcho(t *testing.T, text string, m *apipb.Api) bool {
	t.Helper()
	if m.Name != text+"!" || len(m.Methods) != 1 || m.Methods[0].Name != text+"?" {
		t.Errorf("the reply to %q is %v", text, m)
		return false
	}
	return true
}

// calls makes a unary call that echo answers.
func (c client) calls(t *testing.T, text string) bool {
	t.Helper()
	reply, err := c.unary.CallUnary(within(t), connect.NewRequest(api(text)))
	if err != nil {
		t.Error(err)
		return false
	}
	if h, tr := reply.Header().Get("In-Header"), reply.Trailer().Get("In-Trailer"); h != text || tr != text {
		t.Errorf("the headers of the reply to %q have %q and %q", text, h, tr)
		return false
	}
	return isEcho(t, text, reply.Msg)
}

// decodedIn reports whether s, of a decoded message, lies where it should: in a, but on the
// heap in portable builds, which leave messages to package proto.
func decodedIn(a *arena.Arena, s string) bool { return liesIn(a, s) == machine.LayoutOK }

// liesIn reports whether s lies in a: only then does Escape move it.
func liesIn(a *arena.Arena, s string) bool {
	return unsafe.StringData(arena.Escape(a, s)) != unsafe.StringData(s)
}

// awaitIdle waits until every arena of pool went back, but for those that were abandoned, and
// no goroutine leads to a call. It returns how many were abandoned.
func awaitIdle(t *testing.T, pool *arena.ArenaPool) (abandoned int) {
	t.Helper()
	return await(t, pool, 0)
}

// await is awaitIdle with this many goroutines that wait for a message.
func await(t *testing.T, pool *arena.ArenaPool, waiting int) (abandoned int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s, n := pool.Stats(), arenaconnect.Waiting()
		if s.Gets == s.Puts+s.Abandoned && n == waiting {
			return int(s.Abandoned)
		}
		if time.Now().After(end) {
			t.Fatalf("arenas are out, or calls are known: %+v, %d calls", s, n)
		}
	}
}

func wantCode(t *testing.T, err error, code connect.Code) {
	t.Helper()
	if connect.CodeOf(err) != code || err == nil {
		t.Errorf("%v (%v), want %v", err, connect.CodeOf(err), code)
	}
}

func wantExhausted(t *testing.T, err error, retry bool) {
	t.Helper()
	wantCode(t, err, connect.CodeResourceExhausted)
	var from *connect.Error
	if errors.As(err, &from) && (from.Meta().Get("Retry-After") == "1") != retry {
		t.Errorf("%v: to be tried again: %v, want %v", err, !retry, retry)
	}
}

func each(t *testing.T, f func(t *testing.T, name string, options []connect.ClientOption)) {
	for name, options := range protocols {
		t.Run(name, func(t *testing.T) { f(t, name, options) })
	}
}

func numbered(text string, i int) string { return fmt.Sprint(text, " ", i) }
