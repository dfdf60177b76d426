package arenagrpc_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	pb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
)

// The documented allocations of a call, compared with the generated handler's.
func TestAllocations(t *testing.T) {
	if check.On || goroutine.Traced {
		t.Skip("checked builds allocate, and so does a stack trace, which tells who asks")
	}
	pool := arena.NewAutoPool(0)
	s := &service{unary: func(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) { return nil, nil }}
	plain := &collector{}
	pb.RegisterTestServiceServer(plain, s)
	wrapped := &collector{}
	pb.RegisterTestServiceServer(arenagrpc.Wrap(wrapped, pool), s)
	in := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		return next(ctx, req)
	}
	// Without a codec, whose allocations are not the call's.
	dec := func(any) error { return nil }
	for _, c := range []struct {
		in   grpc.UnaryServerInterceptor
		most float64
	}{{nil, 4}, {in, 5}} {
		count := func(x *collector) float64 {
			return testing.AllocsPerRun(1000, func() { x.desc.Methods[1].Handler(s, t.Context(), dec, c.in) })
		}
		if more := count(wrapped) - count(plain); more > c.most {
			t.Errorf("%v allocations more, want at most %v", more, c.most)
		}
	}
}
