package recipes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/arenajson"
	"github.com/graphql-go/graphql"
)

func GraphQL(pool *arena.ArenaPool, schema graphql.Schema) http.Handler {
	return arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Query     string
			Variables map[string]any
		}
		// On the heap: if the client goes away, Do returns before its goroutine does.
		if err := arenajson.UnmarshalRead(nil, http.MaxBytesReader(w, r.Body, 1<<20), &q); err != nil {
			http.Error(w, err.Error(), arenahttp.Status(err))
			return
		}
		result := graphql.Do(graphql.Params{Schema: schema, RequestString: q.Query, VariableValues: q.Variables, Context: r.Context()})
		arenahttp.Write(w, r, http.StatusOK, result) // encoded in the arena
	}))
}
