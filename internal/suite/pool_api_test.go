package suite

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// An arena from a pool is empty and its memory zeroed, or a request would see another's data.
func TestPoolHandsOutEmptyArenas(t *testing.T) {
	type kinds struct {
		n     int
		text  string
		iface any
		next  *kinds
		table map[string]int
	}
	for name, p := range map[string]*arena.ArenaPool{"fixed": arena.NewArenaPool(1024, 0), "auto": arena.NewAutoPool(0)} {
		for cycle := range 50 {
			a := p.Get()
			if a.Stats().UsedBytes != 0 {
				t.Fatalf("%s, cycle %d: UsedBytes = %d", name, cycle, a.Stats().UsedBytes)
			}
			for i := range 40 {
				b, x := a.AllocBytes(i*7), arena.New[kinds](a)
				s := arena.MakeSlice[string](a, i, 2*i)[:2*i]
				if !testkit.AllZero(b) || x.n != 0 || x.text != "" || x.iface != nil || x.next != nil || x.table != nil {
					t.Fatalf("%s, cycle %d: memory is not zero", name, cycle)
				}
				for j := range s {
					if s[j] != "" {
						t.Fatalf("%s, cycle %d: slice is not zero", name, cycle)
					}
					s[j] = "secret"
				}
				testkit.Dirty(b)
				x.n, x.text, x.iface, x.next = 1, "secret", x, x
				a.AllocString("secret")
			}
			p.Put(a)
		}
	}
}

// Each of these misuses would make two requests share an arena.
func TestPoolMisusePanics(t *testing.T) {
	for name, p := range map[string]*arena.ArenaPool{"fixed": arena.NewArenaPool(1024, 0), "auto": arena.NewAutoPool(0)} {
		t.Run(name, func(t *testing.T) {
			other := arena.NewArenaPool(1024, 0)
			before := p.Stats()
			p.Put(nil)
			if p.Stats() != before {
				t.Errorf("Put(nil) counts: %+v, was %+v", p.Stats(), before)
			}
			a := p.Get()
			*arena.New[string](a) = "kept"
			used := a.Stats().UsedBytes
			testkit.WantPanic(t, func() { other.Put(a) }, "Put", "another pool")
			own := arena.NewArena(64, 0)
			own.AllocBytes(10)
			testkit.WantPanic(t, func() { p.Put(own) }, "Put", "pool")
			if a.Stats().UsedBytes != used || own.Stats().UsedBytes != 16 {
				t.Error("a refused Put emptied the arena")
			}
			p.Put(a)
			stats := p.Stats()
			testkit.WantPanic(t, func() { p.Put(a) }, "Put", "twice")
			testkit.WantPanic(t, func() { p.Put(a) }, "Put", "twice")
			testkit.WantPanic(t, func() { other.Put(a) }, "Put")
			if p.Stats() != stats || other.Stats().Puts != 0 {
				t.Errorf("a refused Put counts: %+v, was %+v", p.Stats(), stats)
			}
			x, y := p.Get(), p.Get()
			if x == y {
				t.Fatal("one arena for two")
			}
			p.Put(x)
			p.Put(y)
		})
	}
}

// If two goroutines put the same arena concurrently, one of them panics.
func TestPoolConcurrentDoublePut(t *testing.T) {
	p := arena.NewArenaPool(256, 0)
	for range 5000 {
		a := p.Get()
		var panics, ready atomic.Int32
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				defer func() {
					if recover() != nil {
						panics.Add(1)
					}
				}()
				ready.Add(1)
				for spins := 1; ready.Load() < 2; spins++ {
					if spins%10000 == 0 {
						runtime.Gosched()
					}
				}
				p.Put(a)
			})
		}
		wg.Wait()
		if panics.Load() != 1 {
			t.Fatalf("%d panics of two Puts, want 1", panics.Load())
		}
	}
}

// Do puts the arena back also if the function panics.
func TestPoolDo(t *testing.T) {
	p := arena.NewArenaPool(1024, 0)
	var in *arena.Arena
	p.Do(func(a *arena.Arena) {
		in = a
		a.AllocBytes(10)
	})
	if s := p.Stats(); s.Gets != 1 || s.Puts != 1 || in.Stats().UsedBytes != 0 {
		t.Errorf("after Do: %+v, %d bytes used", s, in.Stats().UsedBytes)
	}
	func() {
		defer func() {
			if got := recover(); got != "own panic" {
				t.Errorf("recovered %v", got)
			}
		}()
		p.Do(func(a *arena.Arena) {
			in = a
			a.AllocBytes(10)
			panic("own panic")
		})
	}()
	if s := p.Stats(); s.Gets != 2 || s.Puts != 2 || in.Stats().UsedBytes != 0 {
		t.Errorf("after a panic in Do: %+v, %d bytes used", s, in.Stats().UsedBytes)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Do(func(a *arena.Arena) { runtime.Goexit() })
	}()
	<-done
	if s := p.Stats(); s.Gets != 3 || s.Puts != 3 {
		t.Errorf("after Goexit in Do: %+v", s)
	}
}

// Statistics add up while arenas are in use and after the pool dropped idle ones.
func TestPoolStats(t *testing.T) {
	p := arena.NewArenaPool(777, 0)
	if s := p.Stats(); s.Gets != 0 || s.Puts != 0 || s.Misses != 0 || s.Leaked != 0 || s.ChunkSize != 777 {
		t.Errorf("new pool: %+v", s)
	}
	var out []*arena.Arena
	for range 5 {
		out = append(out, p.Get())
	}
	if s := p.Stats(); s.Gets != 5 || s.Puts != 0 || s.Misses != 5 {
		t.Errorf("five out: %+v", s)
	}
	for _, a := range out[:3] {
		p.Put(a)
	}
	if s := p.Stats(); s.Gets != 5 || s.Puts != 3 || s.Leaked != 0 {
		t.Errorf("three back: %+v", s)
	}
	for range 5 { // a sync.Pool empties itself in two collections
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); s.Gets != 5 || s.Puts != 3 || s.Leaked != 0 {
		t.Errorf("after collections: %+v", s)
	}
	p.Put(p.Get())
	if s := p.Stats(); s.Gets != 6 || s.Puts != 4 || s.Misses < 5 || s.Misses > 6 {
		t.Errorf("one more: %+v", s)
	}
	runtime.KeepAlive(out)
}

// Every chunk size works, and bounds the retained memory: ten chunks by default.
func TestPoolSizes(t *testing.T) {
	for _, n := range []int{1, 64, 100, 64 << 10} {
		p := arena.NewArenaPool(n, 0)
		p.Do(func(a *arena.Arena) {
			a.AllocBytes(100 * n)
			for range 50 {
				*arena.New[string](a) = fmt.Sprint(n)
			}
		})
		a := p.Get()
		if st := a.Stats(); st.RetainedBytes > 11*n {
			t.Errorf("NewArenaPool(%d, 0) retains %d bytes", n, st.RetainedBytes)
		}
	}
}

// A zero pool initializes itself at its first use, whichever goroutine comes first and whatever was set
// before.
func TestZeroPool(t *testing.T) {
	var p, told arena.ArenaPool
	if got, want := p.Stats(), arena.NewAutoPool(0).Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	told.SetMaxIdleBytes(0)
	told.SetLimit(1<<20, 0)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				p.Do(func(a *arena.Arena) { a.AllocBytes(20 << 10) })
			}
			told.Do(func(a *arena.Arena) {
				defer func() {
					if _, ok := recover().(*arena.LimitError); !ok {
						t.Error("what was set before the first Get holds nothing")
					}
				}()
				a.AllocBytes(2 << 20)
			})
		})
	}
	wg.Wait()
	if st := p.Stats(); st.Gets != 400 || st.Puts != 400 || !check.On && st.ChunkSize < 10<<10 {
		t.Errorf("400 requests of 20 KB: %+v", st)
	}
}
