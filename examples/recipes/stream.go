package recipes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/arenajson"
)

// Stream answers with a line of JSON for each order that next returns, until next returns nil.
func Stream(pool *arena.ArenaPool, next func(*http.Request) *Order) http.Handler {
	return arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		lines, control := arenajson.NewEncoder(a, w), http.NewResponseController(w)
		w.Header().Set("Content-Type", "application/x-ndjson")
		line := a.Mark()
		for o := next(r); o != nil; o = next(r) {
			if lines.Encode(receipt(a, o)) != nil || control.Flush() != nil {
				return // the client has gone
			}
			a.Rewind(line) // frees the memory of the line
		}
	}))
}
