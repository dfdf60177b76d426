// Package grpc has services whose requests belong to their calls. What is wrong is
// reported where the service is registered: without Wrap the same handlers are right.
package grpc

import (
	"context"
	"strings"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"

	"example.com/grpc/pb"
)

type unimplemented = pb.UnimplementedOrdersServer

var (
	pool   = arena.NewAutoPool(0)
	server arenagrpc.Registrar
	newest *pb.Order
)

type global struct{ unimplemented }

func (global) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"writes"
	newest = r
	return nil, nil
}

func registerGlobal() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), global{}) // want `memory of the request is kept by Create, and`
}

func finePlain() {
	pb.RegisterOrdersServer(server, global{}) // on the heap
}

type cache struct {
	unimplemented
	last map[string]*pb.Line
}

func (c *cache) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"writes"
	c.last["newest"] = r.Lines[0]
	return nil, nil
}

func registerCache() {
	wrapped := arenagrpc.Wrap(server, pool)
	pb.RegisterOrdersServer(wrapped, &cache{last: map[string]*pb.Line{}}) // want `memory of the request is kept by Create, and`
}

func newCache() *cache { return &cache{last: map[string]*pb.Line{}} }

func registerMade() {
	c := newCache()
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), c) // want `memory of the request is kept by Create, and`
}

type field struct {
	unimplemented
	name string
}

func (s *field) List(r *pb.Order, _ pb.Stream) error { // want List:"writes"
	s.name = r.Lines[1].Text
	return nil
}

func registerField(s *field, some bool) {
	wrapped := arenagrpc.Wrap(server, pool)
	if some {
		wrapped = arenagrpc.Wrap(wrapped, pool)
	}
	pb.RegisterOrdersServer(wrapped, s) // want `memory of the request is kept by List, and`
}

type channel struct {
	unimplemented
	batch chan *pb.Order
}

func (s *channel) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"effects"
	s.batch <- r
	return nil, nil
}

func registerChannel(s *channel) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s) // want `memory of the request is kept by Create, and`
}

type goroutine struct{ unimplemented }

func (s *goroutine) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"effects"
	go audit(r.Lines)
	return nil, nil
}

func audit(lines []*pb.Line) { println(lines[0].Text) }

func registerGoroutine() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &goroutine{}) // want `memory of the request is kept by Create, and`
}

type literal struct{ unimplemented }

func (s *literal) Create(_ context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"effects"
	lines := r.Lines
	go func() { audit(lines) }()
	return nil, nil
}

func registerLiteral() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &literal{}) // want `memory of the request is kept by Create, and`
}

type fine struct {
	unimplemented
	last  map[string]*pb.Order
	name  string
	count int
}

func (s *fine) Create(ctx context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"flows" Create:"asks"
	s.name = strings.Clone(r.Name)
	s.count += len(r.Lines)
	s.last[strings.Clone(r.Name)] = &pb.Order{Name: strings.ToUpper(s.name)}
	a := arenagrpc.FromContext(ctx)
	reply := arena.New[pb.Receipt](a)
	reply.Name = a.Concat("Jo ", r.Name)
	reply.Lines = r.Lines
	return reply, nil
}

func (s *fine) List(r *pb.Order, out pb.Stream) error { // want List:"effects"
	return out.Send(&pb.Receipt{Lines: r.Lines})
}

func (s *fine) Talk(both pb.Stream) error { // want Talk:"0 effects"
	r, err := both.Recv()
	if err != nil {
		return err
	}
	s.count += len(r.Lines)
	return both.Send(&pb.Receipt{Name: r.Name})
}

func fineRegister() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &fine{})
}
