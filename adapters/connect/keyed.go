package arenaconnect

import (
	"net/http"

	"connectrpc.com/connect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/hooks"
)

// HandlerBy is like [Handler] for a pool that recycles memory only within a key. It calls key once for each
// request, before next; see [arenahttp.HandlerBy]. It panics if key or next is nil.
func HandlerBy(pool *arena.KeyedPool[string], key func(*http.Request) string, next http.Handler) http.Handler {
	if key == nil || next == nil {
		panic("arenaconnect: HandlerBy: nil key or handler")
	}
	errors := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := hooks.PoolOf(pool, key(r)).(*arena.ArenaPool)
		arenahttp.Handler(of, &server{of, next, errors}).ServeHTTP(w, r)
	})
}
