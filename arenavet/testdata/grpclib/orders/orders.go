// Package orders implements a service that another package registers.
package orders

import (
	"context"
	"strings"
	"sync"

	arenagrpc "github.com/ebbpool/arena/adapters/grpc"

	"example.com/grpc/pb"
)

var (
	newest *pb.Order
	seen   sync.Map
)

// Server keeps requests.
type Server struct {
	pb.UnimplementedOrdersServer
	Last map[string]*pb.Line
	name string
}

func New() *Server { return &Server{} }

func (s *Server) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"writes"
	newest = r
	return nil, nil
}

func (s *Server) List(r *pb.Order, _ pb.Stream) error { // want List:"writes"
	s.name = r.Name
	return nil
}

func (s *Server) Talk(both pb.Stream) error { // want Talk:"writes"
	r, err := both.Recv()
	if err == nil {
		s.Last["x"] = r.Lines[0]
	}
	return err
}

// Maps keeps requests of two methods in one map.
type Maps struct{ pb.UnimplementedOrdersServer }

func (*Maps) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"writes"
	seen.Store(r.Name, true)
	return nil, nil
}

func (*Maps) List(r *pb.Order, _ pb.Stream) error { // want List:"writes"
	seen.Store("last", r)
	return nil
}

// Queue sends requests to a goroutine.
type Queue struct {
	pb.UnimplementedOrdersServer
	C chan *pb.Order
}

func (q *Queue) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"effects"
	q.C <- r
	return nil, nil
}

// Fine copies what it keeps.
type Fine struct {
	pb.UnimplementedOrdersServer
	name  string
	count int
}

func (f *Fine) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"flows"
	f.name = strings.Clone(r.Name)
	f.count += len(r.Lines)
	seen.Store(strings.Clone(r.Name), len(r.Lines))
	return &pb.Receipt{Name: r.Name}, nil
}

// Register registers a server that keeps requests.
func Register(r arenagrpc.Registrar) { pb.RegisterOrdersServer(r, New()) } // want Register:"effects"

// RegisterFine registers one that copies.
func RegisterFine(r arenagrpc.Registrar) { pb.RegisterOrdersServer(r, &Fine{}) } // want RegisterFine:"1 effects"
