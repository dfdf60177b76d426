package pair

import (
	"io"
	"net/http"
	"strings"

	"github.com/ebbpool/arena"
)

// Faults makes requests fail that ask for it, as a handler with a mistake would: with
// half of the memory taken, before or after the answer has begun.
func Faults(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := r.Header.Get("X-Fault")
		if fault == "" {
			h.ServeHTTP(w, r)
			return
		}
		a := arena.FromContext(r.Context())
		text := a.Sprintf("the fault of %s", r.URL)
		if fault == "before" {
			w.Header().Set("Content-Length", "5") // of an answer that will not come
		} else {
			io.WriteString(w, text)
			http.NewResponseController(w).Flush()
		}
		panic(strings.Clone(text)) // whoever recovers from it does so when the arena has gone
	})
}
