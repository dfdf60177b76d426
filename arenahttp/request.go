package arenahttp

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/jsonbody"
	"github.com/ebbpool/arena/internal/machine"
)

// exchange has the memory for a request in one allocation.
type exchange struct {
	request request
	view    view
}

// request is the context of a request. It decides which goroutine may use the arena. It is not allocated from the
// arena, because a context that is used late must know that its arena is gone.
//
// The arena belongs to one goroutine at a time, the holder: the first one that asks. Other goroutines get nil. The
// workers of a request report when they are done: the goroutine of Handler, and the goroutines of TimeoutHandlers. If
// any other goroutine asks, the request is marked as strayed, and its arena is abandoned at the end.
//
// Goroutines are identified by numbers, which can be reused after a goroutine has ended. Workers are alive, so their
// numbers are unique. If a holder that is not a worker has ended, another goroutine may get its number, and with it an
// arena that the holder no longer uses.
type request struct {
	context.Context
	pool   *arena.ArenaPool
	conn   *connection                 // that leads to the request; nil if the request itself is the context
	arena  atomic.Pointer[arena.Arena] // nil before the first use and after the end
	holder atomic.Uint64               // goroutine that has the arena; 0: none, goroutine.Nobody: a worker that has not begun

	mu      sync.Mutex
	workers int32 // that are not done; the request ends at 0
	strayed bool  // a goroutine that is not a worker has asked for the arena
	guarded bool  // the arena was guarded when main left
	faults  guard.FaultUser
	others  *worker // that are not done, except main
	main    worker  // runs Handler

	answer answer
}

// answer has the memory for the header fields that Write sets.
type answer struct {
	fields [2]string
	digits [8]byte
	taken  atomic.Bool
}

// worker is a goroutine that reports when it is done with a request.
type worker struct {
	number uint64  // 0 before it begins, and when it is done
	lender *worker // the worker that had the arena and started this one; nil for none
	next   *worker
}

// requestKey is the context key of the request.
type requestKey struct{}

// requestOf returns the innermost request that ctx belongs to, or nil.
func requestOf(ctx context.Context) *request {
	switch x := ctx.Value(requestKey{}).(type) {
	case *request:
		return x
	case *connection:
		return x.requestOf(ctx)
	}
	return nil
}

// outer returns the request around q, or nil.
func (q *request) outer() *request {
	if q.conn != nil {
		return nil
	}
	return requestOf(q.Context)
}

func (q *request) Value(key any) any {
	switch key.(type) {
	case hooks.ContextKey:
		return q.lend()
	case requestKey:
		return q
	}
	return q.Context.Value(key)
}

// lend returns the arena if the calling goroutine may use it, and else nil.
func (q *request) lend() *arena.Arena {
	self := goroutine.Self()
	if q.holder.Load() == self {
		return q.arena.Load()
	}
	return q.ask(self)
}

// ask is the slow path of lend. It returns the arena if no goroutine has it. The first call takes the arena from the
// pool.
func (q *request) ask(self uint64) *arena.Arena {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers == 0 {
		q.within(self) // the outer request may still be in progress
		return nil
	}
	if q.worker(self) == nil {
		q.stray(self)
	}
	if q.holder.Load() != 0 {
		return nil
	}
	a := q.arena.Load()
	if a == nil {
		a = q.pool.Get()
		q.arena.Store(a)
	}
	q.holder.Store(self)
	return a
}

// stray records that a goroutine that is not a worker works on the request, and on the requests around it. The request
// is locked.
func (q *request) stray(self uint64) {
	q.strayed = true
	q.within(self)
}

// within records in the request around q that a goroutine works on q, unless it is also a worker of that request. The
// goroutine may have values of the outer arena.
func (q *request) within(self uint64) {
	outer := q.outer()
	if outer == nil {
		return
	}
	outer.mu.Lock()
	defer outer.mu.Unlock()
	if outer.worker(self) == nil {
		outer.stray(self)
	}
}

// worker returns the worker that is the goroutine self, or nil. The request is locked.
func (q *request) worker(self uint64) *worker {
	if q.main.number == self {
		return &q.main
	}
	for w := q.others; w != nil; w = w.next {
		if w.number == self {
			return w
		}
	}
	return nil
}

// begin makes the calling goroutine the first worker, and returns r with a context that leads to q.
func (q *request) begin(r *http.Request) *http.Request {
	q.workers, q.main.number = 1, goroutine.Self()
	if c, ok := q.Context.Value(requestKey{}).(*connection); ok && r.ProtoMajor == 1 && c.serve(q) {
		return r
	}
	q.within(q.main.number)
	return r.WithContext(q)
}

// join adds a worker that the calling goroutine is about to start. It returns false if the request has ended. If the
// calling goroutine has the arena, the arena now belongs to w.
func (q *request) join(w *worker) bool {
	self := goroutine.Self()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers == 0 {
		return false
	}
	if starter := q.worker(self); starter == nil {
		q.stray(self)
	} else if q.holder.CompareAndSwap(self, goroutine.Nobody) {
		w.lender = starter
	}
	q.workers++
	w.next, q.others = q.others, w
	return true
}

// enter sets the goroutine of w to the calling one.
func (q *request) enter(w *worker) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.number = goroutine.Self()
	if w.lender != nil {
		q.holder.CompareAndSwap(goroutine.Nobody, w.number)
	}
}

// leave reports that w is done. The last worker ends the request. r is the request that the worker was called with.
func (q *request) leave(w *worker, r *http.Request) {
	switch a, strayed, last := q.left(w, r); {
	case !last:
	case a == nil:
		hooks.NoArena(q.pool)
	case strayed:
		machine.Abandon(a)
	default:
		q.pool.Put(a)
	}
}

// left is the part of leave under the lock. It returns the arena if w is the last worker.
func (q *request) left(w *worker, r *http.Request) (a *arena.Arena, strayed, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := machine.GuardedCycle(q.arena.Load()); e != nil {
		q.guarded = q.guarded || w == &q.main
		if !q.strayed {
			nameRoute(e, r)
		}
	}
	q.holder.CompareAndSwap(w.number, w.heir())
	w.number = 0
	for at := &q.others; *at != nil; at = &(*at).next {
		if *at == w {
			*at = w.next
			break
		}
	}
	if q.workers--; q.workers != 0 {
		return nil, false, false
	}
	if q.conn != nil {
		q.conn.now.Store(nil)
	}
	return q.arena.Swap(nil), q.strayed, true
}

// nameRoute sets the route of r in reports of misuse: its pattern, or its path if no worker knows the pattern.
func nameRoute(e *guard.Cycle, r *http.Request) {
	if route := r.Pattern; route != "" {
		e.Route.Store(&route)
	} else if r.URL != nil {
		e.Route.CompareAndSwap(nil, &r.URL.Path)
	}
}

// heir returns the goroutine that gets the arena when w is done: the nearest lender that is not done, or 0.
func (w *worker) heir() uint64 {
	for w = w.lender; w != nil; w = w.lender {
		if w.number != 0 {
			return w.number
		}
	}
	return 0
}

// end ends the request in Handler, and responds if a limit was exceeded. It must be deferred directly, because it calls
// recover.
func (x *exchange) end(r *http.Request) {
	v := hooks.OwnPanic(recover())
	x.view.keepHeader() // net/http sends trailers, and responses without a body, after this
	x.request.leave(&x.request.main, r)
	x.request.faults.Restore(x.request.guarded)
	if v == nil {
		return
	}
	err, _ := v.(error)
	var over *arena.LimitError
	if !errors.As(err, &over) || x.view.hijacked {
		panic(v)
	}
	if x.view.begun {
		panic(http.ErrAbortHandler)
	}
	refuse(&x.view, over)
}

// refuse responds to a request that has exceeded a limit.
func refuse(w http.ResponseWriter, over *arena.LimitError) {
	status := jsonbody.Refused(over)
	if over.Retry {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, http.StatusText(status), status)
}
