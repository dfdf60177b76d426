package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// BenchmarkMiddleware measures a request that uses its arena four times, below the given number of
// middlewares. Its time must not depend on the depth of the stack, on any port.
func BenchmarkMiddleware(b *testing.B) {
	for _, n := range []int{0, 40} {
		h := arenahttp.Handler(arena.NewAutoPool(0), http.HandlerFunc(answer))
		for range n {
			next := h
			h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r); w.Header() })
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(`{"customer":"Jo"}`)))
			}
		})
	}
}

// BenchmarkHandler measures Handler's cost for a request that does nothing, for one that asks for its arena
// once, and, in /ask, for each further call of FromContext.
func BenchmarkHandler(b *testing.B) {
	pool := arena.NewAutoPool(0)
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	for _, x := range []struct {
		name string
		h    http.HandlerFunc
	}{
		{"nothing", func(http.ResponseWriter, *http.Request) {}},
		{"arena", func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()).AllocString("hello") }},
	} {
		h := arenahttp.Handler(pool, x.h)
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				h.ServeHTTP(w, r)
			}
		})
	}
	b.Run("ask", func(b *testing.B) {
		arenahttp.Handler(pool, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			arena.FromContext(ctx)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				arena.FromContext(ctx)
			}
		})).ServeHTTP(w, r)
	})
}
