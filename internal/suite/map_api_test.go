package suite

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// A nil arena means the heap, and a nil Map acts like a nil builtin map.
func TestMapNil(t *testing.T) {
	heap := arena.NewMap[string, int](nil, 100)
	for i := range 1000 {
		heap.Set(fmt.Sprint(i), i)
	}
	if v, ok := heap.Get("777"); v != 777 || !ok || heap.Len() != 1000 {
		t.Errorf("Get is %d, %t of %d", v, ok, heap.Len())
	}

	var none *arena.Map[any, int]
	if v, ok := none.Get(1); v != 0 || ok || none.Ptr(1) != nil || none.Delete(1) || none.Len() != 0 {
		t.Error("a nil Map has something")
	}
	none.Clear()
	for k, v := range none.All() {
		t.Error("a nil Map yields", k, v)
	}
	for k := range none.Keys() {
		t.Error("a nil Map yields", k)
	}
	for v := range none.Values() {
		t.Error("a nil Map yields", v)
	}
	testkit.WantPanic(t, func() { none.Set(1, 1) }, "arena: Map.Set", "map is nil")
}

func TestMapPanics(t *testing.T) {
	a := arena.NewArena(4096, 0)
	testkit.WantPanic(t, func() { arena.NewMap[string, int](a, -1) }, "arena: NewMap[", "-1")
	testkit.WantPanic(t, func() { arena.NewMap[string, int](a, int(^uint(0)>>1)) }, "arena: NewMap[", "more than can be allocated")
	testkit.WantPanic(t, func() { arena.NewMap[string, [1 << 20]int](nil, 1<<30) }, "arena: NewMap[", "more than can be allocated")
	testkit.WantPanic(t, func() { new(arena.Map[string, int]).Set("", 1) }, "arena: Map.Set[", "not made by NewMap")
	if used := a.Stats().UsedBytes; used > 512 {
		t.Errorf("maps that were not made take %d bytes", used)
	}
}

// Set stores the newer of two equal keys, as a builtin map does, because the older may refer to a buffer that
// should be freed.
func TestMapSetKeepsTheNewerKey(t *testing.T) {
	for _, n := range []int{1, 100} {
		m := arena.NewMap[float64, int](arena.NewArena(4096, 0), 0)
		for i := range n {
			m.Set(float64(i), i)
		}
		m.Set(math.Copysign(0, -1), -1)
		for k, v := range m.All() {
			if (k == 0) != math.Signbit(k) || (k == 0) != (v == -1) {
				t.Errorf("%d entries: %v: %d", n, k, v)
			}
		}
	}
}

// Keys that are not comparable panic as in a builtin map, whatever the map contains, and change nothing.
func TestMapUnhashable(t *testing.T) {
	type key struct {
		n int
		v any
	}
	builtin := func(k any) (err error) {
		defer func() { err = recover().(error) }()
		_ = map[any]int{1: 1}[k] // an empty map panics with other words
		return
	}
	for _, n := range []int{0, 1, 8, 9, 100} {
		m := arena.NewMap[key, int](arena.NewArena(4096, 0), 0)
		for i := range n {
			m.Set(key{i, i}, i)
		}
		for _, v := range []any{[]int{1}, map[int]int{}, func() {}, struct{ s []int }{}} {
			want := builtin(v)
			for name, f := range map[string]func(key){
				"Get": func(k key) { m.Get(k) }, "Ptr": func(k key) { m.Ptr(k) },
				"Delete": func(k key) { m.Delete(k) }, "Set": func(k key) { m.Set(k, -1) },
				"nil Get": func(k key) { (*arena.Map[key, int])(nil).Get(k) },
			} {
				func() {
					defer func() {
						err, _ := recover().(error)
						var re runtime.Error
						if !errors.As(err, &re) || err.Error() != want.Error() {
							t.Errorf("%d entries, %s(%T): %v, want %v", n, name, v, err, want)
						}
					}()
					f(key{1, v})
				}()
			}
		}
		if m.Len() != n {
			t.Errorf("%d entries, want %d", m.Len(), n)
		}
	}
}

// A Map that is refused memory is unchanged, whether it was for the Map, its first table, a later table, or
// the record of a walked table.
func TestMapLimit(t *testing.T) {
	refused := 0
	for limit := 64; limit < 60_000; limit += limit/16 + 1 {
		a := arena.NewArena(64, 0)
		a.SetLimit(limit)
		var m *arena.Map[string, int]
		n := 0
		fill := func(upTo int) {
			for ; n < upTo; n++ {
				m.Set(fmt.Sprint(n), n)
			}
		}
		err := catchLimit(func() {
			m = arena.NewMap[string, int](a, 0)
			fill(5)
			for range m.Keys() {
				fill(300)
			}
		})
		if err == nil {
			if n != 300 {
				t.Fatalf("limit %d: %d entries", limit, n)
			}
			continue
		}
		refused++
		if m == nil {
			continue
		}
		if m.Len() != n {
			t.Fatalf("limit %d: %d entries, want %d", limit, m.Len(), n)
		}
		if _, ok := m.Get(fmt.Sprint(n)); ok {
			t.Fatalf("limit %d: the entry that was refused is there", limit)
		}
		a.SetLimit(0)
		fill(400)
		for i := range 400 {
			if v, ok := m.Get(fmt.Sprint(i)); v != i || !ok {
				t.Fatalf("limit %d: Get(%d) is %d, %t", limit, i, v, ok)
			}
		}
	}
	if refused < 40 {
		t.Errorf("only %d limits were too low", refused)
	}
}

func catchLimit(f func()) (err *arena.LimitError) {
	defer func() {
		if p := recover(); p != nil {
			err = p.(*arena.LimitError)
		}
	}()
	f()
	return nil
}

// Each map and each walk has its own order, so that programs do not depend on one and clients cannot know
// which keys collide.
func TestMapOrders(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, n := range []int{8, 100} {
		orders := map[string]bool{}
		for range 20 {
			m := arena.NewMap[int, int](a, 0)
			for i := range n {
				m.Set(i, i)
			}
			orders[fmt.Sprint(slices.Collect(m.Keys()))] = true
			orders[fmt.Sprint(slices.Collect(m.Values()))] = true
		}
		if len(orders) < 7 {
			t.Errorf("%d orders of %d entries in 40 walks of 20 maps", len(orders), n)
		}
	}
}

// Goroutines may read a map concurrently, like a builtin map. The race detector must report nothing.
func TestMapManyReaders(t *testing.T) {
	m := arena.NewMap[string, int](arena.NewArena(4096, 0), 0)
	for i := range 100 {
		m.Set(fmt.Sprint(i), i)
	}
	done := make(chan int)
	for range 4 {
		go func() {
			sum := 0
			for k := range m.All() {
				v, _ := m.Get(k)
				sum += v + *m.Ptr(k)
			}
			done <- sum
		}()
	}
	for range 4 {
		if sum := <-done; sum != 9900 {
			t.Error(sum)
		}
	}
	m.Set("more", 1)
}

// Using a Map after Reset is detected if its memory was cleared. In no case does it hang or crash.
func TestMapAfterReset(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(4096, 1<<20)
	fill := func(n int) *arena.Map[int, int] {
		m := arena.NewMap[int, int](a, 0)
		for i := range n {
			m.Set(i, i)
		}
		return m
	}
	fill(500)
	a.Reset()
	m := fill(100)
	a.Reset()
	if v, ok := m.Get(1); v != 0 || ok || m.Len() != 0 {
		t.Errorf("Get is %d, %t", v, ok)
	}
	testkit.WantPanic(t, func() { m.Set(1, 1) }, "arena: Map.Set[", "not made by NewMap, or its arena was reset")

	// If a Map grew after a mark, its table is reused after Rewind.
	m = fill(5)
	mark := a.Mark()
	for i := range 100 {
		m.Set(i, i)
	}
	a.Rewind(mark)
	junk := arena.MakeSlice[uint64](a, 2000, 2000)
	for _, x := range []uint64{0, 1<<64 - 1, 0x0101010101010101, 0x8080808080808080, 0xe1d2c3b4a5968788} {
		for i := range junk {
			junk[i] = x
		}
		for i := range 300 {
			m.Get(i)
			m.Delete(i)
			m.Set(i, i)
		}
		for range m.All() {
		}
	}
}

// Panics of NewMap name the types of the program, and change nothing.
func TestNewMapPanicsNameTheTypes(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, a := range []*arena.Arena{a, nil} {
		for _, hint := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt / 16} {
			testkit.WantPanic(t, func() { arena.NewMap[string, map[int]error](a, hint) }, fmt.Sprintf("arena: NewMap[string, map[int]error](hint %d): ", hint))
		}
	}
	if used := a.Stats().UsedBytes; used != 0 {
		t.Errorf("%d bytes used", used)
	}
}
