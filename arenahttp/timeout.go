package arenahttp

import (
	"net/http"
	"runtime/debug"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/guard"
)

// TimeoutHandler is http.TimeoutHandler for use within Handler, or around it: a request
// that h has not answered within d is answered with 503 and msg, or an HTML page if msg is
// empty, while h goes on until it has ended. The answers, headers and panics are those of
// http.TimeoutHandler, and so is the http.ResponseWriter that h gets: it keeps the answer
// until h has returned, and has http.Pusher, but neither http.Flusher nor http.Hijacker.
//
// h has the request's arena until it has ended, also when it is late, and with it all that
// lies there; then the arena goes back to its pool. While a late h goes on,
// arena.FromContext is nil, which means the heap, for what comes after the TimeoutHandler.
// A limit that a late h reaches has no answer any more.
//
// It takes two allocations more than http.TimeoutHandler. A nil h panics.
func TimeoutHandler(h http.Handler, d time.Duration, msg string) http.Handler {
	if h == nil {
		panic("arenahttp: TimeoutHandler: nil handler")
	}
	return &timeoutHandler{h, d, msg}
}

type timeoutHandler struct {
	next http.Handler
	d    time.Duration
	msg  string
}

func (t *timeoutHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	next := t.next
	if s := share(requestOf(r.Context()), next); s != nil {
		next = s
	}
	http.TimeoutHandler(next, t.d, t.msg).ServeHTTP(w, r)
}

// ServeHTTP is called on the goroutine that http.TimeoutHandler starts for each request.
func (s *shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.enter()
	defer s.leave(r)
	if guard.Sampled.Load() {
		debug.SetPanicOnFault(true) // the goroutine ends with the request
	}
	defer arena.ExplainFaults()
	s.next.ServeHTTP(w, r)
}

// shared is a handler for another goroutine, as a worker of the request that it is for,
// and of those around that.
type shared struct {
	next    http.Handler
	request *request
	worker  worker
	outer   *shared
}

// share returns next as a worker of q and the requests around it, nil if there are none.
func share(q *request, next http.Handler) *shared {
	if q == nil {
		return nil
	}
	outer := share(q.outer(), nil)
	s := &shared{next: next, request: q, outer: outer}
	if q.join(&s.worker) {
		return s
	}
	if outer != nil {
		outer.next = next
	}
	return outer
}

func (s *shared) enter() {
	for ; s != nil; s = s.outer {
		s.request.enter(&s.worker)
	}
}

func (s *shared) leave(r *http.Request) {
	for ; s != nil; s = s.outer {
		s.request.leave(&s.worker, r)
	}
}
