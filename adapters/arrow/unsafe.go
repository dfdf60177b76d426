package arenaarrow

// All uses of package unsafe in this package.

import "unsafe"

// aligned returns b without the bytes before the first aligned address, at most alignment bytes less.
//
// SAFETY: the address is only used as a number. Objects of the heap and of arenas do not move.
func aligned(b []byte) []byte {
	skip := -address(b) & (alignment - 1)
	return b[skip:]
}

// address returns the address of b's first byte.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
