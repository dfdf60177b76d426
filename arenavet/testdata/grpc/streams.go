package grpc

import (
	"context"
	"strings"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"

	"example.com/grpc/pb"
)

type talkNewest struct {
	unimplemented
	newest *pb.Order
}

func (s *talkNewest) Talk(both pb.Stream) error { // want Talk:"writes"
	for {
		r, err := both.Recv()
		if err != nil {
			return err
		}
		s.newest = r
	}
}

func registerTalkNewest() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &talkNewest{}) // want `memory of the request is kept by Talk, and`
}

func fineTalkPlain() {
	pb.RegisterOrdersServer(server, &talkNewest{}) // on the heap
}

type talkText struct {
	unimplemented
	seen map[string]string
}

// A part of a message, four pointers away, and through a helper.
func (s *talkText) Talk(both pb.Stream) error { // want Talk:"writes"
	r, err := next(both)
	if err == nil {
		s.seen["text"] = r.Lines[0].Text
	}
	return err
}

func next(both pb.Stream) (*pb.Order, error) { return both.Recv() }

func registerTalkText(s *talkText) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s) // want `memory of the request is kept by Talk, and`
}

type talkInto struct {
	unimplemented
	name string
}

func (s *talkInto) Talk(both pb.Stream) error { // want Talk:"writes"
	var r pb.Order
	if err := both.RecvMsg(&r); err != nil {
		return err
	}
	s.name = r.Name
	return nil
}

func registerTalkInto(s *talkInto) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s) // want `memory of the request is kept by Talk, and`
}

type talkChannel struct {
	unimplemented
	batch chan *pb.Order
}

func (s *talkChannel) Talk(both pb.Stream) error { // want Talk:"effects"
	for {
		r, err := both.Recv()
		if err != nil {
			return err
		}
		s.batch <- r
	}
}

func registerTalkChannel(s *talkChannel) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s) // want `memory of the request is kept by Talk, and`
}

type talkGoroutine struct{ unimplemented }

func (s *talkGoroutine) Talk(both pb.Stream) error { // want Talk:"effects"
	r, err := both.Recv()
	if err == nil {
		go func() { audit(r.Lines) }()
	}
	return err
}

func registerTalkGoroutine() {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), &talkGoroutine{}) // want `memory of the request is kept by Talk, and`
}

// fineTalk copies what it keeps, and waits for who works for it.
type fineTalk struct {
	unimplemented
	last  map[string]*pb.Order
	name  string
	count int
	batch chan string
}

func (s *fineTalk) Talk(both pb.Stream) error { // want Talk:"effects"
	for {
		r, err := both.Recv()
		if err != nil {
			return err
		}
		s.name = strings.Clone(r.Name)
		s.last[s.name] = &pb.Order{Name: strings.Clone(r.Name)}
		s.count += len(r.Lines)
		s.batch <- strings.Clone(r.Lines[0].Text)
		done := make(chan bool)
		go func() {
			audit(r.Lines)
			done <- true
		}()
		<-done
		if err := both.Send(&pb.Receipt{Name: r.Name, Lines: r.Lines}); err != nil {
			return err
		}
	}
}

func fineRegisterTalk(s *fineTalk) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s)
}

// fineRelay keeps what another server sends to it, in a service with arenas.
type fineRelay struct {
	unimplemented
	up   pb.Upstream
	last *pb.Order
	name string
}

func (s *fineRelay) Talk(both pb.Stream) error { // want Talk:"writes"
	r, err := s.up.Recv()
	if err != nil {
		return err
	}
	s.last = r
	var into pb.Order
	if err := s.up.RecvMsg(&into); err != nil {
		return err
	}
	s.name = into.Name
	return both.Send(&pb.Receipt{Lines: r.Lines})
}

func fineRegisterRelay(s *fineRelay) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s)
}

// fineKeep takes the arenas of what it keeps over.
type fineKeep struct {
	unimplemented
	batch chan kept
	last  *pb.Order
}

type kept struct {
	order *pb.Order
	arena *arena.Arena
}

func (s *fineKeep) Create(ctx context.Context, r *pb.Order) (*pb.Receipt, error) { // want Create:"effects" Create:"asks"
	s.batch <- kept{r, arenagrpc.Keep(ctx)}
	return nil, nil
}

func (s *fineKeep) Talk(both pb.Stream) error { // want Talk:"effects"
	r, err := both.Recv()
	if err == nil {
		s.keep(both.Context(), r)
	}
	return err
}

func (s *fineKeep) keep(ctx context.Context, r *pb.Order) {
	s.last = r
	s.batch <- kept{r, arenagrpc.Keep(ctx)}
}

func fineRegisterKeep(s *fineKeep) {
	pb.RegisterOrdersServer(arenagrpc.Wrap(server, pool), s)
}
