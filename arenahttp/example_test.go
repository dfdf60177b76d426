package arenahttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

func Example() {
	type Greeting struct {
		Name string `json:"name"`
		Text string `json:"text,omitempty"`
	}
	greet := func(w http.ResponseWriter, r *http.Request) {
		var g Greeting
		if err := arenahttp.Read(r, &g); err != nil {
			http.Error(w, err.Error(), arenahttp.Status(err))
			return
		}
		g.Text = arena.FromContext(r.Context()).Sprintf("Hello, %s!", g.Name)
		arenahttp.Write(w, r, http.StatusOK, &g)
	}

	pool := arena.NewAutoPool(0)
	pool.Limit(8<<20, 256<<20) // 8 MB a request, 256 MB for all that are under way
	handler := arenahttp.Handler(pool, http.HandlerFunc(greet))

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"name":"Jo"}`)))
	fmt.Println(w.Code, w.Body)
	// Output: 200 {"name":"Jo","text":"Hello, Jo!"}
}
