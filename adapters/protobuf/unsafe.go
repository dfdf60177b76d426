package arenapb

// What internal/xunsafe has not. What is taken for granted of messages is tried out for
// each type before it is relied on, in program_verify.go.

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// at is the byte at i of the document.
//
// SAFETY: i is at most docSlack-1 beyond the document's end.
func (d *decoder) at(i int) byte {
	if check.On {
		d.mustReach(i, 1)
	}
	return *(*byte)(unsafe.Add(d.base, i))
}

// word is the eight bytes from i on, the first one lowest.
//
// SAFETY: i is at most docSlack-8 beyond the document's end.
func (d *decoder) word(i int) uint64 {
	if check.On {
		d.mustReach(i, 8)
	}
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(d.base, i))[:])
}

// word32 is the four bytes from i on, the first one lowest.
//
// SAFETY: i is at most docSlack-4 beyond the document's end.
func (d *decoder) word32(i int) uint32 {
	if check.On {
		d.mustReach(i, 4)
	}
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(d.base, i))[:])
}

// text is the document from i to end, as a string.
//
// SAFETY: both lie in it. Bytes of the same document that a program may write to, those
// of bytes fields and of unknown fields, are never those of a string.
func (d *decoder) text(i, end int) string {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.String((*byte)(unsafe.Add(d.base, i)), end-i)
}

// view is the document from i to end, with no capacity behind it.
//
// SAFETY: both lie in it, or in the zeros behind it.
func (d *decoder) view(i, end int) []byte {
	if check.On {
		d.mustReach(i, end-i)
	}
	return unsafe.Slice((*byte)(unsafe.Add(d.base, i)), end-i)
}

// follows reports whether b lies in the document and ends where byte i of it is.
//
// SAFETY: compares addresses as numbers. What only ends there, before the document, may be
// another object's memory.
func (d *decoder) follows(b []byte, i int) bool {
	from, base := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(d.base)
	return from >= base && from+uintptr(len(b)) == base+uintptr(i)
}

// longer is b with n bytes more, which follow it in the document.
//
// SAFETY: the caller has asked follows, and these bytes lie in the document.
func longer(b []byte, n int) []byte { return unsafe.Slice(unsafe.SliceData(b), len(b)+n) }

// zero clears the size bytes at p, which hold no unsafe.Pointer that the collector must be
// told of, since only its own record of a check lies there.
//
// SAFETY: the value at p is on the heap, and nobody else's.
func zero(t reflect.Type, p unsafe.Pointer) { reflect.NewAt(t, p).Elem().SetZero() }

// messageAt is the message at p as package reflect sees it: a unsafe.Pointer to t.
//
// SAFETY: at p is a t.
func messageAt(t reflect.Type, p unsafe.Pointer) any { return reflect.NewAt(t, p).Interface() }

// mustReach panics unless the n bytes from i on are the document's, or the zeros' behind it.
func (d *decoder) mustReach(i, n int) {
	if i < 0 || n < 0 || n > d.n+docSlack-i {
		panic(fmt.Sprintf("arenapb: internal error: %d bytes at %d of a document of %d", n, i, d.n))
	}
}
