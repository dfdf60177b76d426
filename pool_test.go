package arena

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// An arena from a pool is empty and its memory zero, whoever had it before:
// otherwise one request reads another's data.
func TestPoolHandsOutEmptyArenas(t *testing.T) {
	type kinds struct {
		n     int
		text  string
		iface any
		next  *kinds
		table map[string]int
	}
	for name, p := range map[string]*ArenaPool{"fixed": NewArenaPool(1024, 0), "auto": NewAutoPool(0)} {
		for life := range 50 {
			a := p.Get()
			if a.UsedBytes() != 0 {
				t.Fatalf("%s, life %d: UsedBytes = %d", name, life, a.UsedBytes())
			}
			for i := range 40 {
				b, x := a.AllocBytes(i*7), New[kinds](a)
				s := MakeSlice[string](a, i, 2*i)[:2*i]
				if !testkit.AllZero(b) || x.n != 0 || x.text != "" || x.iface != nil || x.next != nil || x.table != nil {
					t.Fatalf("%s, life %d: memory is not zero", name, life)
				}
				for j := range s {
					if s[j] != "" {
						t.Fatalf("%s, life %d: slice is not zero", name, life)
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

// Each of these is an arena that two requests would share from then on.
func TestPoolMisusePanics(t *testing.T) {
	for name, p := range map[string]*ArenaPool{"fixed": NewArenaPool(1024, 0), "auto": NewAutoPool(0)} {
		t.Run(name, func(t *testing.T) {
			other := NewArenaPool(1024, 0)
			before := p.Stats()
			p.Put(nil)
			if p.Stats() != before {
				t.Errorf("Put(nil) counts: %+v, was %+v", p.Stats(), before)
			}
			a := p.Get()
			*New[string](a) = "kept"
			used := a.UsedBytes()
			testkit.WantPanic(t, func() { other.Put(a) }, "Put", "another pool")
			own := NewArena(64, 0)
			own.AllocBytes(10)
			testkit.WantPanic(t, func() { p.Put(own) }, "Put", "pool")
			if a.UsedBytes() != used || own.UsedBytes() != 16 {
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

// Two goroutines that put the same arena are the same mistake, made at once:
// one of them must hear of it, or the pool has the arena twice.
func TestPoolConcurrentDoublePut(t *testing.T) {
	p := NewArenaPool(256, 0)
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

// An arena that a panic leaves outside is lost to the pool, and with it what
// the pool is for.
func TestPoolDo(t *testing.T) {
	p := NewArenaPool(1024, 0)
	var in *Arena
	p.Do(func(a *Arena) {
		in = a
		a.AllocBytes(10)
	})
	if s := p.Stats(); s.Gets != 1 || s.Puts != 1 || in.UsedBytes() != 0 {
		t.Errorf("after Do: %+v, %d bytes used", s, in.UsedBytes())
	}
	func() {
		defer func() {
			if got := recover(); got != "own panic" {
				t.Errorf("recovered %v", got)
			}
		}()
		p.Do(func(a *Arena) {
			in = a
			a.AllocBytes(10)
			panic("own panic")
		})
	}()
	if s := p.Stats(); s.Gets != 2 || s.Puts != 2 || in.UsedBytes() != 0 {
		t.Errorf("after a panic in Do: %+v, %d bytes used", s, in.UsedBytes())
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Do(func(a *Arena) { runtime.Goexit() })
	}()
	<-done
	if s := p.Stats(); s.Gets != 3 || s.Puts != 3 {
		t.Errorf("after Goexit in Do: %+v", s)
	}
}

// Many goroutines share a pool: the race detector and the contents show
// whether two ever share an arena, and the counts whether any got lost.
func TestPoolConcurrent(t *testing.T) {
	for name, p := range map[string]*ArenaPool{"fixed": NewArenaPool(512, 4096), "auto": NewAutoPool(0)} {
		t.Run(name, func(t *testing.T) {
			const workers, lives = 16, 100
			var wg sync.WaitGroup
			for w := range uint64(workers) {
				wg.Go(func() {
					for life := range uint64(lives) {
						body := func(a *Arena) {
							var texts []string
							var objects []*textPair
							for i := range 10 + life%20 {
								texts = Append(a, texts, a.AllocString(testkit.HeapText(w+i)))
								x := New[textPair](a)
								if *x != (textPair{}) {
									t.Errorf("not zero: %+v", *x)
								}
								x.a = testkit.HeapText(w * i)
								objects = append(objects, x)
								if i%8 == 0 {
									runtime.Gosched()
								}
							}
							for i, x := range objects {
								if texts[i] != testkit.HeapText(w+uint64(i)) || x.a != testkit.HeapText(w*uint64(i)) {
									t.Errorf("%q, %q", texts[i], x.a)
								}
							}
						}
						if life%2 == 0 {
							p.Do(body)
						} else {
							a := p.Get()
							body(a)
							p.Put(a)
						}
						if life%25 == 0 {
							p.Stats()
						}
						if w == 0 && life%40 == 7 {
							runtime.GC()
						}
					}
				})
			}
			wg.Wait()
			s := p.Stats()
			if s.Gets != workers*lives || s.Puts != s.Gets || s.Leaked != 0 || s.Misses == 0 || s.Misses > s.Gets {
				t.Errorf("%+v, want %d Gets and Puts", s, workers*lives)
			}
		})
	}
}

// Stats must add up while arenas are out, and after the pool dropped idle
// ones: an operator looks for a leak with them.
func TestPoolStats(t *testing.T) {
	p := NewArenaPool(777, 0)
	if s := p.Stats(); s.Gets != 0 || s.Puts != 0 || s.Misses != 0 || s.Leaked != 0 || s.ChunkSize != 777 {
		t.Errorf("new pool: %+v", s)
	}
	var out []*Arena
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

// A Get without a Put is a bug that costs memory and speed but no error; the
// count is the only way to see it.
func TestPoolLeaked(t *testing.T) {
	for name, p := range map[string]*ArenaPool{"fixed": NewArenaPool(256, 0), "auto": NewAutoPool(0)} {
		var held *string
		for i := range 5 {
			a := p.Get()
			s := New[string](a)
			*s = testkit.HeapText(uint64(i))
			if i == 0 {
				held = s // an object that lives on does not make it less of a leak
			}
		}
		p.Put(p.Get())
		p.Do(func(a *Arena) { New[string](a) })
		for range 500 {
			if runtime.GC(); p.Stats().Leaked == 5 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if s := p.Stats(); s.Leaked != 5 || s.Gets != 7 || s.Puts != 2 {
			t.Errorf("%s: %+v, want 5 leaked of 7 Gets", name, s)
		}
		if *held != testkit.HeapText(0) {
			t.Errorf("%s: %q", name, *held)
		}
	}
}

// An automatic pool that does not learn gives every new arena a dozen chunks
// in turn; one that learns from a single outlier, or never forgets, holds far
// too much.
func TestAutoPoolLearns(t *testing.T) {
	p := NewAutoPool(1 << 20)
	start := p.Stats().ChunkSize
	request := func(n int) func(a *Arena) {
		return func(a *Arena) {
			for range n / 100 {
				a.AllocBytes(96)
			}
		}
	}
	for range 300 {
		p.Do(request(100 << 10))
	}
	learned := p.Stats().ChunkSize
	if learned < 96<<10 || learned > 200<<10 {
		t.Errorf("ChunkSize = %d after requests of 100 KB, %d before", learned, start)
	}
	// A new arena takes one chunk, not many.
	var arenas []*Arena
	for range 20 {
		arenas = append(arenas, p.Get())
		request(90 << 10)(arenas[len(arenas)-1])
	}
	fresh := arenas[len(arenas)-1].Stats()
	if !check.On && (fresh.Resets != 0 || fresh.Chunks != 1) { // the checks begin small
		t.Errorf("a new arena of the pool: %+v, want one chunk", fresh)
	}
	for _, a := range arenas {
		p.Put(a)
	}
	// Small requests from now on.
	for range 64 * 100 {
		p.Do(request(2000))
	}
	if got := p.Stats().ChunkSize; got > 16<<10 {
		t.Errorf("ChunkSize = %d after many requests of 2 KB", got)
	}
	// Never beyond what may be kept.
	q := NewAutoPool(50 << 10)
	for range 300 {
		q.Do(request(1 << 20))
	}
	if got := q.Stats().ChunkSize; got > 50<<10 {
		t.Errorf("ChunkSize = %d with maxRetained %d", got, 50<<10)
	}
	q.Do(func(a *Arena) {
		if got := a.Stats().RetainedBytes; got > 50<<10 {
			t.Errorf("RetainedBytes = %d with maxRetained %d", got, 50<<10)
		}
	})
	for _, n := range []int{0, -1, math.MinInt} {
		r := NewAutoPool(n)
		r.Do(request(1 << 20))
		if got := r.Get().Stats().RetainedBytes; got > 700<<10 {
			t.Errorf("NewAutoPool(%d) retains %d bytes", n, got)
		}
	}
}

// Arenas that served large requests long ago lie idle, to be used again or
// collected at any time. If either raised what the pool has learned since, new
// arenas would be as large as then, by an accident of timing.
func TestAutoPoolTakesNoOldNews(t *testing.T) {
	p := NewAutoPool(1 << 20)
	old := p.Get()
	old.AllocBytes(100 << 10)
	p.Put(old)
	if got := p.Stats().ChunkSize; got < 100<<10 {
		t.Fatalf("ChunkSize = %d after a request of 100 KB", got)
	}
	const learned = 4 << 10
	p.hint.Store(learned)        // as after many windows of small requests
	p.learn(old, machine.Window) // as after 63 lives more
	if got := p.Stats().ChunkSize; got > learned {
		t.Errorf("ChunkSize = %d after an arena of long ago was used again, %d before", got, learned)
	}
	p.close(old.owner.account)
	if got := p.Stats().ChunkSize; got > learned {
		t.Errorf("ChunkSize = %d after an arena of long ago was collected, %d before", got, learned)
	}
	runtime.KeepAlive(old) // or its own end might come first
}

// A pool's chunk size, however small, must work, and bound what is kept: ten
// chunks unless the caller says otherwise.
func TestPoolSizes(t *testing.T) {
	for _, n := range []int{1, 64, 100, 64 << 10} {
		p := NewArenaPool(n, 0)
		p.Do(func(a *Arena) {
			a.AllocBytes(100 * n)
			for range 50 {
				*New[string](a) = fmt.Sprint(n)
			}
		})
		a := p.Get()
		if st := a.Stats(); st.RetainedBytes > 11*n {
			t.Errorf("NewArenaPool(%d, 0) retains %d bytes", n, st.RetainedBytes)
		}
	}
}

// A pool that was not made must say so, every time: the first panic may not
// leave it locked.
func TestZeroPoolSaysSo(t *testing.T) {
	var p ArenaPool
	for range 2 {
		testkit.WantPanic(t, func() { p.Get() }, "zero ArenaPool", "NewArenaPool")
	}
	testkit.WantPanic(t, func() { New[int](new(Arena)) }, "NewArena")
	testkit.WantPanic(t, func() { new(Arena).AllocString("x") }, "NewArena")
}
