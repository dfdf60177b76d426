package arenajson

// How text is written.
//
// SAFETY: whoever calls one of these has asked encoder.reserve for as many bytes, and some
// more beyond them.

import (
	"encoding/binary"
	"unsafe"
)

// put64 writes 8 bytes at w, the lowest one first.
//
// SAFETY: see above.
func put64(w unsafe.Pointer, x uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(w)[:], x)
}

// put8 writes a byte at w, and returns where the next one goes.
//
// SAFETY: see above.
func put8(w unsafe.Pointer, c byte) unsafe.Pointer {
	*(*byte)(w) = c
	return unsafe.Add(w, 1)
}

// putText writes s at w, and returns where the next byte goes.
//
// SAFETY: see above.
func putText(w unsafe.Pointer, s string) unsafe.Pointer {
	copy(unsafe.Slice((*byte)(w), len(s)), s)
	return unsafe.Add(w, len(s))
}

// bytesAt is n bytes at w, with nothing in them.
//
// SAFETY: see above.
func bytesAt(w unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(w), n)[:0] }

// piece is how many bytes putPieces writes at a time.
const piece = 16

// putPiece writes s at w.
//
// SAFETY: see above.
func putPiece(w unsafe.Pointer, s *[piece]byte) { *(*[piece]byte)(w) = *s }

// putPieces writes s at w; the length of s is a multiple of piece.
//
// SAFETY: see above.
func putPieces(w unsafe.Pointer, s string) {
	from := unsafe.Pointer(unsafe.StringData(s))
	for i := uintptr(0); i < uintptr(len(s)); i += piece {
		*(*[piece]byte)(unsafe.Add(w, i)) = *(*[piece]byte)(unsafe.Add(from, i))
	}
}
