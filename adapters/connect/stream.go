package arenaconnect

import (
	"context"
	"sync"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// stream is the view of a stream's method: its context and its connection, with the
// message that was received last. Goroutines' numbers are compared only with those that are
// alive, or whose arena they may then have.
type stream struct {
	context.Context
	connect.StreamingHandlerConn
	pool  *arena.ArenaPool // nil outside of Handler
	main  uint64           // the goroutine that runs the method
	whole bool             // the only request of a server stream is there

	mu        sync.Mutex
	arena     *arena.Arena // of the last message; nil while there is none
	holder    uint64       // the goroutine that received it, or asked first; 0 for none
	strayed   bool         // another one asked, and may go on
	receiving bool         // one waits for a message
	ended     bool         // the method has returned
}

func (s *stream) Value(key any) any {
	if _, ok := key.(hooks.ContextKey); ok && s.pool != nil {
		return s.ask()
	}
	return s.Context.Value(key)
}

// ask returns the arena if it is the caller's.
func (s *stream) ask() *arena.Arena {
	self := goroutine.Self()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended || s.receiving:
		return nil
	case s.holder == 0:
		s.holder = self
	case s.holder != self:
		s.strayed = true
		return nil
	}
	if s.arena == nil {
		s.arena = s.pool.Get()
	}
	return s.arena
}

// Receive ends the message before m. Connect also calls it when it has the request of a server
// stream, to see that no other one follows.
func (s *stream) Receive(m any) (err error) {
	if s.whole {
		return s.StreamingHandlerConn.Receive(m)
	}
	self := goroutine.Self()
	if !s.begin(self) {
		return connect.NewError(connect.CodeCanceled, errReadsOn)
	}
	reading.put(self, s)
	defer func() {
		reading.take(self)
		s.whole = s.Spec().StreamType == connect.StreamTypeServer
		err = s.received(m, self, err)
	}()
	return s.StreamingHandlerConn.Receive(m)
}

// begin gives the arena of the message before back, and reports whether the method still runs.
func (s *stream) begin(self uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.release(self)
	s.holder, s.receiving = self, true
	return true
}

func (s *stream) received(m any, self uint64, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.receiving = false
	if s.ended {
		if m, ok := m.(proto.Message); ok {
			proto.Reset(m)
		}
		s.release(self)
		return connect.NewError(connect.CodeCanceled, errReadsOn)
	}
	if over := refusedBy(err); over != nil {
		return exhausted(over) // in place of invalid_argument
	}
	return err
}

// unmarshal is the codec's, with all of the message there: a stream that waits for its peer
// has no arena. Until it is decoded, that is nobody else's.
func (s *stream) unmarshal(data []byte, m proto.Message) error {
	a := s.pool.Get()
	defer func() { s.pool.Put(a) }()
	if err := arenapb.Unmarshal(a, data, m); err != nil {
		proto.Reset(m)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arena, a = a, nil
	return nil
}

// release gives the arena back, unless another goroutine than self may still use it. The
// stream is locked.
func (s *stream) release(self uint64) {
	if s.only(self) {
		s.pool.Put(s.arena)
	} else {
		machine.Abandon(s.arena)
	}
	s.arena, s.holder, s.strayed = nil, 0, false
}

// only reports whether self alone has been led to the arena. The stream is locked.
func (s *stream) only(self uint64) bool { return s.holder == self && !s.strayed }

// end is called when the method has returned err. If a goroutine still receives, that one
// gives the arena back. Nothing of what others keep needs a copy.
func (s *stream) end(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if err != nil && s.arena != nil && s.only(s.main) {
		err = s.copied(err)
	}
	if !s.receiving {
		s.release(s.main)
	}
	return err
}

// copied returns err with nothing of the arena in it.
func (s *stream) copied(err error) error {
	r := machine.Enter(s.arena, "arenaconnect")
	defer r.Leave()
	return own(r, err)
}
