package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// need is the number of bytes that a request allocates: without pointers, of a type with pointers, and of
// another such type.
type need [3]int

// All kinds have objects of one size, so that byte counts are comparable.
type (
	flatThing  [32]byte
	tracedPair struct{ a, b string }
	rareThing  struct {
		p *int
		_ [3]uint64
	}
)

const thing = 32 // bytes of each on 64-bit platforms

// cycleSubject runs requests.
type cycleSubject interface {
	live(n need)
	end() (kept, spare int) // bytes of chunks kept after the request, and bytes kept by the pool
}

func fill(a *arena.Arena, n need) {
	for range n[0] / thing {
		arena.New[flatThing](a)
	}
	for range n[1] / thing {
		arena.New[tracedPair](a)
	}
	for range n[2] / thing {
		arena.New[rareThing](a)
	}
}

type cycleArena struct{ a *arena.Arena }

func (s *cycleArena) live(n need) { fill(s.a, n) }
func (s *cycleArena) end() (kept, spare int) {
	s.a.Reset()
	return s.a.Stats().RetainedBytes, 0
}

type cyclePool struct {
	p *arena.ArenaPool
	a *arena.Arena
}

func (s *cyclePool) live(n need) {
	s.a = s.p.Get()
	fill(s.a, n)
}

func (s *cyclePool) end() (kept, spare int) {
	s.p.Put(s.a)
	s.a = nil
	st := s.p.Stats()
	return st.RetainedBytes - st.SpareBytes, st.SpareBytes
}

// recently is the number of cycles after a rare giant, or a change of load, during which an arena may hold
// memory for the earlier load.
const recently = 500

const (
	seqChunk    = 64 << 10
	seqRetained = 10 * seqChunk
)

type cycleSequence struct {
	name  string
	count int
	cold  bool // also count the first requests
	bytes func(i int) int
	rare  func(i int) int
}

// cycleSequences returns sequences of request sizes.
func cycleSequences() []cycleSequence {
	constant := func(n int) func(int) int { return func(int) int { return n } }
	giant := func(k, small, large int) func(int) int {
		return func(i int) int {
			if i%k == k-1 {
				return large
			}
			return small
		}
	}
	logNormal := func(median, sigma float64) func(int) int {
		r := rand.New(rand.NewPCG(1, 2))
		var drawn []int
		return func(i int) int {
			for len(drawn) <= i {
				drawn = append(drawn, int(median*math.Exp(sigma*r.NormFloat64())))
			}
			return drawn[i]
		}
	}
	all := []cycleSequence{
		{name: "constant 1 KB", count: 900, bytes: constant(1 << 10)},
		{name: "constant 20 KB", count: 900, bytes: constant(20 << 10)},
		{name: "constant 100 KB", count: 900, bytes: constant(100 << 10)},
		{name: "constant 600 KB", count: 900, bytes: constant(600 << 10)},
		{name: "constant 700 KB", count: 900, bytes: constant(700 << 10)},
		{name: "constant 3 MB", count: 900, bytes: constant(3 << 20)},
		{name: "growing", count: 800, cold: true, bytes: func(i int) int { return int(20_000 * math.Pow(1.004, float64(i))) }},
		{name: "growing beyond", count: 500, cold: true, bytes: func(i int) int { return int(20_000 * math.Pow(1.01, float64(i))) }},
		{name: "small and large", count: 900, bytes: giant(2, 1<<10, 500<<10)},
		{name: "small and huge", count: 900, bytes: giant(2, 1<<10, 2<<20)},
		{name: "log-normal", count: 2000, bytes: logNormal(50_000, 0.7)},
		{name: "log-normal at the limit", count: 2000, bytes: logNormal(500_000, 0.4)},
		{name: "a type in 1 of 100", count: 1000, bytes: constant(20 << 10), rare: giant(100, 0, 60<<10)},
	}
	for _, k := range []int{2, 10, 63, 64, 65, 1000} {
		all = append(all,
			cycleSequence{name: fmt.Sprintf("a giant in %d", k), count: 400 + 3*max(k, 200), bytes: giant(k, 5<<10, 400<<10)},
			cycleSequence{name: fmt.Sprintf("a giant of 3 MB in %d", k), count: 400 + 3*max(k, 200), bytes: giant(k, 5<<10, 3<<20)},
		)
	}
	return all
}

// The promise about idle memory, for any sequence of cycles: it is at most maxRetained and at most 4 times
// the mean need, where the mean counts as at least the chunk size. An arena without a pool may also hold 1.25
// times the need of the largest of the last 500 cycles. When warm, at most 10 percent of the need comes from
// the heap, plus what exceeds maxRetained.
func TestCycleSequences(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan || math.MaxInt>>40 == 0 {
		t.Skip("instrumentation allocates, and a sync.Pool drops arenas; on 32 bits the things have other sizes")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // otherwise an arena may be cached at another processor

	limited := func(p *arena.ArenaPool) *arena.ArenaPool {
		p.SetLimit(2*seqRetained, 0)
		return p
	}
	limitedArena := arena.NewArena(seqChunk, 0)
	subjects := []struct {
		name  string
		make  func() cycleSubject
		kinds []int
		least need
		most  int // maximum bytes of a request, or 0 for any
	}{
		{"Arena", func() cycleSubject { return &cycleArena{arena.NewArena(seqChunk, 0)} }, []int{0, 1}, need{seqChunk, 512, 512}, 0},
		{"ArenaPool", func() cycleSubject { return &cyclePool{p: arena.NewArenaPool(seqChunk, 0)} }, []int{0, 1}, need{seqChunk, 512, 512}, 0},
		{"AutoPool", func() cycleSubject { return &cyclePool{p: arena.NewAutoPool(0)} }, []int{0, 1}, need{4 << 10, 512, 512}, 0},
		{"Arena with a limit", func() cycleSubject {
			limitedArena = arena.NewArena(seqChunk, 0)
			limitedArena.SetLimit(2 * seqRetained)
			return &cycleArena{limitedArena}
		}, []int{0, 1}, need{seqChunk, 512, 512}, 2 * seqRetained},
		{"ArenaPool with a limit", func() cycleSubject { return &cyclePool{p: limited(arena.NewArenaPool(seqChunk, 0))} }, []int{0, 1}, need{seqChunk, 512, 512}, 2 * seqRetained},
	}
	for _, seq := range cycleSequences() {
		for _, s := range subjects {
			for _, kind := range s.kinds {
				cycles := make([]need, seq.count)
				most, all := 0, 0
				for i := range cycles {
					cycles[i][kind] = seq.bytes(i) / thing * thing
					all += cycles[i][kind]
					if seq.rare != nil {
						cycles[i][2] = seq.rare(i)
					}
					most = max(most, cycles[i][kind])
				}
				if s.most != 0 && most > s.most*3/4 || seq.rare != nil && s.least[2] == 0 {
					continue
				}
				if testing.Short() && all > 256<<20 {
					continue // nine tenths of the work, and 80 s on emulated processors
				}
				t.Run(fmt.Sprintf("%s/%s/%d", seq.name, s.name, kind), func(t *testing.T) {
					from := 400 // by then all rules have settled
					if seq.cold {
						from = 0
					}
					runSequence(t, s.make(), cycles, from, s.least)
				})
			}
		}
	}
}

func runSequence(t *testing.T, s cycleSubject, cycles []need, from int, least need) {
	var before, after runtime.MemStats
	_, pooled := s.(*cyclePool)
	kept, used, above, since, mean := 0, 0, 0, 0, 0
	idle := make([]int, len(cycles))
	for i, n := range cycles {
		if i == from {
			runtime.ReadMemStats(&before)
		}
		s.live(n)
		now, cached := s.end()
		if now > seqRetained {
			t.Fatalf("cycle %d of %v: %d bytes kept, more than maxRetained", i, n, now)
		}
		idle[i] = now
		sum := n[0] + n[1] + n[2]
		if since += sum; since > 256<<20 {
			runtime.GC()
			since = 0
		}
		for k := range n {
			if n[k] != 0 {
				mean += max(n[k], least[k])
			}
		}
		if pooled && cached > 4*seqRetained {
			t.Fatalf("cycle %d of %v: the pool keeps %d bytes", i, n, cached)
		}
		if i >= from {
			kept += now
			used += sum
			above += max(0, sum-seqRetained)
		}
	}
	runtime.ReadMemStats(&after)
	taken := int(after.TotalAlloc - before.TotalAlloc)
	n := len(cycles) - from
	mean /= len(cycles)
	t.Logf("a cycle of %d bytes takes %.3f of that from the heap, %.3f are above maxRetained; an idle arena holds %.2f of the mean need", used/n, float64(taken)/float64(used), float64(above)/float64(used), float64(kept)/float64(n)/float64(mean))
	// noise covers the allocations of the test itself and of the runtime.
	if noise := 8<<10 + 16*n; taken > used/10+above*13/10+noise {
		t.Errorf("a cycle takes %d bytes of the heap, %d would do", taken/n, above/n)
	}
	for i := from; i < len(cycles); i++ {
		most := 4 * mean
		if !pooled {
			largest := 0
			for _, n := range cycles[max(0, i-recently) : i+1] {
				largest = max(largest, n[0]+n[1]+n[2])
			}
			most += largest * 5 / 4
		}
		if idle[i] > most {
			t.Fatalf("cycle %d: %d bytes are held, %.2f times the mean need", i, idle[i], float64(idle[i])/float64(mean))
		}
	}
}
