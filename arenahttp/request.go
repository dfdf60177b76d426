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

// exchange is all that a request needs here, in one allocation.
type exchange struct {
	request request
	view    view
}

// request is the context of a request, and who may use its arena. It lies on the heap and
// not in the arena: contexts are kept by all kinds of code, and one that is asked late
// must know that its arena is gone.
//
// The arena belongs to one goroutine at a time, the holder: the first one that asks. All
// others that ask have the heap meanwhile. A goroutine is known to be done with the arena
// if it is one of the request's workers, which say so: the one that runs Handler, and
// those of a TimeoutHandler. One that asks and is none may go on for ever, so it marks the
// request, whose arena then is nobody's after it.
//
// Goroutines are told apart by their numbers, which are compared with those of workers
// alone: they are alive. That of a holder that is none may be another goroutine's by now,
// which can then only be led to an arena that the first one has left.
type request struct {
	context.Context
	pool   *arena.ArenaPool
	conn   *connection                 // that leads to it; nil where it is the context itself
	arena  atomic.Pointer[arena.Arena] // nil before it is first asked for, and at the end
	holder atomic.Uint64               // goroutine that has the arena; 0: none, goroutine.Nobody: a worker that has not begun

	mu      sync.Mutex
	workers int32 // that are not done; 0 is the end
	strayed bool  // a goroutine that is no worker has asked
	guarded bool  // the arena was guarded when main left
	faults  guard.FaultUser
	others  *worker // those that are not done, but for main
	main    worker  // runs Handler

	answer answer
}

// answer has what Write sets of a header, in place of three allocations.
type answer struct {
	fields [2]string
	digits [8]byte
	taken  atomic.Bool
}

// worker is a goroutine that says when it is done with a request.
type worker struct {
	number uint64  // 0 before it begins, and when it is done
	lender *worker // who had the arena, began this one and waits for it; nil for none
	next   *worker
}

// requestKey is a context's key for its request.
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

// lend returns the arena for the goroutine that calls it, nil for the heap.
func (q *request) lend() *arena.Arena {
	self := goroutine.Self()
	if q.holder.Load() == self {
		return q.arena.Load()
	}
	return q.ask(self)
}

// ask returns the arena if nobody has it. It is taken from its pool when it is first asked
// for: a request that waits, in a queue or for a database, has none before it needs one.
func (q *request) ask(self uint64) *arena.Arena {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workers == 0 {
		q.within(self) // which may go on
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

// stray notes that a goroutine which is no worker works on the request, and so on those
// around it. The request is locked.
func (q *request) stray(self uint64) {
	q.strayed = true
	q.within(self)
}

// within notes in the request around q that a goroutine works on q, unless it is a worker
// of that one, too: it may have been given what lies in the arena there.
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

// begin makes the goroutine that calls it the request's first worker, and returns r with
// a context that leads to q.
func (q *request) begin(r *http.Request) *http.Request {
	q.workers, q.main.number = 1, goroutine.Self()
	if c, ok := q.Context.Value(requestKey{}).(*connection); ok && r.ProtoMajor == 1 && c.serve(q) {
		return r
	}
	q.within(q.main.number)
	return r.WithContext(q)
}

// join adds w, which the goroutine that calls it is about to start, unless the request is
// at its end. If that goroutine has the arena, it is w's from here on.
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

// enter says that w is the goroutine that calls it.
func (q *request) enter(w *worker) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.number = goroutine.Self()
	if w.lender != nil {
		q.holder.CompareAndSwap(goroutine.Nobody, w.number)
	}
}

// leave says that w, which was given r, is done. The last one ends the request.
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

// left is the part of leave that needs the lock. It returns the arena if w is the last worker.
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

// nameRoute notes the route of r, its pattern or else its path, for reports of misuse. That
// of a worker that knows the pattern is the one that counts.
func nameRoute(e *guard.Cycle, r *http.Request) {
	if route := r.Pattern; route != "" {
		e.Route.Store(&route)
	} else if r.URL != nil {
		e.Route.CompareAndSwap(nil, &r.URL.Path)
	}
}

// heir is the goroutine that has the arena when w is done: the next of those that lent it
// and are not done, or none.
func (w *worker) heir() uint64 {
	for w = w.lender; w != nil; w = w.lender {
		if w.number != 0 {
			return w.number
		}
	}
	return 0
}

// end takes the arena back, and says what became of a request that was refused
// memory. It is deferred itself, for recover.
func (x *exchange) end(r *http.Request) {
	v := hooks.OwnPanic(recover())
	x.view.keepHeader() // an answer without a body is sent after this, and so are trailers
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

// refuse answers a request that asked for more memory than it may have.
func refuse(w http.ResponseWriter, over *arena.LimitError) {
	status := jsonbody.Refused(over)
	if over.Retry {
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, http.StatusText(status), status)
}
