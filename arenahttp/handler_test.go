package arenahttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// serve runs h behind Handler in a server.
func serve(t *testing.T, p *arena.ArenaPool, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	needsNetwork(t)
	s := httptest.NewUnstartedServer(arenahttp.Handler(p, h))
	s.Config.ConnContext = arenahttp.ConnContext
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func needsNetwork(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip("SKIPPED: no network here: ", err)
	}
	l.Close()
}

func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(b)
}

// awaitIdle waits until all arenas of p are put back. A response may be read before its handler has returned.
func awaitIdle(t *testing.T, p *arena.ArenaPool) {
	t.Helper()
	for range 60_000 {
		if s := p.Stats(); s.Gets == s.Puts {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%+v: an arena is still out", p.Stats())
}

func TestEachRequestHasAnArena(t *testing.T) {
	p := arena.NewAutoPool(0)
	late := make(chan context.Context, 3)
	s := serve(t, p, func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		if a == nil {
			t.Error("no arena")
		}
		late <- r.Context()
		io.WriteString(w, a.Concat("you asked for ", r.URL.Path))
	})
	for i := range 3 {
		path := fmt.Sprint("/", i)
		if r, body := get(t, s.URL+path); r.StatusCode != 200 || body != "you asked for "+path {
			t.Errorf("%s: %q", r.Status, body)
		}
	}
	awaitIdle(t, p)
	if n := p.Stats().Gets; n != 3 {
		t.Errorf("%d arenas for 3 requests", n)
	}
	for range 3 {
		ctx := <-late
		if a := arena.FromContext(ctx); a != nil {
			t.Error("a context that was kept still leads to the arena, which is another request's by now")
		}
		if ctx.Value(http.ServerContextKey) == nil {
			t.Error("the server's own values are gone")
		}
	}
}

// A request takes no arena before it asks for it, and none if it never asks.
func TestArenaIsTakenWhenAskedFor(t *testing.T) {
	p := arena.NewAutoPool(0)
	ask := func(h http.HandlerFunc) {
		arenahttp.Handler(p, h).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	ask(func(http.ResponseWriter, *http.Request) {})
	if n := p.Stats().Gets; n != 0 {
		t.Errorf("%d arenas for a request that asks for none", n)
	}
	ask(func(w http.ResponseWriter, r *http.Request) {
		if n := p.Stats().Gets; n != 0 {
			t.Errorf("%d arenas before the first is asked for", n)
		}
		if a := arena.FromContext(r.Context()); a == nil || a != arena.FromContext(r.Context()) {
			t.Error("two arenas for one request, or none")
		}
	})
	if s := p.Stats(); s.Gets != 1 || s.Puts != 1 {
		t.Errorf("%+v after one that asks", s)
	}
	var late context.Context
	ask(func(w http.ResponseWriter, r *http.Request) { late = r.Context() })
	if arena.FromContext(late) != nil || p.Stats().Gets != 1 {
		t.Error("a request that has ended takes an arena, which nobody puts back")
	}
}

// An arena is put back however the handler ends, and a panic continues.
func TestPanicsGoOn(t *testing.T) {
	p := arena.NewAutoPool(0)
	for _, v := range []any{"a string", http.ErrAbortHandler, errors.New("an error"), fmt.Errorf("%w", io.EOF)} {
		func() {
			defer func() {
				if got := recover(); got != v {
					t.Errorf("panic %v became %v", v, got)
				}
			}()
			h := arenahttp.Handler(p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(v) }))
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}()
	}
	// A panic with text in the arena is copied before the next request can overwrite it.
	func() {
		defer func() {
			got := recover()
			p.Do(func(a *arena.Arena) { a.AllocString("another") })
			if got != "of one 1" {
				t.Errorf("the panic became %v", got)
			}
		}()
		h := arenahttp.Handler(p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			panic(arena.FromContext(r.Context()).Sprintf("of one %d", 1))
		}))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}()
	exited := make(chan bool)
	go func() {
		defer close(exited)
		h := arenahttp.Handler(p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { runtime.Goexit() }))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		t.Error("Goexit was stopped")
	}()
	<-exited
	awaitIdle(t, p)
}

func TestLimits(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 96<<10)
	h := arenahttp.Handler(p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		switch r.URL.Path {
		case "/large":
			w.Header().Set("Content-Length", "5")
			arena.MakeSlice[byte](a, 1<<20, 1<<20)
		case "/wrapped":
			defer func() { panic(fmt.Errorf("while decoding: %w", recover().(error))) }()
			arena.MakeSlice[byte](a, 1<<20, 1<<20)
		case "/busy":
			arena.MakeSlice[byte](a, 60<<10, 60<<10)
		}
		io.WriteString(w, "fine")
	}))
	ask := func(h http.Handler, path string) *http.Response {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Result()
	}
	for path, want := range map[string]int{"/": 200, "/busy": 200, "/large": 413, "/wrapped": 413} {
		r := ask(h, path)
		if r.StatusCode != want || r.Header.Get("Retry-After") != "" || want == 413 && r.Header.Get("Content-Length") == "5" {
			t.Errorf("%s: %s, %v; want %d", path, r.Status, r.Header, want)
		}
	}
	other := p.Get()
	arena.MakeSlice[byte](other, 50<<10, 50<<10)
	if r := ask(h, "/busy"); r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" {
		t.Errorf("while others have the memory: %s, %v", r.Status, r.Header)
	}
	p.Put(other)
	if r := ask(h, "/busy"); r.StatusCode != 200 {
		t.Errorf("when they have gone: %s", r.Status)
	}

	awaitIdle(t, p)
}

// A response that a limit interrupts must not look complete. If it has not begun, it has the limit's status,
// also after an informational response.
func TestLimitsOfAServer(t *testing.T) {
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 0)
	s := serve(t, p, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/early":
			w.WriteHeader(http.StatusEarlyHints)
		case "/half":
			io.WriteString(w, "half an ")
		case "/flushed":
			http.NewResponseController(w).Flush()
		}
		arena.FromContext(r.Context()).AllocBytes(1 << 20)
	})
	if r, _ := get(t, s.URL+"/early"); r.StatusCode != 413 {
		t.Errorf("after early hints: %s", r.Status)
	}
	for _, path := range []string{"/half", "/flushed"} {
		r, err := http.Get(s.URL + path)
		if err != nil {
			continue
		}
		if b, err := io.ReadAll(r.Body); err == nil {
			t.Errorf("%s: %s, %q was sent as a whole answer", path, r.Status, b)
		}
		r.Body.Close()
	}
	awaitIdle(t, p)
}

func TestHijack(t *testing.T) {
	p := arena.NewAutoPool(0)
	s := serve(t, p, func(w http.ResponseWriter, r *http.Request) {
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
		buffered.Flush()
	})
	if _, body := get(t, s.URL); body != "ok" {
		t.Errorf("%q", body)
	}
	awaitIdle(t, p)
}

// If a handler that has hijacked the connection exceeds a limit, the panic continues, because no response can
// be written. This also holds behind a writer that only has Unwrap, through which the controller would bypass
// ours.
func TestHijackThenLimit(t *testing.T) {
	p := arena.NewAutoPool(0)
	p.SetLimit(1<<10, 0)
	h := arenahttp.Handler(p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).Hijack()
		http.NewResponseController(w).Hijack()
		arena.FromContext(r.Context()).AllocBytes(1 << 20)
	}))
	w := hijackable{httptest.NewRecorder()}
	for _, before := range []http.ResponseWriter{w, wrapping{wrapping{w}}, &hijackableOnce{ResponseRecorder: w.ResponseRecorder}} {
		func() {
			defer func() {
				if _, ok := recover().(*arena.LimitError); !ok || w.Body.Len() != 0 {
					t.Errorf("%T: %q was written", before, w.Body)
				}
			}()
			h.ServeHTTP(before, httptest.NewRequest("GET", "/", nil))
		}()
	}
	awaitIdle(t, p)
}

// wrapping is a middleware's writer that only has Unwrap.
type wrapping struct{ plain http.ResponseWriter }

func (w wrapping) Header() http.Header         { return w.plain.Header() }
func (w wrapping) Write(b []byte) (int, error) { return w.plain.Write(b) }
func (w wrapping) WriteHeader(status int)      { w.plain.WriteHeader(status) }
func (w wrapping) Unwrap() http.ResponseWriter { return w.plain }

type hijackable struct{ *httptest.ResponseRecorder }

func (hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }

// hijackableOnce fails to be hijacked again, as the writers of net/http do.
type hijackableOnce struct {
	*httptest.ResponseRecorder
	hijacked bool
}

func (w *hijackableOnce) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.hijacked {
		return nil, nil, http.ErrHijacked
	}
	w.hijacked = true
	return nil, nil, nil
}

func TestHandlerNil(t *testing.T) {
	for _, f := range []func(){
		func() { arenahttp.Handler(arena.NewAutoPool(0), nil) },
	} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "arenahttp: Handler: nil") {
					t.Errorf("panic %q", s)
				}
			}()
			f()
		}()
	}
}
