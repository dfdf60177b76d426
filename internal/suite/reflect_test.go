package suite

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// New and reflection share one allocator per type, whichever comes first. With two, one would never be found
// again and the type would be held twice.
func TestReflectionUsesTheSameAllocator(t *testing.T) {
	type early struct{ a, b string }
	type late struct{ a, b string }
	t.Run("reflection first", func(t *testing.T) {
		a := arena.NewArena(4096, 0)
		sameLane(t, a, arenareflect.New(a, reflect.TypeFor[early]()).Interface().(*early), arena.New[early](a))
	})
	t.Run("New first", func(t *testing.T) {
		a := arena.NewArena(4096, 0)
		sameLane(t, a, arena.New[late](a), arenareflect.New(a, reflect.TypeFor[late]()).Interface().(*late))
	})
	t.Run("slices", func(t *testing.T) {
		a := arena.NewArena(4096, 0)
		s := arenareflect.MakeSlice(a, reflect.TypeFor[[]early](), 1, 1).Interface().([]early)
		more := arena.Append(a, s, early{"x", "y"})
		if !check.On && &more[0] != &s[0] {
			t.Error("Append finds the newest slice no more")
		}
		sameLane(t, a, &more[1], arena.New[early](a))
	})
	t.Run("flat", func(t *testing.T) {
		a := arena.NewArena(4096, 0)
		sameLane(t, a, arenareflect.New(a, reflect.TypeFor[[4]uint64]()).Interface().(*[4]uint64), arena.New[[4]uint64](a))
	})
}

// sameLane checks that second directly follows first. Redzones separate them in checked builds.
func sameLane[T any](t *testing.T, a *arena.Arena, first, second *T) {
	t.Helper()
	*first, *second = *new(T), *new(T)
	if got := a.Stats().Types; got > 2 {
		t.Errorf("the arena has allocators of %d types", got)
	}
	if off := uintptr(unsafe.Pointer(second)) - uintptr(unsafe.Pointer(first)); !check.On && (off < unsafe.Sizeof(*first) || off > 128) {
		t.Errorf("the second value is %d bytes from the first", off)
	}
}

// Types used only by reflection: the collector sees their memory, it is zero when reused, and it refers to
// nothing after the cycle.
func TestAllocatorsOfReflection(t *testing.T) {
	a := arena.NewArena(512, 1<<20)
	made := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[*int]()}, {Name: "B", Type: reflect.TypeFor[[3]byte]()}})
	kinds := []reflect.Type{
		reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[func() string](), reflect.TypeFor[chan int](),
		reflect.TypeFor[map[string]*int](), reflect.TypeFor[*int](), reflect.TypeFor[unsafe.Pointer](), reflect.TypeFor[[]string](),
		reflect.TypeFor[string](), reflect.TypeFor[allKinds](), reflect.TypeFor[[40]*int](), made, reflect.ArrayOf(3, made),
		reflect.TypeFor[bool](), reflect.TypeFor[[3]byte](), reflect.TypeFor[complex128](), reflect.TypeFor[[2000]byte](),
		reflect.TypeFor[struct{}](), reflect.TypeFor[[0]*int](),
	}
	for range 3 {
		for _, k := range kinds {
			for n := range 40 {
				v := arenareflect.New(a, k)
				if v.Type() != reflect.PointerTo(k) || v.IsNil() || !v.Elem().IsZero() || uintptr(v.UnsafePointer())%uintptr(k.Align()) != 0 {
					t.Fatalf("%v: %v at %v", k, v.Type(), v.UnsafePointer())
				}
				s := arenareflect.MakeSlice(a, reflect.SliceOf(k), n/2, n)
				if s.Type() != reflect.SliceOf(k) || s.Len() != n/2 || s.Cap() != n || s.IsNil() {
					t.Fatalf("%v: %v of %d, %d", k, s.Type(), s.Len(), s.Cap())
				}
				for i := range n {
					if !s.Slice(0, n).Index(i).IsZero() {
						t.Fatalf("%v: element %d is not zero", k, i)
					}
				}
				if k == made && n > 0 {
					v.Elem().Field(0).Set(reflect.ValueOf(new(int)))
					s.Slice(0, n).Index(n - 1).Set(v.Elem())
				}
			}
		}
		a.Reset()
		runtime.GC()
	}
}

// Objects allocated by reflection are visible to the collector until Reset, and keep nothing alive after it.
func TestReflectionMemoryIsCollected(t *testing.T) {
	type holder struct {
		p *[1 << 10]uint64
		n int
	}
	a := arena.NewArena(1<<10, 1<<20)
	gone := make(chan bool, 1)
	func() {
		for i := range 100 {
			x := arenareflect.New(a, reflect.TypeFor[holder]()).Interface().(*holder)
			x.p = new([1 << 10]uint64)
			x.p[5], x.n = uint64(i), i
			if i == 50 {
				runtime.SetFinalizer(x.p, func(*[1 << 10]uint64) { gone <- true })
			}
		}
	}()
	testkit.Collect(2)
	select {
	case <-gone:
		t.Fatal("collected while the arena holds it")
	default:
	}
	a.Reset()
	testkit.Finalizers(t, 2)
	select {
	case <-gone:
	default:
		t.Error("still held after Reset")
	}
	runtime.KeepAlive(a)
}

func TestReflectionOnTheHeap(t *testing.T) {
	v := arenareflect.New(nil, reflect.TypeFor[textPair]())
	if p, ok := v.Interface().(*textPair); !ok || *p != (textPair{}) {
		t.Errorf("%v", v)
	}
	s := arenareflect.MakeSlice(nil, reflect.TypeFor[[]textPair](), 2, 5)
	if x, ok := s.Interface().([]textPair); !ok || len(x) != 2 || cap(x) != 5 {
		t.Errorf("%v", s)
	}
}

func TestReflectionMisuse(t *testing.T) {
	type embeds struct{ reflect.Type }
	a := arena.NewArena(512, 0)
	arena.New[string](a)
	before := a.Stats()
	for _, a := range []*arena.Arena{a, nil} {
		text := reflect.TypeFor[string]()
		testkit.WantPanic(t, func() { arenareflect.New(a, nil) }, "arenareflect: New: ", "nil")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, nil, 1, 1) }, "arenareflect: MakeSlice: ", "nil")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, reflect.SliceOf(text), -1, 1) }, "MakeSlice([]string, len -1, cap 1)", "negative")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, reflect.SliceOf(text), 2, 1) }, "MakeSlice([]string, len 2, cap 1)", "below")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, reflect.SliceOf(text), 1, int(^uint(0)>>1)) }, "MakeSlice([]string, ", "more than can be")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, reflect.TypeFor[[]struct{}](), -1, 1) }, "negative")
		testkit.WantPanic(t, func() { arenareflect.New(a, embeds{text}) }, "suite.embeds")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, embeds{reflect.SliceOf(text)}, 1, 1) }, "suite.embeds")
		testkit.WantPanic(t, func() { arenareflect.MakeSlice(a, text, 1, 1) }, "MakeSlice(string): not a slice type")
	}
	if after := a.Stats(); after != before {
		t.Errorf("%+v, and before %+v", after, before)
	}
}

// MakeSlice returns a slice of the requested type. A named slice type with methods is not replaced by []int,
// which could not be stored in a field of the named type.
func TestNamedSlicesByReflection(t *testing.T) {
	type named []int
	for _, a := range []*arena.Arena{arena.NewArena(1<<10, 0), nil} {
		got, ok := arenareflect.MakeSlice(a, reflect.TypeFor[named](), 2, 3).Interface().(named)
		if !ok || len(got) != 2 || cap(got) != 3 {
			t.Errorf("%v %T, len %d, cap %d", a == nil, got, len(got), cap(got))
		}
	}
}

// More types than the lookup cache has entries.
func TestManyTypesByReflection(t *testing.T) {
	a := arena.NewArena(1<<10, 0)
	const many = 3000
	for i := range many {
		k := reflect.ArrayOf(i+1, reflect.TypeFor[uint16]())
		if v := arenareflect.New(a, k); v.Type().Elem() != k || v.Elem().Len() != i+1 {
			t.Fatalf("%v: %v", k, v.Type())
		}
	}
	for i := range many {
		k := reflect.ArrayOf(i+1, reflect.TypeFor[uint16]())
		if v := arenareflect.MakeSlice(a, reflect.SliceOf(k), 0, 1); v.Type().Elem() != k {
			t.Fatalf("%v: %v", k, v.Type())
		}
		if i%100 == 0 {
			a.Reset()
		}
	}
}

// A codec allocates a slice with too much capacity and gives back the rest. For types with pointers, the rest
// must be zero when it is used again.
func TestTrimSliceOfType(t *testing.T) {
	trimmed[textPair](t, textPair{"x", "y"})
	trimmed(t, [3]byte{1, 2, 3})
	trimmed(t, any("x"))
	trimmed(t, uint64(7))
}

func trimmed[T comparable](t *testing.T, full T) {
	t.Helper()
	typ := machine.TypeOf(reflect.TypeFor[T]())
	for cycle := range 3 {
		a := arena.NewArena(64<<10, 1<<20)
		arena.MakeSlice[T](a, 2000, 2000) // so that no slice gets a chunk of its own
		a.Reset()
		arena.New[T](a)
		for n := range 20 {
			before := a.Stats().UsedBytes
			r := machine.Enter(a, "Trim")
			s := machine.MakeSliceOfType(r, typ, 0, 20)
			all := sliceOfType[T](s)[:20]
			for i := range all {
				all[i] = full
			}
			s.Len = n
			if cycle == 1 {
				r.Mark() // needs the used bytes
			}
			s = machine.TrimSliceOfType(r, typ, s)
			r.Leave()
			if s.Len != n || s.Cap != n {
				t.Fatalf("%d: %d, %d", n, s.Len, s.Cap)
			}
			want := before + testkit.Round8(n*int(unsafe.Sizeof(full)))
			if cycle == 1 {
				want = before + testkit.Round8(20*int(unsafe.Sizeof(full)))
			}
			if got := a.Stats().UsedBytes; got != want {
				t.Fatalf("%T, %d: %d bytes used, want %d", full, n, got, want)
			}
			next := arena.MakeSlice[T](a, 20, 20)
			for i, x := range next {
				if x != *new(T) {
					t.Fatalf("%T, %d: element %d behind it is %v", full, n, i, x)
				}
			}
			for _, x := range all[:n] {
				if x != full {
					t.Fatalf("%T, %d: changed to %v", full, n, x)
				}
			}
			if cycle == 2 {
				a.Reset()
			}
		}
	}
}

// Text that a codec scans in blocks has the requested size and alignment, and can be given back.
func TestReserveText(t *testing.T) {
	a := arena.NewArena(512<<10, 0)
	a.AllocBytes(500 << 10) // so that no text gets a chunk of its own
	a.Reset()
	for i := range 2000 {
		before := a.Stats().UsedBytes
		arena.New[[3]byte](a) // so that the free memory does not begin at a multiple of 64
		r := machine.Enter(a, "ReserveText")
		align := uintptr(1) << (i % 8)
		b := machine.ReserveText(r, 1+i%3000, align)
		if len(b) != 1+i%3000 || cap(b) < len(b) || cap(b) >= len(b)+int(align) || uintptr(unsafe.Pointer(&b[0]))%align != 0 {
			t.Fatalf("%d bytes, room for %d, at %p, for a multiple of %d", len(b), cap(b), b, align)
		}
		testkit.Dirty(b[:cap(b)])
		if i%3 == 0 {
			b = machine.GrowBytes(r, b, cap(b)+1)
		}
		b = machine.TrimBytes(r, b[:i%5])
		r.Leave()
		if got := a.Stats().UsedBytes - before; i%3 != 0 && got > 8+int(align)+8 {
			t.Fatalf("%d bytes are left in use", got)
		}
		if s := arena.MakeSlice[byte](a, 100, 100); !testkit.AllZero(s) || cap(b) != i%5 {
			t.Fatalf("not zero behind a trimmed text")
		}
		if i%50 == 0 {
			a.Reset()
		}
	}
}

// The state that a codec keeps with an arena survives cycles and the replacement of the arena, and ends with
// its memory.
func TestStateOfArena(t *testing.T) {
	type one struct{ n int }
	type two struct{ n int }
	p := arena.NewArenaPool(1<<10, 0)
	a := p.Get()
	enter := func() *machine.Region { return machine.Enter(a, "State") }
	r := enter()
	x, y := machine.State[one](r), machine.State[two](r)
	if x.n, y.n = 1, 2; machine.State[one](r) != x || machine.State[two](r) != y {
		t.Error("not the same again")
	}
	r.Leave()
	a.Reset()
	if r = enter(); machine.State[one](r) != x {
		t.Error("gone with a cycle")
	}
	r.Leave()
	if !check.Race {
		p.Put(a)
		a = p.Get()
		if r = enter(); machine.State[two](r) != y {
			t.Error("gone with a Put")
		}
		r.Leave()
	}
	a.Release()
	if r = enter(); machine.State[one](r) == x || machine.State[two](r).n != 0 {
		t.Error("still there after Release")
	}
	r.Leave()
	p.Put(a)
	if check.On && !check.Race {
		defer func() {
			if s, _ := recover().(string); !strings.Contains(s, "State: arena was put back") {
				t.Errorf("a panic with %q", s)
			}
		}()
		enter()
		t.Error("entered after Put")
	}
}
