package arenagrpc_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

func TestWrapBy(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	key := func(ctx context.Context) string {
		md, _ := metadata.FromIncomingContext(ctx)
		return md.Get("tenant")[0]
	}
	conn := serve(t, nil, withCodec(), func(plain, _ grpc.ServiceRegistrar) {
		pb.RegisterTestServiceServer(arenagrpc.WrapBy(plain, p, key), &service{unary: echo})
	})
	for _, tenant := range []string{"a", "b", "a"} {
		reply, err := pb.NewTestServiceClient(conn).UnaryCall(metadata.AppendToOutgoingContext(within(t), "tenant", tenant), request("text of "+tenant))
		isEcho(t, "text of "+tenant, reply, err)
	}
	if s := p.Stats(); s.Keys != 2 || s.Gets != 3 {
		t.Errorf("%+v", s)
	}
	defer func() {
		if recover() == nil {
			t.Error("a nil key does not panic")
		}
	}()
	arenagrpc.WrapBy(grpc.NewServer(), p, nil)
}
