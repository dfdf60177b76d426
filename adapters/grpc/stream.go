package arenagrpc

import (
	"context"

	"google.golang.org/grpc"

	"github.com/ebbpool/arena/internal/goroutine"
)

// stream is the server stream that a handler sees.
type stream struct {
	grpc.ServerStream
	call *call
}

// Context is the stream's, with the arena of the message that was received last.
func (s *stream) Context() context.Context { return s.call }

// RecvMsg ends the message before m. Who receives is led to the arena of m.
func (s *stream) RecvMsg(m any) error {
	self := goroutine.Self()
	s.call.giveBack(s.call.arena.Swap(nil), self)
	s.call.note(self)
	return s.call.read(m, s.ServerStream.RecvMsg)
}
