package machine

import (
	"reflect"
	"sync"

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
