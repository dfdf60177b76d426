// Package arenahttp gives each HTTP request an arena of its own, which goes back to
// its pool when the request has been handled:
//
//	pool := arena.NewAutoPool(0)
//	pool.SetLimit(8<<20, 256<<20)
//	http.ListenAndServe(addr, arenahttp.Handler(pool, mux))
//
// and in a handler:
//
//	a := arena.FromContext(r.Context())
//
// Nothing from the arena may be used after the handler has returned: what stays is
// to be copied, with arena.Escape or strings.Clone. The answer needs none of that: a body is
// copied when it is written, and the header, which package net/http may send later,
// before it is sent, trailers and pushed requests as well.
//
// # Timeouts
//
// A timeout answers while its handler goes on. TimeoutHandler, in place of
// http.TimeoutHandler, keeps the arena until that handler has ended:
//
//	arenahttp.Handler(pool, arenahttp.TimeoutHandler(mux, 5*time.Second, "too late"))
//
// With a timeout of your own, or a router's, that runs its handler on a goroutine, Handler
// belongs inside, around that handler:
//
//	go func() { arenahttp.Handler(pool, mux).ServeHTTP(w, r); close(done) }()
//
// The other way round is safe, and slow: see Handler.
package arenahttp

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/hooks"
)

// Handler returns a handler that calls next with an arena from p in the request's
// context, for arena.FromContext. It is taken from p when it is first asked for: one
// that does so only when it has what it waits for, such as a connection to a database,
// holds no memory while it waits. The arena goes back to p when next has returned or
// panicked; a panic goes on. A nil p has no arenas: next works on the heap. A nil next panics.
//
// If next panics with the error of a limit (see [arena.ArenaPool.SetLimit]), Handler answers 503 with
// Retry-After if the request can succeed once other requests have ended, and 413 otherwise. If the answer
// has begun, it ends the connection instead, so that no client takes half an answer for a whole. If next
// has hijacked the connection, the panic goes on. Recovery middleware inside Handler, such as a router's,
// needs [Recovered] for this. [Read] returns such errors.
//
// # Other goroutines
//
// The arena belongs to the goroutine that asks for it first, with arena.FromContext, Read or
// Write. For others that ask, arena.FromContext is nil, which means the heap: no two
// goroutines are led to one arena. So it is for all when next has returned, also for a
// goroutine that goes on, for a hijacked connection, and for a context that was kept.
//
// If another goroutine asks than the one that runs next, nobody knows when it will be done:
// a timeout, for example, answers in place of a handler that goes on. Such an arena does
// not go back to p when next returns. It is left to that goroutine and to the collector,
// and counts as Abandoned in p's statistics; the next request pays for a new one.
// TimeoutHandler avoids this, and so does Handler inside of the timeout in place of
// around it.
//
// What can't be seen is a goroutine that never asks, and was handed the arena, or a value
// from it, by next: it must be done when next returns. For the arena there is
// arena.Arena.Fork; programs built with -race, -asan or the tag arenacheck find who
// comes too late.
//
// # Cost
//
// It allocates twice for each request: what http.Request.WithContext copies, which
// ConnContext saves, and one object that is the context, stands before the
// http.ResponseWriter and has what Write sets of a header. That one
// has http.Flusher, http.Hijacker, http.Pusher and http.CloseNotifier where the writer has
// them (http.Hijacker also where the writer's Unwrap leads to one), io.ReaderFrom and
// io.StringWriter, all that http.ResponseController asks for, and Unwrap. A header field that
// lies in the arena costs a copy on the heap; while the arena has forks, or is with a
// late TimeoutHandler, each field does. To ask takes some nanoseconds.
func Handler(p *arena.ArenaPool, next http.Handler) http.Handler {
	if next == nil {
		panic("arenahttp: Handler: nil handler")
	}
	return &handler{pool: p, next: next}
}

// HandlerBy is Handler for a pool that recycles memory only within a key. It calls key once for each
// request, before next.
//
// A key decides whose memory a request gets, so take it from what was verified, such as a session, or from a
// fixed set, such as r.Pattern or a route. A nil key or next panics.
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
		x.request.faults = guard.PanicOnFault() // also if it never asks for an arena: it may use memory of an earlier one
	}
	defer arena.ExplainFaults()
	h.next.ServeHTTP(x.view.writer(), r)
}
