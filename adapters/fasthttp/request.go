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

// request stands for the arena in a request's user values, and knows who may use
// that. The arena is the goroutine's that asks first, as in package arenahttp. One that asks
// and does not run Handler may go on when that has returned, whatever became of the answer:
// fasthttpadaptor runs its handler on a goroutine that goes on when it has flushed.
type request struct {
	pool *arena.ArenaPool
	self uint64 // the goroutine that runs Handler

	mu      sync.Mutex
	outer   any // what had its place before: the request of a Handler around it, or nil
	arena   *arena.Arena
	holder  uint64 // who has the arena; 0 for nobody
	strayed bool   // another goroutine has asked
	over    bool
}

// requests are those that no other goroutine knows of.
var requests = sync.Pool{New: func() any { return new(request) }}

func begin(p *arena.ArenaPool, ctx *fasthttp.RequestCtx) *request {
	q := requests.Get().(*request)
	q.pool, q.self, q.outer = p, goroutine.Self(), ctx.UserValue(hooks.ContextKey{})
	q.around(q.self)
	ctx.SetUserValue(hooks.ContextKey{}, q)
	return q
}

// Lend returns the arena if the goroutine that calls it has it, or nobody has. It is taken
// from its pool when it is first asked for.
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

// note says that the goroutine self works on the request. It is locked.
func (q *request) note(self uint64) {
	if self != q.self {
		q.strayed = true
		q.around(self)
	}
}

// around notes that in the request around q, whose values it may have been given.
func (q *request) around(self uint64) {
	if outer, ok := q.outer.(*request); ok {
		outer.mu.Lock()
		defer outer.mu.Unlock()
		outer.note(self)
	}
}

// leave ends the request: who asks from now on has no arena of it. Where another goroutine
// may go on, the arena is left to that, and so is ctx, in which it may look for it.
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

// end takes the arena back, and says what became of a request that was refused memory.
// It is deferred itself, for recover. Where alone, whether the request has timed out is
// another goroutine's to know, and does not matter.
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
	if !timedOut { // else there is an answer already
		refuse(ctx, over)
	}
}

// refuse answers a request that asked for more memory than it may have.
func refuse(ctx *fasthttp.RequestCtx, over *arena.LimitError) {
	ctx.Hijack(nil)
	status := jsonbody.Refused(over)
	ctx.Error(fasthttp.StatusMessage(status), status)
	if over.Retry {
		ctx.Response.Header.Set("Retry-After", "1")
	}
}
