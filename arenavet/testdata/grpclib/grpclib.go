// Package grpclib registers services of other packages.
package grpclib

import (
	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"

	"example.com/grpc/pb"
	"example.com/grpclib/orders"
)

var (
	pool   = arena.NewAutoPool(0)
	server arenagrpc.Registrar
)

func register() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), orders.New()) // want `memory of the request is kept by Create, List, Talk, and`
}

func registerMaps() {
	wrapped := arenagrpc.Wrap(server, pool)
	pb.RegisterOrdersServer(wrapped, &orders.Maps{}) // want `memory of the request is kept by Create, List, and`
}

func registerQueue(q *orders.Queue) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), q) // want `memory of the request is kept by Create, and`
}

// The generated function is not called.
func registerService(q *orders.Server) {
	arenagrpc.Wrap(server, pool).RegisterService(nil, q) // want `memory of the request is kept by Create, List, Talk, and`
}

// An implementation that is embedded.
type logged struct {
	*orders.Server
	calls int
}

func registerEmbedded(s *logged) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s) // want `memory of the request is kept by Create, List, Talk, and`
}

type inside struct{ orders.Maps }

func registerInside() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &inside{}) // want `memory of the request is kept by Create, List, and`
}

// A helper has the service that it registers.
func registerOwn() {
	wrapped := arenagrpc.Wrap(server, pool)
	orders.Register(wrapped) // want `memory of the request is kept by Create, List, Talk, and`
	orders.RegisterFine(wrapped)
}

func registerThrough(r arenagrpc.Registrar) { orders.Register(r) }

func registerDeep() {
	registerThrough(arenagrpc.WrapBy(server, nil)) // want `memory of the request is kept by Create, List, Talk, and`
}

func finePlainOwn() {
	orders.Register(server)
	registerThrough(server)
}

func fineCopies() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &orders.Fine{})
	arenagrpc.Wrap(server, pool).RegisterService(nil, &orders.Fine{})
}

func finePlain(s *orders.Server) {
	pb.RegisterOrdersServer(server, s)
	server.RegisterService(nil, s)
}
