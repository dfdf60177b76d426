package goroutine

import (
	"sync"

	"github.com/ebbpool/arena"
	"golang.org/x/sync/errgroup"
)

// Each goroutine has its own.
func fineOwn(words []string) error {
	var g errgroup.Group
	for _, w := range words {
		g.Go(func() error {
			a := pool.Get()
			defer pool.Put(a)
			a.AllocString(w)
			return nil
		})
	}
	return g.Wait()
}

// The arena goes to the goroutine for good.
func fineHandedOver() {
	a := pool.Get()
	a.AllocString("x")
	go func() {
		defer pool.Put(a)
		a.AllocString("y")
	}()
}

// The owner waits before it uses the arena again.
func fineWaits() {
	a := pool.Get()
	defer pool.Put(a)
	var wg sync.WaitGroup
	wg.Go(func() { a.AllocString("x") })
	wg.Wait()
	a.AllocString("y")
}

func finePool() {
	go pool.Do(func(a *arena.Arena) { work(a) })
}

// A goroutine that is the only one to use the server's arena.
func (s *server) fineStart() {
	go s.loop()
}

func fineOther(a *arena.Arena, s string) {
	go println(s)
	a.AllocString(s)
}

func fineDone(a *arena.Arena) {
	done := make(chan bool)
	go func() {
		defer close(done)
		work(a)
	}()
	<-done
}

// The caller gives the arena away: the goroutine puts it back.
func fineServe(a *arena.Arena) {
	go func() {
		defer pool.Put(a)
		work(a)
	}()
}

func fineServed() {
	fineServe(pool.Get())
}

type guarded struct {
	mu sync.Mutex
	a  *arena.Arena
}

func (g *guarded) intern(s string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.a.AllocString(s)
}

// The arena is used by one goroutine at a time, because its mutex is held.
func fineGuarded(words []string) *guarded {
	g := &guarded{a: arena.NewArena(4096, 0)}
	var wg sync.WaitGroup
	for _, w := range words {
		wg.Add(1)
		go func() {
			defer wg.Done()
			g.intern(w)
		}()
	}
	g.intern("main")
	wg.Wait()
	return g
}

// The same in a method, whose caller may use the arena as well.
func (g *guarded) fineGuardedStart(words <-chan string) {
	go func() {
		for w := range words {
			g.intern(w)
		}
	}()
	g.intern("first")
}

// The mutex is held around the use alone.
func (g *guarded) fineReaper(tick <-chan int) {
	go func() {
		for range tick {
			g.mu.Lock()
			g.a.Reset()
			g.mu.Unlock()
		}
	}()
}

func fineGuardedBoth(g *guarded, words <-chan string, tick <-chan int) {
	g.fineReaper(tick)
	g.fineGuardedStart(words)
}

type rwGuarded struct {
	sync.RWMutex
	a *arena.Arena
}

// A mutex that is embedded, and also for readers.
func (g *rwGuarded) fineEmbedded(words []string) {
	for _, w := range words {
		go func() {
			g.Lock()
			g.a.AllocString(w)
			g.Unlock()
		}()
	}
}
