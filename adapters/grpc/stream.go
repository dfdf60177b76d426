package arenagrpc

import (
	"context"

	"google.golang.org/grpc"
)

// stream is what a handler sees of a stream.
type stream struct {
	grpc.ServerStream
	call *call
}

// Context is the stream's, with the arena of the message that was received last.
func (s *stream) Context() context.Context { return s.call }

// RecvMsg ends the message before m.
func (s *stream) RecvMsg(m any) error {
	s.call.putBack()
	return s.call.read(m, s.ServerStream.RecvMsg)
}
