package machine

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

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
