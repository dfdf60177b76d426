package arenahttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

// An arena that was lent twice comes back only to the request that still runs.
func TestLentTwice(t *testing.T) {
	p := arena.NewAutoPool(0)
	s := handled(p, func(_ http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		began, goOn, done := make(chan bool), make(chan bool), make(chan bool)
		serveTimeout(r, func(r *http.Request) {
			inner := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if arena.FromContext(r.Context()) != a {
					t.Error("the arena was not lent twice")
				}
				began <- true
				<-goOn
			})
			wait := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(done)
				inner.ServeHTTP(w, r)
			})
			ctx, cancel := context.WithCancel(r.Context())
			go func() { <-began; cancel() }()
			arenahttp.TimeoutHandler(wait, time.Hour, "").ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
		})
		if arena.FromContext(r.Context()) != nil {
			t.Error("two goroutines have the arena")
		}
		close(goOn)
		<-done
		time.Sleep(5 * time.Millisecond) // done is called before the worker has left
		on(t, func() {
			if arena.FromContext(r.Context()) != nil {
				t.Error("another goroutine has the arena")
			}
		})
		if arena.FromContext(r.Context()) != a {
			t.Error("the arena did not come back")
		}
	})
	if s.Abandoned != 1 {
		t.Errorf("%+v", s)
	}
}

// After Handler has returned, its goroutine is like any other: it may serve the next request while a worker
// of this one continues.
func TestHandlersGoroutineAfterwards(t *testing.T) {
	for _, asks := range []bool{false, true} {
		p := arena.NewAutoPool(0)
		goOn := make(chan bool)
		var kept context.Context
		handled(p, func(w http.ResponseWriter, r *http.Request) {
			kept = r.Context()
			arena.FromContext(kept)
			arenahttp.TimeoutHandler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-goOn }), 0, "").ServeHTTP(w, r)
		})
		if asks && arena.FromContext(kept) != nil {
			t.Error("an arena that a worker has")
		}
		close(goOn)
		for range 60_000 {
			if s := p.Stats(); s.Puts+s.Abandoned == 1 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if s := p.Stats(); s.Puts+s.Abandoned != 1 || (s.Abandoned == 1) != asks {
			t.Errorf("%+v, where it asks: %v", s, asks)
		}
	}
}

// A worker of the outer request that asks for another request's arena does not affect its own request, which
// waits for the worker.
func TestStrangeOnlyWithin(t *testing.T) {
	p, q := arena.NewAutoPool(0), arena.NewAutoPool(0)
	s := handled(p, func(w http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context())
		inner, goOn, done := make(chan context.Context), make(chan bool), make(chan bool)
		ctx, cancel := context.WithCancel(r.Context())
		go func() {
			kept := <-inner
			cancel()
			inner <- kept
		}()
		arenahttp.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(done)
			handledWithin(q, r, func(r *http.Request) {
				arena.FromContext(r.Context())
				inner <- r.Context()
				<-goOn
			})
		}), time.Hour, "").ServeHTTP(w, r.WithContext(ctx))
		if arena.FromContext(<-inner) != nil {
			t.Error("two goroutines have one arena")
		}
		close(goOn)
		<-done
	})
	for range 60_000 {
		if s = p.Stats(); s.Puts+s.Abandoned == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s.Puts != 1 || s.Abandoned != 0 || q.Stats().Abandoned != 1 {
		t.Errorf("%+v, %+v", s, q.Stats())
	}
}

// A late handler may use memory of an outer request's arena, so the outer arena also waits for it.
func TestOuterRequestWaits(t *testing.T) {
	outer, inner := arena.NewAutoPool(0), arena.NewAutoPool(0)
	goOn, ended := make(chan bool), make(chan bool)
	s := handled(outer, func(w http.ResponseWriter, r *http.Request) {
		user := arena.FromContext(r.Context()).Concat("user ", "name")
		late := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			defer close(ended)
			<-goOn
			if user != "user name" {
				t.Errorf("%q", user)
			}
		})
		arenahttp.Handler(inner, arenahttp.TimeoutHandler(late, 0, "")).ServeHTTP(w, r)
	})
	if s.Puts != 0 {
		t.Error("put back before the late handler has ended")
	}
	handled(outer, func(_ http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context()).Concat("XXXX ", "XXXX")
	})
	close(goOn)
	<-ended
	awaitIdle(t, outer)

	// If only the inner request has ended, the arena belongs to the outer one alone.
	s = handled(outer, func(w http.ResponseWriter, r *http.Request) {
		a := arena.FromContext(r.Context())
		var kept *http.Request
		handledWithin(inner, r, func(r *http.Request) { kept = r })
		ran := false
		serveTimeout(kept, func(in *http.Request) {
			ran = arena.FromContext(in.Context()) == nil && arena.FromContext(r.Context()) == a
		})
		if !ran || arena.FromContext(r.Context()) != a {
			t.Error("the arena was not lent by the request that goes on")
		}
	})
	if s.Puts != 1 {
		t.Errorf("%+v", s)
	}
}

// Of two handlers that are late at the same time, only one has the arena. It is put back after the last one.
func TestTwoLateHandlers(t *testing.T) {
	p := arena.NewAutoPool(0)
	begun, goOn := make(chan bool), make(chan bool)
	got := make(chan *arena.Arena, 2)
	late := arenahttp.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- arena.FromContext(r.Context())
		begun <- true
		<-goOn
	}), 20*time.Millisecond, "")
	var own *arena.Arena
	handled(p, func(w http.ResponseWriter, r *http.Request) {
		own = arena.FromContext(r.Context())
		late.ServeHTTP(w, r)
		<-begun
		late.ServeHTTP(w, r)
		<-begun
	})
	if a, b := <-got, <-got; a != own || b != nil {
		t.Errorf("%p and %p of %p", a, b, own)
	}
	goOn <- true
	time.Sleep(5 * time.Millisecond)
	if s := p.Stats(); s.Puts != 0 {
		t.Error("put back while a handler goes on")
	}
	goOn <- true
	awaitIdle(t, p)
}

// A request that starts many workers in sequence does not keep records of finished ones.
func TestWorkersAreForgotten(t *testing.T) {
	p := arena.NewAutoPool(0)
	handled(p, func(_ http.ResponseWriter, r *http.Request) {
		arena.FromContext(r.Context())
		gone := make(chan bool, 1)
		func() {
			h := &counting{}
			runtime.AddCleanup(h, func(int) { gone <- true }, 0)
			arenahttp.TimeoutHandler(h, time.Hour, "").ServeHTTP(httptest.NewRecorder(), r)
			if h.n != 1 {
				t.Errorf("called %d times", h.n)
			}
		}()
		for range 6000 { // a minute
			runtime.GC()
			select {
			case <-gone:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		t.Error("kept until the request ends")
	})
}

type counting struct {
	n int
	_ *int // makes the value a separate allocation
}

func (c *counting) ServeHTTP(http.ResponseWriter, *http.Request) { c.n++ }
