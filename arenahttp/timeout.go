package arenahttp

import (
	"net/http"
	"runtime/debug"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/guard"
)

// TimeoutHandler is like [http.TimeoutHandler], but h keeps the request's arena until it returns, also if it runs longer
// than d. The arena is then put back in its pool. TimeoutHandler can be used inside or outside of [Handler]. It panics if
// h is nil.
//
// Code that runs after the TimeoutHandler while h is still running gets nil from [arena.FromContext], which means the
// heap. If h exceeds a limit after the timeout, there is no response to that.
//
// TimeoutHandler allocates twice more than http.TimeoutHandler.
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

// ServeHTTP runs in the goroutine that http.TimeoutHandler starts for each request.
func (s *shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.enter()
	defer s.leave(r)
	if guard.Sampled.Load() {
		debug.SetPanicOnFault(true) // the goroutine ends with the request
	}
	defer arena.ExplainFaults()
	s.next.ServeHTTP(w, r)
}

// shared is a handler for another goroutine, which is a worker of the request and of the requests around it.
type shared struct {
	next    http.Handler
	request *request
	worker  worker
	outer   *shared
}

// share returns next as a worker of q and of the requests around it. It returns nil if q is nil or all have ended.
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
