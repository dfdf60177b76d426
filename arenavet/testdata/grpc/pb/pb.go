// Package pb is as generated code is.
package pb

import (
	"context"

	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
)

type Order struct {
	state any
	Name  string
	Lines []*Line
}

type Line struct{ Text string }

type Receipt struct {
	Name  string
	Lines []*Line
}

type ServerStream interface {
	Context() context.Context
	SetTrailer(map[string][]string)
	SendMsg(any) error
	RecvMsg(any) error
}

// Stream is a server's.
type Stream interface {
	Recv() (*Order, error)
	Send(*Receipt) error
	ServerStream
}

// Upstream is a client's.
type Upstream interface {
	Recv() (*Order, error)
	CloseSend() error
	Trailer() map[string][]string
	RecvMsg(any) error
}

type OrdersServer interface {
	Create(context.Context, *Order) (*Receipt, error)
	List(*Order, Stream) error
	Talk(Stream) error
	mustEmbedUnimplementedOrdersServer()
}

type UnimplementedOrdersServer struct{}

func (UnimplementedOrdersServer) Create(context.Context, *Order) (*Receipt, error) { return nil, nil }
func (UnimplementedOrdersServer) List(*Order, Stream) error                        { return nil }
func (UnimplementedOrdersServer) Talk(Stream) error                                { return nil }
func (UnimplementedOrdersServer) mustEmbedUnimplementedOrdersServer()              {}

func RegisterOrdersServer(s arenagrpc.Registrar, srv OrdersServer) {
	s.RegisterService(nil, srv)
}
