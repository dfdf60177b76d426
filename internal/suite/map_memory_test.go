package suite

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Deleted entries are not kept alive by the table, by smaller tables that it outgrew, or by a table that was
// being walked.
func TestMapPinsNothing(t *testing.T) {
	type big struct {
		_ [64]byte
		p *int
	}
	a := arena.NewArena(4096, 0)
	for _, way := range []string{"Delete", "Delete after growth", "Clear", "growth after a walk", "growth in a walk", "growth in two walks", "growth in a walk that panics", "Clear after growth in a walk", "same size"} {
		m := arena.NewMap[*big, *big](a, 0)
		var keys []*big
		var gone []weak.Pointer[big]
		grow := func(n int) {
			for range n {
				k, v := new(big), new(big)
				keys = append(keys, k)
				gone = append(gone, weak.Make(k), weak.Make(v))
				m.Set(k, v)
			}
		}
		deleteAll := func() {
			for _, k := range keys {
				m.Delete(k)
			}
		}
		grow(20)
		switch way {
		case "Delete":
			deleteAll()
		case "Delete after growth":
			grow(100)
			deleteAll()
		case "Clear":
			m.Clear()
		case "growth after a walk":
			for range m.All() {
			}
			grow(100)
			deleteAll()
		case "growth in a walk":
			for range m.All() {
				grow(100)
				break
			}
			deleteAll()
		case "growth in two walks":
			for range m.All() {
				grow(100)
				for range m.All() {
					grow(300)
					for range m.All() {
						break
					}
					break
				}
				break
			}
			deleteAll()
		case "growth in a walk that panics":
			testkit.WantPanic(t, func() {
				for range m.All() {
					grow(100)
					panic("arena: out")
				}
			}, "arena: out")
			deleteAll()
		case "Clear after growth in a walk":
			for range m.All() {
				grow(100)
				m.Clear()
				grow(100)
			}
			m.Clear()
		case "same size":
			for range 100 {
				grow(10)
				for _, k := range keys[len(keys)-10:] {
					m.Delete(k)
				}
			}
			deleteAll()
		}
		clear(keys)
		testkit.Collect(3)
		left := 0
		for _, w := range gone {
			if w.Value() != nil {
				left++
			}
		}
		if left > 0 || m.Len() != 0 {
			t.Errorf("%s: %d of %d keys and values are kept, %d entries", way, left, len(gone), m.Len())
		}
		runtime.KeepAlive(m)
	}
}

// A warm arena provides all memory of a map of usual size.
func TestMapAllocatesNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || check.ASan {
		t.Skip("instrumentation allocates")
	}
	keys := make([]string, 300)
	for i := range keys {
		keys[i] = fmt.Sprint("key ", i)
	}
	pool := arena.NewArenaPool(4096, 1<<20)
	request := func() {
		a := pool.Get()
		texts, numbers := arena.NewMap[string, any](a, 0), arena.NewMap[int, int](a, 10)
		set := arena.NewMap[any, struct{}](a, 0)
		for i, k := range keys {
			texts.Set(k, nil)
			numbers.Set(i, i)
			set.Set(numberKeys[i], struct{}{})
		}
		sum := 0
		for i, v := range numbers.All() {
			if i%3 == 0 {
				numbers.Delete(i)
			}
			sum += v
		}
		for k := range texts.Keys() {
			for v := range texts.Values() {
				_ = v
				break
			}
			sum += len(k)
			texts.Set(k, numberKeys[0])
		}
		for i := range 100 {
			numbers.Set(-i, 1) // moves, also during a walk
			for range numbers.Keys() {
				numbers.Set(1000+i, 1)
				break
			}
		}
		if _, ok := set.Get(numberKeys[7]); !ok || sum == 0 {
			t.Error("an entry is missing")
		}
		set.Clear()
		pool.Put(a)
	}
	for range 200 {
		request()
	}
	if n := testing.AllocsPerRun(200, request); n > 0 {
		t.Errorf("%v allocations for each request", n)
	}
}

var numberKeys = func() (keys [300]any) {
	for i := range keys {
		keys[i] = i
	}
	return
}()

// Insertions and deletions in a map of constant size do not use more and more memory.
func TestMapChurnTakesTwoTables(t *testing.T) {
	a := arena.NewArena(4096, 0)
	m := arena.NewMap[int, int](a, 0)
	const live = 70 // of 112 entries in 16 groups, so they move often
	churn := func(from, to int) {
		for i := from; i < to; i++ {
			m.Set(i, i)
			m.Delete(i - live)
		}
	}
	churn(0, 10_000)
	used := a.Stats().UsedBytes
	churn(10_000, 200_000)
	if a.Stats().UsedBytes != used {
		t.Errorf("%d bytes, then %d", used, a.Stats().UsedBytes)
	}
	// No entry of a former table has come back, also if a table was walked when it moved.
	for i := 200_000; i < 201_000; {
		for range m.Keys() {
			churn(i, i+40)
			break
		}
		i += 40
		seen := 0
		for k, v := range m.All() {
			if seen++; k != v || k < i-live || k >= i {
				t.Fatalf("%d: %d, want %d to %d", k, v, i-live, i-1)
			}
		}
		for k := i - live; k < i; k++ {
			if v, ok := m.Get(k); v != k || !ok || seen != live {
				t.Fatalf("%d: %d, %t, in %d entries", k, v, ok, seen)
			}
		}
	}
	if m.Len() != live {
		t.Errorf("%d entries", m.Len())
	}
}

// A map that has grown uses memory in proportion to one made with its final size: the last table may be twice
// as large, and the former tables take a third of that.
func TestMapGrowthIsInProportion(t *testing.T) {
	for _, n := range []int{8, 9, 29, 100, 449, 1000, 2000, 50_000} {
		grown, hinted := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
		m := arena.NewMap[int, int](grown, 0)
		for i := range n {
			m.Set(i, i)
		}
		h := arena.NewMap[int, int](hinted, n)
		used := hinted.Stats().UsedBytes
		for i := range n {
			h.Set(i, i)
		}
		if hinted.Stats().UsedBytes != used {
			t.Errorf("%d entries: a map with a hint has grown from %d to %d bytes", n, used, hinted.Stats().UsedBytes)
		}
		if grown.Stats().UsedBytes > 27*used/10 {
			t.Errorf("%d entries take %d bytes, with a hint %d", n, grown.Stats().UsedBytes, used)
		}
	}
}
