// Package arenahttp gives each HTTP request an arena of its own, which goes back to
// its pool when the request has been handled:
//
//	pool := arena.NewAutoPool(0)
//	pool.Limit(8<<20, 256<<20)
//	http.ListenAndServe(addr, arenahttp.Handler(pool, mux))
//
// and in a handler:
//
//	a := arena.FromContext(r.Context())
//
// Nothing from the arena may be used after the handler has returned: what stays is
// to be copied, with arena.Escape or strings.Clone.
package arenahttp

import (
	"errors"
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Handler returns a handler that calls next with an arena from p in the request's
// context, for arena.FromContext. It is taken from p when it is first asked for: one
// that does so only when it has what it waits for, such as a connection to a database,
// holds no memory while it waits. The arena goes back to p when next has returned or
// panicked; a panic goes on. A nil p or next panics.
//
// An allocation that a limit refuses (see arena.ArenaPool.Limit) and that next does
// not recover from becomes 503 with Retry-After, if it can succeed when other
// requests have ended, and 413 otherwise. Where next has begun its answer already,
// the connection is ended instead, so that nobody takes half an answer for a whole;
// where it has taken the connection over, the panic goes on.
//
// The arena is gone when next returns, also for a goroutine that goes on, for a
// hijacked connection, and for a context that was kept: arena.FromContext of that
// is nil from then on, which means the heap. There is one exception. A timeout
// inside Handler, as by http.TimeoutHandler, answers while its own handler may still
// run. So where a context with a deadline was derived from the request's, and the
// answer is 503, 504 or 408, the arena is left to that handler and to the collector,
// and p counts it as leaked. A timeout around Handler has none of that, and is the
// better order. A middleware that leaves a handler running in another way belongs
// around Handler, too.
//
// It allocates twice for each request: what http.Request.WithContext copies, and one
// object that is the context and stands before the http.ResponseWriter. That one
// has http.Flusher, http.Hijacker and http.Pusher where the writer has them, and
// Unwrap for http.ResponseController.
func Handler(p *arena.ArenaPool, next http.Handler) http.Handler {
	if p == nil || next == nil {
		panic("arenahttp: Handler: a nil pool or handler; make the pool with arena.NewAutoPool or arena.NewArenaPool")
	}
	return &handler{p, next}
}

type handler struct {
	pool *arena.ArenaPool
	next http.Handler
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{context: requestContext{Context: r.Context(), pool: h.pool}}
	x.view.ResponseWriter = w
	defer h.end(x)
	if check.On {
		defer arena.ExplainFaults()
	}
	h.next.ServeHTTP(x.writer(), r.WithContext(&x.context))
}

// end takes the arena back, and says what became of a request that was refused
// memory. It is deferred itself, for recover.
func (h *handler) end(x *exchange) {
	v := recover()
	h.pool.Put(x.context.end(x.mayGoOn()))
	if v == nil {
		return
	}
	err, _ := v.(error)
	var over *arena.LimitError
	if !errors.As(err, &over) || x.view.hijacked {
		panic(v)
	}
	if x.view.status != 0 {
		panic(http.ErrAbortHandler)
	}
	refuse(&x.view, over)
}

// mayGoOn says whether something may still handle the request, although the handler
// has returned.
func (x *exchange) mayGoOn() bool {
	if !x.context.timed.Load() {
		return false
	}
	switch x.view.status {
	case http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return true
	}
	return false
}

// refuse answers a request that asked for more memory than it may have.
func refuse(w http.ResponseWriter, over *arena.LimitError) {
	status := http.StatusRequestEntityTooLarge
	if over.Temporary() {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, http.StatusText(status), status)
}
