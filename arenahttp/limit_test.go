package arenahttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// recovery is a router's middleware: it responds to a panic with 500, or with the status that status returns.
func recovery(next http.Handler, status func(any) (int, bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if code, ok := status(v); ok {
				w.WriteHeader(code)
			} else if v != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func unknown(any) (int, bool) { return 0, false }

// Read returns an exceeded limit as an error with the limit's status, wherever it occurs, so that recovery
// middleware inside Handler does not turn it into 500.
func TestReadReturnsLimits(t *testing.T) {
	many := `[` + strings.Repeat(`{"customer":"x","items":["y"]},`, 20_000) + `{}]`
	for name, x := range map[string]struct {
		limit, total, taken int // bytes: of a request, of all requests, and in use by others
		body                string
		v                   func() any
		want                int
	}{
		"text":            {64 << 10, 0, 0, `"` + strings.Repeat("a", 100_000) + `"`, func() any { return new(string) }, 413},
		"values":          {1 << 20, 0, 0, many, func() any { return new([]order) }, 413},
		"interfaces":      {1 << 20, 0, 0, many, func() any { return new(any) }, 413},
		"the first byte":  {1, 0, 0, `5`, func() any { return new(int) }, 413},
		"more than total": {0, 64 << 10, 0, `"` + strings.Repeat("a", 100_000) + `"`, func() any { return new(string) }, 413},
		"total in use":    {0, 128 << 10, 100_000, `"` + strings.Repeat("a", 60_000) + `"`, func() any { return new(string) }, 503},
		"little of total": {0, 96 << 10, 60_000, `"` + strings.Repeat("a", 40_000) + `"`, func() any { return new(string) }, 503},
	} {
		for _, length := range []bool{true, false} {
			pool := arena.NewArenaPool(1024, 0)
			pool.SetLimit(x.limit, x.total)
			other := pool.Get()
			if x.taken != 0 {
				other.AllocBytes(x.taken)
			}
			h := arenahttp.Handler(pool, recovery(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := arenahttp.Read(r, x.v()); err != nil {
					var over *arena.LimitError
					if !errors.As(err, &over) {
						t.Errorf("%s: error %v, want a LimitError", name, err)
					}
					w.WriteHeader(arenahttp.Status(err))
				}
			}), unknown))
			var body io.Reader = strings.NewReader(x.body)
			if !length {
				body = io.MultiReader(body)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/", body))
			if w.Code != x.want {
				t.Errorf("%s, Content-Length %t: status %d, want %d", name, length, w.Code, x.want)
			}
			pool.Put(other)
			awaitIdle(t, pool)
		}
	}
}

// Functions other than Read panic if a limit is exceeded. Recovered returns the same status as Handler, and
// reports false for other panics.
func TestRecovered(t *testing.T) {
	pool := arena.NewArenaPool(4096, 0)
	pool.SetLimit(64<<10, 96<<10)
	for name, x := range map[string]struct {
		panics func(w http.ResponseWriter, r *http.Request)
		taken  int
		want   int
	}{
		"an allocation": {func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()).AllocBytes(1 << 20) }, 0, 413},
		"Write":         {func(w http.ResponseWriter, r *http.Request) { arenahttp.Write(w, r, 200, make([]int, 1<<20)) }, 0, 413},
		"the total":     {func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()).AllocBytes(60 << 10) }, 50 << 10, 503},
		"a wrapped error": {func(_ http.ResponseWriter, r *http.Request) {
			defer func() { panic(fmt.Errorf("wrapped: %w", recover().(error))) }()
			arena.FromContext(r.Context()).AllocBytes(1 << 20)
		}, 0, 413},
		"another error": {func(http.ResponseWriter, *http.Request) { panic(io.ErrUnexpectedEOF) }, 0, 500},
		"a text":        {func(http.ResponseWriter, *http.Request) { panic("limit") }, 0, 500},
		"none":          {func(http.ResponseWriter, *http.Request) {}, 0, 200},
	} {
		other := pool.Get()
		other.AllocBytes(x.taken)
		w := httptest.NewRecorder()
		arenahttp.Handler(pool, recovery(http.HandlerFunc(x.panics), arenahttp.Recovered)).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != x.want {
			t.Errorf("%s: status %d, want %d", name, w.Code, x.want)
		}
		pool.Put(other)
	}
	awaitIdle(t, pool)
}
