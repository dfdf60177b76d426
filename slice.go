package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// MakeSlice returns a slice of T in a, zero up to its capacity, or on the
// heap if a is nil.
//
// In room that the arena has already, its cost does not depend on cap where the
// memory was not used before or T has pointers; otherwise the memory is
// cleared. Negative lengths, a cap below
// len and sizes that no allocation can have panic and change nothing.
func MakeSlice[T any](a *Arena, len, cap int) []T {
	return makeSlice[T](a, "MakeSlice", len, cap)
}

// makeSlice is MakeSlice, called by the function that a panic shall name.
func makeSlice[T any](a *Arena, function string, len, cap int) []T {
	checkSlice[T](function, len, cap)
	if a == nil || machine.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if check.Watched {
		a.enter(function)
		defer a.leave()
	}
	return machine.MakeSlice[T](&a.region, len, cap)
}

// MakeSliceUninit is MakeSlice without the clearing: the slice holds what the
// arena's memory last held, from the life before or from nothing at all, and
// costs the same whatever its size. It is for elements without pointers that
// are all written before they are read; a T with pointers panics, on the heap
// (a nil a), too.
func MakeSliceUninit[T any](a *Arena, len, cap int) []T {
	checkSlice[T]("MakeSliceUninit", len, cap)
	if machine.HoldsPointers[T]() {
		panic(message[T]("MakeSliceUninit") + "the element type has pointers, which can't be left uninitialized; use MakeSlice")
	}
	if a == nil || machine.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if check.Watched {
		a.enter("MakeSliceUninit")
		defer a.leave()
	}
	return machine.MakeSliceUninit[T](&a.region, len, cap)
}

// AllocBytes returns n zero bytes in a, or on the heap if a is nil: the same
// as MakeSlice[byte](a, n, n). A negative n panics.
func (a *Arena) AllocBytes(n int) []byte {
	return makeSlice[byte](a, "AllocBytes", n, n)
}
