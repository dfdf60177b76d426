package arenaconnect

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
)

// ClientOption makes a client decode replies into the arenas of [Into]. Pass it after other options that have
// interceptors, and before connect.WithProtoJSON. Calls without Into, and replies in JSON, are decoded on the
// heap.
func ClientOption() connect.ClientOption {
	return connect.WithClientOptions(connect.WithCodec(codec{}), connect.WithInterceptors(clientInterceptor{}))
}

// MarshalStable encodes the requests of connect.WithHTTPGet. Maps of structs that are no proto.Message have any order.
func (c codec) MarshalStable(v any) ([]byte, error) {
	if m, ok := v.(proto.Message); ok {
		return proto.MarshalOptions{Deterministic: true}.Marshal(m)
	}
	return c.Marshal(v)
}

// IsBinary reports that the result of MarshalStable is not text.
func (codec) IsBinary() bool { return true }

type intoKey struct{}

// Into returns a context for a client's call whose reply, or whose received messages in a stream, are decoded
// into a. The client needs [ClientOption]:
//
//	reply, err := client.Get(arenaconnect.Into(ctx, a), request)
//
// The goroutine that calls a unary method, or Receive, decodes, so it must own a. Use the context in one
// goroutine only, not for concurrent calls. The messages of a stream accumulate until a is reset. If a limit
// of a is exceeded, the call fails with resource_exhausted. A nil a means the heap.
func Into(ctx context.Context, a *arena.Arena) context.Context {
	return context.WithValue(ctx, intoKey{}, a)
}

// into is the reader of a client's call.
type into struct{ arena *arena.Arena }

func (c into) unmarshal(data []byte, v any) error { return unmarshal(c.arena, data, v) }

// decodeInto makes a the arena of the next message that this goroutine decodes, until the returned function is called.
func decodeInto(a *arena.Arena) (end func()) {
	self := goroutine.Self()
	before := reading.take(self) // the reader of a handler that this goroutine serves
	reading.put(self, into{a})
	return func() {
		reading.take(self)
		if before != nil {
			reading.put(self, before)
		}
	}
}

type clientInterceptor struct{ interceptor }

// WrapUnary passes the arena to the codec: connect decodes the reply on the goroutine that calls next.
func (clientInterceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
		a, _ := ctx.Value(intoKey{}).(*arena.Arena)
		if a == nil {
			return next(ctx, request)
		}
		defer decodeInto(a)()
		reply, err := next(ctx, request)
		return reply, limited(err)
	}
}

func (clientInterceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		conn := next(ctx, spec)
		if a, _ := ctx.Value(intoKey{}).(*arena.Arena); a != nil {
			return &clientStream{conn, a}
		}
		return conn
	}
}

// clientStream is a stream whose messages are decoded into an arena.
type clientStream struct {
	connect.StreamingClientConn
	arena *arena.Arena
}

func (s *clientStream) Receive(m any) error {
	defer decodeInto(s.arena)()
	return limited(s.StreamingClientConn.Receive(m))
}

// limited returns err as resource_exhausted if it was caused by a limit of the arena.
func limited(err error) error {
	if over := refusedBy(err); over != nil {
		return exhausted(over)
	}
	return err
}
