package arenajson

// The use of package unsafe in this room, one function for each way in which
// memory is looked at. What is taken for granted of the runtime is numbered in
// unsafe.go of internal/machine.

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/machine"
)

// pointer lets the other files hold the address of a value of some type without
// importing package unsafe.
type pointer = unsafe.Pointer

// as is p as a pointer to a T.
//
// SAFETY: at p is a T, or a type of the same kind and size, or what begins as a T
// does: the length of every slice, and of every map, stands where it does in all
// others.
func as[T any](p pointer) *T { return (*T)(p) }

// add is the address n bytes beyond p.
//
// SAFETY: the caller knows that the object at p reaches as far.
func add(p pointer, n uintptr) pointer { return unsafe.Add(p, n) }

// dataOf is the address of the first element of s.
func dataOf[T any](s []T) pointer { return pointer(unsafe.SliceData(s)) }

// viewString is b as a string, without a copy.
//
// SAFETY: as long as nothing writes to b.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// load64 is the 8 bytes of s from i on, the first one lowest.
//
// SAFETY: i+8 <= len(s), i >= 0, by the caller.
func load64(s string, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(pointer(unsafe.StringData(s)), i))[:])
}

// load32 is the 4 bytes of s from i on, the first one lowest.
//
// SAFETY: i+4 <= len(s), i >= 0, by the caller.
func load32(s string, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(pointer(unsafe.StringData(s)), i))[:])
}

// put64 writes 8 bytes at w, the lowest one first.
//
// SAFETY: there is room for them, by the caller.
func put64(w pointer, x uint64) { binary.LittleEndian.PutUint64((*[8]byte)(w)[:], x) }

// put8 writes a byte at w, and returns where the next one goes.
//
// SAFETY: there is room for it and for more, by the caller.
func put8(w pointer, c byte) pointer {
	*(*byte)(w) = c
	return add(w, 1)
}

// putText writes s at w, and returns where the next byte goes.
//
// SAFETY: there is room for it and for more, by the caller.
func putText(w pointer, s string) pointer {
	copy(unsafe.Slice((*byte)(w), len(s)), s)
	return add(w, uintptr(len(s)))
}

// roomAt is n bytes of room at w, with nothing in it.
//
// SAFETY: they are there, by the caller.
func roomAt(w pointer, n int) []byte { return unsafe.Slice((*byte)(w), n)[:0] }

// distance is how many bytes to lies behind from, less than 0 where it is before it.
// What is behind the room of an encoder is never pointed to, but for this.
func distance(from pointer, to uintptr) int { return int(to - uintptr(from)) }

// piece is what putPieces writes at a time.
const piece = 16

// putPiece writes s at w.
//
// SAFETY: there is room for it, by the caller.
func putPiece(w pointer, s *[piece]byte) { *(*[piece]byte)(w) = *s }

// putPieces writes s at w.
//
// SAFETY: the length of s is a multiple of piece, and there is room for it, by the
// caller.
func putPieces(w pointer, s string) {
	from := pointer(unsafe.StringData(s))
	for i := uintptr(0); i < uintptr(len(s)); i += piece {
		*(*[piece]byte)(unsafe.Add(w, i)) = *(*[piece]byte)(unsafe.Add(from, i))
	}
}

// face is an empty interface (assumption A1).
type face struct{ typ, data pointer }

// dataWord is the second word of an interface value: the value itself if its type
// is a pointer in all but name, and otherwise the address of the value.
//
// SAFETY: reads a word of an interface value, which A1 says has two.
func dataWord(x any) pointer { return (*face)(pointer(&x)).data }

// valueAt is the t at p, as reflect sees it: it can be set.
//
// SAFETY: at p is a t.
func valueAt(t reflect.Type, p pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// at is the byte at i of the document.
//
// SAFETY: i is at most docSlack-1 beyond the document's end: all that goes on by what
// it has seen stops at the zeros there.
func (d *decoder) at(i int) byte { return *(*byte)(unsafe.Add(d.base, i)) }

// word is the eight bytes from i on, the first one lowest.
//
// SAFETY: i is at most docSlack-8 beyond the document's end.
func (d *decoder) word(i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(d.base, i))[:])
}

// text is the document from i to end, as a string.
//
// SAFETY: both lie in it; nothing writes there once a string has been cut out.
func (d *decoder) text(i, end int) string {
	return unsafe.String((*byte)(unsafe.Add(d.base, i)), end-i)
}

// view is the document from i to end.
//
// SAFETY: both lie in it, or in the zeros behind it.
func (d *decoder) view(i, end int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(d.base, i)), end-i)
}

// viewBytes is s as bytes, which must not be written to.
//
// SAFETY: the caller only reads.
func viewBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// box is an interface of like's type that holds the value at p, without a copy of it
// (assumption A7).
//
// SAFETY: like's type is none that an interface holds as a pointer itself; at p is a
// value of that type, which nothing writes to any more.
func box(like any, p pointer) (x any) {
	if machine.Portable || !machine.LayoutOK {
		return reflect.NewAt(reflect.TypeOf(like), p).Elem().Interface()
	}
	*(*face)(pointer(&x)) = face{(*face)(pointer(&like)).typ, p}
	return x
}

// allZero reports whether the size bytes at p are zero.
//
// SAFETY: at p is a value of that size.
func allZero(p pointer, size uintptr) bool {
	b := unsafe.Slice((*byte)(p), size)
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// newOnHeap returns a zero t.
func newOnHeap(t reflect.Type) pointer { return reflect.New(t).UnsafePointer() }

// makeOnHeap returns s, a slice of type t, with a capacity of n.
//
// SAFETY: s has the words of a slice (assumption A6).
func makeOnHeap(t reflect.Type, s machine.Slice, n int) machine.Slice {
	made := reflect.MakeSlice(t, s.Len, n)
	if s.Len > 0 {
		reflect.Copy(made, reflect.NewAt(t, pointer(&s)).Elem())
	}
	return machine.Slice{Data: made.UnsafePointer(), Len: s.Len, Cap: n}
}
