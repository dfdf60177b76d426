package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// Without a pool, and while pools are off, a handler works as before, on the heap: else
// nobody could switch arenas off in the hour of an incident.
func TestOff(t *testing.T) {
	type body struct{ Name string }
	p := arena.NewAutoPool(0)
	handle := func(w http.ResponseWriter, r *http.Request) {
		if arena.FromContext(r.Context()) != nil {
			t.Error("an arena")
		}
		var b body
		if err := arenahttp.Read(r, &b); err != nil {
			t.Error(err)
		}
		done := make(chan bool)
		go func() { // whose arena would be abandoned
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
	if s := p.Stats(); s.Gets != 0 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
}
