package arenagrpc_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/reflection"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// Services that do not use arenas work unchanged, with Wrap and without.
func TestHealthAndReflection(t *testing.T) {
	pool := arena.NewAutoPool(0)
	for name, wrap := range map[string]bool{"plain": false, "wrapped": true} {
		t.Run(name, func(t *testing.T) {
			status := health.NewServer()
			conn := serve(t, pool, withCodec(), func(r, wrapped grpc.ServiceRegistrar) {
				pb.RegisterTestServiceServer(wrapped, &service{unary: echo})
				target := r
				if wrap {
					target = wrapped
				}
				healthpb.RegisterHealthServer(target, status)
				reflectionpb.RegisterServerReflectionServer(target, reflection.NewServerV1(reflection.ServerOptions{Services: r.(*grpc.Server)}))
			})
			h := healthpb.NewHealthClient(conn)
			watch, err := h.Watch(within(t), &healthpb.HealthCheckRequest{Service: "orders"})
			if err != nil {
				t.Fatal(err)
			}
			// SetServingStatus keeps a service's name, and Watch looks it up.
			for _, s := range []healthpb.HealthCheckResponse_ServingStatus{
				healthpb.HealthCheckResponse_SERVICE_UNKNOWN, healthpb.HealthCheckResponse_SERVING, healthpb.HealthCheckResponse_NOT_SERVING,
			} {
				if s != healthpb.HealthCheckResponse_SERVICE_UNKNOWN {
					status.SetServingStatus("orders", s)
					if r, err := h.Check(within(t), &healthpb.HealthCheckRequest{Service: "orders"}); err != nil || r.Status != s {
						t.Error(r, err)
					}
				}
				if r, err := watch.Recv(); err != nil || r.Status != s {
					t.Error(r, err)
				}
			}

			asked, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(within(t))
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				asked.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}})
				r, err := asked.Recv()
				if err != nil {
					t.Fatal(err)
				}
				if n := len(r.GetListServicesResponse().GetService()); n != 3 {
					t.Errorf("%d services", n)
				}
				asked.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "grpc.testing.TestService"}})
				if r, err := asked.Recv(); err != nil || len(r.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
					t.Error(r, err)
				}
			}
			asked.CloseSend()
			if _, err := asked.Recv(); err != io.EOF {
				t.Error(err)
			}
			reply, err := pb.NewTestServiceClient(conn).UnaryCall(within(t), request("x"))
			isEcho(t, "x", reply, err)
		})
	}
}

// warnings collects gRPC's log.
var warnings logged

type logged struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.text.Write(b)
}

// count returns how often text was logged.
func (l *logged) count(text string) int {
	l.lock.Lock()
	defer l.lock.Unlock()
	return strings.Count(l.text.String(), text)
}

func init() { grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, &warnings, io.Discard)) }

// A server without the codec decodes on the heap, logs that once, and works.
func TestWithoutCodec(t *testing.T) {
	const warning = "requests are decoded on the heap"
	before := warnings.count(warning)
	good := serveTests(t, arena.NewAutoPool(0), &service{unary: echo})
	reply, err := good.UnaryCall(within(t), request("x"))
	isEcho(t, "x", reply, err)
	if n := warnings.count(warning) - before; n != 0 {
		t.Errorf("%d warnings with the codec", n)
	}
	pool := arena.NewAutoPool(0)
	conn := serve(t, pool, nil, func(_, wrapped grpc.ServiceRegistrar) {
		pb.RegisterTestServiceServer(wrapped, &service{
			unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
				if arenagrpc.FromContext(ctx) != nil || arenagrpc.Keep(ctx) != nil {
					t.Error("an arena that nobody filled")
				}
				return echo(ctx, r)
			},
			duplex: func(s duplexServer) error {
				_, err := s.Recv()
				return err
			},
		})
	})
	client := pb.NewTestServiceClient(conn)
	reply, err = client.UnaryCall(within(t), request("x"))
	isEcho(t, "x", reply, err)
	s, err := client.FullDuplexCall(within(t))
	if err != nil {
		t.Fatal(err)
	}
	s.Send(out("x"))
	if _, err := s.Recv(); err != io.EOF {
		t.Error(err)
	}
	if n := pool.Stats().Gets; n != 0 {
		t.Errorf("%d arenas", n)
	}
	if n := warnings.count(warning) - before; n != 1 {
		t.Errorf("%d warnings without the codec, want one for each Wrap", n)
	}
}

// gRPC's tracing shows messages long after their calls.
func TestTracing(t *testing.T) {
	grpc.EnableTracing = true
	defer func() { grpc.EnableTracing = false }()
	pool := arena.NewAutoPool(0)
	conn := serve(t, pool, withCodec(), func(_, wrapped grpc.ServiceRegistrar) {
		pb.RegisterTestServiceServer(wrapped, &service{unary: echo})
	})
	defer conn.Close()
	reply, err := pb.NewTestServiceClient(conn).UnaryCall(within(t), request("x"))
	isEcho(t, "x", reply, err)
	if n := pool.Stats().Gets; n != 0 {
		t.Errorf("%d arenas", n)
	}
}
