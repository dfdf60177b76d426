package arenagrpc

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/ebbpool/arena"
)

// Into returns an option for a client's call that decodes the reply, or all received messages of a stream,
// into a:
//
//	reply, err := client.Get(ctx, request, arenagrpc.Into(a))
//
// The goroutine that calls a unary method, or RecvMsg, decodes, so it must own a. After that the call does
// not use a. The messages of a stream accumulate until a is reset. Requests are encoded as by gRPC's codec
// and may be in an arena. If a limit of a is exceeded, the call fails with INTERNAL. A nil a means the heap.
func Into(a *arena.Arena) grpc.CallOption {
	if a == nil {
		return grpc.EmptyCallOption{}
	}
	return grpc.ForceCodecV2(into{a})
}

// into is the codec of one call.
type into struct{ arena *arena.Arena }

var _ encoding.CodecV2 = into{}

func (into) Name() string { return "proto" }

func (into) Marshal(v any) (mem.BufferSlice, error) { return codec{}.Marshal(v) }

func (c into) Unmarshal(data mem.BufferSlice, v any) error {
	m := messageOf(v)
	if m == nil {
		return fmt.Errorf("arenagrpc: can't unmarshal into a %T, which is no proto.Message", v)
	}
	return unmarshal(c.arena, data, v, m)
}
