package arenaarrow

// The use of package unsafe in this package.

import "unsafe"

// aligned returns b from its first address on that is a multiple of alignment, at most alignment bytes less.
//
// SAFETY: the address is not followed. Objects of the heap and of arenas don't move.
func aligned(b []byte) []byte {
	skip := -address(b) & (alignment - 1)
	return b[skip:]
}

// address returns the address of b's first byte.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
