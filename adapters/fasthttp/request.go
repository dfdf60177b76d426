package arenafasthttp

import (
	"context"
	"errors"
	"sync"

	"github.com/valyala/fasthttp"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/ebbpool/arena/internal/machine"
)

// request holds the arena of a request in the request's user values and decides which goroutine may use it,
// as in package arenahttp: the one that asks first. A goroutine that asks and is not the one that runs
// Handler may continue after it, as the goroutine of a fasthttpadaptor does after a flush.
type request struct {
	pool *arena.ArenaPool
	self uint64 // the goroutine that runs Handler

	mu      sync.Mutex
	outer   any // the previous user value: the request of an outer Handler, or nil
	arena   *arena.Arena
	holder  uint64 // the goroutine that has the arena, or 0
	strayed bool   // another goroutine has asked
	over    bool
}

// requests holds requests that no other goroutine can reach.
var requests = sync.Pool{New: func() any { return new(request) }}

func begin(p *arena.ArenaPool, ctx *fasthttp.RequestCtx) *request {
	q := requests.Get().(*request)
	q.pool, q.self, q.outer = p, goroutine.Self(), ctx.UserValue(hooks.ContextKey{})
	q.around(q.self)
	ctx.SetUserValue(hooks.ContextKey{}, q)
	return q
}

// Lend returns the arena if the calling goroutine has it or no goroutine does. It takes the arena from its
// pool at the first call.
func (q *request) Lend(ctx context.Context) any {
	self := goroutine.Self()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		if outer, ok := q.outer.(*request); ok {
			return outer.Lend(ctx)
		}
		return nil
	}
	q.note(self)
	if q.holder == 0 {
		q.arena, q.holder = q.pool.Get(), self
	}
	if q.holder != self {
		return nil
	}
	return q.arena
}

// note records that the goroutine self works on the request. q.mu must be held.
func (q *request) note(self uint64) {
	if self != q.self {
		q.strayed = true
		q.around(self)
	}
}

// around records self in the request of the outer Handler, whose memory it may have been given.
func (q *request) around(self uint64) {
	if outer, ok := q.outer.(*request); ok {
		outer.mu.Lock()
		defer outer.mu.Unlock()
		outer.note(self)
	}
}

// leave ends the request: from now on Lend returns nil. If another goroutine may continue, the arena is left
// to it, and so is ctx, through which it may look for the arena.
func (q *request) leave(ctx *fasthttp.RequestCtx, timedOut bool) {
	q.mu.Lock()
	a, strayed := q.arena, q.strayed
	q.arena, q.over = nil, true
	q.mu.Unlock()
	if a == nil {
		hooks.NoArena(q.pool)
	}
	if strayed || timedOut {
		machine.Abandon(a)
		return
	}
	ctx.SetUserValue(hooks.ContextKey{}, q.outer)
	q.pool.Put(a)
	q.pool, q.outer, q.holder, q.over = nil, nil, 0, false
	requests.Put(q)
}

// end puts the arena back and responds to an exceeded limit. It is deferred directly, for recover. If alone
// is not set, another goroutine may decide whether the request has timed out, and it does not matter here.
func (q *request) end(ctx *fasthttp.RequestCtx, alone bool) {
	v := hooks.OwnPanic(recover())
	timedOut := !alone && ctx.LastTimeoutErrorResponse() != nil
	q.leave(ctx, timedOut)
	if v == nil {
		return
	}
	err, _ := v.(error)
	var over *arena.LimitError
	if !errors.As(err, &over) {
		panic(v)
	}
	if !timedOut { // otherwise there is a response already
		refuse(ctx, over)
	}
}

// refuse responds to a request that exceeded a limit.
func refuse(ctx *fasthttp.RequestCtx, over *arena.LimitError) {
	ctx.Hijack(nil)
	status := jsonbody.Refused(over)
	ctx.Error(fasthttp.StatusMessage(status), status)
	if over.Retry {
		ctx.Response.Header.Set("Retry-After", "1")
	}
}
