package recipes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

func NetHTTP(pool *arena.ArenaPool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		o := arena.New[Order](a)
		if err := arenahttp.Read(r, o); err != nil {
			http.Error(w, err.Error(), arenahttp.Status(err))
			return
		}
		arenahttp.Write(w, r, http.StatusCreated, receipt(a, o))
	})
	return arenahttp.Handler(pool, mux)
}
