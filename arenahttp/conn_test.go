package arenahttp_test

import (
	"bufio"
	"context"
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
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/goroutine"
)

// detached is a context as written before context.WithoutCancel existed.
type detached struct{ context.Context }

func (detached) Done() <-chan struct{} { return nil }
func (detached) Err() error            { return nil }

// madeOf lists contexts derived from a request's context.
var madeOf = map[string]func(context.Context) (context.Context, context.CancelFunc){
	"the context": func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} },
	"a value": func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithValue(ctx, new(int), 1), func() {}
	},
	"a cancellation": func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithCancel(context.WithValue(ctx, new(int), 1))
	},
	"a deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Hour)
	},
	"detached": func(ctx context.Context) (context.Context, context.CancelFunc) { return detached{ctx}, func() {} },
	"detached, a deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(detached{ctx}, time.Hour)
	},
	"without cancel": func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithoutCancel(ctx), func() {}
	},
	"without cancel, a deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.WithoutCancel(ctx), time.Hour)
	},
}

// Every derived context leads to its own request's arena, and to none once the next request is served on the
// same connection and goroutine, because later allocations may live forever.
func TestConnContext(t *testing.T) {
	needsNetwork(t)
	for _, with := range []bool{false, true} {
		for _, major := range []int{1, 2} {
			pool := arena.NewAutoPool(0)
			kept := map[string]context.Context{}
			var goroutines []uint64
			s := httptest.NewUnstartedServer(arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				at := fmt.Sprintf("HTTP/%d, ConnContext %v, request %s: ", r.ProtoMajor, with, r.URL.Path)
				for name, ctx := range kept {
					if arena.FromContext(ctx) != nil {
						t.Error(at, "kept, ", name, ": leads to an arena")
					}
				}
				a := arena.FromContext(r.Context())
				for name, makes := range madeOf {
					ctx, cancel := makes(r.Context())
					defer cancel()
					unseen := with && major == 1 && strings.HasPrefix(name, "without")
					if got := arena.FromContext(ctx); a == nil || (got == nil) != unseen || got != nil && got != a {
						t.Error(at, name, ": ", got, " in place of ", a)
					}
					kept[name+r.URL.Path] = ctx
				}
				if r.ProtoMajor != major {
					t.Error(at, "not the protocol")
				}
				goroutines = append(goroutines, goroutine.Self())
			})))
			if with {
				s.Config.ConnContext = arenahttp.ConnContext
			}
			if s.EnableHTTP2 = major == 2; major == 2 {
				s.StartTLS()
			} else {
				s.Start()
			}
			for i := range 3 {
				r, err := s.Client().Get(fmt.Sprint(s.URL, "/", i))
				if err != nil {
					t.Fatal(err)
				}
				r.Body.Close()
			}
			s.Close()
			if major == 1 && goroutines[0] != goroutines[2] {
				t.Error("not one connection: that tests little")
			}
			if p := pool.Stats(); p.Gets != 3 || p.Puts != 3 {
				t.Errorf("%+v", p)
			}
		}
	}
}

// A connection's context also leads to the arena of the server's context.
func TestConnContextOfAContext(t *testing.T) {
	a := arena.NewArena(1<<10, 0)
	if got := arena.FromContext(arenahttp.ConnContext(arena.NewContext(t.Context(), a), nil)); got != a {
		t.Errorf("%p in place of %p", got, a)
	}
}

// onConnection serves requests one after the other, like the requests of one connection.
func onConnection(t *testing.T, handlers ...http.HandlerFunc) {
	conn, cancel := context.WithCancel(arenahttp.ConnContext(t.Context(), nil))
	defer cancel()
	for _, h := range handlers {
		ctx, cancel := context.WithCancel(conn)
		h(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		cancel()
	}
}

// A late handler keeps its own arena while the connection serves the next request. So do nested and
// consecutive Handlers of one request.
func TestConnContextOfTwo(t *testing.T) {
	pool, other := arena.NewAutoPool(0), arena.NewAutoPool(0)
	goOn, asks, done := make(chan bool), make(chan bool), make(chan bool)
	late := func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		s := a.Concat("la", "te")
		close(asks)
		<-goOn
		if a == nil || arena.FromContext(r.Context()) != a || s != "late" {
			t.Errorf("%q, and another arena: %v", s, arena.FromContext(r.Context()) != a)
		}
		close(done)
	}
	next := func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		if a == nil || a.Concat("ne", "xt") != "next" {
			t.Error("the next request has no arena")
		}
		var kept context.Context
		for _, p := range []*arena.ArenaPool{pool, other} {
			arenahttp.Handler(p, http.HandlerFunc(func(_ http.ResponseWriter, in *http.Request) {
				b := arena.FromContext(in.Context())
				if b == nil || b == a || arena.FromContext(r.Context()) != a || kept != nil && arena.FromContext(kept) != nil {
					t.Error("Handlers share an arena")
				}
				kept = in.Context()
			})).ServeHTTP(w, r)
		}
	}
	inTurn := func(w http.ResponseWriter, r *http.Request) {
		var kept []context.Context
		for _, p := range []*arena.ArenaPool{pool, other} {
			arenahttp.Handler(p, http.HandlerFunc(func(_ http.ResponseWriter, in *http.Request) {
				if kept = append(kept, in.Context()); arena.FromContext(in.Context()) == nil || arena.FromContext(kept[0]) != nil && len(kept) == 2 {
					t.Error("a Handler that has ended leads to the next one's arena")
				}
			})).ServeHTTP(w, r)
		}
	}
	changed := func(w http.ResponseWriter, r *http.Request) { // by middleware
		arenahttp.Handler(pool, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
			defer cancel()
			if a := arena.FromContext(r.Context()); a == nil || arena.FromContext(ctx) != a {
				t.Error("no arena behind another one's context")
			}
		})).ServeHTTP(w, r.WithContext(struct {
			context.Context
			_ func() // makes the type not comparable
		}{Context: r.Context()}))
	}
	for _, first := range []http.Handler{
		arenahttp.Handler(pool, arenahttp.TimeoutHandler(http.HandlerFunc(late), time.Millisecond, "")),
		arenahttp.TimeoutHandler(arenahttp.Handler(pool, http.HandlerFunc(late)), time.Millisecond, ""),
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			go arenahttp.Handler(pool, http.HandlerFunc(late)).ServeHTTP(w, r)
		}),
	} {
		goOn, asks, done = make(chan bool), make(chan bool), make(chan bool)
		onConnection(t, first.ServeHTTP, func(w http.ResponseWriter, r *http.Request) {
			<-asks
			arenahttp.Handler(pool, http.HandlerFunc(next)).ServeHTTP(w, r)
			close(goOn)
			<-done
		}, inTurn, changed)
	}
	awaitIdle(t, pool)
	if p := pool.Stats(); p.Abandoned != 0 {
		t.Errorf("%+v", p)
	}
}

// Writing a second response elsewhere must not change the first.
func TestWriteTwice(t *testing.T) {
	handled(arena.NewAutoPool(0), func(_ http.ResponseWriter, r *http.Request) {
		var all []*httptest.ResponseRecorder
		for i, want := range []string{"1", "10", "100"} {
			all = append(all, httptest.NewRecorder())
			arenahttp.Write(all[i], r, 200, want)
		}
		for i, w := range all {
			if h := w.Header(); h.Get("Content-Length") != fmt.Sprint(4+i) || h.Get("Content-Type") != "application/json" || cap(h["Content-Type"]) != 1 {
				t.Errorf("answer %d: %v", i, h)
			}
		}
	})
}

// With ConnContext, a request of HTTP/1 makes one allocation more than package net/http does for the smallest
// handler that reads a body and sets two fields.
func TestAllocationsOfARequest(t *testing.T) {
	needsNetwork(t)
	if check.On || goroutine.Traced || testing.CoverMode() != "" {
		t.Skip("checked and portable builds allocate for themselves")
	}
	kind, length, answer := []string{"application/json"}, []string{"17"}, []byte(`{"N":1,"S":"two"}`)
	pool, buf := arena.NewAutoPool(0), make([]byte, 100)
	least := perRequest(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for err := error(nil); err == nil; _, err = r.Body.Read(buf) {
		}
		h := w.Header()
		h["Content-Type"], h["Content-Length"] = kind, length
		w.WriteHeader(200)
		w.Write(answer)
	}))
	ours := perRequest(t, arenahttp.Handler(pool, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := arena.New[struct {
			N int
			S string
		}](arena.FromContext(r.Context()))
		if err := arenahttp.Read(r, v); err != nil {
			t.Error(err)
		}
		arenahttp.Write(w, r, 200, v)
	})))
	if ours > least+1.5 {
		t.Errorf("%.1f allocations a request, and package net/http by itself %.1f", ours, least)
	}
	t.Logf("%.2f, and net/http by itself %.2f", ours, least)
}

// perRequest counts the allocations of a request to a server of h, with a client that does not allocate.
func perRequest(t *testing.T, h http.Handler) float64 {
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnContext = arenahttp.ConnContext
	s.Start()
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask, answer := []byte("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 17\r\n\r\n{\"N\":1,\"S\":\"two\"}"), make([]byte, 500)
	const n = 2000
	var before, after runtime.MemStats
	for i := range n + 100 {
		if i == 100 {
			runtime.ReadMemStats(&before)
		}
		if _, err := c.Write(ask); err != nil {
			t.Fatal(err)
		}
		for got := 0; !strings.Contains(string(answer[:got]), "two"); {
			k, err := c.Read(answer[got:])
			if err != nil {
				t.Fatal(err, string(answer[:got]))
			}
			got += k
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / n
}

// Pipelined requests are served in order, and a hijacked connection ends that.
func TestPipelined(t *testing.T) {
	pool := arena.NewAutoPool(0)
	s := serve(t, pool, func(w http.ResponseWriter, r *http.Request) {
		s := arena.FromContext(r.Context()).Concat("you asked for ", r.URL.Path)
		if r.URL.Path == "/4" {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n"+s)
			if arena.FromContext(r.Context()) == nil {
				t.Error("no arena after Hijack")
			}
			return
		}
		io.WriteString(w, s)
	})
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 5 {
		fmt.Fprintf(c, "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", i)
	}
	in := bufio.NewReader(c)
	for i := range 5 {
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(r.Body); string(body) != fmt.Sprint("you asked for /", i) {
			t.Errorf("%d: %q", i, body)
		}
	}
	awaitIdle(t, pool)
}
