package pair

import (
	"io"
	"net/http"
	"strings"

	"github.com/ebbpool/arena"
)

// Faults makes requests fail on demand, like a handler with a bug: with half of the memory used, before or
// after the response has begun.
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
			w.Header().Set("Content-Length", "5") // of a response that is not sent
		} else {
			io.WriteString(w, text)
			http.NewResponseController(w).Flush()
		}
		panic(strings.Clone(text)) // recovered after the arena was put back
	})
}
