package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

func TestGreet(t *testing.T) {
	h := arenahttp.Handler(arena.NewAutoPool(0), http.HandlerFunc(greet))
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"name":"Ada"}`)))
	if got, want := strings.TrimSpace(answer.Body.String()), `{"name":"Ada","text":"Hello, Ada!"}`; answer.Code != http.StatusOK || got != want {
		t.Errorf("answer = %d %s, want 200 %s", answer.Code, got, want)
	}
}
