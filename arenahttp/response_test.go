package arenahttp_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/testkit"
)

// A stream arrives piece by piece, with its trailer, over HTTP/1 and HTTP/2.
func TestStream(t *testing.T) {
	needsNetwork(t)
	pool := arena.NewAutoPool(0)
	for _, h2 := range []bool{false, true} {
		next := make(chan bool)
		s := httptest.NewUnstartedServer(arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a := arena.FromContext(r.Context())
			w.Header().Set("Trailer", "X-Count")
			for i := range 3 {
				io.WriteString(w, a.Sprintf("%d\n", i))
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
				<-next
			}
			io.Copy(w, strings.NewReader("the end\n"))
			w.Header().Set("X-Count", "3")
		})))
		s.EnableHTTP2 = h2
		s.StartTLS()
		r, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(r.Body)
		for _, want := range []string{"0", "1", "2"} {
			if !lines.Scan() || lines.Text() != want {
				t.Fatalf("%q, want %q: %v", lines.Text(), want, lines.Err())
			}
			next <- true
		}
		if !lines.Scan() || lines.Text() != "the end" || lines.Scan() {
			t.Errorf("%q", lines.Text())
		}
		if r.Trailer.Get("X-Count") != "3" || (r.ProtoMajor == 2) != h2 {
			t.Errorf("%s, trailer %v", r.Proto, r.Trailer)
		}
		r.Body.Close()
		s.Close()
	}
	awaitIdle(t, pool)
}

// A chunked request body, and a deadline set by the writer's controller.
func TestBodyAndController(t *testing.T) {
	pool := arena.NewAutoPool(0)
	s := serve(t, pool, func(w http.ResponseWriter, r *http.Request) {
		if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Error(err)
		}
		b, err := arena.ReadAll(arena.FromContext(r.Context()), r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Write(b)
	})
	r, err := http.Post(s.URL, "text/plain", io.MultiReader(strings.NewReader("one "), strings.NewReader("two")))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if string(b) != "one two" {
		t.Errorf("%q", b)
	}
	awaitIdle(t, pool)
}

// When a client leaves, its request's context ends, but the arena is put back only when the handler has
// returned. A server's shutdown waits for that.
func TestClientGoesAwayAndShutdown(t *testing.T) {
	pool := arena.NewAutoPool(0)
	here, gone := make(chan bool), make(chan bool)
	s := serve(t, pool, func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		here <- true
		<-r.Context().Done()
		if n := pool.Stats(); n.Gets != n.Puts+1 {
			t.Errorf("%+v while its handler runs", n)
		}
		if a.Concat("a", "b") != "ab" || arena.FromContext(r.Context()) != a {
			t.Error("the arena went with the client")
		}
		close(gone)
	})
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-here
	c.Close()
	if err := s.Config.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	<-gone
	awaitIdle(t, pool)
}

// Two allocations: the request copied by WithContext, and one object.
func TestAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if goroutine.Traced {
		t.Skip("who asks is told by a stack trace, which allocates")
	}
	if check.Race {
		t.Skip("under the race detector a sync.Pool forgets by chance")
	}
	pool := arena.NewAutoPool(0)
	h := arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocString("hello")
	}))
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); n > 2 {
		t.Errorf("%v allocations a request, want 2", n)
	}
}
