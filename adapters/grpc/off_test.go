package arenagrpc_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	pb "google.golang.org/grpc/interop/grpc_testing"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// With a nil or disabled pool, calls and streams work on the heap.
func TestOff(t *testing.T) {
	p := arena.NewAutoPool(0)
	var pool *arena.ArenaPool
	handlers := &service{
		unary: func(ctx context.Context, r *pb.SimpleRequest) (*pb.SimpleResponse, error) {
			if a := arenagrpc.FromContext(ctx); (a == nil) != (pool == nil) {
				t.Errorf("arena %v of pool %v", a, pool)
			}
			return echo(ctx, r)
		},
		input: func(in grpc.ClientStreamingServer[pb.StreamingInputCallRequest, pb.StreamingInputCallResponse]) error {
			r, err := in.Recv()
			if err != nil {
				return err
			}
			if a := arenagrpc.FromContext(in.Context()); (a == nil) != (pool == nil) {
				t.Errorf("arena %v of pool %v", a, pool)
			}
			if pool == nil {
				arenagrpc.Keep(in.Context())
			}
			return in.SendAndClose(&pb.StreamingInputCallResponse{AggregatedPayloadSize: int32(len(r.Payload.Body))})
		},
	}
	for name, test := range map[string]struct {
		pool *arena.ArenaPool
		on   bool
	}{"no pool": {nil, true}, "off": {p, false}} {
		t.Run(name, func(t *testing.T) {
			pool = test.pool
			arena.SetEnabled(test.on)
			defer arena.SetEnabled(true)
			client := serveTests(t, test.pool, handlers)
			reply, err := client.UnaryCall(within(t), request("text"))
			isEcho(t, "text", reply, err)
			in, err := client.StreamingInputCall(within(t))
			if err != nil {
				t.Fatal(err)
			}
			in.Send(&pb.StreamingInputCallRequest{Payload: &pb.Payload{Body: []byte("abc")}})
			if sum, err := in.CloseAndRecv(); err != nil || sum.AggregatedPayloadSize != 3 {
				t.Errorf("%v (%v)", sum, err)
			}
		})
	}
	if s := p.Stats(); s.Gets == 0 || s.Leaked != 0 {
		t.Errorf("%+v", s)
	}
}
