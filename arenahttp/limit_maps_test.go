package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// Maps count towards limits: a small body with many maps gets status 413.
func TestLimitCountsMaps(t *testing.T) {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(1<<20, 4<<20)
	for name, body := range map[string]string{
		"arrays": "[" + strings.Repeat(`{"":[]},`, 25000) + "null]",
		"any":    "[" + strings.Repeat(`{"a":{}},`, 25000) + "null]",
		"small":  `[{"":[]}]`,
	} {
		for _, v := range []any{new([]map[string][16]int), new([]map[string]any), new(any), new([]map[string]map[int]bool)} {
			if _, ok := v.(*[]map[string][16]int); ok == (name == "any") {
				continue
			}
			if _, ok := v.(*[]map[string]map[int]bool); ok && name != "any" {
				continue
			}
			h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := arenahttp.Read(r, v); err != nil {
					http.Error(w, err.Error(), arenahttp.Status(err))
				}
			}))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
			want := http.StatusRequestEntityTooLarge
			if name == "small" {
				want = http.StatusOK
			}
			if w.Code != want {
				t.Errorf("%s, %d bytes into %T: status %d, want %d", name, len(body), v, w.Code, want)
			}
			if s := pool.Stats(); s.RetainedBytes+s.InUseBytes > 1<<20 {
				t.Errorf("the pool holds %d bytes", s.RetainedBytes+s.InUseBytes)
			}
		}
	}
}
