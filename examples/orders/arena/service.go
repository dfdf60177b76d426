// Package orders is the service with an arena for each request, from which handlers allocate.
package orders

import (
	"errors"
	"net/http"
	"time"

	"github.com/ebbpool/arena"
	arenaprom "github.com/ebbpool/arena/adapters/prometheus"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/web"
)

type service struct {
	store *store.Store
	web   *web.Options
	clock func() time.Time
}

// New returns the service.
func New(s *store.Store, pool *arena.ArenaPool, o web.Options, clock func() time.Time) http.Handler {
	svc := &service{store: s, web: o.WithDefaults(), clock: clock}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", svc.create)
	mux.HandleFunc("GET /orders", svc.list)
	mux.HandleFunc("GET /orders/{id}", svc.get)
	mux.HandleFunc("GET /orders/{id}/receipt", svc.receipt)
	svc.web.Metrics.MustRegister(arenaprom.NewPoolCollector(pool, "requests"))
	return web.Around(svc.web, arenahttp.Handler(pool, svc.web.Inside(mux)))
}

// limited panics with the error of a limit, which arenahttp.Handler answers with 413 or 503, and returns other
// errors.
func limited(err error) error {
	var over *arena.LimitError
	if errors.As(err, &over) {
		panic(over)
	}
	return err
}
