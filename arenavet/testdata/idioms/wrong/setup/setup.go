// Package setup registers the services that it is given, and serves as other packages want.
package setup

import (
	"google.golang.org/grpc"

	"example.com/grpc/pb"
	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

func Register(r arenagrpc.Registrar, s pb.OrdersServer) { pb.RegisterOrdersServer(r, s) }

func RegisterAny(r arenagrpc.Registrar, s any) { r.RegisterService(nil, s) }

var pool = arena.NewAutoPool(0)

// Serve wraps itself.
func Serve(s *grpc.Server, orders pb.OrdersServer) {
	Register(arenagrpc.Wrap(s, pool), orders)
}

// With calls f with an arena, and puts that back.
func With[T any](f func(*arena.Arena) T) T {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

// Try is With, with an error.
func Try[T any](f func(*arena.Arena) (T, error)) (T, error) {
	a := pool.Get()
	defer pool.Put(a)
	return f(a)
}

// Registrar wraps a server.
func Registrar(s *grpc.Server) arenagrpc.Registrar { return arenagrpc.Wrap(s, pool) }
