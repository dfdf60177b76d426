package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// With a nil or disabled pool a handler works on the heap. This is how arenas are turned off during an
// incident.
func TestOff(t *testing.T) {
	type body struct{ Name string }
	p := arena.NewAutoPool(0)
	var pool *arena.ArenaPool
	handle := func(w http.ResponseWriter, r *http.Request) {
		if a := arena.FromContext(r.Context()); (a == nil) != (pool == nil) {
			t.Errorf("arena %v of pool %v", a, pool)
		}
		var b body
		if err := arenahttp.Read(r, &b); err != nil {
			t.Error(err)
		}
		done := make(chan bool)
		go func() { // its arena would be abandoned
			defer close(done)
			arena.FromContext(r.Context())
		}()
		<-done
		if err := arenahttp.Write(w, r, 200, b); err != nil {
			t.Error(err)
		}
	}
	for name, test := range map[string]struct {
		pool *arena.ArenaPool
		on   bool
	}{"no pool": {nil, true}, "off": {p, false}} {
		t.Run(name, func(t *testing.T) {
			pool = test.pool
			arena.SetEnabled(test.on)
			defer arena.SetEnabled(true)
			for _, h := range []http.Handler{
				arenahttp.Handler(test.pool, http.HandlerFunc(handle)),
				arenahttp.Handler(test.pool, arenahttp.TimeoutHandler(http.HandlerFunc(handle), 1e12, "")),
			} {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"Name":"x"}`)))
				if got := strings.TrimSpace(w.Body.String()); w.Code != 200 || got != `{"Name":"x"}` {
					t.Errorf("%d %s", w.Code, got)
				}
			}
		})
	}
	if s := p.Stats(); s.Gets != 2 || s.Gets != s.Puts+s.Abandoned || s.Leaked != 0 {
		t.Errorf("%+v", s)
	}
}

// Limits also apply while pools are disabled.
func TestLimitsWhileDisabled(t *testing.T) {
	for _, on := range []bool{true, false} {
		arena.SetEnabled(on)
		defer arena.SetEnabled(true)
		pool := arena.NewAutoPool(0)
		pool.SetLimit(1<<20, 4<<20)
		h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var v []string
			if err := arenahttp.Read(r, &v); err != nil {
				http.Error(w, err.Error(), arenahttp.Status(err))
				return
			}
			arenahttp.Write(w, r, http.StatusOK, len(v))
		}))
		for n, want := range map[int]int{200_000: http.StatusRequestEntityTooLarge, 5_000: http.StatusOK} {
			body := "[" + strings.Repeat(`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",`, n) + `"b"]`
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body))); w.Code != want {
				t.Errorf("enabled %v: %d strings: %d, want %d", on, n, w.Code, want)
			}
		}
		if s := pool.Stats(); s.Refused == 0 || s.Gets != 2 || s.InUseBytes != 0 {
			t.Errorf("enabled %v: %+v", on, s)
		}
	}
}
