package check

// All unsafe code of this package. It works on memory that its callers, the allocators,
// say is a chunk's.

import (
	"unsafe"
)

// Pointer is the address of a chunk.
type Pointer = unsafe.Pointer

// addr returns the address of offset off of a chunk.
//
// SAFETY: off is in the chunk.
func addr(base Pointer, off uintptr) Pointer { return unsafe.Add(base, off) }

// number is p as a number, which keeps nothing alive.
func number(p Pointer) uintptr { return uintptr(p) }

// pointerTo is x as a pointer to anything.
func pointerTo[T any](x *T) Pointer { return unsafe.Pointer(x) }

// makeWords allocates n bytes, a multiple of 8, that the collector does not
// scan, zeroed.
func makeWords(n uintptr) Pointer { return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8))) }

// fill fills [from, to) of a chunk without pointers with repetitions of like.
//
// SAFETY: the range lies in the chunk, or in the redzone behind it.
func fill(base Pointer, from, to uintptr, like string) {
	s := unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from)
	for done := copy(s, like); done < len(s); done *= 2 {
		copy(s[done:], s[:done])
	}
}

// IsFilled reports whether all bytes of [from, to) are b: whether the first one
// is, and each other is like the one before it.
//
// SAFETY: the range lies in the chunk. It reads pointers as bytes and keeps
// none. (norace also takes away AddressSanitizer's look at it, unless it is
// inlined or lets the runtime look: the allocators check memory that nobody else may
// read.)
//
//go:norace
//go:noinline
func IsFilled(base Pointer, from, to uintptr, b byte) bool {
	if from == to {
		return true
	}
	s := unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from)
	return s[0] == b && viewString(s[1:]) == viewString(s[:len(s)-1])
}

// viewString is b as a string, without a copy.
//
// SAFETY: for the time in which nothing writes to b.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
