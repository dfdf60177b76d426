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

// call is a unary call, or a stream with the message that it received last. It is the
// context of its handler, and lies on the heap: contexts are kept by all kinds of code,
// and one that is asked late must know that its arena is gone.
type call struct {
	context.Context
	from  *registrar
	pool  *arena.ArenaPool
	dec   func(any) error             // grpc's, of a unary call
	arena atomic.Pointer[arena.Arena] // nil while there is no message, once it was kept, and at the end
	users atomic.Int32                // who still works with the arena; the last one gives it back

	// Goroutines that say when they are done: the one that runs the wrapped handler, and the
	// one that runs the program's for an interceptor. stranger is another one that was led to
	// the arena, goroutine.Nobody for several: it may go on when all users are done.
	main, inner, stranger atomic.Uint64

	noted   bool              // the codec has been here, in this read
	held    bool              // the codec is one of the users, since this read
	ended   bool              // that was the last user
	refused *arena.LimitError // why this read failed, which grpc was not told

	last     *arena.Arena // what finish puts back, taken from arena
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
		c.note(goroutine.Self()) // first, or it is missed by who takes the arena away
		return c.arena.Load()
	case callKey:
		return c
	}
	return c.Context.Value(key)
}

// FromContext returns the arena of the call, or of the stream's message, that ctx
// belongs to. It is nil, which means the heap, where there is none: outside of a
// wrapped service, after the call, and after Keep. arena.FromContext is the same.
func FromContext(ctx context.Context) *arena.Arena { return arena.FromContext(ctx) }

// Keep hands the arena of the call, or of the message that the stream received last, to
// the caller, who puts it back into the pool that was given to Wrap, at any time and from
// any goroutine. From then on FromContext is nil for that call or message. A reply that
// lies in the arena has been marshalled only when the handler has returned to gRPC: so
// who keeps an arena for longer than a call answers from the heap.
//
// It returns nil where FromContext does.
func Keep(ctx context.Context) *arena.Arena {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return nil
	}
	return c.arena.Swap(nil)
}

// join adds a user, unless there is none left.
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

// leave takes a user away and reports whether it was the last one.
func (c *call) leave() bool {
	if c.users.Add(-1) != 0 {
		return false
	}
	c.putBack()
	return true
}

// note says that the goroutine self is led to the arena.
func (c *call) note(self uint64) {
	if self == c.main.Load() || self == c.inner.Load() {
		return
	}
	if other := c.stranger.Swap(self); other != 0 && other != self {
		c.stranger.Store(goroutine.Nobody)
	}
}

func (c *call) putBack() { c.giveBack(c.arena.Swap(nil), 0) }

// giveBack puts a back into its pool, unless a stranger may still use it, other than the
// goroutine done, which does not.
func (c *call) giveBack(a *arena.Arena, done uint64) {
	if other := c.stranger.Swap(0); other != 0 && other != done {
		machine.Abandon(a)
		return
	}
	c.pool.Put(a)
}

// decode returns what the generated handler of a unary call reads its request with.
func (c *call) decode(m any) error { return c.read(m, c.dec) }

// read has recv read m, and the codec know whose m is.
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

// unmarshal is the codec's, with all of the message there. Until it is decoded its arena
// is nobody else's: the handler of a stream may return at any time.
func (c *call) unmarshal(data mem.BufferSlice, v any, m proto.Message) error {
	c.noted = true
	if !c.join() {
		return unmarshal(nil, data, v, m) // a goroutine that reads on
	}
	c.held = true
	a := c.pool.Get()
	defer func() { c.pool.Put(a) }()
	if err := unmarshal(a, data, v, m); err != nil {
		proto.Reset(m)
		if errors.As(err, &c.refused) {
			// What gRPC makes of an error here is INTERNAL, and in a stream it is sent
			// at once: so read says it.
			return nil
		}
		return err
	}
	c.arena.Store(a)
	a = nil
	return nil
}

// intercept returns next with a handler that is a user of the arena while it runs, since
// an interceptor may return before it, as at a timeout. What a limit refuses is an error
// to the interceptors already.
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

// over is called when the handler has returned, with all interceptors of a unary call.
// It takes the arena out of the context's sight if nobody else works with it.
func (c *call) over() (alone bool) {
	c.main.Store(0)
	if !c.users.CompareAndSwap(1, 0) {
		return false
	}
	c.last = c.arena.Swap(nil)
	return true
}

// answer returns what grpc sends for reply, and no longer needs the arena for.
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

// finish ends the call's use of the arena. It is deferred itself, for recover: a panic
// goes on, unless a limit refused it.
func (c *call) finish(reply *any, err *error) {
	v := hooks.OwnPanic(recover())
	c.main.Store(0)
	if c.last != nil {
		c.giveBack(c.last, 0)
	} else if c.users.Load() != 0 { // a panic, or others still work with it
		c.leave()
	}
	refusal(v, reply, err)
}

// finishHandler is finish for a handler that an interceptor calls.
func (c *call) finishHandler(reply *any, err *error) {
	v := recover()
	c.inner.Store(0)
	c.leave()
	refusal(v, reply, err)
}

// refusal makes an error of what a limit refused. Other panics go on.
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

// own returns err with nothing of the arena in what gRPC sends of it: err itself if
// there is nothing. Only who is alone may look; others copy.
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
