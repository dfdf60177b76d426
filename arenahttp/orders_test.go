package arenahttp_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/ebbpool/arena/internal/check"
)

var ordersTime = flag.Duration("orders", 0, "how long TestOrders runs each of its parts, in place of a number of requests")

// Random nesting of requests, timeouts of both kinds and goroutines that outlive their request: no two
// goroutines use an arena at the same time, memory stays unchanged while it may be used, and each arena has
// one end. If only goroutines of Handler and TimeoutHandler are involved, no arena is abandoned.
func TestOrders(t *testing.T) {
	for name, strays := range map[string]bool{"workers": false, "strays": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, seed := 1500, uint64(1)
			switch {
			case *ordersTime != 0:
				n, seed = math.MaxInt, uint64(time.Now().UnixNano())
			case testing.Short() || check.Race:
				n = 150
			}
			x := &orders{t: t, strays: strays, pools: []*arena.ArenaPool{arena.NewAutoPool(0), arena.NewArenaPool(1<<10, 4<<10)}}
			var clients sync.WaitGroup
			start := time.Now()
			for client := range uint64(8) {
				clients.Go(func() {
					conn := t.Context()
					if client%2 == 0 { // as in a server
						c, cancel := context.WithCancel(arenahttp.ConnContext(conn, nil))
						defer cancel()
						conn = c
					}
					r := rand.New(rand.NewPCG(seed, client))
					for i := 0; i < n/8 && !t.Failed() && (*ordersTime == 0 || time.Since(start) < *ordersTime); i++ {
						x.request(conn, r)
					}
				})
			}
			clients.Wait()
			x.running.Wait()
			asked := uint64(0)
			for _, p := range x.pools {
				s := p.Stats()
				for end := time.Now().Add(time.Minute); s.Gets != s.Puts+s.Abandoned && time.Now().Before(end); s = p.Stats() {
					time.Sleep(time.Millisecond)
				}
				asked += s.Gets
				if s.Gets != s.Puts+s.Abandoned || (s.Abandoned != 0) != strays {
					t.Errorf("%+v", s)
				}
			}
			t.Logf("%d arenas, asked for by strangers and got %d times", asked, x.got.Load())
			if strays && x.got.Load() == 0 {
				t.Error("no stranger was led to an arena: that tests little")
			}
		})
	}
}

type orders struct {
	t       *testing.T
	strays  bool
	pools   []*arena.ArenaPool
	running sync.WaitGroup // goroutines
	busy    sync.Map       // of *arena.Arena to *atomic.Int32: number of goroutines in it
	got     atomic.Int64
	texts   atomic.Int64
}

// request serves one request of a connection on a goroutine that may end in any way.
func (x *orders) request(conn context.Context, r *rand.Rand) {
	ctx, cancel := context.WithCancel(conn)
	defer cancel()
	done := make(chan bool)
	x.running.Go(func() {
		defer close(done)
		defer func() { recover() }()
		h := x.within(&actor{orders: x, r: split(r)}, 1+r.IntN(4))
		q, err := http.NewRequestWithContext(ctx, "GET", "/", nil)
		if err != nil {
			x.t.Error(err)
			return
		}
		h.ServeHTTP(silent{http.Header{}}, q)
	})
	<-done
}

func split(r *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }

// within is the handler of a, behind Handler.
func (x *orders) within(a *actor, depth int) http.Handler {
	return arenahttp.Handler(x.pools[a.r.IntN(len(x.pools))], http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		a.request = q
		a.in(q, depth)
	}))
}

// actor is a goroutine's part of a request, with its arena memory.
type actor struct {
	*orders
	r       *rand.Rand
	stray   bool          // not a worker of its request
	request *http.Request // its own request, if it is Handler's goroutine
	arena   *arena.Arena
	has     []text
}

// text is a string in an arena and its expected value.
type text struct{ is, want string }

// in runs random operations.
func (a *actor) in(q *http.Request, depth int) {
	var over *http.Request // a nested request
	for range 1 + a.r.IntN(5) {
		switch k := a.r.IntN(12); {
		case k < 3:
			a.arena = arena.FromContext(q.Context())
			if a.arena != nil && a.stray {
				a.got.Add(1)
			}
			fallthrough
		case k < 5:
			a.use()
		case k == 5:
			time.Sleep(time.Duration(a.r.IntN(300)) * time.Microsecond)
		case k == 6 && a.r.IntN(20) == 0:
			panic(http.ErrAbortHandler)
		case k == 6 && a.r.IntN(20) == 0:
			runtime.Goexit()
		case depth == 0:
		case k < 8: // like middleware with its own pool
			inner := &actor{orders: a.orders, r: split(a.r), has: slices.Clone(a.has)}
			a.within(inner, depth-1).ServeHTTP(silent{http.Header{}}, q)
			over = inner.request
		case k < 10:
			a.timeout(q, depth, arenahttp.TimeoutHandler, false)
			a.arena = nil // another goroutine may still have it
		case a.strays && k == 10:
			a.timeout(q, depth, http.TimeoutHandler, true)
		case a.strays:
			b := &actor{orders: a.orders, r: split(a.r), stray: true, has: slices.Clone(a.has)}
			by := q
			if over != nil && a.r.IntN(2) == 0 {
				by = over
			}
			noted, done := make(chan bool), make(chan bool)
			a.running.Go(func() {
				defer close(done)
				defer func() { recover() }()
				func() {
					defer close(noted)
					b.note(by)
				}()
				b.in(q, depth-1)
			})
			if <-noted; a.r.IntN(2) == 0 {
				<-done
			}
		}
		a.look()
	}
}

// note shows that a's goroutine works on the request, so it may use the request's memory.
func (a *actor) note(q *http.Request) {
	if a.r.IntN(2) == 0 {
		a.arena = arena.FromContext(q.Context())
	} else {
		a.within(&actor{orders: a.orders, r: a.r}, 0).ServeHTTP(silent{http.Header{}}, q)
	}
}

// timeout runs another actor behind a timeout that may expire before the actor ends.
func (a *actor) timeout(q *http.Request, depth int, behind func(http.Handler, time.Duration, string) http.Handler, stray bool) {
	b := &actor{orders: a.orders, r: split(a.r), stray: stray || a.stray}
	if !stray { // otherwise it may begin too late to be noticed
		b.has = slices.Clone(a.has)
	}
	d := time.Duration(a.r.IntN(3)) * 200 * time.Microsecond
	a.running.Add(1)
	behind(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		defer a.running.Done()
		b.in(q, depth-1)
	}), d, "").ServeHTTP(silent{http.Header{}}, q)
}

// use allocates from the arena, exclusively.
func (a *actor) use() {
	if a.arena == nil {
		return
	}
	n, _ := a.busy.LoadOrStore(a.arena, new(atomic.Int32))
	in := n.(*atomic.Int32)
	if in.Add(1) != 1 {
		a.t.Error("two goroutines are in one arena")
	}
	want := fmt.Sprint("text ", a.texts.Add(1))
	a.has = append(a.has, text{a.arena.Concat(want[:5], want[5:]), want})
	runtime.Gosched()
	in.Add(-1)
}

// look checks that the actor's memory is unchanged.
func (a *actor) look() {
	for _, s := range a.has {
		if s.is != s.want {
			a.t.Errorf("%q has become %q", s.want, s.is)
		}
	}
}
