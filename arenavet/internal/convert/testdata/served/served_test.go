package served

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestGet(t *testing.T) {
	s := &Server{}
	w := httptest.NewRecorder()
	s.Get(w, httptest.NewRequest(http.MethodGet, "/?name=a", nil))
	if w.Body.String() != "{\"Items\":[{\"Name\":\"a.\"}],\"More\":null}\n{\"Items\":[{\"Name\":\"stays, and so does its list\"}],\"More\":null}\n" || *kept.(*Item) != (Item{}) {
		t.Errorf("%s, %v", w.Body, kept)
	}
}
