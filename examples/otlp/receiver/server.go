package receiver

import (
	"google.golang.org/grpc"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

// Server returns a gRPC server for r. With a pool each call has an arena; with nil it is a plain server.
func Server(r *Receiver, pool *arena.ArenaPool) *grpc.Server {
	if pool == nil {
		server := grpc.NewServer()
		r.Register(server)
		return server
	}
	server := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
	r.Register(arenagrpc.Wrap(server, pool))
	return server
}
