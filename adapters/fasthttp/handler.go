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
	"errors"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/valyala/fasthttp"
)

// FromContext returns the arena of the request, or nil, which means the heap, where
// there is none: outside Handler, and when the handler has returned. arena.FromContext
// does the same with ctx, and with contexts that come from it.
func FromContext(ctx *fasthttp.RequestCtx) *arena.Arena { return arena.FromContext(ctx) }

// Handler returns a handler that calls next with an arena from p in the request's user
// values, for FromContext. The arena goes back to p when next has returned or panicked; a
// panic goes on. A nil p has no arenas: next works on the heap. A nil next panics.
//
// An allocation that a limit refuses (see arena.ArenaPool.SetLimit) and that next does not
// recover from becomes 503 with Retry-After, if it can succeed when other requests have
// ended, and 413 otherwise: in place of all that next has prepared, a body, headers or a
// hijack. Nothing of that was sent yet.
//
// The arena is gone when next returns, also for a goroutine that goes on, for the handler
// of a hijacked connection, and for what writes a body stream. There is one exception:
// where next has called one of ctx.TimeoutError and its kin, as a fasthttp.TimeoutHandler
// inside Handler does, something may still use ctx, which fasthttp wants to be told of. Then
// the arena is left to that and to the collector, and counts as Abandoned in p's statistics. Such a handler runs in another goroutine,
// where nobody recovers from what a limit refuses, and the program ends. A
// fasthttp.TimeoutHandler around Handler writes to ctx while that runs, which is a data
// race. TimeoutHandler of this package has none of that.
//
// It allocates nothing.
func Handler(p *arena.ArenaPool, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	if next == nil {
		panic("arenafasthttp: Handler: a nil handler")
	}
	return func(ctx *fasthttp.RequestCtx) {
		outer := ctx.UserValue(hooks.ContextKey{})
		a := p.Get()
		ctx.SetUserValue(hooks.ContextKey{}, a)
		defer end(p, ctx, a, outer, false)
		if check.On {
			defer arena.ExplainFaults()
		}
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
		a := p.Get()
		ctx.SetUserValue(hooks.ContextKey{}, a)
		defer end(p, ctx, a, nil, true)
		if check.On {
			defer arena.ExplainFaults()
		}
		next(ctx)
	}, timeout, msg)
}

// end takes the arena back, and says what became of a request that was refused memory.
// It is deferred itself, for recover. Where alone, nothing else than next can use the
// arena, and whether the request has timed out is another goroutine's to know.
func end(p *arena.ArenaPool, ctx *fasthttp.RequestCtx, a *arena.Arena, outer any, alone bool) {
	v := recover()
	timedOut := !alone && ctx.LastTimeoutErrorResponse() != nil
	if timedOut {
		hooks.Abandon(p, a)
	} else {
		ctx.SetUserValue(hooks.ContextKey{}, outer)
		p.Put(a)
	}
	if v == nil {
		return
	}
	err, _ := v.(error)
	var over *arena.LimitError
	if !errors.As(err, &over) {
		panic(v)
	}
	if !timedOut { // else there is an answer already
		refuse(ctx, over)
	}
}

// refuse answers a request that asked for more memory than it may have.
func refuse(ctx *fasthttp.RequestCtx, over *arena.LimitError) {
	ctx.Hijack(nil)
	ctx.HijackSetNoResponse(false)
	status := jsonbody.Refused(over)
	ctx.Error(fasthttp.StatusMessage(status), status)
	if over.Temporary() {
		ctx.Response.Header.Set("Retry-After", "1")
	}
}
