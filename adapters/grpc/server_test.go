package arenagrpc_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// service implements the TestService of gRPC's own tests with functions.
type service struct {
	pb.UnimplementedTestServiceServer
	unary  func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error)
	output func(*pb.StreamingOutputCallRequest, grpc.ServerStreamingServer[pb.StreamingOutputCallResponse]) error
	input  func(grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error
	duplex func(grpc.BidiStreamingServer[pb.StreamingOutputCallRequest, pb.StreamingOutputCallResponse]) error
}

func (s *service) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	return s.unary(ctx, r)
}

func (s *service) StreamingOutputCall(r *pb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[pb.StreamingOutputCallResponse]) error {
	return s.output(r, out)
}

func (s *service) StreamingInputCall(in grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error {
	return s.input(in)
}

func (s *service) FullDuplexCall(both grpc.BidiStreamingServer[pb.StreamingOutputCallRequest, pb.StreamingOutputCallResponse]) error {
	return s.duplex(both)
}

// withCodec adds the codec to the options of a server.
func withCodec(options ...grpc.ServerOption) []grpc.ServerOption {
	return append(options, grpc.ForceServerCodecV2(arenagrpc.Codec()))
}

// serve runs a server in memory with the services that register registers, until the test ends, and checks
// that every arena is put back.
func serve(t testing.TB, pool *arena.ArenaPool, options []grpc.ServerOption, register func(plain, wrapped grpc.ServiceRegistrar)) *grpc.ClientConn {
	t.Helper()
	server := grpc.NewServer(options...)
	register(server, arenagrpc.Wrap(server, pool))
	l := bufconn.Listen(1 << 20)
	go server.Serve(l)
	conn, err := grpc.NewClient("passthrough:memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		awaitIdle(t, pool)
	})
	return conn
}

// serveTests is serve with s.
func serveTests(t testing.TB, pool *arena.ArenaPool, s *service, options ...grpc.ServerOption) pb.TestServiceClient {
	t.Helper()
	return pb.NewTestServiceClient(serve(t, pool, withCodec(options...), func(_, wrapped grpc.ServiceRegistrar) {
		pb.RegisterTestServiceServer(wrapped, s)
	}))
}

// strange holds the pools of tests whose goroutines keep arenas.
var strange sync.Map

// awaitIdle waits until all arenas are put back. A client may get its reply before the handler's goroutine
// has ended.
func awaitIdle(t testing.TB, pool *arena.ArenaPool) {
	t.Helper()
	_, left := strange.Load(pool)
	for range 60_000 {
		if s := pool.Stats(); (s.Gets == s.Puts || left && s.Gets == s.Puts+s.Abandoned) && s.Leaked == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%+v: an arena is still out", pool.Stats())
}

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func request(text string) *pb.SimpleRequest {
	return &pb.SimpleRequest{
		ResponseSize:   int32(len(text)),
		Payload:        &pb.Payload{Body: []byte(text)},
		ResponseStatus: &pb.EchoStatus{Message: text},
	}
}

// echo responds with memory of the request, in a reply in the request's arena.
func echo(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	a := arenagrpc.FromContext(ctx)
	return arena.NewOf(a, pb.SimpleResponse{
		Payload:  r.Payload,
		Username: a.Concat(r.ResponseStatus.Message, "!"),
	}), nil
}

func isEcho(t testing.TB, text string, reply *pb.SimpleResponse, err error) bool {
	t.Helper()
	if err != nil || string(reply.GetPayload().GetBody()) != text || reply.GetUsername() != text+"!" {
		t.Errorf("the echo of %.20q is %.20q, %.20q (%v)", text, reply.GetPayload().GetBody(), reply.GetUsername(), err)
		return false
	}
	return true
}

func wantCode(t testing.TB, err error, code codes.Code) {
	t.Helper()
	if status.Code(err) != code {
		t.Errorf("%v: the code is %v, want %v", err, status.Code(err), code)
	}
}
