package machine

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/xunsafe"
)

func mapRegion(t *testing.T) *Region {
	t.Helper()
	if check.On {
		t.Skip("no map is used again in checked builds")
	}
	r := new(Region)
	r.Init(4<<10, 1<<20)
	return r
}

var intMaps = MapTypeOf(reflect.TypeFor[map[string]int]())

func asInts(m xunsafe.Pointer) map[string]int {
	return *xunsafe.Cast[map[string]int](xunsafe.PointerTo(&m))
}

func fill(m map[string]int, n int) {
	for i := range n {
		m[fmt.Sprint(i)] = i
	}
}

func TestMapClasses(t *testing.T) {
	for n := range 4000 {
		class := mapClassOf(n)
		if mapRoom(class) < n || class > 0 && mapRoom(class-1) >= n {
			t.Fatalf("mapClassOf(%d) = %d, which has room for %d", n, class, mapRoom(class))
		}
	}
	if got := mapRoom(mapClasses - 1); got != 1792 {
		t.Errorf("the largest map that is kept has room for %d", got)
	}
}

// A map is reused in the next cycle, empty, and never twice in one cycle.
func TestMapsAreTakenAgain(t *testing.T) {
	r := mapRegion(t)
	var before []xunsafe.Pointer
	for cycle := range 4 {
		seen := map[xunsafe.Pointer]bool{}
		var now []xunsafe.Pointer
		for _, n := range []int{0, 1, 8, 9, 14, 100, 1792, 1793, 3} {
			m := Maps(r).Take(intMaps, n)
			if seen[m] || MapLen(m) != 0 {
				t.Fatalf("cycle %d: Take(%d) = a map in use or with %d entries", cycle, n, MapLen(m))
			}
			seen[m] = true
			now = append(now, m)
			fill(asInts(m), n)
		}
		for i, m := range before {
			if again := m == now[i]; again == (i == 7) {
				t.Errorf("cycle %d: map %d was handed out again: %v", cycle, i, again)
			}
		}
		before = now
		r.Empty()
	}
}

// A map that was written after its cycle is cleared when it is reused. One that has grown is dropped at the
// end of the cycle, or when it is taken.
func TestMapsWrittenLate(t *testing.T) {
	r := mapRegion(t)
	take := func() xunsafe.Pointer { return Maps(r).Take(intMaps, 3) }
	first := take()
	r.Empty()
	fill(asInts(first), 5)
	if m := take(); m != first || MapLen(m) != 0 {
		t.Errorf("a map with late entries: Take = the map: %v, with %d entries", m == first, MapLen(m))
	}
	r.Empty()
	fill(asInts(first), 50)
	second := take()
	if second == first {
		t.Error("a map that has grown late was taken")
	}
	fill(asInts(second), 50)
	r.Empty()
	if r.maps.kept != 0 {
		t.Errorf("%d bytes are kept after the only map has grown", r.maps.kept)
	}
	if take() == second {
		t.Error("a map that has grown was kept")
	}
}

// Maps that cycles no longer need are dropped, and then their empty lists.
func TestMapsDecay(t *testing.T) {
	r := mapRegion(t)
	for range 100 {
		Maps(r).Take(intMaps, 3)
	}
	r.Empty()
	for cycle := range 600 {
		Maps(r).Take(intMaps, 3)
		r.Empty()
		if n := len(r.maps.lists[0].classes[1].maps); cycle < mapWindow-2 && n != 100 || cycle > 500 && n > 4 {
			t.Fatalf("after %d cycles that need 1 map, %d are kept", cycle, n)
		}
	}
	for range 300 {
		r.Empty()
	}
	if s := r.maps; s.kept != 0 || len(s.lists) != 0 || len(s.byType) != 0 {
		t.Errorf("%d bytes and %d lists are kept for cycles that need none", s.kept, len(s.lists))
	}
}

// Kept maps count towards MaxRetained, together with the chunks.
func TestMapsAreRetainedWithinTheLimit(t *testing.T) {
	r := mapRegion(t)
	r.MaxRetained = 32 << 10
	for range 3 {
		for _, n := range []int{1, 10, 100, 1000, 1000} {
			Maps(r).Take(intMaps, n)
		}
		ReserveText(r, 8<<10, 1)
		r.Empty()
		if held := r.Stats().Held; held > r.MaxRetained || r.maps.kept == 0 {
			t.Errorf("%d bytes are held, %d of them as maps; want at most %d", held, r.maps.kept, r.MaxRetained)
		}
	}
}

// Rewind makes the maps idle that were taken since the mark, and returns what counts for the cycle alone.
func TestMapsRewind(t *testing.T) {
	r := mapRegion(t)
	a := Maps(r).Take(intMaps, 3)
	fill(asInts(a), 3)
	Maps(r).Grow(intMaps, 3, 300)
	held := r.Stats().Held
	m := r.Mark()
	if r.Mark() != m {
		t.Error("two marks in one place differ")
	}
	Maps(r).Grow(intMaps, 3, 300)
	if r.Mark() == m {
		t.Error("the mark after a map has grown is the one before it")
	}
	r.Rewind(m)
	if got := r.Stats().Held; got != held {
		t.Errorf("%d bytes are held after Rewind, want %d", got, held)
	}
	b := Maps(r).Take(intMaps, 3)
	if r.Mark() == m {
		t.Error("the mark behind a map is the one before it")
	}
	r.Rewind(m)
	for round := range 3 {
		b2, c := Maps(r).Take(intMaps, 3), Maps(r).Take(intMaps, 100)
		fill(asInts(b2), 30)
		fill(asInts(c), 3)
		Maps(r).Grow(intMaps, 3, 2000)
		if round == 0 && b2 != b {
			t.Error("a map that Rewind took back was not taken again")
		}
		r.Rewind(m)
		if MapLen(c) != 0 || MapLen(a) != 3 {
			t.Errorf("after Rewind the later map has %d entries, the earlier one %d", MapLen(c), MapLen(a))
		}
		if used := r.UsedBytes(); used != r.maps.loose+intMaps.kept[1] {
			t.Errorf("%d bytes are in use, %d of them loose", used, r.maps.loose)
		}
	}
	if got := r.Stats().Held; got < held || got > held+intMaps.kept[1]+intMaps.kept[5] {
		t.Errorf("%d bytes are held, %d before", got, held)
	}
	r.Empty()
	if got := r.maps; got.loose != 0 || MapLen(a) != 0 {
		t.Errorf("%d loose bytes after the cycle, %d entries", got.loose, MapLen(a))
	}
	r.Release()
	if r.Stats().Held != 0 {
		t.Errorf("%d bytes are held after Release", r.Stats().Held)
	}
}

// Larger moves the entries of a full map, and finds the same maps again in the next cycle.
func TestMapsLarger(t *testing.T) {
	r := mapRegion(t)
	var last xunsafe.Pointer
	for range 2 {
		m := Maps(r).Take(intMaps, 1)
		for n := range 4000 {
			if n == MapRoom(n) {
				full := m
				if m = Maps(r).Larger(intMaps, m); m != full && MapLen(full) != 0 {
					t.Fatalf("Larger leaves %d entries in the former map, which keeps keys and values alive", MapLen(full))
				}
			}
			asInts(m)[fmt.Sprint(n)] = n
			if n == 500 {
				if last != nil && last != m {
					t.Error("a map was not taken again")
				}
				last = m
			}
		}
		for n := range 4000 {
			if got, ok := asInts(m)[fmt.Sprint(n)]; !ok || got != n {
				t.Fatalf("entry %d is %d, %v", n, got, ok)
			}
		}
		if !r.OwnsMap(xunsafe.Number(m)) {
			t.Error("OwnsMap of a map that has grown is false")
		}
		r.Empty()
	}
	if r.OwnsMap(xunsafe.Number(last)) {
		t.Error("OwnsMap of a map of an earlier cycle is true")
	}
}

type large struct{ a, b [9]int }

// The bytes counted for maps are those that the heap uses, or somewhat more.
func TestMapBytes(t *testing.T) {
	if check.On {
		t.Skip("these builds add to each object")
	}
	types := []reflect.Type{
		reflect.TypeFor[map[string]int](), reflect.TypeFor[map[string]bool](), reflect.TypeFor[map[string]any](),
		reflect.TypeFor[map[string]struct{}](), reflect.TypeFor[map[uint32]string](), reflect.TypeFor[map[string][16]int](),
		reflect.TypeFor[map[string]large](), reflect.TypeFor[map[[20]int64]bool](), reflect.TypeFor[map[int8]int8](),
		reflect.TypeFor[map[string][]byte](), reflect.TypeFor[map[uint64]float64](), reflect.TypeFor[map[string]*int](),
	}
	for _, typ := range types {
		mt := MapTypeOf(typ)
		for _, n := range []int{0, 1, 8, 9, 14, 20, 100, 448, 800, 1700, 3000} {
			if n > 200 && typ.Key().Size() == 1 {
				continue
			}
			took := bytesOfMaps(mt, n)
			counted := float64(mt.bytes(mapClassOf(n)) + uintptr(n)*mt.entry)
			if took > counted*1.1+16 || took < counted*0.7-16 {
				t.Errorf("a %v of %d entries takes %.0f bytes and counts %.0f", typ, n, took, counted)
			}
		}
	}
}

// bytesOfMaps returns the heap bytes of a map with n entries, without its keys.
//
//go:noinline
func bytesOfMaps(t *MapType, n int) float64 {
	keys := make([]reflect.Value, n)
	for i := range keys {
		keys[i] = keyOf(t.Reflect.Key(), i)
	}
	zero := reflect.Zero(t.Reflect.Elem())
	maps := make([]xunsafe.Pointer, max(2, 4000/(n+1)))
	before := liveBytes()
	for i := range maps {
		maps[i] = t.make(MapRoom(n))
		m := xunsafe.Value(t.Reflect, xunsafe.PointerTo(&maps[i]))
		for _, k := range keys {
			m.SetMapIndex(k, zero)
		}
	}
	took := liveBytes() - before
	runtime.KeepAlive(maps)
	runtime.KeepAlive(keys)
	return float64(took) / float64(len(maps))
}

func keyOf(t reflect.Type, i int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint(i))
	case reflect.Array:
		v.Index(0).SetInt(int64(i))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(i))
	default:
		v.SetInt(int64(i))
	}
	return v
}

// liveBytes returns the size of the live heap, after three consecutive collections that free nothing: the
// garbage of earlier tests is freed only after their cleanups.
func liveBytes() int64 {
	var m runtime.MemStats
	last := uint64(0)
	for same := 0; same < 3; {
		runtime.GC()
		if runtime.ReadMemStats(&m); m.HeapAlloc >= last && last != 0 {
			same++
		} else {
			same = 0
		}
		last = m.HeapAlloc
	}
	return int64(m.HeapAlloc)
}

// Regions that never reuse memory allocate new maps.
func TestMapsAreNotTakenAgain(t *testing.T) {
	for name, begin := range map[string]func(r *Region){
		"guarded":  func(r *Region) { r.Guard(&Guarded{Cycle: new(guard.Cycle)}) },
		"heap":     func(r *Region) { r.BeginHeap() },
		"isolated": func(r *Region) { r.Isolate(new(Detached)) },
	} {
		mapRegion(t) // skips in checked builds
		r, _, _ := quota(0, 0)
		begin(r)
		first := Maps(r).Take(intMaps, 3)
		asInts(first)["kept"] = 1
		if m := Maps(r).Larger(intMaps, first); m != first {
			t.Errorf("%s: Larger copies a map that can grow", name)
		}
		r.Empty()
		if second := Maps(r).Take(intMaps, 3); second == first || MapLen(first) != 1 {
			t.Errorf("%s: a map was taken again, or cleared: %d entries", name, MapLen(first))
		}
	}
}
