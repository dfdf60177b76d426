package arenahttp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
)

func tenantOf(r *http.Request) string { return r.Header.Get("Tenant") }

func requestOf(tenant string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Tenant", tenant)
	return r
}

func TestHandlerBy(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	var arenas []*arena.Arena
	var texts []string
	h := arenahttp.HandlerBy(p, tenantOf, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		arenas = append(arenas, a)
		texts = append(texts, a.AllocString("of "+tenantOf(r))) //arenavet:ignore the texts are compared after the requests
	}))
	for _, tenant := range []string{"a", "b", "a", "b"} {
		h.ServeHTTP(httptest.NewRecorder(), requestOf(tenant))
	}
	if arenas[0] == arenas[1] || arenas[2] == arenas[1] || arenas[0] == arenas[3] {
		t.Error("two tenants had one arena")
	}
	if !check.On && (texts[0] != "of a" || texts[1] != "of b" || !check.Race && (arenas[0] != arenas[2] || arenas[1] != arenas[3])) {
		t.Errorf("stale texts %q, arenas %p", texts, arenas)
	}
	if s := p.Stats(); s.Gets != 4 || s.Puts != 4 || s.Keys != 2 || s.NoArena != 0 {
		t.Errorf("%+v", s)
	}
	idle := arenahttp.HandlerBy(p, tenantOf, http.NotFoundHandler())
	idle.ServeHTTP(httptest.NewRecorder(), requestOf("c"))
	if s := p.Stats(); s.Gets != 4 || s.NoArena != 1 {
		t.Errorf("after a request without an arena: %+v", s)
	}
}

func TestHandlerByOnTheHeap(t *testing.T) {
	arenahttp.HandlerBy(nil, tenantOf, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if arena.FromContext(r.Context()) != nil {
			t.Error("a nil pool has an arena")
		}
	})).ServeHTTP(httptest.NewRecorder(), requestOf("a"))
	p := arena.NewKeyedPool[string](0)
	for _, f := range []func(){
		func() { arenahttp.HandlerBy(p, nil, http.NotFoundHandler()) },
		func() { arenahttp.HandlerBy(p, tenantOf, nil) },
	} {
		func() {
			defer func() {
				if v := recover(); v != "arenahttp: HandlerBy: nil key or handler" {
					t.Errorf("panic %v", v)
				}
			}()
			f()
		}()
	}
}

func TestHandlerByLimit(t *testing.T) {
	p := arena.NewKeyedPool[string](0)
	p.SetLimit(1000, 0)
	w := httptest.NewRecorder()
	arenahttp.HandlerBy(p, tenantOf, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocBytes(2000)
	})).ServeHTTP(w, requestOf("a"))
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d, want 413", w.Code)
	}
}
