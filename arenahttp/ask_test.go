package arenahttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
)

// on runs f on another goroutine, which lives until the test has ended, and waits for f.
func on(t *testing.T, f func()) {
	done := make(chan bool)
	go func() {
		f()
		close(done)
		<-t.Context().Done()
	}()
	<-done
}

// handled serves a request with f behind Handler and returns how p's statistics change.
func handled(p *arena.ArenaPool, f http.HandlerFunc) arena.PoolStats {
	before := p.Stats()
	arenahttp.Handler(p, f).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	s := p.Stats()
	s.Gets, s.Puts, s.Abandoned = s.Gets-before.Gets, s.Puts-before.Puts, s.Abandoned-before.Abandoned
	return s
}

// endOf reports the end of the arena of a request served by f.
func endOf(t *testing.T, f func(*http.Request)) string {
	t.Helper()
	s := handled(arena.NewAutoPool(0), func(_ http.ResponseWriter, r *http.Request) { f(r) })
	switch {
	case s.Gets == 0 && s.Puts == 0 && s.Abandoned == 0:
		return "none"
	case s.Gets == 1 && s.Puts == 1 && s.Abandoned == 0:
		return "put back"
	case s.Gets == 1 && s.Puts == 0 && s.Abandoned == 1:
		return "abandoned"
	}
	t.Errorf("%+v", s)
	return ""
}

// The order in which goroutines ask determines what happens to the arena. If a goroutine whose end is unknown
// has the arena, it must never be reused.
func TestWhoAsks(t *testing.T) {
	ask := func(r *http.Request) *arena.Arena { return arena.FromContext(r.Context()) }
	want := func(a *arena.Arena, some bool) {
		t.Helper()
		if (a != nil) != some {
			t.Errorf("an arena is %v, want %v", a != nil, some)
		}
	}
	for name, x := range map[string]struct {
		f   func(r *http.Request)
		end string
	}{
		"nobody":            {func(r *http.Request) {}, "none"},
		"the handler":       {func(r *http.Request) { want(ask(r), true); want(ask(r), true) }, "put back"},
		"another goroutine": {func(r *http.Request) { on(t, func() { want(ask(r), true); want(ask(r), true) }) }, "abandoned"},
		"the handler, then another": {func(r *http.Request) {
			want(ask(r), true)
			on(t, func() { want(ask(r), false) })
			want(ask(r), true)
		}, "abandoned"},
		"another, then the handler": {func(r *http.Request) {
			on(t, func() { want(ask(r), true) })
			want(ask(r), false)
		}, "abandoned"},
		"two others": {func(r *http.Request) {
			on(t, func() { want(ask(r), true) })
			on(t, func() { want(ask(r), false) })
		}, "abandoned"},
		"another with a context of its own": {func(r *http.Request) {
			//lint:ignore SA1029 a key as other people's routers have it
			ctx, cancel := context.WithCancel(context.WithValue(r.Context(), "key", "value"))
			defer cancel()
			on(t, func() { want(arena.FromContext(ctx), true) })
		}, "abandoned"},
		"another, by Read": {func(r *http.Request) { on(t, func() { arenahttp.Read(r, new(int)) }) }, "abandoned"},
		"another, by Write": {func(r *http.Request) {
			on(t, func() { arenahttp.Write(httptest.NewRecorder(), r, 200, 5) })
		}, "abandoned"},
		"another, for something else": {func(r *http.Request) {
			want(ask(r), true)
			on(t, func() { r.Context().Value("key"); r.Context().Err(); r.Context().Deadline() })
		}, "put back"},
		"another has a fork": {func(r *http.Request) {
			fork := ask(r).Fork()
			on(t, func() { arena.New[note](fork) })
		}, "put back"},
		"a worker": {func(r *http.Request) {
			serveTimeout(r, func(r *http.Request) { want(ask(r), true); want(ask(r), true) })
			want(ask(r), true)
		}, "put back"},
		"the handler and a worker": {func(r *http.Request) {
			a := ask(r)
			serveTimeout(r, func(in *http.Request) {
				if ask(in) != a || ask(r) != a {
					t.Error("a worker has not got the arena of who waits for it")
				}
			})
			if ask(r) != a {
				t.Error("the arena was lent, and did not come back")
			}
		}, "put back"},
		"a worker in a worker": {func(r *http.Request) {
			serveTimeout(r, func(r *http.Request) {
				a := ask(r)
				serveTimeout(r, func(r *http.Request) {
					if ask(r) != a {
						t.Error("lent once, and not twice")
					}
				})
				if ask(r) != a {
					t.Error("not come back")
				}
			})
			want(ask(r), true)
		}, "put back"},
		"the handler, after a worker, before another": {func(r *http.Request) {
			want(ask(r), true)
			serveTimeout(r, func(r *http.Request) { want(ask(r), true) })
			on(t, func() { want(ask(r), false) })
			want(ask(r), true)
		}, "abandoned"},
		"a goroutine of a worker": {func(r *http.Request) {
			serveTimeout(r, func(r *http.Request) { on(t, func() { want(ask(r), true) }) })
		}, "abandoned"},
		"a worker of another goroutine": {func(r *http.Request) {
			on(t, func() { serveTimeout(r, func(r *http.Request) { want(ask(r), true) }) })
		}, "abandoned"},
		"a request within": {func(r *http.Request) {
			a, q := ask(r), arena.NewAutoPool(0)
			arenahttp.Handler(q, http.HandlerFunc(func(_ http.ResponseWriter, in *http.Request) {
				if b := ask(in); b == nil || b == a {
					t.Error("the inner request has not got an arena of its own")
				}
			})).ServeHTTP(httptest.NewRecorder(), r)
			if s := q.Stats(); s.Puts != 1 || ask(r) != a {
				t.Errorf("%+v", s)
			}
		}, "put back"},
		// It has its own arena, and does not see the values of the outer one.
		"another has a request within": {func(r *http.Request) {
			want(ask(r), true)
			q := arena.NewAutoPool(0)
			on(t, func() { handledWithin(q, r, func(r *http.Request) { want(ask(r), true) }) })
			if s := q.Stats(); s.Puts != 1 || s.Abandoned != 0 {
				t.Errorf("%+v", s)
			}
		}, "abandoned"},
		"another has a request within one within": {func(r *http.Request) {
			want(ask(r), true)
			p, q := arena.NewAutoPool(0), arena.NewAutoPool(0)
			handledWithin(p, r, func(r *http.Request) {
				want(ask(r), true)
				on(t, func() { handledWithin(q, r, func(r *http.Request) { want(ask(r), true) }) })
			})
			if p.Stats().Abandoned != 1 || q.Stats().Puts != 1 {
				t.Errorf("%+v, %+v", p.Stats(), q.Stats())
			}
		}, "abandoned"},
		"another, in a request within that is over": {func(r *http.Request) {
			want(ask(r), true)
			var kept *http.Request
			handledWithin(arena.NewAutoPool(0), r, func(r *http.Request) { kept = r })
			on(t, func() { want(ask(kept), false) })
		}, "abandoned"},
		"another, in a request within": {func(r *http.Request) {
			want(ask(r), true)
			q := arena.NewAutoPool(0)
			s := handledWithin(q, r, func(r *http.Request) { on(t, func() { want(ask(r), true) }) })
			if s.Abandoned != 1 {
				t.Errorf("%+v", s)
			}
		}, "abandoned"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := endOf(t, x.f); got != x.end {
				t.Errorf("%s, want %s", got, x.end)
			}
		})
	}
}

func handledWithin(p *arena.ArenaPool, r *http.Request, f func(*http.Request)) arena.PoolStats {
	h := arenahttp.Handler(p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { f(r) }))
	h.ServeHTTP(httptest.NewRecorder(), r)
	return p.Stats()
}

// serveTimeout runs f on the goroutine of a TimeoutHandler and waits for it.
func serveTimeout(r *http.Request, f func(*http.Request)) {
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { f(r) })
	arenahttp.TimeoutHandler(h, time.Hour, "").ServeHTTP(httptest.NewRecorder(), r)
}

// A context used after its request has no arena, for every goroutine, including one for which the runtime has
// reused the handler's goroutine.
func TestAskedLate(t *testing.T) {
	p := arena.NewAutoPool(0)
	for range 1000 {
		kept := make(chan context.Context, 1)
		var wait sync.WaitGroup
		wait.Go(func() {
			handled(p, func(_ http.ResponseWriter, r *http.Request) {
				arena.FromContext(r.Context())
				kept <- r.Context()
			})
		})
		wait.Wait()
		ctx := <-kept
		wait.Go(func() {
			if arena.FromContext(ctx) != nil {
				t.Error("an arena that is nobody's")
			}
		})
		wait.Wait()
		if arena.FromContext(ctx) != nil {
			t.Error("an arena that is nobody's")
		}
	}
	if s := p.Stats(); s.Gets != 1000 || s.Puts != 1000 || s.Abandoned != 0 {
		t.Errorf("%+v", s)
	}
}

// No two goroutines get the same arena, whenever they ask. Run this with -race.
func TestOneHasIt(t *testing.T) {
	p := arena.NewAutoPool(0)
	for range 200 {
		s := handled(p, func(_ http.ResponseWriter, r *http.Request) {
			var begin, end sync.WaitGroup
			begin.Add(8)
			got := make(chan *arena.Arena, 9)
			for range 8 {
				end.Go(func() {
					begin.Done()
					begin.Wait()
					a := arena.FromContext(r.Context())
					//arenavet:ignore who asks for it is tried on several goroutines
					got <- a
					arena.New[note](a).n = 1
					for len(got) < cap(got) { // alive, so that goroutine numbers are not reused
						runtime.Gosched()
					}
				})
			}
			begin.Wait()
			a := arena.FromContext(r.Context())
			//arenavet:ignore who asks for it is tried on several goroutines
			got <- a
			arena.New[note](a).n = 1
			end.Wait()
			close(got)
			some := 0
			for a := range got {
				if a != nil {
					some++
				}
			}
			if some != 1 {
				t.Errorf("%d goroutines have the arena", some)
			}
		})
		if s.Gets != 1 || s.Abandoned != 1 || s.Puts != 0 {
			t.Fatalf("%+v", s)
		}
	}
}

// An abandoned arena counts once, as abandoned and not as leaked, and its memory is in use until it is
// collected. Otherwise the pool would keep too little for the next burst.
func TestAbandonedIsCounted(t *testing.T) {
	p := arena.NewAutoPool(0)
	p.SetLeakSampling(1)
	const n = 20
	for range n {
		handled(p, func(_ http.ResponseWriter, r *http.Request) {
			on(t, func() { arena.FromContext(r.Context()).AllocBytes(10_000) })
		})
	}
	// Their goroutines are alive but no longer refer to the arenas.
	for range 6000 {
		runtime.GC()
		if s := p.Stats(); s.Arenas == 0 && s.InUseBytes == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	s := p.Stats()
	if s.Gets != n || s.Abandoned != n || s.Puts != 0 || s.Leaked != 0 || s.Arenas != 0 || s.InUseBytes != 0 || len(p.Leaks()) != 0 {
		t.Errorf("%+v, %d leaks", s, len(p.Leaks()))
	}
}

// Memory held by a goroutine that outlives its request counts as in use and towards the pool's total.
func TestAbandonedIsInUse(t *testing.T) {
	if check.On {
		t.Skip("chunks have other sizes")
	}
	p := arena.NewArenaPool(4096, 0)
	p.SetLimit(64<<10, 64<<10)
	goOn, ended := make(chan bool), make(chan bool)
	handled(p, func(_ http.ResponseWriter, r *http.Request) {
		asked := make(chan bool)
		go func() {
			defer close(ended)
			a := arena.FromContext(r.Context())
			b := a.AllocBytes(40 << 10)
			close(asked)
			<-goOn
			b[0] = 1
			a.AllocBytes(10 << 10)
		}()
		<-asked
	})
	if s := p.Stats(); s.InUseBytes < 40<<10 || s.Abandoned != 1 {
		t.Errorf("%+v", s)
	}
	w := httptest.NewRecorder()
	arenahttp.Handler(p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).AllocBytes(40 << 10)
	})).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 503 {
		t.Errorf("%d while a goroutine has most of the total", w.Code)
	}
	close(goOn)
	<-ended
}

// A handler that puts the request's arena itself while another goroutine works on the request gets a panic.
// With isolation, the arena has nothing left to abandon.
func TestPutAndAbandoned(t *testing.T) {
	for _, isolates := range []bool{false, true} {
		for _, used := range []bool{false, true} {
			p := arena.NewAutoPool(0)
			p.SetIsolation(isolates)
			var text any
			func() {
				defer func() { text = recover() }()
				handled(p, func(_ http.ResponseWriter, r *http.Request) {
					a := arena.FromContext(r.Context())
					on(t, func() { arena.FromContext(r.Context()) })
					p.Put(a)
					if used && isolates && !check.On {
						a.AllocBytes(1) //arenavet:ignore the mistake, on purpose
					}
				})
			}()
			if s := p.Stats(); !strings.Contains(fmt.Sprint(text), "arena was put twice") || s.Puts != 1 || s.Abandoned != 0 {
				t.Errorf("isolates %v, used after that %v: %v, %+v", isolates, used, text, s)
			}
		}
	}
}

// A request that never asks for its arena is counted once. Without this number, a router whose contexts do
// not lead to the arena looks like a service without requests.
func TestRequestsThatDoNotAsk(t *testing.T) {
	none := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	asks := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arena.FromContext(r.Context()) })
	allocates := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { arenahttp.Write(w, r, 200, "x") })
	for name, x := range map[string]struct {
		h                     func(http.Handler) http.Handler
		next                  http.Handler
		gets, unused, noArena uint64
	}{
		"does not ask":             {nil, none, 0, 0, 1},
		"asks":                     {nil, asks, 1, 1, 0},
		"allocates":                {nil, allocates, 1, 0, 0},
		"panics":                   {nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), 0, 0, 1},
		"a timeout does not ask":   {func(h http.Handler) http.Handler { return arenahttp.TimeoutHandler(h, time.Minute, "") }, none, 0, 0, 1},
		"a timeout allocates":      {func(h http.Handler) http.Handler { return arenahttp.TimeoutHandler(h, time.Minute, "") }, allocates, 1, 0, 0},
		"another goroutine asks":   {onAnotherGoroutine, asks, 1, 0, 0}, // abandoned
		"another one does not ask": {onAnotherGoroutine, none, 0, 0, 1},
	} {
		p := arena.NewAutoPool(0)
		h := x.next
		if x.h != nil {
			h = x.h(h)
		}
		func() {
			defer func() { recover() }()
			arenahttp.Handler(p, h).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		}()
		if s := p.Stats(); s.Gets != x.gets || s.Unused != x.unused || s.NoArena != x.noArena {
			t.Errorf("%s: Gets, Unused, NoArena = %d, %d, %d, want %d, %d, %d", name, s.Gets, s.Unused, s.NoArena, x.gets, x.unused, x.noArena)
		}
	}
	arenahttp.Handler(nil, none).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

func onAnotherGoroutine(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done := make(chan bool)
		go func() { defer close(done); h.ServeHTTP(w, r) }()
		<-done
	})
}
