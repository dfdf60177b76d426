package goroutine

import (
	"context"
	"sync"
	"testing"
	"time"

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

// The goroutine is the last to use it.
func fineGoRelease() {
	a := arena.NewArena(4096, 0)
	a.AllocString("x")
	go a.Release()
}

func fineGoPut() {
	a := pool.Get()
	a.AllocString("x")
	go pool.Put(a)
}

// What was stopped in time does not run.
func fineStopped(ctx context.Context) {
	a := pool.Get()
	stop := context.AfterFunc(ctx, func() { a.AllocString("stopped") })
	if stop() {
		a.AllocString("x")
		pool.Put(a)
	}
}

func fineTimerStopped() {
	a := pool.Get()
	t := time.AfterFunc(time.Second, func() { a.AllocString("late") })
	if !t.Stop() {
		return
	}
	a.AllocString("x")
	pool.Put(a)
}

// Those that run in parallel are waited for, and each has its own.
func fineParallel(b *testing.B) {
	outer := pool.Get()
	b.RunParallel(func(pb *testing.PB) {
		a := pool.Get()
		defer pool.Put(a)
		for pb.Next() {
			arena.New[int](a)
		}
	})
	pool.Put(outer)
}

func fineParallelReaders(b *testing.B, s string) {
	a := pool.Get()
	defer pool.Put(a)
	text := a.AllocString(s)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if text == "" {
				b.Error("empty")
			}
		}
	})
}

func fineOwnGroup(words []string) {
	a := pool.Get()
	defer pool.Put(a)
	var g tasks
	g.run(func() { a.AllocString("x") })
	for _, w := range words {
		g.run(func() {
			b := pool.Get()
			defer pool.Put(b)
			b.AllocString(w)
		})
	}
	g.wg.Wait()
}

// Functions that one goroutine calls one after another share its arena.
type loop struct {
	jobs chan func()
	a    *arena.Arena
}

func (l *loop) post(f func()) { l.jobs <- f }

func (l *loop) finePosted(words []string) {
	for _, w := range words {
		l.post(func() { l.a.AllocString(w) })
	}
	l.post(func() { l.a.Reset() })
}

// It waits for those that it has started.
func inParallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
}

func fineInParallel(words []string) {
	a := pool.Get()
	defer pool.Put(a)
	text := a.AllocString("text")
	lengths := make([]int, len(words))
	inParallel(len(words), func(i int) { lengths[i] = len(words[i]) + len(text) })
	a.AllocString("more")
}

func fineSubtests(t *testing.T) {
	a := pool.Get()
	defer pool.Put(a)
	for _, s := range []string{"x", "y"} {
		t.Run(s, func(t *testing.T) { a.AllocString(s) })
		t.Run(s, func(t *testing.T) {
			t.Parallel()
			a := pool.Get()
			defer pool.Put(a)
			a.AllocString(s)
		})
	}
}

func fineSubtestCleanup(t *testing.T) {
	a := pool.Get()
	t.Cleanup(func() { pool.Put(a) })
	text := a.AllocString("x")
	t.Run("x", func(t *testing.T) {
		t.Parallel()
		if text == "" {
			t.Error("empty")
		}
	})
}

// A full arena is handed over for good, and a new one goes on.
func fineBatches(words []string, full chan<- *arena.Arena) {
	a := pool.Get()
	for _, w := range words {
		a.AllocString(w)
		if a.Stats().UsedBytes > 100 {
			full <- a
			a = pool.Get()
		}
	}
	full <- a
}

func fineBatchesGo(words []string) {
	a := pool.Get()
	for _, w := range words {
		a.AllocString(w)
		if a.Stats().UsedBytes > 100 {
			go func(a *arena.Arena) {
				a.AllocString("end")
				pool.Put(a)
			}(a)
			a = pool.Get()
		}
	}
	pool.Put(a)
}

// One for each worker.
func fineArenaForEach() {
	arenas := make([]*arena.Arena, 4)
	for i := range arenas {
		arenas[i] = arena.NewArena(1024, 0)
	}
	var wg sync.WaitGroup
	for _, a := range arenas {
		wg.Add(1)
		go func() {
			defer wg.Done()
			a.AllocString("x")
		}()
	}
	wg.Wait()
}

type result struct {
	a    *arena.Arena
	text string
}

// Where nobody takes it, it was not sent.
func fineTrySend(out chan<- result) bool {
	a := pool.Get()
	select {
	case out <- result{a, a.AllocString("x")}:
		return true
	default:
		pool.Put(a)
		return false
	}
}
