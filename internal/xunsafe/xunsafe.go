// Package xunsafe has what the packages of this module do with memory again and again:
// casts, additions, and views without a copy. Each is greppable where it is called, and
// says what its caller has to know. All of it is inlined, to what package unsafe alone
// would come to.
//
// What a package does in one place only, it does there, with package unsafe itself.
// TestUnsafe of module docs lists who may import either.
package xunsafe

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Pointer is the address of anything. It keeps what it points to, or into, alive.
type Pointer = unsafe.Pointer

// SizeOf is the size of a T in bytes, a constant in each instantiation.
func SizeOf[T any]() uintptr {
	var z T
	return unsafe.Sizeof(z)
}

// PointerTo is x as a pointer to anything.
func PointerTo[T any](x *T) Pointer { return unsafe.Pointer(x) }

// Cast is p as a pointer to a T.
//
// The caller knows that at p is a T, or a type of the same kind and size, or what
// begins as a T does: the length of every slice, and of every map, stands where it does
// in all others.
func Cast[T any](p Pointer) *T { return (*T)(p) }

// Add is the address n bytes beyond p.
//
// The caller knows that the object at p reaches as far: the address behind an object
// is another's, which a pointer to it would keep alive, or bring back when it is free.
func Add(p Pointer, n uintptr) Pointer { return unsafe.Add(p, n) }

// At is the T that begins n bytes beyond p: the cast of the sum.
func At[T any](p Pointer, n uintptr) *T { return (*T)(unsafe.Add(p, n)) }

// Number is p as a number, which keeps nothing alive.
func Number(p Pointer) uintptr { return uintptr(p) }

// Offset is how far p points into the memory at base. A p outside gives a number that
// is beyond every object's size, or that the caller's own comparison refuses.
func Offset(base, p Pointer) uintptr { return uintptr(p) - uintptr(base) }

// DataOf is the address of the first element of s.
func DataOf[T any](s []T) Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// TextOf is the address of the first byte of s, which nobody writes to.
func TextOf(s string) Pointer { return unsafe.Pointer(unsafe.StringData(s)) }

// String is the n bytes at p as a string.
//
// The caller knows that there are so many, and that nothing writes to them while the
// string is in use: for an arena's, before its epoch ends.
func String(p Pointer, n int) string { return unsafe.String((*byte)(p), n) }

// StringAt is String of the n bytes that begin off bytes beyond base.
func StringAt(base Pointer, off, n uintptr) string {
	return unsafe.String((*byte)(unsafe.Add(base, off)), n)
}

// Bytes is the n bytes at p, with no capacity behind them.
//
// The caller knows that there are so many, and none of them part of a pointer that is
// written.
func Bytes(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// BytesAt is Bytes of the n bytes that begin off bytes beyond base.
func BytesAt(base Pointer, off, n uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(base, off)), n)
}

// ViewString is b as a string, without a copy, for as long as nothing writes to b.
func ViewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ViewBytes is s as bytes, without a copy, which must not be written to.
func ViewBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Text64 is the eight bytes of s from i on, the first one lowest. The caller knows that s
// has them.
func Text64(s string, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

// Text32 is Text64 for four bytes.
func Text32(s string, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

// Value is the value of type t at p, which can be set. The caller knows that there is
// one.
func Value(t reflect.Type, p Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// Words are those of an interface (assumptions A1 and A7 of package machine): what says
// which type it holds, and the value itself if that is a pointer in all but name, else
// its address.
type Words struct{ Type, Data Pointer }

// WordsOf is the address of x's words.
//
// The caller knows that I is the type of an interface: all have two words.
func WordsOf[I any](x *I) *Words { return (*Words)(unsafe.Pointer(x)) }
