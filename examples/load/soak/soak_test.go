// Package soak runs the service and its counterpart for as long as it is told, with all that
// can happen to requests, and compares.
package soak

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/orders/order"
	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
	"github.com/ebbpool/arena/examples/orders/web"
)

const (
	clients = 8
	window  = 256 // requests under way at the same time that the service takes
)

// TestSoak runs for ORDERS_SOAK, 10m for example, or for 15 seconds. While it does,
// clients send orders, broken ones, too large ones and ones that make the handler panic,
// and go away before they have an answer. Each answer is compared with the plain one's;
// in between, when all clients rest, nothing may be out that was taken: no arena, no
// goroutine, no connection of the database, and no memory above what it has come to.
func TestSoak(t *testing.T) {
	length := 15 * time.Second
	if testing.Short() {
		length = 2 * time.Second
	}
	if text := os.Getenv("ORDERS_SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	pool := arena.NewAutoPool(0)
	pool.SetLimit(256<<10, 512<<10) // so low that long lists reach them
	// No time may run out on a machine that is busy otherwise: what is looked for is not that.
	patient := web.Limits{ReadHeader: time.Minute, Read: time.Minute, Write: time.Minute, Shutdown: time.Minute}
	p := pair.Run(t, pair.Config{Pool: pool, Limits: patient, Options: web.Options{
		Inside: pair.Faults, MaxUnderWay: window, Deadline: time.Minute,
	}})
	s := &soak{pair: p}
	for client := range clients {
		if err := traffic.New(uint64(client), prefix(client), 3, 1).Fill(t.Context(), p.Store, 150); err != nil {
			t.Fatal(err)
		}
	}

	s.rest(t, true)
	end := time.Now().Add(length)
	round := min(length/5, 20*time.Second)
	for n := 0; time.Now().Before(end) && !t.Failed(); n++ {
		ctx, cancel := context.WithTimeout(context.Background(), round)
		var g sync.WaitGroup
		for client := range clients {
			g.Go(func() { s.client(ctx, t, client, uint64(n)) })
		}
		g.Wait()
		cancel()
		s.rest(t, n < 2)
	}
	t.Logf("%d answers compared; %d requests cancelled, %d panics, %d refused by a limit, %d bodies too large, %d broken",
		s.compared.Load(), s.cancelled.Load(), s.panics.Load(), s.limited.Load(), s.large.Load(), s.broken.Load())
	t.Logf("at rest at most %d MB, %d goroutines", s.mostRSS>>20, s.mostGoroutines)
	for name, n := range map[string]*atomic.Int64{"compared": &s.compared, "cancelled": &s.cancelled, "panics": &s.panics, "limited": &s.limited, "large": &s.large, "broken": &s.broken} {
		if n.Load() == 0 {
			t.Errorf("nothing was %s: the soak has shown nothing", name)
		}
	}
}

type soak struct {
	pair *pair.Pair

	compared, cancelled, panics, limited, large, broken atomic.Int64

	mostRSS        int64 // at rest, in the first rounds
	mostGoroutines int
}

func prefix(client int) string { return fmt.Sprintf("client%d-", client) }

// rest looks at what is left when nobody asks for anything. The first rounds, which
// warm up, say what may be there.
func (s *soak) rest(t *testing.T, first bool) {
	t.Helper()
	s.pair.AwaitIdle(t)
	s.pair.Arena.Client.CloseIdleConnections()
	s.pair.Plain.Client.CloseIdleConnections()
	debug.FreeOSMemory()
	goroutines := runtime.NumGoroutine()
	for range 200 { // those of connections that have just been closed
		if goroutines = runtime.NumGoroutine(); goroutines <= s.mostGoroutines {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	rss := resident()
	if first {
		s.mostRSS, s.mostGoroutines = max(s.mostRSS, rss), max(s.mostGoroutines, goroutines)
		return
	}
	// The database's own caches grow with the database, by less than this.
	if rss > s.mostRSS+s.mostRSS/2+32<<20 {
		t.Errorf("at rest %d MB are resident, %d MB were after the first rounds", rss>>20, s.mostRSS>>20)
	}
	if goroutines > s.mostGoroutines+4 {
		stacks := make([]byte, 64<<10)
		t.Errorf("%d goroutines at rest, %d after the first rounds:\n%s", goroutines, s.mostGoroutines, stacks[:runtime.Stack(stacks, true)])
	}
	if n := s.pair.Pool.Stats().InUseBytes; n != 0 {
		t.Errorf("%d bytes of arenas in use at rest", n)
	}
}

// resident is how much memory the process has, in bytes; 0 where the system doesn't say.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	fmt.Sscan(string(b), &size, &pages)
	return pages * int64(os.Getpagesize())
}

// client sends requests until ctx is done, each to both services. It has customers of
// its own, so that both find the same.
func (s *soak) client(ctx context.Context, t *testing.T, client int, round uint64) {
	seed := 1000*round + uint64(client)
	rng := rand.New(rand.NewPCG(seed, 0x736f616b))
	source := traffic.New(seed, prefix(client), 3, clients*150)
	// An order of a client that has gone away may still come, while others are compared:
	// nobody asks for these customers.
	gone := traffic.New(seed, "gone", 3, clients*150)
	// What was said to one client must not come to another.
	foreign := func(a pair.Answer) bool {
		return strings.Count(a.Body, `"customer":"client`) != strings.Count(a.Body, `"customer":"`+prefix(client))
	}
	for ctx.Err() == nil && !t.Failed() {
		switch n := rng.IntN(100); {
		case n < 8: // the client goes away
			s.cancelled.Add(1)
			soon, cancel := context.WithTimeout(ctx, time.Duration(rng.Int64N(int64(3*time.Millisecond))))
			s.pair.Arena.Ask(soon, gone.Next())
			s.pair.Plain.Ask(soon, gone.Next())
			cancel()
		case n < 12:
			s.panics.Add(1)
			a, err := s.pair.Arena.Ask(context.Background(), source.List(), "X-Fault", "before")
			if err != nil || a.Status != 500 && !refused(a) || strings.Contains(a.Body, "client") {
				t.Errorf("a panic: %v, %v", a, err)
			}
		case n < 15:
			s.panics.Add(1)
			if a, err := s.pair.Arena.Ask(context.Background(), source.List(), "X-Fault", "after"); err == nil && !refused(a) {
				t.Errorf("half an answer looks like a whole one: %v", a)
			}
		case n < 18:
			s.large.Add(1)
			r := traffic.Request{Method: "POST", Path: "/orders", Body: bytes.Repeat([]byte{' '}, 1<<20+1+rng.IntN(1<<20))}
			if a, err := s.pair.Arena.Ask(context.Background(), r); err == nil && a.Status != 413 && !refused(a) {
				t.Errorf("%d bytes: %v", len(r.Body), a)
			}
		case n < 25:
			s.broken.Add(1)
			r := source.Create()
			r.Body = mangle(rng, r.Body)
			s.compare(t, r, func(pair.Answer) bool { return false })
		case n < 28: // what the arena's limit may refuse, and the heap does not
			r := traffic.Request{Method: "GET", Path: fmt.Sprintf("/orders?limit=%d&after=%d", order.MaxPage, rng.IntN(800))}
			s.compare(t, r, func(pair.Answer) bool { return false })
		case n < 45:
			posted, r := pair.Answer{}, source.Create()
			if posted = s.compare(t, r, foreign); posted.Status == 201 {
				if got := s.compare(t, traffic.Request{Method: "GET", Path: posted.Location}, foreign); got.Status == 200 && got.Body != posted.Body {
					t.Errorf("taken as %v\nshown as %v", posted, got)
				}
			}
		case n < 75:
			s.compare(t, source.List(), foreign)
		default:
			r := source.Next()
			s.compare(t, r, func(a pair.Answer) bool { return r.Method != "GET" && foreign(a) })
		}
	}
}

// refused reports whether others had the memory, which can happen to any request here.
func refused(a pair.Answer) bool { return a.Status == 503 && a.RetryAfter != "" }

// mangle breaks JSON: a byte changed, taken out or doubled.
func mangle(rng *rand.Rand, doc []byte) []byte {
	at := rng.IntN(len(doc))
	switch rng.IntN(3) {
	case 0:
		doc[at] = byte(rng.IntN(256))
		return doc
	case 1:
		return append(doc[:at], doc[at+1:]...)
	}
	return append(doc[:at+1], doc[at:]...)
}

// compare asks both and returns the arena's answer. Where a limit has refused that one
// it asks again until there is none, or the limit is for good.
func (s *soak) compare(t *testing.T, r traffic.Request, foreign func(pair.Answer) bool) pair.Answer {
	var a pair.Answer
	for try := 0; ; try++ {
		var err error
		if a, err = s.pair.Arena.Ask(context.Background(), r); err != nil {
			t.Errorf("%s %s: %v", r.Method, r.Path, err)
			return a
		}
		if a.Status == 413 || a.Status == 503 {
			s.limited.Add(1)
			if strings.Contains(a.Body, "database") || a.Status == 503 && !refused(a) {
				t.Errorf("%s %s: %v", r.Method, r.Path, a)
			}
			if a.Status == 503 && try < 1000 {
				time.Sleep(time.Millisecond)
				continue
			}
			return a
		}
		break
	}
	b, err := s.pair.Plain.Ask(context.Background(), r)
	if err != nil {
		t.Errorf("%s %s: %v", r.Method, r.Path, err)
		return a
	}
	s.compared.Add(1)
	x, y := a, b
	if r.Method == "POST" {
		x, y = a.WithoutID(), b.WithoutID()
	}
	if x != y {
		t.Errorf("%s %s %s\narena: %v\nplain: %v", r.Method, r.Path, r.Body, a, b)
	}
	if cmp.Or(a.Status, 500) >= 500 || foreign(a) {
		t.Errorf("%s %s: %v", r.Method, r.Path, a)
	}
	return a
}
