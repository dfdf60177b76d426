package suite

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/testkit"
)

// A reflect.Value of type []int that is used after Reset refers to a slice of integers, whatever was
// allocated since. Without separate memory for the headers of each slice type, it could refer to a []*string
// and write an integer over a pointer.
func TestStaleSliceValueKeepsItsType(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(4<<10, 0)
	stale := arenareflect.MakeSlice(a, reflect.TypeFor[[]int](), 3, 3)
	a.Reset()
	texts := arenareflect.MakeSlice(a, reflect.TypeFor[[]*string](), 3, 3)
	for i := range 3 {
		s := testkit.HeapText(uint64(i))
		texts.Index(i).Set(reflect.ValueOf(&s))
	}
	for i := range stale.Len() {
		stale.Index(i).SetInt(0x123456789)
	}
	for i := range 3 {
		if got, want := texts.Index(i).UnsafePointer(), testkit.HeapText(uint64(i)); uintptr(got) == 0x12345678 {
			t.Errorf("element %d is the number that was written, not %q", i, want)
		}
	}
}

// The kinds of types that staleCycles allocates by reflection.
type (
	staleIDs  []int
	staleName string
	staleNode struct {
		Next *staleNode
		Kids []*staleNode
		Name staleName
		N    int
	}
	staleMixed struct {
		A any
		B [3]byte
		C map[string]*int
		D []staleMixed
		E func() int
		F [2]error
	}
	staleFlat struct {
		A int64
		B float32
		C [5]uint16
		D bool
	}
	staleError struct{ Text *string }
)

func (e *staleError) Error() string {
	if e == nil || e.Text == nil {
		return ""
	}
	return *e.Text
}

var staleTypes = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[byte](), reflect.TypeFor[bool](), reflect.TypeFor[float64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[string](), reflect.TypeFor[staleName](), reflect.TypeFor[*int](), reflect.TypeFor[*string](), reflect.TypeFor[**string](),
	reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[func() int](), reflect.TypeFor[chan int](),
	reflect.TypeFor[[]int](), reflect.TypeFor[staleIDs](), reflect.TypeFor[[]*string](), reflect.TypeFor[[][]string](), reflect.TypeFor[[]any](),
	reflect.TypeFor[[][][]byte](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[string]*string](), reflect.TypeFor[map[int][]string](),
	reflect.TypeFor[struct{}](), reflect.TypeFor[[0]*int](), reflect.TypeFor[[]struct{}](), reflect.TypeFor[[3]*int](), reflect.TypeFor[[4]uint64](),
	reflect.TypeFor[staleNode](), reflect.TypeFor[*staleNode](), reflect.TypeFor[staleMixed](), reflect.TypeFor[staleFlat](), reflect.TypeFor[[2]staleMixed](),
	reflect.TypeFor[staleError](), reflect.TypeFor[*staleError](), reflect.TypeFor[complex128](), reflect.TypeFor[[40]string](),
	reflect.StructOf([]reflect.StructField{{Name: "P", Type: reflect.TypeFor[*int]()}, {Name: "S", Type: reflect.TypeFor[staleIDs]()}}),
}

// staleCycles keeps the reflect.Values of all cycles of an arena, and reads and writes them in later cycles.
type staleCycles struct {
	*rand.Rand
	a     *arena.Arena
	marks []arena.Mark
	held  []reflect.Value
	log   []string
	sum   uint64
}

func (s *staleCycles) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *staleCycles) anyType() reflect.Type { return staleTypes[s.IntN(len(staleTypes))] }

// keep keeps v, in place of another Value once there are many.
func (s *staleCycles) keep(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	if len(s.held) < 60 {
		s.held = append(s.held, v)
		return
	}
	s.held[s.IntN(len(s.held))] = v
}

// slice makes a slice of type t, in the arena or on the heap.
func (s *staleCycles) slice(t reflect.Type) reflect.Value {
	c := s.IntN(7)
	if s.IntN(20) == 0 {
		c *= 40
	}
	n := s.IntN(c + 1)
	if s.IntN(5) == 0 {
		return reflect.MakeSlice(t, n, c)
	}
	return arenareflect.MakeSlice(s.a, t, n, c)
}

// fill sets v, which must be settable, to something new.
func (s *staleCycles) fill(v reflect.Value, depth int) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(s.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(s.Uint64() >> s.IntN(64)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint64, reflect.Uintptr:
		v.SetUint(s.Uint64() >> s.IntN(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(s.Float64())
	case reflect.Complex128:
		v.SetComplex(complex(s.Float64(), s.Float64()))
	case reflect.String:
		if text := testkit.HeapText(s.Uint64()); s.IntN(2) == 0 {
			v.SetString(s.a.AllocString(text))
		} else {
			v.SetString(text)
		}
	case reflect.Chan:
		v.Set(reflect.MakeChan(t, s.IntN(3)))
	case reflect.Func:
		n := s.IntN(100)
		v.Set(reflect.ValueOf(func() int { return n }))
	case reflect.Array:
		for i := range v.Len() {
			s.fill(v.Index(i), depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.fill(v.Field(i), depth)
		}
	case reflect.Interface:
		if t == reflect.TypeFor[error]() {
			text := testkit.HeapText(s.Uint64())
			v.Set(reflect.ValueOf(&staleError{&text}))
			return
		}
		s.fillFrom(v, s.anyType(), depth)
	default:
		s.fillFrom(v, t, depth)
	}
}

// fillFrom sets v to an existing or new value of type t.
func (s *staleCycles) fillFrom(v reflect.Value, t reflect.Type, depth int) {
	for range 4 {
		if len(s.held) == 0 {
			break
		}
		if x := s.held[s.IntN(len(s.held))]; x.Type().AssignableTo(v.Type()) && x.CanInterface() {
			v.Set(x)
			return
		}
	}
	if depth == 0 {
		v.SetZero()
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		if s.IntN(4) != 0 {
			p = arenareflect.New(s.a, t.Elem())
		}
		s.fill(p.Elem(), depth-1)
		v.Set(p)
	case reflect.Slice:
		x := s.slice(t)
		for i := range min(x.Len(), 5) {
			s.fill(x.Index(i), depth-1)
		}
		v.Set(x)
	case reflect.Map:
		m := reflect.MakeMap(t)
		for range s.IntN(4) {
			key, val := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			s.fill(key, depth-1)
			s.fill(val, depth-1)
			m.SetMapIndex(key, val)
		}
		v.Set(m)
	default:
		x := arenareflect.New(s.a, t).Elem()
		s.fill(x, depth-1)
		v.Set(x)
	}
}

// look reads everything reachable from v. It faults if a word that should be a pointer is not one.
func (s *staleCycles) look(v reflect.Value, depth int) {
	if !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			s.sum++
		}
	case reflect.Int, reflect.Int64:
		s.sum += uint64(v.Int())
	case reflect.Uint8, reflect.Uint16, reflect.Uint64, reflect.Uintptr:
		s.sum += v.Uint()
	case reflect.Float32, reflect.Float64:
		s.sum += uint64(v.Float())
	case reflect.Complex128:
		s.sum += uint64(real(v.Complex()))
	case reflect.String:
		for _, c := range []byte(v.String()) {
			s.sum += uint64(c)
		}
	case reflect.Chan:
		s.sum += uint64(v.Cap())
	case reflect.Func:
		if !v.IsNil() && v.CanInterface() {
			s.sum += uint64(v.Interface().(func() int)())
		}
	}
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		s.look(v.Elem(), depth-1)
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 50) {
			s.look(v.Index(i), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.look(v.Field(i), depth-1)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			s.look(it.Key(), depth-1)
			s.look(it.Value(), depth-1)
		}
	}
}

// derive returns another Value that package reflect makes of v.
func (s *staleCycles) derive(v reflect.Value) (reflect.Value, string) {
	switch n := s.IntN(10); {
	case n == 0 && v.CanAddr():
		return v.Addr(), "Addr"
	case n == 1 && v.CanInterface():
		return reflect.ValueOf(v.Interface()), "Interface"
	case n == 2 && v.Type() == reflect.TypeFor[[]int]():
		return v.Convert(reflect.TypeFor[staleIDs]()), "Convert"
	case n == 3 && v.CanInterface():
		return reflect.Append(reflect.MakeSlice(reflect.SliceOf(v.Type()), 0, 1), v), "Append"
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.Elem(), "Elem"
	case reflect.Struct:
		if n := v.NumField(); n > 0 {
			return v.Field(s.IntN(n)), "Field"
		}
	case reflect.Map:
		if keys := v.MapKeys(); len(keys) > 0 {
			return v.MapIndex(keys[s.IntN(len(keys))]), "MapIndex"
		}
	case reflect.Slice:
		switch n := s.IntN(4); {
		case n == 0:
			return v.Slice(0, s.IntN(v.Cap()+1)), "Slice"
		case n == 1 && v.Len() > 0:
			return v.Slice3(s.IntN(v.Len()), v.Len(), v.Cap()), "Slice3"
		case v.Len() > 0:
			return v.Index(s.IntN(v.Len())), "Index"
		}
	case reflect.Array:
		if n := v.Len(); n > 0 {
			return v.Index(s.IntN(n)), "Index"
		}
	}
	return v, "itself"
}

// write changes v or a value reachable from it.
func (s *staleCycles) write(v reflect.Value) {
	for range 5 {
		if v.IsValid() && v.CanSet() {
			break
		}
		if !v.IsValid() {
			return
		}
		v, _ = s.derive(v)
	}
	if v.IsValid() && v.CanSet() {
		s.fill(v, 2)
	}
}

func (s *staleCycles) step(end func()) {
	switch n := s.IntN(100); {
	case n < 22:
		t := s.anyType()
		s.note("arenareflect.New(%v)", t)
		v := arenareflect.New(s.a, t)
		s.fill(v.Elem(), 2)
		s.keep(v)
	case n < 44:
		t := reflect.SliceOf(s.anyType())
		s.note("arenareflect.MakeSlice(%v)", t.Elem())
		s.keep(s.slice(t))
	case len(s.held) == 0:
	case n < 60:
		i := s.IntN(len(s.held))
		was := s.held[i]
		v, how := s.derive(was)
		s.note("%d, a %v: %s", i, was.Type(), how)
		s.keep(v)
	case n < 75:
		i := s.IntN(len(s.held))
		s.note("write to %d, a %v", i, s.held[i].Type())
		s.write(s.held[i])
	case n < 90:
		i := s.IntN(len(s.held))
		s.note("read %d, a %v", i, s.held[i].Type())
		s.look(s.held[i], 5)
	case n < 92:
		s.note("Mark")
		s.marks = append(s.marks, s.a.Mark())
	case n < 94 && len(s.marks) > 0:
		i := s.IntN(len(s.marks))
		s.note("Rewind")
		s.a.Rewind(s.marks[i])
		s.marks = s.marks[:i+1]
	case n < 99:
		s.note("the end of a cycle")
		end()
		s.marks = s.marks[:0]
	default:
		s.note("a collection")
		runtime.GC()
		testkit.Churn(20)
	}
}

// try runs one step. It ignores panics of package reflect and returns faults.
func (s *staleCycles) try(end func()) (fault any) {
	defer func() {
		e := recover()
		if x, ok := e.(interface{ Addr() uintptr }); ok {
			fault = fmt.Sprintf("%v at %#x", e, x.Addr())
		} else if x, ok := e.(runtime.Error); ok && strings.Contains(x.Error(), "nil pointer") {
			fault = e // also a fault in the first page, because nil is never followed
		}
	}()
	s.step(end)
	return nil
}

// reflect.Values of all kinds, and Values derived from them, are read and written in cycles long after their
// own. They see other data, but always of their own type: nothing faults, and no number replaces a pointer.
// With GODEBUG=clobberfree=1, wrongly freed memory would also be noticed.
func TestStaleValuesOfReflection(t *testing.T) {
	testkit.NeedsReuse(t)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	seeds, steps := uint64(testkit.Rounds(60, 12)), 1500
	p := arena.NewArenaPool(2<<10, 0)
	for seed := range seeds {
		s := &staleCycles{Rand: rand.New(rand.NewPCG(seed, 23))}
		var end func()
		switch seed % 3 {
		case 0:
			s.a = arena.NewArena(1<<10, 64<<10)
			end = s.a.Reset
		case 1:
			s.a = p.Get()
			end = func() { p.Put(s.a); s.a = p.Get() }
		default:
			whole := arena.NewArena(1<<10, 64<<10)
			s.a = whole.Fork()
			end = func() { whole.Reset(); s.a = whole.Fork() }
		}
		for range steps {
			if fault := s.try(end); fault != nil {
				t.Fatalf("seed %d: %v, after\n%s", seed, fault, strings.Join(s.log[max(0, len(s.log)-30):], "\n"))
			}
		}
	}
}
