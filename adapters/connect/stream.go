package arenaconnect

import (
	"context"
	"sync"

	"connectrpc.com/connect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// stream is the context and connection of a stream's method, with the message received last. Goroutine
// numbers are compared only with those of goroutines that are alive or may still use the arena.
type stream struct {
	context.Context
	connect.StreamingHandlerConn
	pool  *arena.ArenaPool // nil outside of Handler
	main  uint64           // the goroutine that runs the method
	whole bool             // the only request of a server stream was received

	mu        sync.Mutex
	arena     *arena.Arena // of the last message, or nil
	holder    uint64       // the goroutine that received the message or asked first, or 0
	strayed   bool         // another goroutine asked and may outlive the method
	receiving bool         // a goroutine waits for a message
	ended     bool         // the method has returned
}

func (s *stream) Value(key any) any {
	if _, ok := key.(hooks.ContextKey); ok && s.pool != nil {
		return s.ask()
	}
	return s.Context.Value(key)
}

// ask returns the arena if it belongs to the calling goroutine.
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

// Receive ends the use of the previous message. Connect also calls it after the request of a server stream,
// to check that no other message follows.
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

// begin puts the arena of the previous message back and reports whether the method is still running.
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
		reset(m)
		s.release(self)
		return connect.NewError(connect.CodeCanceled, errReadsOn)
	}
	if over := refusedBy(err); over != nil {
		return exhausted(over) // instead of invalid_argument
	}
	return err
}

// unmarshal decodes a message that was received completely, so a stream that waits for its peer has no arena.
// Nothing else uses the arena until the message is decoded.
func (s *stream) unmarshal(data []byte, v any) error {
	a := s.pool.Get()
	defer func() { s.pool.Put(a) }()
	if err := unmarshal(a, data, v); err != nil {
		reset(v)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arena, a = a, nil
	return nil
}

// release puts the arena back unless a goroutine other than self may still use it. s.mu must be held.
func (s *stream) release(self uint64) {
	if s.only(self) {
		s.pool.Put(s.arena)
	} else {
		machine.Abandon(s.arena)
	}
	s.arena, s.holder, s.strayed = nil, 0, false
}

// only reports whether only self has been given the arena. s.mu must be held.
func (s *stream) only(self uint64) bool { return s.holder == self && !s.strayed }

// end is called when the method has returned err. If a goroutine is still receiving, that goroutine puts the
// arena back.
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

// copied returns err without memory of the arena.
func (s *stream) copied(err error) error {
	r := machine.Enter(s.arena, "arenaconnect")
	defer r.Leave()
	return own(r, err)
}
