package recipes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

func Chi(pool *arena.ArenaPool) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.Recoverer, func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) })
	r.Post("/orders", func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		o := arena.New[Order](a)
		if err := arenahttp.Read(r, o); err != nil {
			http.Error(w, err.Error(), arenahttp.Status(err))
			return
		}
		arenahttp.Write(w, r, http.StatusCreated, receipt(a, o))
	})
	return r
}
