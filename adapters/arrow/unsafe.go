package arenaarrow

// The use of package unsafe in this package.

import "unsafe"

// aligned is b from its first address on that is a multiple of alignment: at most
// alignment bytes less.
//
// SAFETY: the address is only looked at. Objects of the heap and of arenas don't move.
func aligned(b []byte) []byte {
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (alignment - 1)
	return b[skip:]
}
