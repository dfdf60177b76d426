package arenahttp_test

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

type Greeting struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

func greet(w http.ResponseWriter, r *http.Request) {
	var g Greeting
	if err := arenahttp.Read(r, &g); err != nil { // decodes JSON into the request's arena
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

// Limits for one request, and for all requests together.
func ExampleHandler_limit() {
	pool := arena.NewAutoPool(0)
	pool.SetLimit(64<<10, 256<<20)
	handler := arenahttp.Handler(pool, http.HandlerFunc(greet))

	w := httptest.NewRecorder()
	body := strings.NewReader(`{"name":"` + strings.Repeat("Jo", 50_000) + `"}`)
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/", body))
	fmt.Println(w.Code)
	// Output: 413
}

func ExampleConnContext() {
	server := http.Server{Addr: "localhost:8080", Handler: handler, ConnContext: arenahttp.ConnContext}
	if err := server.ListenAndServe(); err != nil {
		log.Fatal(err)
	}
}

func ExampleRead() {
	add := func(w http.ResponseWriter, r *http.Request) {
		var numbers []int
		if err := arenahttp.Read(r, &numbers); err != nil {
			http.Error(w, "want an array of numbers", arenahttp.Status(err))
			return
		}
		sum := 0
		for _, n := range numbers {
			sum += n
		}
		arenahttp.Write(w, r, http.StatusOK, &sum)
	}
	handler := arenahttp.Handler(arena.NewAutoPool(0), http.HandlerFunc(add))
	for _, body := range []string{"[1,2,3]", `{"no":"array"}`} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 200 6
	// 400 want an array of numbers
}

// Without Handler, Write uses the heap.
func ExampleWrite() {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/", nil)
	if err := arenahttp.Write(w, r, http.StatusCreated, &Greeting{Name: "Jo"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Body)
	// Output: 201 application/json {"name":"Jo"}
}

// Like http.TimeoutHandler: the arena goes back to the pool when mux has returned.
func timely(pool *arena.ArenaPool, mux http.Handler) http.Handler {
	return arenahttp.Handler(pool, arenahttp.TimeoutHandler(mux, 5*time.Second, "too late"))
}

// With another timeout, put Handler inside it, on the goroutine that may be late.
func timelyBy(timeout func(http.Handler) http.Handler, pool *arena.ArenaPool, mux http.Handler) http.Handler {
	return timeout(arenahttp.Handler(pool, mux))
}

func ExampleTimeoutHandler() {
	tooLong := make(chan bool)
	defer close(tooLong)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		<-tooLong
		a.Concat("still ", "mine")
	})
	pool := arena.NewAutoPool(0)
	for _, h := range []http.Handler{
		timely(pool, http.HandlerFunc(greet)),
		arenahttp.Handler(pool, arenahttp.TimeoutHandler(slow, time.Millisecond, "too late")),
		timelyBy(func(h http.Handler) http.Handler { return http.TimeoutHandler(h, time.Millisecond, "too late") }, pool, slow),
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"name":"Jo"}`)))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 200 {"name":"Jo","text":"Hello, Jo!"}
	// 503 too late
	// 503 too late
}

func ExampleStatus() {
	r := httptest.NewRequest("POST", "/", strings.NewReader(`{"name":`))
	var g Greeting
	err := arenahttp.Read(r, &g)
	fmt.Println(arenahttp.Status(err), err)
	// Output: 400 unexpected end of JSON input
}

// Recovery middleware between Handler and the handlers, such as a router's.
func ExampleRecovered() {
	recovery := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if status, ok := arenahttp.Recovered(v); ok {
					http.Error(w, http.StatusText(status), status)
				} else if v != nil {
					http.Error(w, "oh no", http.StatusInternalServerError)
				}
			}()
			next.ServeHTTP(w, r)
		})
	}
	pool := arena.NewAutoPool(0)
	pool.SetLimit(64<<10, 0)
	handler := arenahttp.Handler(pool, recovery(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocBytes(1 << 20)
	})))
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Code, w.Body)
	// Output: 413 Request Entity Too Large
}

// A client for requests whose bodies are in arenas.
func ExampleTransport() {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not now", http.StatusServiceUnavailable) // does not read the body
	}))
	defer upstream.Close()
	client := &http.Client{Transport: arenahttp.Transport(nil)}

	pool := arena.NewAutoPool(0)
	pool.Do(func(a *arena.Arena) {
		resp, err := client.Post(upstream.URL, "text/plain", bytes.NewReader(a.AllocBytes(1<<20)))
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		fmt.Println(resp.Status)
	}) // the body is no longer read
	// Output: 503 Service Unavailable
}

// A service with several tenants, none of which may see another's data.
func ExampleHandlerBy() {
	mux := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, arena.FromContext(r.Context()).Concat("hello, ", r.Header.Get("Tenant")))
	})
	tenants := arena.NewKeyedPool[string](0)
	tenants.SetLimit(8<<20, 256<<20) // of a request, and of all tenants
	handler := arenahttp.HandlerBy(tenants, func(r *http.Request) string { return r.Header.Get("Tenant") }, mux)

	for _, tenant := range []string{"one", "two", "one"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Tenant", tenant)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Body)
	}
	fmt.Println(tenants.Stats().Keys, "tenants")
	// Output:
	// hello, one
	// hello, two
	// hello, one
	// 2 tenants
}
