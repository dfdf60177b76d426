package suite

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Many goroutines share a pool. The race detector and the contents show whether two ever share an arena, and
// the counters whether any was lost.
func TestPoolConcurrent(t *testing.T) {
	for name, p := range map[string]*arena.ArenaPool{"fixed": arena.NewArenaPool(512, 4096), "auto": arena.NewAutoPool(0)} {
		t.Run(name, func(t *testing.T) {
			const workers, cycles = 16, 100
			var wg sync.WaitGroup
			for w := range uint64(workers) {
				wg.Go(func() {
					for cycle := range uint64(cycles) {
						body := func(a *arena.Arena) {
							var texts []string
							var objects []*textPair
							for i := range 10 + cycle%20 {
								texts = arena.Append(a, texts, a.AllocString(testkit.HeapText(w+i)))
								x := arena.New[textPair](a)
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
						if cycle%2 == 0 {
							p.Do(body)
						} else {
							a := p.Get()
							body(a)
							p.Put(a)
						}
						if cycle%25 == 0 {
							p.Stats()
						}
						if w == 0 && cycle%40 == 7 {
							runtime.GC()
						}
					}
				})
			}
			wg.Wait()
			s := p.Stats()
			if s.Gets != workers*cycles || s.Puts != s.Gets || s.Leaked != 0 || s.Misses == 0 || s.Misses > s.Gets {
				t.Errorf("%+v, want %d Gets and Puts", s, workers*cycles)
			}
		})
	}
}

// An automatic pool learns the size of requests and is not misled by one outlier.
func TestAutoPoolLearns(t *testing.T) {
	p := arena.NewAutoPool(1 << 20)
	start := p.Stats().ChunkSize
	request := func(n int) func(a *arena.Arena) {
		return func(a *arena.Arena) {
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
	var arenas []*arena.Arena
	for range 20 {
		arenas = append(arenas, p.Get())
		request(90 << 10)(arenas[len(arenas)-1])
	}
	fresh := arenas[len(arenas)-1].Stats()
	if !check.On && !check.Race && (fresh.Resets != 0 || fresh.Chunks != 1) { // checked builds begin with small chunks; under the race detector a sync.Pool drops some values
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
	// Never more than maxRetained.
	q := arena.NewAutoPool(50 << 10)
	for range 300 {
		q.Do(request(1 << 20))
	}
	if got := q.Stats().ChunkSize; got > 50<<10 {
		t.Errorf("ChunkSize = %d with maxRetained %d", got, 50<<10)
	}
	q.Do(func(a *arena.Arena) {
		if got := a.Stats().RetainedBytes; got > 50<<10 {
			t.Errorf("RetainedBytes = %d with maxRetained %d", got, 50<<10)
		}
	})
	for _, n := range []int{0, -1, math.MinInt} {
		r := arena.NewAutoPool(n)
		r.Do(request(1 << 20))
		if got := r.Get().Stats().RetainedBytes; got > 700<<10 {
			t.Errorf("arena.NewAutoPool(%d) retains %d bytes", n, got)
		}
	}
}

// A Get without a Put causes no error, so it must be counted.
func TestPoolLeaked(t *testing.T) {
	for name, p := range map[string]*arena.ArenaPool{"fixed": arena.NewArenaPool(256, 0), "auto": arena.NewAutoPool(0)} {
		var held *string
		for i := range 5 {
			a := p.Get()
			s := arena.New[string](a)
			*s = testkit.HeapText(uint64(i))
			if i == 0 {
				held = s // a reachable object does not make it less of a leak
			}
		}
		p.Put(p.Get())
		p.Do(func(a *arena.Arena) { arena.New[string](a) })
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

// One client's large request must not increase the initial memory of other requests, and so must not cause
// refusals by the pool's total.
func TestAutoPoolAndOneLargeRequest(t *testing.T) {
	testkit.NeedsReuse(t)
	const others = 1000
	small := func(a *arena.Arena) { a.AllocString("x") }
	held := func(p *arena.ArenaPool) int {
		out := make([]*arena.Arena, others)
		for i := range out {
			out[i] = p.Get()
			small(out[i])
		}
		n := p.Stats().InUseBytes
		if over := refused(t, func() { p.Do(func(a *arena.Arena) { a.AllocBytes(500_000) }) }); over != nil {
			t.Errorf("with %d requests of one string under way: %v", others, over)
		}
		for _, a := range out {
			p.Put(a)
		}
		return n
	}
	for _, before := range []int{0, 1, 2, 10, 1000} {
		usual, hostile := 0, 0
		for _, large := range []bool{false, true} {
			p := arena.NewAutoPool(0)
			p.SetLimit(8<<20, 256<<20)
			for range before {
				p.Do(small)
			}
			if large {
				a := p.Get()
				a.AllocBytes(600_000)
				p.Put(a)
				hostile = held(p) - 655_360 // memory kept by the arena that served it
			} else {
				usual = held(p)
			}
		}
		if hostile > 2*usual {
			t.Errorf("after %d requests of one string, %d more hold %d bytes, and %d if one of 600000 bytes came before", before, others, usual, hostile)
		}
	}
}

// Allocations from an arena after its Put must not reduce the pool's total permanently.
func TestPoolTotalSurvivesUseAfterPut(t *testing.T) {
	if check.On {
		t.Skip("it is reported")
	}
	p := arena.NewArenaPool(1000, 0)
	p.SetLimit(0, 1<<16)
	for i := range 40 {
		a := p.Get()
		p.Put(a)
		arena.New[textPair](a)
		arena.MakeSlice[*int](a, 10*i, 10*i)
	}
	a := p.Get()
	a.Release()
	if over := refused(t, func() { a.AllocBytes(1 << 16) }); over != nil {
		t.Error(over)
	}
	p.Put(a)
}

// Memory that a rewind freed counts as used by the request. Requests that use nothing do not count.
func TestAutoPoolLearnsFromRewoundCycles(t *testing.T) {
	p := arena.NewAutoPool(0)
	for range 200 {
		p.Do(func(a *arena.Arena) {})
	}
	if got := p.Stats().ChunkSize; got != 4096 {
		t.Errorf("ChunkSize = %d after requests that used nothing", got)
	}
	for range 500 { // one request in 64 is sampled
		p.Do(func(a *arena.Arena) {
			m := a.Mark()
			a.AllocBytes(50_000)
			a.Rewind(m)
		})
	}
	if got := p.Stats().ChunkSize; got < 50_000 || got > 75_000 {
		t.Errorf("ChunkSize = %d after requests that had 50000 bytes in use", got)
	}
}
