package literal

import (
	"net/http/httptest"
	"testing"
)

func TestHandlers(t *testing.T) {
	s := &Store{names: []string{"a", "b"}}
	h := Handlers(s)
	for path, want := range map[string]string{"/names": "a, b\n", "/x/y": "/x/y!XY 1\n"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Body.String() != want {
			t.Errorf("%s: %q", path, w.Body)
		}
	}
	if s.last.name != "kept" {
		t.Errorf("%q", s.last.name)
	}
}
