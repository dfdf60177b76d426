package machine

import (
	"math"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// What the library takes for granted about the runtime is numbered, and looked at here
// when the program starts, except for A3, A4 and A8, for which there are tests. If A1, A2, A5,
// A6 or A7 does not hold, all arenas are in heap mode (heap.go). A8 is relied on by toolchains
// that the suite has run on.
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
//	A5  In the descriptor of a pointer type, what all descriptors have is
//	    followed by a pointer to the descriptor of the type that it points to.
//	A6  A slice is three words: the address of its first element, its length and
//	    its capacity, as reflect.SliceHeader says.
//	A7  The second word of an interface is the pointer that it holds, or that to
//	    the value which it holds; a reflect.Type of package reflect holds a pointer
//	    to the descriptor.
//	A8  To clear a slice of pointers whose length the compiler does not know is one
//	    call of the runtime, the same as for slices of any type with pointers: which
//	    words hold some it learns from the heap's own record of the memory.
//
// LayoutOK says that the assumptions about the layout of memory and of type descriptors hold
// in this program.
var LayoutOK = !HeapOnly && checkLayout()

// leadsTo reports whether KeyOf finds T's descriptor, which is what a reflect.Type
// points to. It looks into nothing that it has not compared.
func leadsTo[T any]() bool {
	return xunsafe.PointerTo(KeyOf((*T)(nil))) == reflect.ValueOf(reflect.TypeFor[T]()).UnsafePointer()
}

// checkLayout compares what KeyOf reads from the descriptors of a few
// types with what package reflect says of them.
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
	return leadsTo[T]() && boxes(t, new(T)) && d.size == t.Size() && uintptr(d.PtrBytes) <= d.size && (d.PtrBytes != 0) == reflectPointers(t)
}

// boxes reports whether A7 holds for t, the type that x points to.
func boxes[T any](t reflect.Type, x *T) bool {
	v := boxed(wordOf(reflect.TypeFor[*T]()), xunsafe.PointerTo(x))
	s := boxed(wordOf(reflect.TypeFor[[]T]()), xunsafe.PointerTo(&Slice{xunsafe.PointerTo(x), 0, 1}))
	plain := any(*x)
	if w := xunsafe.WordsOf(&plain); t.Kind() != reflect.Interface && w.Type != wordOf(t) {
		return false // what Box makes an interface of
	}
	return wordOf(t) == reflect.ValueOf(t).UnsafePointer() && v.Type() == reflect.TypeFor[*T]() && v.Interface() == any(x) &&
		s.Type() == reflect.TypeFor[[]T]() && s.Len() == 0 && s.Cap() == 1 && s.UnsafePointer() == xunsafe.PointerTo(x)
}

// reflectPointers returns what ptrBytes != 0 says, by package reflect.
func reflectPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && reflectPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if reflectPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return false
	}
	return true // also any kind that a later version of the language brings
}

// CanPoint reports whether values of t can hold a Pointer.
func CanPoint(t reflect.Type) bool { return reflectPointers(t) }

// pointerful remembers reflectPointers by type.
var pointerful sync.Map // of reflect.Type to bool

// HoldsPointers reports whether a T can hold a Pointer.
func HoldsPointers[T any]() bool {
	if !NoLayout() {
		return KeyOf((*T)(nil)).PtrBytes != 0
	}
	t := reflect.TypeFor[T]()
	if known, ok := pointerful.Load(t); ok {
		return known.(bool)
	}
	has := reflectPointers(t)
	pointerful.Store(t, has)
	return has
}

// TypeDesc is the beginning of a type descriptor (assumption A2). PtrBytes is an
// int because the compiler, where it knows the type, puts the constant in place
// of the load of an int, but not of a uintptr.
type TypeDesc struct {
	size     uintptr
	PtrBytes int
}

// Bits returns the descriptor's address as a number, for hashing.
func (t *TypeDesc) Bits() uintptr { return uintptr(unsafe.Pointer(t)) }

// pointerDesc is the descriptor of a pointer type (assumption A5): what all
// descriptors have, and then the one that we are after.
type pointerDesc struct {
	size, ptrBytes uintptr
	hash           uint32
	flags          [4]uint8
	equal, gcData  xunsafe.Pointer
	name, pointer  int32
	elem           *TypeDesc
}

// KeyOf returns the descriptor of the type that v, a pointer, points to. Called
// as KeyOf((*T)(nil)) it inlines to two loads. (An interface that holds a T
// itself would save one of them. But where the call is not inlined, as under the
// race detector, each such T is a zero value of its size among the program's
// data; and a T that is an interface would be replaced by its dynamic type.)
//
// SAFETY: reads the first word of an interface value, which A1 says is the
// descriptor, and the word in it that A5 says is the other one. Descriptors are
// never freed while a value or an instantiation of the type exists.
//
//go:nocheckptr
func KeyOf(v any) *TypeDesc {
	return (*(**pointerDesc)(unsafe.Pointer(&v))).elem
}

// wordOf is the second word of t: the address of its descriptor, if t is package
// reflect's.
func wordOf(t reflect.Type) xunsafe.Pointer { return xunsafe.WordsOf(&t).Data }

// descriptorOf returns what a reflect.Type of package reflect points to: what leadsTo
// says, by means that need no assumption.
//
// SAFETY: descriptors are never freed while there is such a reflect.Type; a Type
// keeps it.
func descriptorOf(t reflect.Type) *TypeDesc {
	return xunsafe.Cast[TypeDesc](reflect.ValueOf(t).UnsafePointer())
}

// boxed is the reflect.Value of what an interface with such words holds: of the
// pointer p to a T where desc is the descriptor of *T, of the slice at p where it
// is one of slices (assumptions A1 and A7). It is what reflect.NewAt makes, without
// its look for the descriptor.
//
// SAFETY: the interface lives only as long as ValueOf takes; desc is the
// descriptor of what p is, or points to.
func boxed(desc, p xunsafe.Pointer) reflect.Value {
	w := [2]xunsafe.Pointer{desc, p}
	return reflect.ValueOf(*(*any)(unsafe.Pointer(&w)))
}

// Box returns the interface that holds the T at p, without a copy of it.
//
// SAFETY: the caller knows that LayoutOK, that an interface which holds a T leads to it in
// memory (assumption A7), and that nobody writes to the T any more.
func Box[T any](p *T) (x any) {
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: xunsafe.PointerTo(KeyOf((*T)(nil))), Data: xunsafe.PointerTo(p)}
	return x
}

// Type describes a type to functions without a type parameter: for
// codecs, which meet types as reflect.Type. There is one for each type, for as
// long as the program runs, as with the descriptors that package reflect makes. A
// codec asks for it once, with TypeOf, and keeps it.
type Type struct {
	Reflect  reflect.Type
	Size     uintptr // in bytes
	Pointers bool    // a value can hold pointers

	slices  reflect.Type    // of slices of such values
	key     *TypeDesc       // nil where descriptors can't be read
	pointer xunsafe.Pointer // the descriptor of a pointer to such a value

	elem atomic.Pointer[Type] // of a type of slices: that of its elements, from the first Elem on
}

// types are the Types by what a program calls them, which for each is its
// reflect.Type.
var types sync.Map // of reflect.Type to *Type

// met is where Types are looked for first: each in the one place that the
// address of its descriptor picks. Types that fall into the same take turns.
var met [metTypes]atomic.Pointer[Type]

const metTypes = 1 << 12

// metAt is the place of a descriptor in met: descriptors lie within a few
// megabytes, a multiple of 32 bytes apart.
func metAt(key xunsafe.Pointer) *atomic.Pointer[Type] {
	n := xunsafe.Number(key)
	return &met[(n>>5^n>>15)%metTypes]
}

// KnownType returns the Type of t if that is found at once; else it returns nil,
// and TypeOf shall be asked.
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
		// A Type is not made twice: allocators may be found by it.
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
		panic("arena: a reflect.Type that is not package reflect's but a " + reflect.TypeOf(t).String() + "; pass the one that it stands for")
	}
	x := &Type{Reflect: t, slices: reflect.SliceOf(t), Size: t.Size(), Pointers: t.Size() != 0 && reflectPointers(t)}
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

// Most is how many elements of the type a slice can have at most.
func (t *Type) Most() int {
	if t.Size == 0 {
		return math.MaxInt
	}
	return int(MaxAlloc / t.Size)
}

// PointerValue is p, which points to a value of the type, for package reflect.
func (t *Type) PointerValue(p xunsafe.Pointer) reflect.Value {
	if t.key == nil {
		return reflect.NewAt(t.Reflect, p)
	}
	return t.Value(p)
}

// Value is PointerValue for what KnownType returned.
func (t *Type) Value(p xunsafe.Pointer) reflect.Value { return boxed(t.pointer, p) }

// Heap mode. A region in heap mode counts its values and keeps them within the limits, and
// takes each from the Go heap, where the collector frees it when nothing refers to it. It
// serves runtimes whose layout is unknown, and pools that are turned off.
//
// Its allocators have no chunks, so that every allocation takes a slow path, and each slow path
// asks onHeap first. What is counted is the bytes of this cycle's values: the collector may
// have freed some.

// NoLayout reports whether no arena may look at a type descriptor. It is a constant on
// toolchains that the suite has run on.
func NoLayout() bool { return HeapOnly || !Tested && !LayoutOK }

// Slice is the header of a slice (assumption A6), for those who know its type at
// run time.
type Slice struct {
	Data     xunsafe.Pointer
	Len, Cap int
}

// SliceAt returns n elements, with room for c, at offset off. It stays in
// registers, without the checks of n and c that unsafe.Slice would make again.
//
// SAFETY: as At, for c elements; the caller has checked that n is from 0 to c.
func SliceAt[T any](base xunsafe.Pointer, off uintptr, n, c int) []T {
	if NoLayout() {
		return unsafe.Slice((*T)(unsafe.Add(base, off)), c)[:n]
	}
	h := Slice{unsafe.Add(base, off), n, c}
	return *(*[]T)(unsafe.Pointer(&h))
}

// sliceVariable is the slice that x points to as one of slices' type, which keeps
// what x leads to alive as x does.
//
// SAFETY: x is made of the same words (assumption A6), with a pointer in the same
// place.
func sliceVariable(slices reflect.Type, x *Slice) reflect.Value {
	return reflect.NewAt(slices, unsafe.Pointer(x)).Elem()
}

// sliceHolds reports whether A6 does.
//
// SAFETY: looks at s as at words only where it has as many.
func sliceHolds() bool {
	array := [5]uint16{1, 2, 3, 4, 5}
	s := array[1:3:4]
	if unsafe.Sizeof(s) != unsafe.Sizeof(Slice{}) {
		return false
	}
	return *(*Slice)(unsafe.Pointer(&s)) == Slice{xunsafe.Pointer(&array[1]), 2, 3}
}

// MaxAlloc is the most bytes that one value or slice may have, or a chunk that
// the library plans: half of what the runtime's make takes before it panics, which
// is 1<<addressBits. What is rounded up, and what the checks put around it, stays
// below that, and two such sizes add up without overflow. Below it, more than the
// machine has is a fatal error, as with make.
const MaxAlloc = 1 << (addressBits - 1)

// NoscanAlign is the alignment of values without pointers, and what their sizes
// are rounded up to: no Go type needs more.
const NoscanAlign = 8

// InlineZero is the size in bytes up to which New clears an object with
// stores of its own. Larger ones take the slow path, which knows what is clean
// already.
const InlineZero = 1024

// WideAddresses says that a number that is the address of something on the heap by
// accident is so unlikely that it can be taken for one.
const WideAddresses = addressBits >= 40

// RoundUp rounds n up to a multiple of align, which need not be a power of
// two.
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
	// SmallBytes is the most bytes that AllocBytes clears in line. Where memory
	// is cleared by a call, it costs more than all else for less than that.
	SmallBytes = 256

	// SmallSlice is the most bytes that a slice takes on the fast path. It is only
	// there so that sums and products don't overflow.
	SmallSlice = 1 << 20
)
