package arena

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// crowd runs many goroutines on the arenas of one pool, and on their forks. When all of them rest, the
// counters must equal the chunks that exist.
type crowd struct {
	ledger
	mu sync.Mutex
}

// round works on each arena in use, and on new ones, concurrently.
func (c *crowd) round(seed uint64) {
	var wg sync.WaitGroup
	for i, x := range c.families {
		if x.out {
			wg.Go(func() { c.work(x.a, rand.New(rand.NewPCG(seed, 100+uint64(i))), 1) })
		}
	}
	for w := range uint64(4) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, w))
			x := c.enter(c.p.Get())
			c.work(x.a, rnd, 2)
			if rnd.IntN(2) == 0 {
				c.p.Put(x.a)
				c.left(x)
				x = c.enter(c.p.Get())
				c.work(x.a, rnd, 1)
			}
		})
	}
	wg.Wait()
}

// enter records that a is in use.
func (c *crowd) enter(a *Arena) *ledgerForks {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.forksOf(a.owner.stats)
	x.a, x.lies, x.out, x.exact = a, a.owner.idle, true, c.total != 0
	return x
}

// left records that x was put back. Another goroutine may already use the arena that replaces it.
func (c *crowd) left(x *ledgerForks) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.st.Generation.Load()%2 == 0 {
		x.rest()
	}
}

// work fills and empties a and its forks, down to depth, concurrently.
func (c *crowd) work(a *Arena, rnd *rand.Rand, depth int) {
	one := ledger{rnd: rnd}
	for range 1 + rnd.IntN(3) {
		mark := a.Mark()
		var wg sync.WaitGroup
		if depth > 0 {
			for range rnd.IntN(4) {
				f, own := a.Fork(), rand.New(rand.NewPCG(rnd.Uint64(), 0))
				wg.Go(func() { c.work(f, own, depth-1) })
			}
		}
		n := ledgerArena{a: a}
		for range rnd.IntN(20) {
			one.take(&n)
			runtime.Gosched()
		}
		wg.Wait()
		switch rnd.IntN(8) {
		case 0, 1, 2:
			a.Reset()
		case 3:
			a.Release()
		case 4, 5:
			a.Rewind(mark)
		}
	}
}

// Forks of one arena share its counters concurrently, and arenas their pool's. At rest the counters must be
// exact, and at no time may they exceed the total.
func TestPoolAccountOfManyGoroutines(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	programs, rounds := uint64(20), 6
	if testing.Short() || check.On {
		programs = 8
	}
	defer SetEnabled(true)
	for seed := range programs {
		rnd := rand.New(rand.NewPCG(seed, 24))
		c := &crowd{ledger: ledger{rnd: rnd, p: NewArenaPool(64<<rnd.IntN(8), rnd.IntN(100_000))}}
		c.isolates = seed%5 == 1 && !check.Race
		SetEnabled(seed%7 != 2)
		if seed%4 != 0 {
			c.limit()
		}
		stop := make(chan bool)
		var watcher sync.WaitGroup
		watcher.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Microsecond):
				}
				if out := int(c.p.stats.Counts().Out); c.total != 0 && out > c.total {
					t.Errorf("program %d: %d bytes of %d are out", seed, out, c.total)
					return
				}
				if err := c.watch(); err != nil {
					t.Errorf("program %d: %v", seed, err)
					return
				}
			}
		})
		for round := range rounds {
			c.round(seed<<8 + uint64(round))
			s := c.p.Stats()
			c.most, c.largest = uintptr(s.HighWater), uintptr(s.LargestArena) // maxima that the test could not observe
			if err := c.check(figures{held: 1 << 30, stats: s}); err != nil {
				t.Errorf("program %d, round %d: %v", seed, round, err)
				break
			}
			for _, x := range c.families {
				if held, _ := x.held(); held > c.largest {
					t.Errorf("program %d, round %d: %d bytes are one arena's with its forks, and the most was %d", seed, round, held, c.largest)
				}
				if x.out && rnd.IntN(3) != 0 {
					c.put(x)
				}
			}
		}
		close(stop)
		watcher.Wait()
	}
}

// watch checks the limit of each arena with its forks while they work.
func (c *crowd) watch() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.families, func(x *ledgerForks) bool {
		return c.perArena != 0 && int(x.st.Held()) > c.perArena
	})
	if i >= 0 {
		return fmt.Errorf("arena %d has more than %d bytes", i, c.perArena)
	}
	return nil
}

// Limits that change while goroutines work leave nothing behind: in the end each chunk is counted once, and
// none of an idle arena.
func TestPoolAccountWithLimitsThatChange(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 25))
		c := &crowd{ledger: ledger{rnd: rnd, p: NewArenaPool(1000, 20_000), unknown: true}}
		stop := make(chan bool)
		var operator sync.WaitGroup
		operator.Go(func() {
			own := rand.New(rand.NewPCG(seed, 26))
			for {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Microsecond):
				}
				c.p.SetLimit(own.IntN(2)*own.IntN(60_000), own.IntN(2)*own.IntN(200_000))
				c.p.Stats()
			}
		})
		for round := range uint64(4) {
			c.round(seed<<8 + round)
		}
		close(stop)
		operator.Wait()
		s := c.p.Stats()
		c.most, c.largest = uintptr(s.HighWater), uintptr(s.LargestArena)
		before := figures{held: 1 << 30, charged: 1 << 30, stats: s}
		if err := c.check(before); err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		for _, x := range c.families {
			if x.out {
				c.put(x)
			}
		}
		if err := c.check(before); err != nil || c.p.stats.Counts().Out != 0 {
			t.Fatalf("program %d, in the end: %v, %d bytes are out", seed, err, c.p.stats.Counts().Out)
		}
	}
}
