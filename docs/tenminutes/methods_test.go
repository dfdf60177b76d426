//go:build go1.27

package tenminutes

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestMethods(t *testing.T) {
	answer := func(h http.Handler) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(string(body()))))
		return w.Body.String()
	}
	if got, want := answer(handlerMethods()), answer(handlerText()); got != want || got == "" {
		t.Errorf("with methods: %s\nwant %s", got, want)
	}
}
