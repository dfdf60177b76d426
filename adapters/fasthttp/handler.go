// Package arenafasthttp gives each request of a fasthttp server an arena, which goes back to its pool when
// the request has been handled:
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	fasthttp.ListenAndServe(addr, arenafasthttp.Handler(pool, handle))
//
// and in a handler:
//
//	a := arenafasthttp.FromContext(ctx)
//
// Memory of the arena must not be used after the handler has returned. Copy what must outlive it with
// arena.Escape or strings.Clone. fasthttp sends the response after the handler, so pass arena memory only to
// functions that copy, such as Write and ctx.SetBody, and not to SetBodyRaw or a stream writer.
package arenafasthttp

import (
	"time"

	"github.com/valyala/fasthttp"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/hooks"
)

// FromContext returns the arena of the request. It returns nil, which means the heap, outside of [Handler]
// and after the handler has returned. arena.FromContext does the same for ctx and contexts derived from it.
func FromContext(ctx *fasthttp.RequestCtx) *arena.Arena { return arena.FromContext(ctx) }

// Handler returns a handler that calls next with an arena from p, available by FromContext and taken from p
// at the first call of FromContext. The arena goes back to p when next has returned or panicked; a panic
// continues. If p is nil, next works on the heap. Handler panics if next is nil.
//
// If a limit (see [arena.ArenaPool.SetLimit]) is exceeded and next does not recover, the response is 503 with
// Retry-After if the request can succeed once other requests have ended, and 413 otherwise. It replaces
// everything that next has prepared, including a body, headers and a hijack; none of it was sent.
//
// # Other goroutines
//
// The arena belongs to the goroutine that asks for it first. For other goroutines, and after next has
// returned, FromContext returns nil. If the goroutine that asks is not the one that runs next, it is not
// known when it ends: fasthttpadaptor runs a net/http handler on a goroutine that continues after a flush,
// and fasthttp.TimeoutHandler one that continues after the timeout. Such an arena does not go back to p. It
// is left to the collector and counts as Abandoned in p's statistics. So does the arena of a request that
// next has ended with ctx.TimeoutError or a similar method. To avoid this, use TimeoutHandler of this
// package, and for net/http handlers arenahttp.Handler inside the adaptor:
//
//	fasthttpadaptor.NewFastHTTPHandler(arenahttp.Handler(pool, h))
//
// Inside a fasthttp.TimeoutHandler nothing recovers from an exceeded limit, which ends the program. A
// fasthttp.TimeoutHandler around Handler writes to ctx concurrently, which is a data race.
//
// Handler does not allocate. FromContext takes some nanoseconds.
func Handler(p *arena.ArenaPool, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	if next == nil {
		panic("arenafasthttp: Handler: nil handler")
	}
	return served(always(p), next, false)
}

// HandlerBy is like [Handler] for a pool that recycles memory only within a key. It calls key once for each
// request, before next. The key may be a string that fasthttp reuses. Use a verified value, such as a
// session, or one of a fixed set, such as a route. HandlerBy panics if key or next is nil.
func HandlerBy(p *arena.KeyedPool[string], key func(*fasthttp.RequestCtx) string, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	if key == nil || next == nil {
		panic("arenafasthttp: HandlerBy: nil key or handler")
	}
	return served(keyed(p, key), next, false)
}

// TimeoutHandler is like fasthttp.TimeoutHandler around [Handler]: after the timeout the response is 408 with
// msg, while next continues with its arena, which goes back to p when next has returned. next must not call
// ctx.TimeoutError, nor be a TimeoutHandler. A limit that is exceeded after the timeout has no effect on the
// response.
func TimeoutHandler(p *arena.ArenaPool, next fasthttp.RequestHandler, timeout time.Duration, msg string) fasthttp.RequestHandler {
	if next == nil {
		panic("arenafasthttp: TimeoutHandler: nil handler")
	}
	return fasthttp.TimeoutHandler(served(always(p), next, true), timeout, msg)
}

// TimeoutHandlerBy is like [TimeoutHandler] around [HandlerBy].
func TimeoutHandlerBy(p *arena.KeyedPool[string], key func(*fasthttp.RequestCtx) string, next fasthttp.RequestHandler, timeout time.Duration, msg string) fasthttp.RequestHandler {
	if key == nil || next == nil {
		panic("arenafasthttp: TimeoutHandlerBy: nil key or handler")
	}
	return fasthttp.TimeoutHandler(served(keyed(p, key), next, true), timeout, msg)
}

func always(p *arena.ArenaPool) func(*fasthttp.RequestCtx) *arena.ArenaPool {
	return func(*fasthttp.RequestCtx) *arena.ArenaPool { return p }
}

func keyed(p *arena.KeyedPool[string], key func(*fasthttp.RequestCtx) string) func(*fasthttp.RequestCtx) *arena.ArenaPool {
	return func(ctx *fasthttp.RequestCtx) *arena.ArenaPool { return hooks.PoolOf(p, key(ctx)).(*arena.ArenaPool) }
}

// served calls next with an arena of the pool of each request. alone is set if next has a goroutine of its own.
func served(pool func(*fasthttp.RequestCtx) *arena.ArenaPool, next fasthttp.RequestHandler, alone bool) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer begin(pool(ctx), ctx).end(ctx, alone)
		defer arena.ExplainFaults()
		next(ctx)
	}
}
