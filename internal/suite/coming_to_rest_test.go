package suite

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// cycleOp is a group of allocations.
type cycleOp struct{ what, n int }

// anyCycle returns a random request of up to most bytes: values and slices, small and large, of three kinds,
// in any order.
func anyCycle(r *rand.Rand, most int) (ops []cycleOp) {
	for left := 1 + r.IntN(most); left > 0; {
		n := 1 + r.IntN(1+left>>r.IntN(12))
		ops = append(ops, cycleOp{r.IntN(7), n})
		left -= n + 32
	}
	return ops
}

func lead(a *arena.Arena, ops []cycleOp) {
	for _, op := range ops {
		switch op.what {
		case 0:
			arena.New[flatThing](a)
		case 1:
			arena.New[tracedPair](a)
		case 2:
			arena.New[rareThing](a)
		case 3:
			arena.MakeSlice[uint64](a, op.n/8, op.n/8)
		case 4:
			arena.MakeSlice[tracedPair](a, op.n/32, op.n/32)
		case 5:
			arena.MakeSlice[rareThing](a, op.n/32, op.n/32)
		case 6:
			a.AllocBytes(op.n)
		}
	}
}

// After any history, a repeated request, or a few requests in turn, must stop allocating chunks. If the rules
// for keeping and choosing chunks disagreed, one chunk would be dropped after each request and allocated
// again in the next.
func TestEqualCyclesComeToRest(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
	seeds := uint64(400)
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		chunk := 64 << r.IntN(12)
		a := arena.NewArena(chunk, 4<<20)
		for range r.IntN(100) {
			lead(a, anyCycle(r, 1<<(8+r.IntN(12))))
			a.Reset()
		}
		cycles := make([][]cycleOp, 1+r.IntN(4))
		pieces := 0
		for i := range cycles {
			cycles[i] = anyCycle(r, 1<<(8+r.IntN(12)))
			pieces += len(cycles[i])
		}
		again := func(n int) {
			for i := range n {
				lead(a, cycles[i%len(cycles)])
				a.Reset()
			}
		}
		again(8 * 64)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		again(200)
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > 40 { // includes allocations of the runtime
			t.Errorf("seed %d, chunk size %d: %d allocations, of %d bytes, in 200 cycles, %d by turns, of %d pieces",
				seed, chunk, n, after.TotalAlloc-before.TotalAlloc, len(cycles), pieces)
		}
	}
}
