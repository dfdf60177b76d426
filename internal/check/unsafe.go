package check

// The unsafe code of this package. It works on memory that its callers, the allocators, describe as a chunk.

import (
	"unsafe"
)

// Pointer is the address of a chunk.
type Pointer = unsafe.Pointer

// addr returns the address of offset off of a chunk.
//
// SAFETY: off is inside the chunk.
func addr(base Pointer, off uintptr) Pointer { return unsafe.Add(base, off) }

// number returns p as a number, which keeps nothing alive.
func number(p Pointer) uintptr { return uintptr(p) }

// pointerTo returns x as a Pointer.
func pointerTo[T any](x *T) Pointer { return unsafe.Pointer(x) }

// makeWords allocates n zeroed bytes, a multiple of 8, that the collector does not scan.
func makeWords(n uintptr) Pointer { return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8))) }

// fill fills [from, to) of a pointer-free chunk with repetitions of like.
//
// SAFETY: the range is inside the chunk, or in the redzone after it.
func fill(base Pointer, from, to uintptr, like string) {
	s := unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from)
	for done := copy(s, like); done < len(s); done *= 2 {
		copy(s[done:], s[:done])
	}
}

// IsFilled reports whether all bytes of [from, to) are b.
//
// SAFETY: the range is inside the chunk. Pointers are read as bytes and not kept. norace also disables
// AddressSanitizer's check, unless the function is inlined or calls the runtime: the allocators verify memory
// that other code must not read.
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

// viewString returns b as a string without copying.
//
// SAFETY: nothing writes to b while the string is in use.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
