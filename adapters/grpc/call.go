package arenagrpc

import (
	"context"
	"errors"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// call is a unary call, or a stream with the message received last. It is the context of its handler. It is
// on the heap, because contexts are kept by many kinds of code, and a context used late must know that its
// arena is gone.
type call struct {
	context.Context
	from  *registrar
	pool  *arena.ArenaPool
	dec   func(any) error             // grpc's decoder, for a unary call
	arena atomic.Pointer[arena.Arena] // nil without a message, after Keep, and at the end
	users atomic.Int32                // number of users of the arena; the last one puts it back

	// Goroutines that report their end: the one that runs the wrapped handler, and the one that runs the
	// program's handler for an interceptor. stranger is another goroutine that was given the arena, or
	// goroutine.Nobody for several. It may continue when all users are done.
	main, inner, stranger atomic.Uint64

	noted   bool              // the codec was called in this read
	held    bool              // the codec is a user since this read
	ended   bool              // the last user has left
	refused *arena.LimitError // the limit's error of this read, which grpc did not get

	last     *arena.Arena // the arena that finish puts back, taken from arena
	envelope envelope
}

func newCall(ctx context.Context, r *registrar) *call {
	c := &call{Context: ctx, from: r, pool: r.poolOf(ctx)}
	c.users.Store(1)
	c.main.Store(goroutine.Self())
	return c
}

type callKey struct{}

func (c *call) Value(key any) any {
	switch key.(type) {
	case hooks.ContextKey:
		c.note(goroutine.Self()) // before Load, so that a goroutine that takes the arena away sees it
		return c.arena.Load()
	case callKey:
		return c
	}
	return c.Context.Value(key)
}

// FromContext returns the arena of the call, or of the stream's message, to which ctx belongs. It returns
// nil, which means the heap, outside of a wrapped service, after the call, and after Keep. It is the same as
// arena.FromContext.
func FromContext(ctx context.Context) *arena.Arena { return arena.FromContext(ctx) }

// Keep hands the arena of the call, or of the stream's last message, to the caller, who must put it back into
// the pool that was passed to Wrap, at any time and on any goroutine. From then on FromContext returns nil
// for that call or message. A reply in the arena is marshaled after the handler has returned to gRPC, so a
// handler that puts the arena back earlier must reply from the heap.
//
// Keep returns nil if FromContext does.
func Keep(ctx context.Context) *arena.Arena {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return nil
	}
	return c.arena.Swap(nil)
}

// join adds a user, unless the last one has left.
func (c *call) join() bool {
	for {
		n := c.users.Load()
		if n == 0 {
			return false
		}
		if c.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave removes a user and reports whether it was the last one.
func (c *call) leave() bool {
	if c.users.Add(-1) != 0 {
		return false
	}
	c.putBack()
	return true
}

// note records that the goroutine self was given the arena.
func (c *call) note(self uint64) {
	if self == c.main.Load() || self == c.inner.Load() {
		return
	}
	if other := c.stranger.Swap(self); other != 0 && other != self {
		c.stranger.Store(goroutine.Nobody)
	}
}

func (c *call) putBack() { c.giveBack(c.arena.Swap(nil), 0) }

// giveBack puts a back into its pool, unless a stranger other than the goroutine done may still use it.
func (c *call) giveBack(a *arena.Arena, done uint64) {
	if other := c.stranger.Swap(0); other != 0 && other != done {
		machine.Abandon(a)
		return
	}
	c.pool.Put(a)
}

// decode is the function with which the generated handler of a unary call reads its request.
func (c *call) decode(m any) error { return c.read(m, c.dec) }

// read lets recv read m and tells the codec to which call m belongs.
func (c *call) read(m any, recv func(any) error) error {
	if grpc.EnableTracing || !expect(m, c) {
		return recv(m)
	}
	c.noted, c.ended, c.refused = false, false, nil
	err := c.receive(m, recv)
	switch {
	case c.refused != nil:
		return exhausted(c.refused)
	case c.ended:
		return status.Error(codes.Canceled, "arenagrpc: the handler has returned")
	case err == nil && !c.noted:
		c.from.warn.once("arenagrpc: requests are decoded on the heap: make the server with grpc.ForceServerCodecV2(arenagrpc.Codec())")
	}
	return err
}

func (c *call) receive(m any, recv func(any) error) error {
	defer c.received(m)
	return recv(m)
}

func (c *call) received(m any) {
	forget(m)
	if c.held {
		c.held = false
		c.ended = c.leave()
	}
}

// unmarshal decodes a message that was received completely. Until it is decoded nothing else uses the arena,
// because the handler of a stream may return at any time.
func (c *call) unmarshal(data mem.BufferSlice, v any, m proto.Message) error {
	c.noted = true
	if !c.join() {
		return unmarshal(nil, data, v, m) // a goroutine that reads after the end
	}
	c.held = true
	a := c.pool.Get()
	defer func() { c.pool.Put(a) }()
	if err := unmarshal(a, data, v, m); err != nil {
		proto.Reset(m)
		if errors.As(err, &c.refused) {
			// gRPC would turn an error into INTERNAL and, in a stream, send it at once. So read reports it.
			return nil
		}
		return err
	}
	c.arena.Store(a)
	a = nil
	return nil
}

// intercept returns next with a handler that is a user of the arena while it runs, because an interceptor may
// return before the handler, for example after a timeout. Interceptors get an exceeded limit as an error.
func (c *call) intercept(next grpc.UnaryServerInterceptor) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		return next(ctx, req, info, func(ctx context.Context, req any) (reply any, err error) {
			if !c.join() {
				return nil, status.Error(codes.Canceled, "arenagrpc: the call ended before its handler began")
			}
			c.inner.Store(goroutine.Self())
			defer c.finishHandler(&reply, &err)
			return handler(ctx, req)
		})
	}
}

// over is called when the handler and, for a unary call, all interceptors have returned. It removes the arena
// from the context if nothing else uses it.
func (c *call) over() (alone bool) {
	c.main.Store(0)
	if !c.users.CompareAndSwap(1, 0) {
		return false
	}
	c.last = c.arena.Swap(nil)
	return true
}

// answer returns reply in a form that no longer needs the arena.
func (c *call) answer(reply any, alone bool) any {
	if alone && c.last == nil {
		return reply
	}
	m := messageOf(reply)
	if m == nil || !m.ProtoReflect().IsValid() {
		return reply
	}
	if c.from.shown {
		return as(reply, arenapb.Clone(m))
	}
	c.envelope.data, c.envelope.err = marshal(m)
	return &c.envelope
}

// finish ends the call's use of the arena. It is deferred directly, for recover. Panics other than exceeded
// limits continue.
func (c *call) finish(reply *any, err *error) {
	v := hooks.OwnPanic(recover())
	c.main.Store(0)
	if c.last != nil {
		c.giveBack(c.last, 0)
	} else if c.users.Load() != 0 { // after a panic, or while others still use the arena
		c.leave()
	}
	refusal(v, reply, err)
}

// finishHandler is finish for a handler called by an interceptor.
func (c *call) finishHandler(reply *any, err *error) {
	v := recover()
	c.inner.Store(0)
	c.leave()
	refusal(v, reply, err)
}

// refusal converts an exceeded limit to an error. Other panics continue.
func refusal(v any, reply *any, err *error) {
	if v == nil {
		return
	}
	failed, _ := v.(error)
	var over *arena.LimitError
	if !errors.As(failed, &over) {
		panic(v)
	}
	if *err = exhausted(over); reply != nil {
		*reply = nil
	}
}

// own returns err without memory of the arena in the parts that gRPC sends, or err itself if there is none.
// It may only look at the memory if alone is set; otherwise it copies.
func (c *call) own(err error, alone bool) error {
	if err == nil || alone && c.last == nil {
		return err
	}
	st, ok := status.FromError(err)
	if alone && isStored(err, st) && !sentFrom(c.last, st) {
		return err
	}
	if !ok {
		st = status.FromContextError(err) // as gRPC does
	}
	return status.FromProto(arenapb.Clone(st.Proto())).Err()
}
