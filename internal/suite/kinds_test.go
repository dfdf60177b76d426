package suite

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/suite/model"
	"github.com/ebbpool/arena/internal/testkit"
)

// kind is a type used in replays: how to make a value from a number, and how to check that a value was made
// from it.
type kind[T any] struct {
	name string
	make func(seed uint64) T
	same func(x *T, seed uint64) bool
}

// testType is a kind[T] of any T.
type testType interface {
	String() string
	flat() bool
	size() int
	newObject(a *arena.Arena) (raw, error)
	handle(a *arena.Arena) func() (raw, error)
	newOf(a *arena.Arena, seed uint64) (raw, error)
	newType(a *arena.Arena) (raw, error)
	makeSliceType(a *arena.Arena, n, c int) (raw, error)
	makeSlice(a *arena.Arena, n, c int, uninit bool) (raw, error)
	rawAppend(a *arena.Arena, r raw, off, n, c int, seeds []uint64, self bool) (raw, error)
	fill(r raw, i int, seed uint64)
	check(r raw, i int, seed uint64) bool
}

// raw is a slice of a testType without its type. The collector sees the pointer, so raw keeps the elements
// alive.
type raw struct {
	p    unsafe.Pointer
	n, c int
}

func rawOf[T any](s []T) raw { return raw{unsafe.Pointer(unsafe.SliceData(s)), len(s), cap(s)} }

func sliceOf[T any](r raw) []T {
	if r.p == nil {
		return nil
	}
	return unsafe.Slice((*T)(r.p), r.c)[:r.n]
}

func (k *kind[T]) String() string { return k.name }
func (k *kind[T]) flat() bool     { return !slowHasPointers(reflect.TypeFor[T]()) }
func (k *kind[T]) size() int      { return int(unsafe.Sizeof(*new(T))) }

func (k *kind[T]) newObject(a *arena.Arena) (raw, error) {
	p := arena.New[T](a)
	r := raw{unsafe.Pointer(p), 1, 1}
	return r, k.fresh(r, 0, 1)
}

// handle returns newObject through a new allocator.
func (k *kind[T]) handle(a *arena.Arena) func() (raw, error) {
	l := arena.AllocatorFor[T](a)
	return func() (raw, error) {
		r := raw{unsafe.Pointer(l.New()), 1, 1}
		return r, k.fresh(r, 0, 1)
	}
}

func (k *kind[T]) newOf(a *arena.Arena, seed uint64) (raw, error) {
	var p *T
	if size := unsafe.Sizeof(*p); seed%2 == 0 && size > 1 && (k.flat() || size > unsafe.Sizeof(any(0))) && machine.LayoutOK {
		x := arena.BoxOf(a, k.make(seed))
		if _, ok := x.(T); !ok {
			return raw{}, fmt.Errorf("BoxOf made a %T", x)
		}
		p = (*T)((*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1])
	} else {
		p = arena.NewOf(a, k.make(seed))
	}
	r := raw{unsafe.Pointer(p), 1, 1}
	if !k.same(p, seed) {
		return r, fmt.Errorf("it is not a copy")
	}
	return r, k.fresh(r, 0, 0)
}

func (k *kind[T]) makeSlice(a *arena.Arena, n, c int, uninit bool) (raw, error) {
	var s []T
	if uninit {
		s = arena.MakeSliceUninit[T](a, n, c)
	} else {
		s = arena.MakeSlice[T](a, n, c)
	}
	r := rawOf(s)
	if s == nil || len(s) != n || cap(s) != c {
		return r, fmt.Errorf("len %d, cap %d, nil %t; want %d, %d, false", len(s), cap(s), s == nil, n, c)
	}
	if uninit {
		return r, k.fresh(r, 0, 0)
	}
	return r, k.fresh(r, 0, c)
}

// rawAppend appends one value per seed to r[off:n:c], or the slice's own first elements if self is set, and
// checks that new capacity is zero.
func (k *kind[T]) rawAppend(a *arena.Arena, r raw, off, n, c int, seeds []uint64, self bool) (raw, error) {
	s := sliceOf[T](r)[off:n:c]
	var items []T
	if self {
		items = s[:len(seeds)]
	} else {
		for _, seed := range seeds {
			items = append(items, k.make(seed))
		}
	}
	var out []T
	if len(seeds)%2 == 0 {
		out = arena.Append(a, s, items...)
	} else {
		out = appendOfType(a, s, items)
	}
	res := rawOf(out)
	if len(out) != len(s)+len(items) {
		return res, fmt.Errorf("len %d, want %d", len(out), len(s)+len(items))
	}
	if res.c < cap(s) {
		return res, fmt.Errorf("cap %d, was %d", res.c, cap(s))
	}
	if len(out) <= cap(s) && res.c != cap(s) {
		return res, fmt.Errorf("cap %d although %d sufficed", res.c, cap(s))
	}
	from := len(out)
	if unsafe.SliceData(out) == unsafe.SliceData(s) {
		from = max(from, cap(s))
	}
	return res, k.fresh(res, from, res.c)
}

// fresh checks the alignment of r and that its elements in [from, to) are zero.
func (k *kind[T]) fresh(r raw, from, to int) error {
	if k.size() == 0 || r.c == 0 {
		return nil
	}
	if align := unsafe.Alignof(*new(T)); uintptr(r.p)%align != 0 {
		return fmt.Errorf("address %p is not a multiple of %d", r.p, align)
	}
	if from < to {
		for i, b := range unsafe.Slice((*byte)(r.p), to*k.size())[from*k.size():] {
			if b != 0 {
				return fmt.Errorf("element %d of %d is not zero (byte %#02x)", from+i/k.size(), to, b)
			}
		}
	}
	return nil
}

func (k *kind[T]) fill(r raw, i int, seed uint64) { sliceOf[T](r)[:r.c][i] = k.make(seed) }

func (k *kind[T]) check(r raw, i int, seed uint64) bool {
	return k.same(&sliceOf[T](r)[:r.c][i], seed)
}

// flatKind returns a kind whose values are compared with ==.
func flatKind[T comparable](name string, mk func(uint64) T) *kind[T] {
	return &kind[T]{name, mk, func(x *T, seed uint64) bool { return *x == mk(seed) }}
}

type (
	flat24 struct {
		a uint64
		b uint32
		c uint8
	}
	flatBig struct {
		a [137]uint64
		b [5]byte
	}
	textPair  struct{ a, b string }
	mixedType struct {
		n int32
		s string
		p *[4]uint64
		b [5]byte
		f func() uint64
	}
)

var flatKinds = []testType{
	flatKind("uint8", func(s uint64) uint8 { return uint8(s) }),
	flatKind("uint16", func(s uint64) uint16 { return uint16(s) }),
	flatKind("[3]byte", func(s uint64) [3]byte { return [3]byte{byte(s), byte(s >> 8), byte(s + 1)} }),
	flatKind("uint32", func(s uint64) uint32 { return uint32(s) }),
	flatKind("uint64", func(s uint64) uint64 { return s }),
	flatKind("[2]uint64", func(s uint64) [2]uint64 { return [2]uint64{s, ^s} }),
	flatKind("flat24", func(s uint64) flat24 { return flat24{s, uint32(s), uint8(s)} }),
	flatKind("[64]byte", func(s uint64) (x [64]byte) { x[0], x[31], x[63] = byte(s), byte(s>>8), byte(s); return }),
	flatKind("[25]uint64", func(s uint64) (x [25]uint64) { x[0], x[24] = s, ^s; return }),
	flatKind("flatBig", func(s uint64) (x flatBig) { x.a[0], x.a[136], x.b[4] = s, ^s, byte(s); return }),
	flatKind("struct{}", func(uint64) struct{} { return struct{}{} }),
}

var tracedKinds = []testType{
	&kind[textPair]{"textPair",
		func(s uint64) textPair { return textPair{testkit.HeapText(s), testkit.HeapText(s + 1)} },
		func(x *textPair, s uint64) bool { return x.a == testkit.HeapText(s) && x.b == testkit.HeapText(s+1) }},
	&kind[*uint64]{"*uint64", heapInt, sameInt},
	&kind[any]{"any",
		func(s uint64) any {
			switch s % 3 {
			case 0:
				return s
			case 1:
				return testkit.HeapText(s)
			}
			return heapInt(s)
		},
		func(x *any, s uint64) bool {
			switch v := (*x).(type) {
			case uint64:
				return v == s
			case string:
				return v == testkit.HeapText(s)
			case *uint64:
				return sameInt(&v, s)
			}
			return false
		}},
	&kind[map[uint64]string]{"map",
		func(s uint64) map[uint64]string { return map[uint64]string{s: testkit.HeapText(s)} },
		func(x *map[uint64]string, s uint64) bool { return len(*x) == 1 && (*x)[s] == testkit.HeapText(s) }},
	&kind[[3]*uint64]{"[3]*uint64",
		func(s uint64) [3]*uint64 { return [3]*uint64{heapInt(s), nil, heapInt(s)} },
		func(x *[3]*uint64, s uint64) bool { return sameInt(&x[0], s) && x[1] == nil && sameInt(&x[2], s) }},
	&kind[mixedType]{"mixedType",
		func(s uint64) mixedType {
			return mixedType{int32(s), testkit.HeapText(s), &[4]uint64{3: s}, [5]byte{4: byte(s)}, func() uint64 { return s }}
		},
		func(x *mixedType, s uint64) bool {
			return x.n == int32(s) && x.s == testkit.HeapText(s) && x.p != nil && x.p[3] == s &&
				x.b[4] == byte(s) && x.f != nil && x.f() == s
		}},
}

func heapInt(seed uint64) *uint64 { return &seed }

func sameInt(x **uint64, seed uint64) bool { return *x != nil && **x == seed }

// allKinds contains every kind of reference to the heap.
type allKinds struct {
	n     int
	text  string
	list  []string
	table map[string]*int
	iface any
	f     func() string
	ch    chan string
	next  *allKinds
	raw   unsafe.Pointer
	array [2]*[3]string
}

func (x *allKinds) set(seed uint64) {
	s := testkit.HeapText(seed)
	x.n = int(seed)
	x.text = s + "!"
	x.list = []string{testkit.HeapText(seed), testkit.HeapText(seed + 1)}
	x.table = map[string]*int{testkit.HeapText(seed): new(int)}
	*x.table[s] = int(seed)
	x.iface = &textPair{testkit.HeapText(seed), testkit.HeapText(seed + 2)}
	captured := testkit.HeapText(seed + 3)
	x.f = func() string { return captured }
	x.ch = make(chan string, 1)
	x.ch <- testkit.HeapText(seed + 4)
	x.raw = unsafe.Pointer(heapInt(seed))
	x.array[1] = &[3]string{2: testkit.HeapText(seed + 5)}
}

func (x *allKinds) check(seed uint64) error {
	in := ""
	select {
	case in = <-x.ch:
		x.ch <- in
	default:
	}
	pair, _ := x.iface.(*textPair)
	switch {
	case x.n != int(seed), x.text != testkit.HeapText(seed)+"!",
		len(x.list) != 2, x.list[0] != testkit.HeapText(seed), x.list[1] != testkit.HeapText(seed+1),
		len(x.table) != 1, *x.table[testkit.HeapText(seed)] != int(seed),
		pair == nil, *pair != textPair{testkit.HeapText(seed), testkit.HeapText(seed + 2)},
		x.f() != testkit.HeapText(seed+3), in != testkit.HeapText(seed+4),
		*(*uint64)(x.raw) != seed, x.array[0] != nil, x.array[1][2] != testkit.HeapText(seed+5):
		return fmt.Errorf("object %d holds %+v", seed, *x)
	}
	return nil
}

// slowHasPointers reports whether a type has pointers: the tests' own slow implementation.
func slowHasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && slowHasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if slowHasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Pointer, reflect.UnsafePointer, reflect.String, reflect.Slice, reflect.Map,
		reflect.Chan, reflect.Func, reflect.Interface:
		return true
	}
	return false
}

// classOf returns how allocations of the type count.
func classOf(t testType) model.Class {
	if t.flat() {
		return model.Flat
	}
	return model.Traced
}
