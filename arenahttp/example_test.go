package arenahttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type Greeting struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

func greet(w http.ResponseWriter, r *http.Request) {
	var g Greeting
	if err := arenahttp.Read(r, &g); err != nil { // JSON, into the request's arena
		http.Error(w, err.Error(), arenahttp.Status(err))
		return
	}
	g.Text = arena.FromContext(r.Context()).Sprintf("Hello, %s!", g.Name)
	arenahttp.Write(w, r, http.StatusOK, &g)
}

var handler = arenahttp.Handler(arena.NewAutoPool(0), http.HandlerFunc(greet))

func Example() {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"name":"Jo"}`)))
	fmt.Println(w.Code, w.Body)
	// Output: 200 {"name":"Jo","text":"Hello, Jo!"}
}

// What one request may take, and all that are under way together.
func ExampleHandler_limit() {
	pool := arena.NewAutoPool(0)
	pool.Limit(64<<10, 256<<20)
	handler := arenahttp.Handler(pool, http.HandlerFunc(greet))

	w := httptest.NewRecorder()
	body := strings.NewReader(`{"name":"` + strings.Repeat("Jo", 50_000) + `"}`)
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/", body))
	fmt.Println(w.Code)
	// Output: 413
}
