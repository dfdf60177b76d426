package arenapb

// Unsafe operations beyond internal/xunsafe. Assumptions about messages are verified for each type by
// program_verify.go.

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// at returns byte i of the document.
//
// SAFETY: i is at most docSlack-1 bytes past the end of the document.
func (d *decoder) at(i int) byte {
	if check.On {
		d.mustReach(i, 1)
	}
	return *(*byte)(unsafe.Add(d.base, i))
}

// word returns the eight bytes at i, little-endian.
//
// SAFETY: i is at most docSlack-8 bytes past the end of the document.
func (d *decoder) word(i int) uint64 {
	if check.On {
		d.mustReach(i, 8)
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(d.base, i))[:])
}

// word32 returns the four bytes at i, little-endian.
//
// SAFETY: i is at most docSlack-4 bytes past the end of the document.
func (d *decoder) word32(i int) uint32 {
	if check.On {
		d.mustReach(i, 4)
	}
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(d.base, i))[:])
}

// text returns doc[i:end] as a string.
//
// SAFETY: both are in the document. Bytes that a program may write, those of bytes fields and unknown fields,
// never overlap those of a string.
func (d *decoder) text(i, end int) string {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.String((*byte)(unsafe.Add(d.base, i)), end-i)
}

// view returns doc[i:end] without further capacity.
//
// SAFETY: both are in the document or in the zeros after it.
func (d *decoder) view(i, end int) []byte {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.Slice((*byte)(unsafe.Add(d.base, i)), end-i)
}

// follows reports whether b is part of the document and ends at i.
//
// SAFETY: it compares addresses as numbers. A slice of another object that ends just before the document is
// not part of it.
func (d *decoder) follows(b []byte, i int) bool {
	from, base := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(d.base)
	return from >= base && from+uintptr(len(b)) == base+uintptr(i)
}

// longer returns b extended by the n bytes that follow it in the document.
//
// SAFETY: follows has returned true, and the bytes are in the document.
func longer(b []byte, n int) []byte { return unsafe.Slice(unsafe.SliceData(b), len(b)+n) }

// zero clears the value at p of type t.
//
// SAFETY: the value is on the heap and not shared.
func zero(t reflect.Type, p unsafe.Pointer) { reflect.NewAt(t, p).Elem().SetZero() }

// messageAt returns the message at p as a pointer to t.
//
// SAFETY: p points to a t.
func messageAt(t reflect.Type, p unsafe.Pointer) any { return reflect.NewAt(t, p).Interface() }

// mustReach panics unless the n bytes at i are in the document or in the zeros after it.
func (d *decoder) mustReach(i, n int) {
	if i < 0 || n < 0 || n > d.n+docSlack-i {
		panic(fmt.Sprintf("arenapb: internal error: %d bytes at %d of a document of %d", n, i, d.n))
	}
}
