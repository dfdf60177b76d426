package smallmap

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

type (
	name   string
	hidden struct {
		_    int8
		text string
		list []name
		n    uint16
		any  any
	}
	large struct{ words [16]uint64 }
)

// texts are names of few kinds, so that they come again: empty, short, long.
func texts(r *rand.Rand) string {
	n := r.IntN(16)
	return strings.Repeat("name ", n*n/2) + "0123456789abcdef"[:n]
}

// mapOf takes a map of k's type from s.
func mapOf[M any](s *Source, k *Maker) (m M, at xunsafe.Pointer) {
	at = s.Take(k)
	return *xunsafe.Cast[M](xunsafe.PointerTo(&at)), at
}

// makerOf is MakerOf in builds that have one for all types. Where the first of several bytes is the
// highest, the runtime has the slots' bytes in the other order.
func makerOf(t *testing.T, of reflect.Type) *Maker {
	k := MakerOf(of)
	if k == nil {
		if first := binary.NativeEndian.Uint16([]byte{1, 0}); first == 1 && !check.On && !machine.Portable && machine.LayoutOK {
			t.Fatalf("no %v is made by hand", of)
		}
		t.Skip("maps are left to the runtime")
	}
	return k
}

// areMaps has maps of V see what ordinary maps see, whose entries were placed and written.
func areMaps[K ~string, V any](t *testing.T, value func(i int) V) {
	k := makerOf(t, reflect.TypeFor[map[K]V]())
	r := rand.New(rand.NewPCG(51, 52))
	var s Source
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		if round%7 == 0 {
			s.End()
		}
		got, at := mapOf[map[K]V](&s, k)
		want, cloned := map[K]V{}, false
		for step := range 60 {
			x, v := K(texts(r)), value(r.IntN(50))
			switch n := r.IntN(20); {
			case n < 5 && !cloned:
				small := xunsafe.Cast[mapHeader](at).groups == xunsafe.Add(at, xunsafe.SizeOf[mapHeader]())
				place := k.Place(at, string(x))
				if placed := place != nil; placed != (small && len(want) < Entries) {
					t.Fatalf("beside %d others, in a small map: %v, a key has a place: %v", len(want), small, placed)
				}
				if place != nil {
					*xunsafe.Cast[V](place) = v
				} else {
					got[x] = v
				}
				want[x] = v
			case n < 9:
				got[x], want[x] = v, v
			case n < 15:
				delete(got, x)
				delete(want, x)
			case n < 17: // a key is met once, but if it was deleted since
				met := map[K]bool{}
				for key := range got {
					if met[key] {
						t.Fatalf("%q is met twice", key)
					}
					met[key] = true
					if got[x], want[x] = v, v; r.IntN(2) == 0 {
						delete(got, key)
						delete(want, key)
						delete(met, key)
					}
				}
			case n < 18:
				clear(got)
				clear(want)
			case n < 19:
				got, cloned = maps.Clone(got), true
			}
			if step%30 == 0 {
				runtime.GC()
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d steps %v, want %v", step, got, want)
			}
			n := 0
			for range got {
				n++
			}
			if n != len(want) {
				t.Fatalf("%d entries are met, want %d", n, len(want))
			}
		}
	}
}

// A map that is made by hand is the language's own, whatever is done with it, under a collector
// that never rests. A wrong layout shows as a crash of that, or as an entry that is not there.
func TestMapsAreMaps(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	t.Run("string", func(t *testing.T) {
		areMaps[string](t, func(i int) string { return fmt.Sprint("value ", i) })
	})
	t.Run("any", func(t *testing.T) { areMaps[string](t, func(i int) any { return []any{i, nil, fmt.Sprint(i)}[i%3] }) })
	t.Run("none", func(t *testing.T) { areMaps[name](t, func(i int) struct{} { return struct{}{} }) })
	t.Run("byte", func(t *testing.T) { areMaps[name](t, func(i int) byte { return byte(i) }) })
	t.Run("pointer", func(t *testing.T) { areMaps[string](t, func(i int) *int { return &i }) })
	t.Run("map", func(t *testing.T) { areMaps[string](t, func(i int) map[string]int { return map[string]int{"x": i} }) })
	t.Run("struct", func(t *testing.T) {
		areMaps[name](t, func(i int) hidden {
			return hidden{text: fmt.Sprint(i), list: []name{name(fmt.Sprint(-i))}, n: uint16(i), any: i}
		})
	})
	t.Run("128 bytes", func(t *testing.T) { areMaps[string](t, func(i int) large { return large{[16]uint64{15: uint64(i)}} }) })
}

// What is not in a slot itself, and keys whose hash is not known, are left to the runtime.
func TestWhatIsLeft(t *testing.T) {
	makerOf(t, reflect.TypeFor[map[string]string]())
	if TypeOf(reflect.TypeFor[map[string][129]byte]()) != nil || TypeOf(reflect.TypeFor[map[[17]uint64]bool]()) != nil {
		t.Error("an entry does not fit its slot")
	}
	if TypeOf(reflect.MapOf(reflect.TypeFor[string](), reflect.ArrayOf(1<<(bits.UintSize-3), reflect.TypeFor[byte]()))) != nil {
		t.Error("eight entries fit no memory")
	}
	k := makerOf(t, reflect.TypeFor[map[int]int]())
	var s Source
	m, at := mapOf[map[int]int](&s, k)
	if k.Place(at, "x") != nil {
		t.Error("a text is placed among numbers")
	}
	if m[5] = 6; m[5] != 6 || len(m) != 1 {
		t.Error(m)
	}
}

// Where what Place knows of a map is not so, it says that the runtime has to do it.
func TestPlaceOrNot(t *testing.T) {
	k := makerOf(t, reflect.TypeFor[map[string]int]())
	var s Source
	m, at := mapOf[map[string]int](&s, k)
	for i := range Entries {
		*xunsafe.Cast[int](k.Place(at, fmt.Sprint(i))) = i
		if again := k.Place(at, "0"); i < Entries-1 && (again == nil || *xunsafe.Cast[int](again) != 0 || len(m) != i+1) {
			t.Fatalf("%d entries, the first of which is not found again", len(m))
		}
	}
	if k.Place(at, "0") != nil || k.Place(at, "9") != nil {
		t.Error("a map that is full has places")
	}
	m["9"] = 9 // its group is another now
	clear(m)
	xunsafe.Cast[mapHeader](at).flags = [4]uint8{} // which tell of it, too, on all runtimes that we know
	if k.Place(at, "0") != nil {
		t.Error("a map that has grown has places")
	}
	m, at = mapOf[map[string]int](&s, k)
	xunsafe.Cast[mapHeader](at).flags[2] = 1
	if k.Place(at, "0") != nil {
		t.Error("a map that somebody writes to has places")
	}
	xunsafe.Cast[mapHeader](at).flags[2] = 0
	a, b := strings.Clone("key"), strings.Clone("key")
	k.Place(at, a)
	k.Place(at, b)
	for key := range m {
		if xunsafe.TextOf(key) != xunsafe.TextOf(b) {
			t.Error("a key that comes again keeps the first one's memory alive")
		}
	}
}

// How many maps are made at once: of tasks that need as many as the one before not one too
// many, of one that needs fewer no more than twice what the least one did.
func TestSource(t *testing.T) {
	k := makerOf(t, reflect.TypeFor[map[string]string]())
	var s Source
	pieces := func(n int) (all []int) {
		seeds := map[uintptr]bool{}
		for range n {
			if s.left == 0 {
				all = append(all, 0)
			}
			last := s.next
			at := s.Take(k)
			if last != nil && at != last {
				t.Fatal("a map is not the next one")
			}
			if all[len(all)-1]++; s.left == 0 && s.next != nil {
				t.Fatal("a source leads behind its piece")
			}
			seeds[*xunsafe.Cast[uintptr](xunsafe.PointerTo(&xunsafe.Cast[mapHeader](at).seed))] = true
		}
		if len(seeds) != n {
			t.Fatal("maps share a seed, by which who knows one knows how the others hash")
		}
		all[len(all)-1] += s.left
		if s.End(); s.next != nil || s.left != 0 {
			t.Fatal("a source keeps its last piece alive")
		}
		s.End() // of a task without maps nothing is learnt
		return all
	}
	for i, x := range []struct {
		n    int
		want []int
	}{
		{1, []int{1}}, {1, []int{1}},
		{30, []int{1, 1, 2, 4, 8, 8, 8}},
		{1, []int{2}}, {1, []int{1}},
		{5, []int{1, 1, 2, 4}}, {5, []int{2, 2, 4}}, {5, []int{4, 4}}, {5, []int{4, 1}},
		{8, []int{4, 1, 4}}, {8, []int{8}}, {9, []int{8, 8}}, {30, []int{8, 8, 8, 8}}, {2, []int{8}}, {2, []int{2}},
	} {
		if got := pieces(x.n); !reflect.DeepEqual(got, x.want) {
			t.Errorf("task %d, of %d maps, makes %d, want %d", i, x.n, got, x.want)
		}
	}
}

// A map keeps no more than those of its piece alive.
func TestMapsAreFreed(t *testing.T) {
	k := makerOf(t, reflect.TypeFor[map[string]*[64]byte]())
	var s Source
	var alive atomic.Int32
	const n = 100
	var all []map[string]*[64]byte
	for range n {
		m, _ := mapOf[map[string]*[64]byte](&s, k)
		x := new([64]byte)
		runtime.AddCleanup(x, func(int) { alive.Add(-1) }, 0)
		alive.Add(1)
		m["x"] = x
		all = append(all, m)
	}
	s.End()
	kept := all[n/2]
	all = nil
	testkit.CollectUntil(func() bool { return alive.Load() <= Most })
	if got := alive.Load(); got > Most || got < 1 || kept["x"] == nil {
		t.Errorf("one map keeps %d alive", got)
	}
	runtime.KeepAlive(kept)
}

// A map that has grown keeps nothing alive of what it held before, once Leave was called.
func TestLeave(t *testing.T) {
	k := makerOf(t, reflect.TypeFor[map[string]*[64]byte]())
	var s Source
	m, at := mapOf[map[string]*[64]byte](&s, k)
	var alive atomic.Int32
	for i := range Entries + 1 {
		x := new([64]byte)
		runtime.AddCleanup(x, func(int) { alive.Add(-1) }, 0)
		alive.Add(1)
		m[fmt.Sprint(i)] = x
		if i == Entries-1 {
			k.Leave(at)
		}
	}
	if k.Leave(at); len(m) != Entries+1 || m["0"] == nil || m["8"] == nil {
		t.Fatalf("%v is left of %d entries", m, Entries+1)
	}
	clear(m)
	if !testkit.CollectUntil(func() bool { return alive.Load() == 0 }) {
		t.Errorf("a map without entries keeps %d values alive", alive.Load())
	}
	runtime.KeepAlive(m)
}

// What samples lead to is as large as the program's types, or nothing.
func TestSamplesAreSmall(t *testing.T) {
	type huge [64 << 20]byte
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	MakerOf(reflect.TypeFor[map[string]*huge]())
	MakerOf(reflect.TypeFor[map[string][]huge]())
	MakerOf(reflect.TypeFor[map[*huge][1]*huge]())
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes are allocated", after.TotalAlloc-before.TotalAlloc)
	}
}
