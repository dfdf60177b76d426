package goroutine

import (
	"sync"

	"github.com/ebbpool/arena"
	"golang.org/x/sync/errgroup"
)

var pool = arena.NewArenaPool(4096, 0)

func captured() {
	a := pool.Get()
	defer pool.Put(a)
	go func() { // want `arena a is used by this goroutine, and line 14 may use it at the same time: an arena belongs to one goroutine at a time`
		a.AllocString("x")
	}()
}

func passed() {
	a := pool.Get()
	defer pool.Put(a)
	go work(a) // want `arena a is used by this goroutine`
}

func work(a *arena.Arena) { arena.New[int](a) }

func callers(a *arena.Arena) {
	go work(a) // want `arena a is used by this goroutine, and the caller, who owns it, may use it, too`
}

func both(a *arena.Arena, done chan bool) {
	go func() { // want `arena a is used by this goroutine`
		work(a)
		close(done)
	}()
	a.AllocString("x")
	<-done
}

func group(words []string) error {
	a := pool.Get()
	defer pool.Put(a)
	var g errgroup.Group
	for _, w := range words {
		g.Go(func() error { // want `arena a is used by this goroutine, and another goroutine may use it at the same time`
			a.AllocString(w)
			return nil
		})
	}
	return g.Wait()
}

func waitGroup() {
	a := arena.NewArena(4096, 0)
	var wg sync.WaitGroup
	wg.Go(func() { work(a) }) // want `arena a is used by this goroutine`
	work(a)
	wg.Wait()
}

type server struct{ a *arena.Arena }

func (s *server) loop() { s.a.Reset() }

func (s *server) both() {
	go s.loop() // want `arena s.a is used by this goroutine`
	s.a.AllocString("x")
}

func nested(a *arena.Arena) {
	start(a) // want `arena a is used by this goroutine`
	a.AllocString("x")
}

func start(a *arena.Arena) {
	go func() { // want `arena a is used by this goroutine, and the caller`
		a.AllocString("y")
	}()
}

func usedAfterServe() {
	a := pool.Get()
	fineServe(a) // want `arena a is used by this goroutine, and line 85 may use it at the same time`
	a.AllocString("x")
}

// A use before the mutex is held.
func (g *guarded) useThenLock(words []string) {
	for _, w := range words {
		go func() { // want `arena g.a is used by this goroutine`
			s := g.a.AllocString(w)
			g.mu.Lock()
			g.a.AllocString(s)
			g.mu.Unlock()
		}()
	}
}

// A use after it.
func (g *guarded) unlockThenUse(words []string) {
	for _, w := range words {
		go func() { // want `arena g.a is used by this goroutine`
			g.mu.Lock()
			g.mu.Unlock()
			g.a.AllocString(w)
		}()
	}
}

// It is held on one path only.
func (g *guarded) lockSometimes(words []string, lock bool) {
	for _, w := range words {
		go func() { // want `arena g.a is used by this goroutine`
			if lock {
				g.mu.Lock()
				defer g.mu.Unlock()
			}
			g.a.AllocString(w)
		}()
	}
}

// Many may hold the lock for readers at once.
func (g *rwGuarded) readLocked(words []string) {
	for _, w := range words {
		go func() { // want `arena g.a is used by this goroutine`
			g.RLock()
			defer g.RUnlock()
			g.a.AllocString(w)
		}()
	}
}

// The goroutine that is started while the mutex is held does not hold it.
func (g *guarded) startLocked() {
	g.mu.Lock()
	defer g.mu.Unlock()
	go work(g.a)
}

func startedLocked(g *guarded) {
	go g.startLocked() // want `arena g.a is used by this goroutine`
	g.a.AllocString("x")
}
