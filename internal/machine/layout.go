package machine

import (
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// The library makes eight assumptions about the runtime. A1, A2, A5, A6 and A7 are checked when the program starts. If
// one of them does not hold, all arenas are in heap mode (heap.go). A3, A4 and A8 have tests. Only toolchains on which
// the suite has run rely on A8.
//
//	A1  An empty interface is two words, the first of which points to the
//	    descriptor of the dynamic type, one descriptor per type.
//	A2  A type descriptor begins with the size of the type (a word) and the
//	    length of the prefix of the type that can hold pointers (a word),
//	    which is zero for types without pointers.
//	A3  Memory made as a []uint64 is aligned to 8 bytes, which is enough for
//	    every type without pointers.
//	A4  The collector does not move heap objects, and keeps a whole
//	    allocation alive for a pointer to any byte of it.
//	A5  In the descriptor of a pointer type, the part that all descriptors
//	    have is followed by a pointer to the descriptor of the element type.
//	A6  A slice is three words: the address of its first element, its length and
//	    its capacity, as in reflect.SliceHeader.
//	A7  The second word of an interface is the pointer that it holds, or a
//	    pointer to the value that it holds. A reflect.Type of package reflect
//	    holds a pointer to the descriptor.
//	A8  Clearing a slice of pointers whose length the compiler does not know is
//	    one call of the runtime, the same as for slices of any type with
//	    pointers. The call finds the pointers by the heap's record of the memory.
//
// Where each assumption was checked, in every release of these versions that CI has run:
//
//	Go 1.25, 1.26, 1.27    A1, A2, A5, A6, A7 at start-up; A1 to A3, A5, A6, A8 in layout_test.go; A4 by
//	                       internal/suite/torture_test.go, under GOGC=1
//	Go 1.28                A1, A2, A5, A6, A7 at start-up; A8 is not relied on
//	later                  none: heap mode
//
// LayoutOK reports whether the assumptions that are checked at start-up hold in this program.
var LayoutOK = !HeapOnly && checkLayout()

// leadsTo reports whether KeyOf returns T's descriptor, to which a reflect.Type also points. It does not read the
// descriptor.
func leadsTo[T any]() bool {
	return xunsafe.PointerTo(KeyOf((*T)(nil))) == reflect.ValueOf(reflect.TypeFor[T]()).UnsafePointer()
}

// checkLayout compares the descriptors of a few types, as KeyOf reads them, with package reflect.
func checkLayout() bool {
	type mixed struct {
		a int32
		s string
		b [5]byte
	}
	return sliceHolds() && leadsTo[byte]() && leadsTo[string]() && leadsTo[any]() &&
		leadsTo[[3]uint16]() && leadsTo[*int]() && leadsTo[struct{ x float64 }]() &&
		layoutHolds[byte]() && layoutHolds[int64]() && layoutHolds[[3]uint16]() &&
		layoutHolds[struct{ x, y float64 }]() && layoutHolds[complex128]() &&
		layoutHolds[string]() && layoutHolds[*int]() && layoutHolds[any]() &&
		layoutHolds[error]() && layoutHolds[[]byte]() && layoutHolds[map[int]int]() &&
		layoutHolds[func()]() && layoutHolds[chan int]() && layoutHolds[mixed]() &&
		layoutHolds[[4]mixed]() &&
		KeyOf((*mixed)(nil)) == KeyOf((*mixed)(nil)) && KeyOf((*int32)(nil)) != KeyOf((*uint32)(nil))
}

func layoutHolds[T any]() bool {
	t := reflect.TypeFor[T]()
	d := KeyOf((*T)(nil))
	return leadsTo[T]() && boxes(t, new(T)) && d.size == t.Size() && uintptr(d.PtrBytes) <= d.size && (d.PtrBytes != 0) == CanPoint(t)
}

// boxes reports whether A7 holds for t, the type of *x.
func boxes[T any](t reflect.Type, x *T) bool {
	v := boxed(wordOf(reflect.TypeFor[*T]()), xunsafe.PointerTo(x))
	s := boxed(wordOf(reflect.TypeFor[[]T]()), xunsafe.PointerTo(&Slice{xunsafe.PointerTo(x), 0, 1}))
	plain := any(*x)
	if w := xunsafe.WordsOf(&plain); t.Kind() != reflect.Interface && w.Type != wordOf(t) {
		return false // the words that Box writes
	}
	return wordOf(t) == reflect.ValueOf(t).UnsafePointer() && v.Type() == reflect.TypeFor[*T]() && v.Interface() == any(x) &&
		s.Type() == reflect.TypeFor[[]T]() && s.Len() == 0 && s.Cap() == 1 && s.UnsafePointer() == xunsafe.PointerTo(x)
}

// CanPoint reports, by package reflect, whether values of t can hold pointers.
func CanPoint(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && CanPoint(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if CanPoint(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return false
	}
	return true // also kinds of later versions of Go
}

// HoldsPointers reports whether a T can hold pointers.
func HoldsPointers[T any]() bool {
	if NoLayout() {
		return TypeOf(reflect.TypeFor[T]()).Pointers
	}
	return KeyOf((*T)(nil)).PtrBytes != 0
}

// TypeDesc is the beginning of a type descriptor (assumption A2). PtrBytes is an int because the compiler replaces the load of an
// int by a constant if it knows the type, but not the load of a uintptr.
type TypeDesc struct {
	size     uintptr
	PtrBytes int
}

// Bits returns the descriptor's address as a number, for hashing.
func (t *TypeDesc) Bits() uintptr { return uintptr(unsafe.Pointer(t)) }

// pointerDesc is the descriptor of a pointer type (assumption A5).
type pointerDesc struct {
	size, ptrBytes uintptr
	hash           uint32
	flags          [4]uint8
	equal, gcData  xunsafe.Pointer
	name, pointer  int32
	elem           *TypeDesc
}

// KeyOf returns the descriptor of the type that v, a pointer, points to. KeyOf((*T)(nil)) is inlined to two loads. (An
// interface that holds a T would save one load. But if the call is not inlined, as under the race detector, the
// program's data would contain a zero value of each T, and an interface type would be replaced by its dynamic type.)
//
// SAFETY: reads the first word of an interface value, which is the descriptor (A1), and the word in it that is the
// descriptor of the element type (A5). Descriptors are never freed while a value or an instantiation of the type
// exists.
//
//go:nocheckptr
func KeyOf(v any) *TypeDesc {
	return (*(**pointerDesc)(unsafe.Pointer(&v))).elem
}

// wordOf returns the second word of t: the address of its descriptor if t is of package reflect.
func wordOf(t reflect.Type) xunsafe.Pointer { return xunsafe.WordsOf(&t).Data }

// descriptorOf returns the descriptor of a reflect.Type of package reflect. It relies on no assumption.
//
// SAFETY: descriptors are not freed while such a reflect.Type exists, and a Type has one.
func descriptorOf(t reflect.Type) *TypeDesc {
	return xunsafe.Cast[TypeDesc](reflect.ValueOf(t).UnsafePointer())
}

// boxed returns the reflect.Value of the pointer p to a T if desc is the descriptor of *T, or of the slice at p if desc
// is the descriptor of a slice type (assumptions A1 and A7). It is reflect.NewAt without the search for the descriptor.
//
// SAFETY: the interface exists only during ValueOf. desc is the descriptor of p, or of the slice at p.
func boxed(desc, p xunsafe.Pointer) reflect.Value {
	w := [2]xunsafe.Pointer{desc, p}
	return reflect.ValueOf(*(*any)(unsafe.Pointer(&w)))
}

// Box returns the interface that holds the T at p, without copying it.
//
// SAFETY: the caller has checked LayoutOK. An interface that holds a T points to it (assumption A7). The T is never
// written again.
func Box[T any](p *T) (x any) {
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: xunsafe.PointerTo(KeyOf((*T)(nil))), Data: xunsafe.PointerTo(p)}
	return x
}

// Type describes a type to codecs, which know types only as reflect.Type. There is one Type for each type, and it is
// never freed. A codec calls TypeOf once and keeps the result.
type Type struct {
	Reflect  reflect.Type
	Size     uintptr // in bytes
	Pointers bool    // a value can hold pointers

	slices  reflect.Type    // of slices of such values
	key     *TypeDesc       // nil if descriptors can't be read
	pointer xunsafe.Pointer // the descriptor of a pointer to such a value

	elem atomic.Pointer[Type] // for a slice type, the Type of its elements, set by Elem
}

var types sync.Map // of reflect.Type to *Type

// met is a cache in front of types, indexed by the address of the descriptor. Types with the same index replace each other.
var met [metTypes]atomic.Pointer[Type]

const metTypes = 1 << 12

// metAt returns the place of a descriptor in met. Descriptors are within a few megabytes, at multiples of 32 bytes.
func metAt(key xunsafe.Pointer) *atomic.Pointer[Type] {
	n := xunsafe.Number(key)
	return &met[(n>>5^n>>15)%metTypes]
}

// KnownType returns the Type of t if it is in the cache, or else nil. The caller then calls TypeOf.
func KnownType(t reflect.Type) *Type {
	if NoLayout() {
		return nil
	}
	key := wordOf(t)
	x := metAt(key).Load()
	if x == nil || xunsafe.PointerTo(x.key) != key {
		return nil
	}
	return x
}

// TypeOf returns the Type of t, which is not nil.
func TypeOf(t reflect.Type) *Type {
	if x := KnownType(t); x != nil {
		return x
	}
	known, ok := types.Load(t)
	if !ok {
		// There is only one Type for each type, because it may be the key of an allocator.
		known, _ = types.LoadOrStore(t, newType(t))
	}
	x := known.(*Type)
	if x.key != nil {
		metAt(xunsafe.PointerTo(x.key)).Store(x)
	}
	return x
}

func newType(t reflect.Type) *Type {
	if reflect.TypeOf(t) != reflect.TypeOf(reflect.TypeFor[byte]()) {
		panic("arena: unknown implementation of reflect.Type: " + reflect.TypeOf(t).String())
	}
	x := &Type{Reflect: t, slices: reflect.SliceOf(t), Size: t.Size(), Pointers: t.Size() != 0 && CanPoint(t)}
	if LayoutOK {
		x.key = descriptorOf(t)
		x.pointer = xunsafe.PointerTo(descriptorOf(reflect.PointerTo(t)))
	}
	return x
}

// Elem returns the Type of the elements of t, a type of slices.
func (t *Type) Elem() *Type {
	elem := t.elem.Load()
	if elem == nil {
		elem = TypeOf(t.Reflect.Elem())
		t.elem.Store(elem)
	}
	return elem
}

// Most returns the largest length of a slice of t.
func (t *Type) Most() int {
	if t.Size == 0 {
		return math.MaxInt
	}
	return int(MaxAlloc / t.Size)
}

// PointerValue returns p, which points to a t, as a reflect.Value.
func (t *Type) PointerValue(p xunsafe.Pointer) reflect.Value {
	if t.key == nil {
		return reflect.NewAt(t.Reflect, p)
	}
	return t.Value(p)
}

// Value is PointerValue for a Type that KnownType returned.
func (t *Type) Value(p xunsafe.Pointer) reflect.Value { return boxed(t.pointer, p) }

// NoLayout reports whether no arena may read type descriptors. It is a constant on toolchains on which the suite has
// run.
func NoLayout() bool { return HeapOnly || !Tested && !LayoutOK }

// Slice is the header of a slice (assumption A6) of a type that is known only at run time.
type Slice struct {
	Data     xunsafe.Pointer
	Len, Cap int
}

// SliceAt returns the n elements at offset off, with capacity c. It stays in registers, and omits the checks of unsafe.Slice.
//
// SAFETY: as At, for c elements; the caller has checked that 0 <= n <= c.
func SliceAt[T any](base xunsafe.Pointer, off uintptr, n, c int) []T {
	if NoLayout() {
		return unsafe.Slice((*T)(unsafe.Add(base, off)), c)[:n]
	}
	h := Slice{unsafe.Add(base, off), n, c}
	return *(*[]T)(unsafe.Pointer(&h))
}

// sliceVariable returns *x as a slice of the type slices. It keeps the same memory alive as *x.
//
// SAFETY: x has the same words (assumption A6), with a pointer in the same place.
func sliceVariable(slices reflect.Type, x *Slice) reflect.Value {
	return reflect.NewAt(slices, unsafe.Pointer(x)).Elem()
}

// sliceHolds reports whether A6 holds.
//
// SAFETY: reads s as three words only if it has that size.
func sliceHolds() bool {
	array := [5]uint16{1, 2, 3, 4, 5}
	s := array[1:3:4]
	if unsafe.Sizeof(s) != unsafe.Sizeof(Slice{}) {
		return false
	}
	return *(*Slice)(unsafe.Pointer(&s)) == Slice{xunsafe.Pointer(&array[1]), 2, 3}
}

// MaxAlloc is the largest size in bytes of a value, a slice or a planned chunk. It is half of the size at which the
// runtime's make panics, so sizes can be rounded up, get redzones, and two of them can be added without overflow.
// Running out of memory below MaxAlloc is a fatal error, as with make.
const MaxAlloc = 1 << (addressBits - 1)

// NoscanAlign is the alignment of values without pointers, and the unit of their sizes. No Go type needs more.
const NoscanAlign = 8

// InlineZero is the size in bytes of the largest object that New clears inline. Larger objects take the slow path,
// which does not clear memory that is zero.
const InlineZero = 1024

// WideAddresses reports whether addresses are so large that a number is very unlikely to be the address of an object by
// accident.
const WideAddresses = addressBits >= 40

// RoundUp rounds n up to a multiple of align, which need not be a power of two.
func RoundUp(n, align uintptr) uintptr {
	if r := n % align; r != 0 {
		n += align - r
	}
	return n
}

func must(holds bool, what string) {
	if !holds {
		panic("arena: internal error: " + what)
	}
}

const (
	// SmallBytes is the most bytes that AllocBytes clears inline. Inline clearing avoids a call, which would cost more
	// than the rest of the function.
	SmallBytes = 256

	// SmallSlice is the most bytes that a slice takes on the fast path. It keeps sums and products from overflowing.
	SmallSlice = 1 << 20
)
