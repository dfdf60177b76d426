package arenagrpc_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unsafe"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// The health service keeps the name of a request as a map key. With requests in arenas, watchers were no
// longer notified after the first of them had left.
func TestHealthWatch(t *testing.T) {
	h := health.NewServer()
	conn := serve(t, arena.NewAutoPool(0), withCodec(), func(_, wrapped grpc.ServiceRegistrar) { healthpb.RegisterHealthServer(wrapped, h) })
	client := healthpb.NewHealthClient(conn)
	const name = "orders.v1.Orders"
	for range 10 {
		h.SetServingStatus(name, healthpb.HealthCheckResponse_SERVING)
		ctx, leave := context.WithCancel(t.Context())
		first, _ := client.Watch(ctx, &healthpb.HealthCheckRequest{Service: name})
		first.Recv()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		second, _ := client.Watch(ctx, &healthpb.HealthCheckRequest{Service: name})
		second.Recv()
		leave()
		for range 20 {
			client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: "inventory.v1.Stock"})
		}
		h.SetServingStatus(name, healthpb.HealthCheckResponse_NOT_SERVING)
		if r, err := second.Recv(); r.GetStatus() != healthpb.HealthCheckResponse_NOT_SERVING {
			t.Error(r, err)
		}
		cancel()
	}
}

// placed registers a service and reports whether its unary call and its stream have arenas.
func placed(t *testing.T, service string, opts ...arenagrpc.Option) (unary, stream bool) {
	t.Helper()
	pool := arena.NewAutoPool(0)
	desc := pb.TestService_ServiceDesc
	desc.ServiceName = service
	conn := serve(t, pool, withCodec(), func(plain, _ grpc.ServiceRegistrar) {
		arenagrpc.Wrap(plain, pool, opts...).RegisterService(&desc, &testService{
			unary: func(ctx context.Context) { unary = arena.FromContext(ctx) != nil },
			input: func(ctx context.Context) { stream = arena.FromContext(ctx) != nil },
		})
	})
	if err := conn.Invoke(within(t), "/"+service+"/UnaryCall", request("x"), &pb.SimpleResponse{}); err != nil {
		t.Fatal(err)
	}
	s, err := conn.NewStream(within(t), &grpc.StreamDesc{ClientStreams: true}, "/"+service+"/StreamingInputCall")
	if err == nil {
		err = s.SendMsg(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: []byte("x")}})
	}
	if err == nil {
		s.CloseSend()
		err = s.RecvMsg(&pb.StreamingInputCallResponse{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return unary, stream
}

type testService struct {
	pb.UnimplementedTestServiceServer
	unary, input func(context.Context)
}

func (s *testService) UnaryCall(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	s.unary(ctx)
	return &pb.SimpleResponse{}, nil
}

func (s *testService) StreamingInputCall(in grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error {
	if _, err := in.Recv(); err != nil {
		return err
	}
	s.input(in.Context())
	return in.SendAndClose(&pb.StreamingInputCallResponse{})
}

func TestHeapFor(t *testing.T) {
	for _, test := range []struct {
		service       string
		heap          []string
		unary, stream bool
	}{
		{"a.B", nil, true, true},
		{"a.B", []string{"a.B"}, false, false},
		{"a.B", []string{"/a.B"}, false, false},
		{"a.B", []string{"a.B/UnaryCall"}, false, true},
		{"a.B", []string{"/a.B/StreamingInputCall"}, true, false},
		{"a.B", []string{"a.C", "a.B/UnaryCall", "a.B/StreamingInputCall"}, false, false},
		{"a.B", []string{"a", "a.", "a.BC", "b.B", "B", "", "a.B/Unary", "a.B/"}, true, true},
		{"grpc.health.v1.Health", nil, false, false},
		{"grpc.health.v1.Health", []string{"a.B"}, false, false},
		{"grpc.reflection.v1.ServerReflection", nil, false, false},
		{"grpc.reflection.v1alpha.ServerReflection", nil, false, false},
		{"grpc.channelz.v1.Channelz", nil, false, false},
		{"envoy.service.status.v3.ClientStatusDiscoveryService", nil, false, false},
		{"grpc.health.v1.Healthy", nil, true, true},
	} {
		if unary, stream := placed(t, test.service, arenagrpc.HeapFor(test.heap...)); unary != test.unary || stream != test.stream {
			t.Errorf("%s with HeapFor(%q): arenas for the unary method %v and the stream %v, want %v and %v", test.service, test.heap, unary, stream, test.unary, test.stream)
		}
	}
}

// CheckRequests reports a request that changed during its call, and nothing else.
func TestCheckRequests(t *testing.T) {
	var reports []string
	pool := arena.NewAutoPool(0)
	client := serveTests(t, pool, &service{unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
		if r.ResponseSize == 7 {
			copy(r.Payload.Body, "late")
		}
		if r.ResponseSize == 8 {
			copy(r.Payload.Body, "gone")
			panic("x")
		}
		return &pb.SimpleResponse{}, nil
	}}, grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (reply any, err error) {
		defer func() { recover() }()
		return next(ctx, req)
	}, arenagrpc.CheckRequests(func(method string, was, is proto.Message) {
		reports = append(reports, method+string(was.(*pb.SimpleRequest).Payload.Body)+string(is.(*pb.SimpleRequest).Payload.Body))
	})))
	for _, size := range []int32{1, 7, 8, 9} {
		client.UnaryCall(within(t), &pb.SimpleRequest{ResponseSize: size, Payload: &pb.Payload{Body: []byte("body")}})
	}
	if got, want := strings.Join(reports, " "), "/grpc.testing.TestService/UnaryCallbodylate /grpc.testing.TestService/UnaryCallbodygone"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A client's replies are in the arena of the call, for unary methods and streams.
func TestInto(t *testing.T) {
	client := serveTests(t, arena.NewAutoPool(0), &service{
		unary: echo,
		output: func(r *pb.StreamingOutputCallRequest, out grpc.ServerStreamingServer[pb.StreamingOutputCallResponse]) error {
			for range 3 {
				if err := out.Send(&pb.StreamingOutputCallResponse{Payload: r.Payload}); err != nil {
					return err
				}
			}
			return nil
		},
	})
	a := arena.NewArena(1<<12, 0)
	for i := range 3 {
		text := strings.Repeat("text", 1+1000*i)
		reply, err := client.UnaryCall(within(t), request(text), arenagrpc.Into(a))
		if isEcho(t, text, reply, err) && !decodedIn(a, reply.Username) {
			t.Error("the reply is not in the arena")
		}
		s, err := client.StreamingOutputCall(within(t), &pb.StreamingOutputCallRequest{Payload: &pb.Payload{Body: []byte(text)}}, arenagrpc.Into(a))
		if err != nil {
			t.Fatal(err)
		}
		var all []*pb.StreamingOutputCallResponse
		for range 3 {
			r, err := s.Recv()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		for _, r := range all {
			if string(r.Payload.Body) != text || !decodedIn(a, shared(r.Payload.Body)) {
				t.Error("a message is wrong or not in the arena")
			}
		}
		a.Reset()
	}
	reply, err := client.UnaryCall(within(t), request("heap"), arenagrpc.Into(nil))
	isEcho(t, "heap", reply, err)
	if _, err := client.UnaryCall(within(t), request("x"), arenagrpc.Into(a), grpc.UseCompressor("gzip")); err != nil {
		t.Error(err)
	}
	a.SetLimit(64 << 10)
	_, err = client.UnaryCall(within(t), request(strings.Repeat("x", 1<<20)), arenagrpc.Into(a))
	wantCode(t, err, codes.Internal)
	if reply, err := client.UnaryCall(within(t), request("small"), arenagrpc.Into(a)); !isEcho(t, "small", reply, err) {
		t.Error("the arena is not usable after a limit")
	}
}

// shared returns b as a string with the same memory.
func shared(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
