// Package arenafasthttp gives each request of a fasthttp server an arena of its own, which
// goes back to its pool when the request has been handled:
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	fasthttp.ListenAndServe(addr, arenafasthttp.Handler(pool, handle))
//
// and in a handler:
//
//	a := arenafasthttp.FromContext(ctx)
//
// Nothing from the arena may be used after the handler has returned. What stays is to be
// copied, with arena.Escape or strings.Clone; and fasthttp sends an answer later than
// that. So give it bytes of the arena with what copies, as Write and ctx.SetBody do, and
// not with SetBodyRaw, nor from within a stream writer.
package arenafasthttp

import (
	"time"

	"github.com/valyala/fasthttp"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/hooks"
)

// FromContext returns the arena of the request, or nil, which means the heap, where
// there is none: outside Handler, and when the handler has returned. arena.FromContext
// does the same with ctx, and with contexts that come from it.
func FromContext(ctx *fasthttp.RequestCtx) *arena.Arena { return arena.FromContext(ctx) }

// Handler returns a handler that calls next with an arena from p for FromContext, which takes
// it from p when it is first asked. The arena goes back to p when next has returned or
// panicked; a panic goes on. A nil p has no arenas: next works on the heap. A nil next panics.
//
// An allocation that a limit refuses (see arena.ArenaPool.SetLimit) and that next does not
// recover from becomes 503 with Retry-After, if it can succeed when other requests have
// ended, and 413 otherwise: in place of all that next has prepared, a body, headers or a
// hijack. Nothing of that was sent yet.
//
// # Other goroutines
//
// The arena belongs to the goroutine that asks for it first; for others, and for all when next
// has returned, FromContext is nil. If another goroutine asks than the one that runs next,
// nobody knows when it will be done: fasthttpadaptor, for example, runs a net/http handler on
// a goroutine that goes on when it has flushed, and fasthttp.TimeoutHandler one that goes on
// when it is late. Such an arena does not go back to p. It is left to that goroutine and to
// the collector, and counts as Abandoned in p's statistics; so is one whose request next has
// ended with ctx.TimeoutError or a method like it. TimeoutHandler of this package avoids
// this, and for net/http handlers arenahttp.Handler inside of the adaptor:
//
//	fasthttpadaptor.NewFastHTTPHandler(arenahttp.Handler(pool, h))
//
// Within a fasthttp.TimeoutHandler nobody recovers from what a limit refuses, and the program
// ends. One around Handler writes to ctx while that runs, which is a data race.
//
// It allocates nothing. To ask takes some nanoseconds.
func Handler(p *arena.ArenaPool, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	if next == nil {
		panic("arenafasthttp: Handler: a nil handler")
	}
	return func(ctx *fasthttp.RequestCtx) {
		defer begin(p, ctx).end(ctx, false)
		defer arena.ExplainFaults()
		next(ctx)
	}
}

// HandlerBy is Handler for a pool that recycles memory only within a key. It calls key once for each
// request, before next. The key may be a string that fasthttp reuses. Take it from what was verified, such as
// a session, or from a fixed set, such as a route. A nil key or next panics.
func HandlerBy(p *arena.KeyedPool[string], key func(*fasthttp.RequestCtx) string, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	if key == nil || next == nil {
		panic("arenafasthttp: HandlerBy: nil key or handler")
	}
	return func(ctx *fasthttp.RequestCtx) {
		defer begin(hooks.PoolOf(p, key(ctx)).(*arena.ArenaPool), ctx).end(ctx, false)
		defer arena.ExplainFaults()
		next(ctx)
	}
}

// TimeoutHandler is fasthttp.TimeoutHandler around Handler: a request that takes longer
// is answered with 408 and msg, while next goes on with its arena, which goes back to p
// when next has ended. next must not call ctx.TimeoutError, nor be a TimeoutHandler. A
// limit that next reaches later has no answer any more.
func TimeoutHandler(p *arena.ArenaPool, next fasthttp.RequestHandler, timeout time.Duration, msg string) fasthttp.RequestHandler {
	if next == nil {
		panic("arenafasthttp: TimeoutHandler: a nil handler")
	}
	return fasthttp.TimeoutHandler(func(ctx *fasthttp.RequestCtx) {
		defer begin(p, ctx).end(ctx, true)
		defer arena.ExplainFaults()
		next(ctx)
	}, timeout, msg)
}
