package suite

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// An arena without a pool shares one cache with its forks. Chunks that a limit evicts from it must be counted once, or
// the arena and its forks together exceed the limit.

// fillUp allocates slices of up to most bytes from random arenas until the limit has refused 8 of them.
func fillUp(r *rand.Rand, most int, arenas ...*arena.Arena) {
	for refused := 0; refused < 8; {
		a, n := arenas[r.IntN(len(arenas))], 1+r.IntN(most)
		if caught(func() {
			if r.IntN(2) == 0 {
				arena.MakeSlice[byte](a, n, n)
			} else {
				arena.MakeSlice[*int](a, n/8, n/8)
			}
		}) != nil {
			refused++
		}
	}
}

func caught(f func()) (e any) {
	defer func() { e = recover() }()
	f()
	return nil
}

// heldBy returns the total bytes held by the arenas.
func heldBy(arenas ...*arena.Arena) (held int) {
	for _, a := range arenas {
		held += a.Stats().RetainedBytes
	}
	return held
}

func TestForksCountTheirCacheOnce(t *testing.T) {
	if check.On {
		t.Skip("builds with checks cache nothing")
	}
	const limit = 256 << 10
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := arena.NewArena(1024, 1<<20)
		a.SetLimit(limit)
		for cycle := range 40 {
			arenas := []*arena.Arena{a}
			for range r.IntN(4) {
				arenas = append(arenas, a.Fork())
			}
			fillUp(r, 1<<(8+r.IntN(8)), arenas...)
			if held := heldBy(arenas...); held > limit {
				t.Fatalf("seed %d, cycle %d: %d bytes under a limit of %d", seed, cycle, held, limit)
			}
			a.Reset()
		}
	}
}

func TestForksDropTheirCacheAtOnce(t *testing.T) {
	if check.On {
		t.Skip("builds with checks cache nothing")
	}
	const limit = 256 << 10
	a := arena.NewArena(1024, 1<<20)
	a.SetLimit(limit)
	for cycle := range uint64(1000) {
		arenas := []*arena.Arena{a}
		var done sync.WaitGroup
		for i := range uint64(3) {
			f := a.Fork()
			arenas = append(arenas, f)
			done.Go(func() {
				r := rand.New(rand.NewPCG(cycle, i))
				for range 3 {
					fillUp(r, 16<<10, f)
					f.Reset()
				}
				fillUp(r, 16<<10, f)
			})
		}
		done.Wait()
		if held := heldBy(arenas...); held > limit {
			t.Fatalf("cycle %d: %d bytes under a limit of %d", cycle, held, limit)
		}
		a.Reset()
	}
}
