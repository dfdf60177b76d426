// Package arenahttp gives each HTTP request an arena, and puts it back in its pool when the request has been handled:
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	http.ListenAndServe(addr, arenahttp.Handler(pool, mux))
//
// and in a handler:
//
//	a := arena.FromContext(r.Context())
//
// Values from the arena must not be used after the handler has returned. Copy values that live longer, with
// [arena.Escape] or [strings.Clone]. The response needs no copies: package net/http copies a body when it is written,
// and this package copies headers, trailers and pushed requests.
//
// # Timeouts
//
// A timeout sends a response while its handler is still running. Use [TimeoutHandler] instead of
// [http.TimeoutHandler]. It keeps the arena until the handler has returned:
//
//	arenahttp.Handler(pool, arenahttp.TimeoutHandler(mux, 5*time.Second, "too late"))
//
// If a timeout of your own, or of a router, runs its handler in a goroutine, call Handler inside the goroutine:
//
//	go func() { arenahttp.Handler(pool, mux).ServeHTTP(w, r); close(done) }()
//
// The reverse order is safe but slow; see [Handler].
package arenahttp

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/hooks"
)

// Handler returns a handler that calls next with an arena from p in the request's context; see [arena.FromContext].
// The arena is put back in p when next returns or panics. If p is nil, there is no arena, and values are allocated
// from the heap. Handler panics if next is nil.
//
// The first call of FromContext, [Read] or [Write] takes the arena from p. A handler that calls them after it has
// waited, for example for a database connection, holds no memory while it waits.
//
// If next panics with a [*arena.LimitError], Handler responds with status 503 and Retry-After if its Retry is true,
// and with status 413 otherwise. If next has already begun the response, Handler closes the connection instead, so
// that the client detects an incomplete response. If next has hijacked the connection, Handler panics with the same
// value. Recovery middleware inside Handler, such as the middleware of a router, needs [Recovered]. Read returns such
// errors.
//
// # Other goroutines
//
// The arena belongs to the goroutine that first calls FromContext, Read or Write. In other goroutines FromContext
// returns nil, which means the heap, so two goroutines never get the same arena. After next has returned, FromContext
// returns nil in all goroutines.
//
// If the goroutine that gets the arena is not the goroutine that runs next, Handler cannot know when it ends. For
// example, a timeout responds while its handler is still running. Handler does not put such an arena back. It leaves
// the arena to the goroutine and the collector, and counts it in PoolStats.Abandoned. The next request needs a new
// arena. TimeoutHandler avoids this, and so does a Handler inside the timeout.
//
// Handler cannot detect a goroutine that next gives the arena, or values from it. Such a goroutine must end before
// next returns, and needs [arena.Arena.Fork] to allocate. Programs built with -race, -asan or the tag arenacheck report
// goroutines that use the arena too late.
//
// # Cost
//
// Handler allocates twice for each request: the copy of [http.Request.WithContext], which [ConnContext] avoids, and
// one object for the context and the http.ResponseWriter. A header field in the arena is copied to the heap. All header
// fields are copied while the arena has forks, or while a TimeoutHandler's handler is running late. FromContext takes a
// few nanoseconds.
//
// The http.ResponseWriter implements http.Flusher, http.Hijacker, http.Pusher and http.CloseNotifier if the original
// one does. It implements http.Hijacker also if Unwrap leads to one. It always implements io.ReaderFrom,
// io.StringWriter, Unwrap and the methods that http.ResponseController calls.
func Handler(p *arena.ArenaPool, next http.Handler) http.Handler {
	if next == nil {
		panic("arenahttp: Handler: nil handler")
	}
	return &handler{pool: p, next: next}
}

// HandlerBy is Handler for a pool that recycles memory only within a key. It calls key once for each
// request, before next.
//
// A request gets memory of earlier requests with the same key. So key should return a verified value, such as the user
// of a session, or one of a fixed set, such as r.Pattern. HandlerBy panics if key or next is nil.
func HandlerBy(p *arena.KeyedPool[string], key func(*http.Request) string, next http.Handler) http.Handler {
	if key == nil || next == nil {
		panic("arenahttp: HandlerBy: nil key or handler")
	}
	return &handler{keyed: p, key: key, next: next}
}

type handler struct {
	pool  *arena.ArenaPool
	keyed *arena.KeyedPool[string]
	key   func(*http.Request) string // nil if pool serves all requests
	next  http.Handler
}

// poolOf returns the pool for r.
func (h *handler) poolOf(r *http.Request) *arena.ArenaPool {
	if h.key == nil {
		return h.pool
	}
	return hooks.PoolOf(h.keyed, h.key(r)).(*arena.ArenaPool)
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := new(exchange)
	x.request.Context, x.request.pool = r.Context(), h.poolOf(r)
	r = x.request.begin(r)
	x.view.ResponseWriter, x.view.request = w, &x.request
	defer x.end(r)
	if guard.Sampled.Load() {
		x.request.faults = guard.PanicOnFault() // also without an arena: next may use memory of an earlier request
	}
	defer arena.ExplainFaults()
	h.next.ServeHTTP(x.view.writer(), r)
}
