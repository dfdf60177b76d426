package goroutine

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"golang.org/x/sync/errgroup"
)

var pool = arena.NewArenaPool(4096, 0)

func captured() {
	a := pool.Get()
	defer pool.Put(a)
	go func() { // want `arena a is used by this goroutine, and line 17 may use it at the same time: an arena belongs to one goroutine at a time`
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
	go work(a) // want `arena a is used by this goroutine, and the caller, which owns it, may also use it`
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
	fineServe(a) // want `arena a is used by this goroutine, and line 88 may use it at the same time`
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

// The library's own functions are uses, too.

func goReset() {
	a := pool.Get()
	defer pool.Put(a)
	go a.Reset() // want `arena a is used by this goroutine`
}

func goAlloc(a *arena.Arena, s string) {
	go a.AllocString(s) // want `arena a is used by this goroutine`
	a.AllocString("y")
}

func goMethodValue() {
	a := arena.NewArena(4096, 0)
	reset := a.Reset
	go reset() // want `arena a is used by this goroutine`
	a.AllocString("y")
}

func afterTime(a *arena.Arena) {
	time.AfterFunc(time.Second, a.Reset) // want `arena a is used by this goroutine`
	a.AllocString("x")
}

func afterContext(ctx context.Context) {
	a := pool.Get()
	defer pool.Put(a)
	stop := context.AfterFunc(ctx, func() { a.Reset() }) // want `arena a is used by this goroutine`
	defer stop()
	a.AllocString("x")
}

func parallel(b *testing.B) {
	a := arena.NewArena(4096, 0)
	b.RunParallel(func(pb *testing.PB) { // want `arena a is used by this goroutine, and another goroutine may use it at the same time`
		for pb.Next() {
			arena.New[int](a)
		}
	})
}

// One's own errgroup.
type tasks struct{ wg sync.WaitGroup }

func (g *tasks) run(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

func (g *tasks) runLogged(name string, f func(string)) {
	g.run(func() { f(name) })
}

func ownGroup(words []string) {
	a := pool.Get()
	defer pool.Put(a)
	var g tasks
	for _, w := range words {
		g.run(func() { a.AllocString(w) }) // want `arena a is used by this goroutine, and another goroutine may use it at the same time`
	}
	g.wg.Wait()
}

func ownGroupLogged() {
	a := pool.Get()
	defer pool.Put(a)
	var g tasks
	g.runLogged("x", func(name string) { a.AllocString(name) }) // want `arena a is used by this goroutine`
	a.AllocString("y")
	g.wg.Wait()
}

// Parallel subtests begin when the test has returned.
func parallelSubtests(t *testing.T) {
	a := pool.Get()
	defer pool.Put(a)
	t.Run("x", func(t *testing.T) { // want `arena a is used by this goroutine`
		t.Parallel()
		a.AllocString("x")
	})
}

func sentEachTurn(words []string, out chan<- *arena.Arena) {
	a := arena.NewArena(1024, 0)
	for _, w := range words {
		a.AllocString(w)
		if len(w) > 100 {
			out <- a // want `arena a is sent on a channel`
		}
	}
}

func trySent(out chan<- string) {
	a := pool.Get()
	s := a.AllocString("x")
	select {
	case out <- s: // want `memory of arena a is sent on a channel`
	default:
	}
	pool.Put(a)
}
