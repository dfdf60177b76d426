// Package orders is the service as usually written in Go: encoding/json, fmt, maps and builders, all on the
// heap.
package orders

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/web"
)

type service struct {
	store *store.Store
	web   *web.Options
	clock func() time.Time
}

// New returns the service.
func New(s *store.Store, o web.Options, clock func() time.Time) http.Handler {
	svc := &service{store: s, web: o.WithDefaults(), clock: clock}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", svc.create)
	mux.HandleFunc("GET /orders", svc.list)
	mux.HandleFunc("GET /orders/{id}", svc.get)
	mux.HandleFunc("GET /orders/{id}/receipt", svc.receipt)
	return web.Around(svc.web, svc.web.Inside(mux))
}

// read reads the body, one JSON document, into v.
func read(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// write responds with v and a newline.
func write(w http.ResponseWriter, status int, v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	doc = append(doc, '\n')
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(doc)))
	w.WriteHeader(status)
	_, err = w.Write(doc)
	return err
}
