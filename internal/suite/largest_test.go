package suite

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
)

// Limits are chosen by LargestArena, so it must include forks. Otherwise a limit of twice its value refuses
// the same request again.
func TestLargestArenaCountsForks(t *testing.T) {
	cycle := func(p *arena.ArenaPool, run func(wg *sync.WaitGroup, f func())) *arena.LimitError {
		return refused(t, func() {
			p.Do(func(a *arena.Arena) {
				var wg sync.WaitGroup
				var mu sync.Mutex
				var over any
				for range 10 {
					f := a.Fork()
					run(&wg, func() {
						defer func() {
							if v := recover(); v != nil {
								mu.Lock()
								over = v
								mu.Unlock()
							}
						}()
						for range 1000 {
							f.AllocBytes(1000)
							arena.New[textPair](f)
						}
					})
				}
				if wg.Wait(); over != nil {
					panic(over)
				}
			})
		})
	}
	together := (*sync.WaitGroup).Go
	inTurn := func(_ *sync.WaitGroup, f func()) { f() }
	p := arena.NewArenaPool(64<<10, 0)
	cycle(p, together)
	n := p.Stats().LargestArena
	if n < 10_000_000 || n > p.Stats().HighWater {
		t.Fatalf("%+v", p.Stats())
	}
	for _, tt := range []struct {
		limit int
		run   func(wg *sync.WaitGroup, f func())
	}{
		{n, inTurn},
		{n + n/64, together}, // forks that race for the rest of a limit get small chunks and waste their ends
		{2 * n, together},
	} {
		p := arena.NewArenaPool(64<<10, 0)
		p.SetLimit(tt.limit, 0)
		if over := cycle(p, tt.run); over != nil || p.Stats().LargestArena > tt.limit {
			t.Errorf("a cycle of %d bytes with a limit of %d: %v, %+v", n, tt.limit, over, p.Stats())
		}
	}
}

// randomCycle allocates values, growing slices, Buffers and Maps, in the arena and in nested forks, which it
// also resets. The seed determines all of it.
func randomCycle(a *arena.Arena, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	kinds := rnd.IntN(128) // each cycle uses only some kinds of operations
	all := []*arena.Arena{a}
	if kinds&1 != 0 {
		for range rnd.IntN(6) {
			all = append(all, all[rnd.IntN(len(all))].Fork())
		}
	}
	var ints, grown [4][]int
	var ptrs [4][]*int
	buf, index := arena.NewBuffer(a, 0), arena.NewMap[int, *int](a, 0)
	most := 1 << rnd.IntN(12)
	for range rnd.IntN(1 << rnd.IntN(11)) {
		f, i := all[rnd.IntN(len(all))], rnd.IntN(4)
		size := 1 + rnd.IntN(most)
		if kinds&2 != 0 {
			size = most
		}
		switch rnd.IntN(8) {
		case 0:
			f.AllocBytes(size)
		case 1:
			f.AllocString(strings.Repeat("x", size))
		case 2:
			arena.New[textPair](f)
			arena.MakeSlice[*int](f, size/8, size/8)
		case 3:
			if kinds&4 != 0 {
				ints[i] = arena.Append(a, ints[i], make([]int, size/8)...)
			}
		case 4:
			if kinds&8 != 0 {
				ptrs[i] = arena.Append(a, ptrs[i], make([]*int, size/8)...)
			}
		case 5:
			if kinds&16 != 0 {
				grown[0] = arena.Append(a, grown[0], make([]int, size/8)...)
			}
		case 6:
			if kinds&32 != 0 {
				buf.WriteString(strings.Repeat("y", size))
			}
		case 7:
			if kinds&64 != 0 {
				index.Set(size, arena.New[int](a))
			}
		}
	}
}

// A limit of three times LargestArena refuses none of the measured requests, although below a limit values
// are placed differently and slices move more often.
func TestLimitOfThreeTimesTheLargestArena(t *testing.T) {
	programs := uint64(300)
	if testing.Short() {
		programs = 80
	}
	for program := range programs {
		run := func(limit int) (largest int, over *arena.LimitError) {
			p := arena.NewArenaPool(64<<(program%11), 1<<20)
			p.SetLimit(limit, 0)
			over = refused(t, func() {
				for cycle := range 1 + program%5 {
					p.Do(func(a *arena.Arena) { randomCycle(a, program<<8+cycle) })
				}
			})
			return p.Stats().LargestArena, over
		}
		n, _ := run(0)
		if largest, over := run(3 * n); over != nil || largest > 3*n {
			t.Errorf("program %d, of %d bytes: %v, with a limit %d bytes", program, n, over, largest)
		}
	}
}
