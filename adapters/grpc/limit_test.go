package arenagrpc_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/internal/machine"
)

// retriable reports whether a client may retry.
func retriable(err error) bool {
	for _, detail := range status.Convert(err).Details() {
		if r, ok := detail.(*errdetails.RetryInfo); ok && r.RetryDelay.AsDuration() > 0 {
			return true
		}
	}
	return false
}

func wantExhausted(t *testing.T, err error, retry bool) {
	t.Helper()
	wantCode(t, err, codes.ResourceExhausted)
	if !strings.Contains(status.Convert(err).Message(), "arena: allocation of") {
		t.Error(err)
	}
	if retriable(err) != retry {
		t.Errorf("%v: to be tried again: %v, want %v", err, !retry, retry)
	}
}

// A request over the limit is refused in the decoder. gRPC turns errors of a codec into INTERNAL, which
// blames the server.
func TestLimitInDecoder(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("package proto decodes, on the heap, which no limit counts")
	}
	pool := arena.NewAutoPool(0)
	pool.SetLimit(256<<10, 0)
	large := strings.Repeat("x", 1<<20)
	got := 0
	client := serveTests(t, pool, &service{
		unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) { got++; return echo(ctx, r) },
		input: func(in grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error {
			if _, err := in.Recv(); err != nil {
				return err
			}
			_, err := in.Recv()
			wantExhausted(t, err, false)
			if a := arenagrpc.FromContext(in.Context()); a != nil {
				t.Error("a message that was refused has an arena")
			}
			if r, err := in.Recv(); err != nil || string(r.Payload.Body) != "after it" {
				t.Errorf("what came after the message that was refused is %v (%v)", r, err)
			}
			return err
		},
		output: func(*pb.StreamingOutputCallRequest, grpc.ServerStreamingServer[pb.StreamingOutputCallResponse]) error {
			t.Error("a handler was called with what was refused")
			return nil
		},
	})
	_, err := client.UnaryCall(within(t), request(large))
	wantExhausted(t, err, false)
	if got != 0 {
		t.Error("a handler was called with what was refused")
	}
	reply, err := client.UnaryCall(within(t), request("small"))
	isEcho(t, "small", reply, err)

	in, err := client.StreamingInputCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	in.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: []byte("small")}})
	in.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: []byte(large)}})
	in.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: []byte("after it")}})
	_, err = in.CloseAndRecv()
	wantExhausted(t, err, false)

	out, err := client.StreamingOutputCall(within(t), &pb.StreamingOutputCallRequest{Payload: &pb.Payload{Body: []byte(large)}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = out.Recv()
	wantExhausted(t, err, false)
}

// If a handler or an interceptor exceeds a limit, outer interceptors get an error, so a recovery interceptor
// does not turn it into INTERNAL.
func TestLimitInHandler(t *testing.T) {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(256<<10, 0)
	use := func(ctx context.Context) { arenagrpc.FromContext(ctx).AllocBytes(1 << 20) }
	s := &service{
		unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
			use(ctx)
			return echo(ctx, r)
		},
		duplex: func(both grpc.BidiStreamingServer[pb.StreamingOutputCallRequest, pb.StreamingOutputCallResponse]) error {
			if _, err := both.Recv(); err != nil {
				return err
			}
			use(both.Context())
			return nil
		},
	}
	client := serveTests(t, pool, s)
	_, err := client.UnaryCall(within(t), request("x"))
	wantExhausted(t, err, false)
	both, err := client.FullDuplexCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	both.Send(&pb.StreamingOutputCallRequest{})
	_, err = both.Recv()
	wantExhausted(t, err, false)

	_, err = serveTests(t, pool, s, grpc.UnaryInterceptor(recovered)).UnaryCall(within(t), request("x"))
	wantExhausted(t, err, false)

	_, err = serveTests(t, pool, &service{unary: echo}, grpc.UnaryInterceptor(
		func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			use(ctx)
			return next(ctx, req)
		})).UnaryCall(within(t), request("x"))
	wantExhausted(t, err, false)
}

// If other calls hold the memory, the client may retry.
func TestLimitOfPool(t *testing.T) {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(0, 1<<20)
	pool.SetMaxIdleBytes(0)
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		arenagrpc.FromContext(ctx).AllocBytes(700 << 10)
		return echo(ctx, r)
	}})
	other := pool.Get()
	other.AllocBytes(700 << 10)
	_, err := client.UnaryCall(within(t), request("x"))
	wantExhausted(t, err, true)
	pool.Put(other)
	other = nil
	reply, err := client.UnaryCall(within(t), request("x"))
	isEcho(t, "x", reply, err)
}
