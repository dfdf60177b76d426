package arenagrpc

import (
	"context"

	"google.golang.org/grpc"

	"github.com/ebbpool/arena/internal/goroutine"
)

// stream is the server stream passed to a handler.
type stream struct {
	grpc.ServerStream
	call *call
}

// Context returns the stream's context, with the arena of the message received last.
func (s *stream) Context() context.Context { return s.call }

// RecvMsg ends the use of the previous message. The receiving goroutine gets the arena of m.
func (s *stream) RecvMsg(m any) error {
	self := goroutine.Self()
	s.call.giveBack(s.call.arena.Swap(nil), self)
	s.call.note(self)
	return s.call.read(m, s.ServerStream.RecvMsg)
}
