package arenapb

// The use of package unsafe in this room, one function for each way in which
// memory is looked at. What is taken for granted of the runtime is numbered in
// unsafe.go of internal/machine; what is taken for granted of messages is tried out
// for each type before it is relied on, in verify.go.

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// pointer lets the other files hold the address of a value of some type without
// importing package unsafe.
type pointer = unsafe.Pointer

// as is p as a pointer to a T.
//
// SAFETY: at p is a T, or a type of the same kind and size.
func as[T any](p pointer) *T { return (*T)(p) }

// add is the address n bytes beyond p.
//
// SAFETY: the caller knows that the object at p reaches farther than that.
func add(p pointer, n uintptr) pointer { return unsafe.Add(p, n) }

// dataOf is the address of the first element of s.
func dataOf[T any](s []T) pointer { return pointer(unsafe.SliceData(s)) }

// face is an interface: the first word says which type it holds, the second is the
// pointer that it holds, for types that are pointers (assumptions A1 and A7).
type face struct{ typ, data pointer }

// typeWord is where the descriptor of t is.
//
// SAFETY: all interfaces have two words.
func typeWord(t reflect.Type) pointer { return (*face)(pointer(&t)).data }

// bits is the address p as a number, to pick a place in a table by.
func bits(p pointer) uintptr { return uintptr(p) }

// messageWord is the pointer that m, an interface that holds one, holds.
//
// SAFETY: the caller knows by reflection that it holds a pointer.
func messageWord[M any](m M) pointer { return (*face)(pointer(&m)).data }

// at is the byte at i of the document.
//
// SAFETY: i is at most docSlack-1 beyond the document's end.
func (d *decoder) at(i int) byte { return *(*byte)(unsafe.Add(d.base, i)) }

// word is the eight bytes from i on, the first one lowest.
//
// SAFETY: i is at most docSlack-8 beyond the document's end.
func (d *decoder) word(i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(d.base, i))[:])
}

// word32 is the four bytes from i on, the first one lowest.
//
// SAFETY: i is at most docSlack-4 beyond the document's end.
func (d *decoder) word32(i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(d.base, i))[:])
}

// text is the document from i to end, as a string.
//
// SAFETY: both lie in it. Bytes of the same document that a program may write to, those
// of bytes fields and of unknown fields, are never those of a string.
func (d *decoder) text(i, end int) string {
	return unsafe.String((*byte)(unsafe.Add(d.base, i)), end-i)
}

// view is the document from i to end, with no room behind it.
//
// SAFETY: both lie in it, or in the zeros behind it.
func (d *decoder) view(i, end int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(d.base, i)), end-i)
}

// follows reports whether b lies in the document and ends where byte i of it is.
//
// SAFETY: compares addresses as numbers. What only ends there, before the document, may be
// another object's memory.
func (d *decoder) follows(b []byte, i int) bool {
	from, base := uintptr(pointer(unsafe.SliceData(b))), uintptr(d.base)
	return from >= base && from+uintptr(len(b)) == base+uintptr(i)
}

// longer is b with n bytes more, which follow it in the document.
//
// SAFETY: the caller has asked follows, and these bytes lie in the document.
func longer(b []byte, n int) []byte { return unsafe.Slice(unsafe.SliceData(b), len(b)+n) }

// zero clears the size bytes at p, which hold no pointer that the collector must be
// told of, since only its own record of a check lies there.
//
// SAFETY: the value at p is on the heap, and nobody else's.
func zero(t reflect.Type, p pointer) { reflect.NewAt(t, p).Elem().SetZero() }

// messageAt is the message at p as package reflect sees it: a pointer to t.
//
// SAFETY: at p is a t.
func messageAt(t reflect.Type, p pointer) any { return reflect.NewAt(t, p).Interface() }
