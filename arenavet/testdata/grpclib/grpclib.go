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
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), orders.New()) // want `stored where it outlives the function, but return of Create` `but return of List` `but return of Talk`
}

func registerMaps() {
	wrapped := arenagrpc.Wrap(server, pool)
	pb.RegisterOrdersServer(wrapped, &orders.Maps{}) // want `but return of Create` `but return of List`
}

func registerQueue(q *orders.Queue) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), q) // want `kept by the call`
}

// The generated function is not called.
func registerService(q *orders.Server) {
	arenagrpc.Wrap(server, pool).RegisterService(nil, q) // want `but return of Create` `but return of List` `but return of Talk`
}

// An implementation that is embedded.
type logged struct {
	*orders.Server
	calls int
}

func registerEmbedded(s *logged) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s) // want `but return of Create` `but return of List` `but return of Talk`
}

type inside struct{ orders.Maps }

func registerInside() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &inside{}) // want `but return of Create` `but return of List`
}

// A helper has the service that it registers.
func registerOwn() {
	wrapped := arenagrpc.Wrap(server, pool)
	orders.Register(wrapped) // want `but return of Create` `but return of List` `but return of Talk`
	orders.RegisterFine(wrapped)
}

func registerThrough(r arenagrpc.Registrar) { orders.Register(r) }

func registerDeep() {
	registerThrough(arenagrpc.WrapBy(server, nil)) // want `but return of Create` `but return of List` `but return of Talk`
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
