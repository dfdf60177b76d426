// Package xunsafe contains the unsafe operations that several packages of this module use: casts, additions,
// and views without copying. Each function documents what its caller must guarantee. All of them are inlined
// and compile to the same code as package unsafe.
//
// An operation used in one place only is there, with package unsafe. TestUnsafe of module docs lists the
// packages that may import either.
package xunsafe

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Pointer is an address of any type. It keeps the object that it points to, or into, alive.
type Pointer = unsafe.Pointer

// SizeOf returns the size of a T in bytes, a constant in each instantiation.
func SizeOf[T any]() uintptr {
	var z T
	return unsafe.Sizeof(z)
}

// PointerTo returns x as a Pointer.
func PointerTo[T any](x *T) Pointer { return unsafe.Pointer(x) }

// Cast returns p as a *T.
//
// The caller guarantees that p points to a T, to a type of the same kind and size, or to a type that begins
// like a T: the length of every slice and map, for example, is at the same offset.
func Cast[T any](p Pointer) *T { return (*T)(p) }

// Add returns p+n.
//
// The caller guarantees that the result is inside the object at p. A pointer past its end would point to
// another object and keep that alive, even if it is free.
func Add(p Pointer, n uintptr) Pointer { return unsafe.Add(p, n) }

// At returns p+n as a *T. It combines Add and Cast.
func At[T any](p Pointer, n uintptr) *T { return (*T)(unsafe.Add(p, n)) }

// Number returns p as a number, which keeps nothing alive.
func Number(p Pointer) uintptr { return uintptr(p) }

// Offset returns the offset of p in the memory at base. For a p outside, the result is larger than any
// object, or the caller's comparison rejects it.
func Offset(base, p Pointer) uintptr { return uintptr(p) - uintptr(base) }

// DataOf returns the address of the first element of s.
func DataOf[T any](s []T) Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// TextOf returns the address of the first byte of s, which must not be written.
func TextOf(s string) Pointer { return unsafe.Pointer(unsafe.StringData(s)) }

// String returns the n bytes at p as a string.
//
// The caller guarantees that they exist and that nothing writes to them while the string is in use. Arena
// memory must not be used after its cycle.
func String(p Pointer, n int) string { return unsafe.String((*byte)(p), n) }

// StringAt is String(base+off, n).
func StringAt(base Pointer, off, n uintptr) string {
	return unsafe.String((*byte)(unsafe.Add(base, off)), n)
}

// Bytes returns the n bytes at p with capacity n.
//
// The caller guarantees that they exist and that no pointer is written there.
func Bytes(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// BytesAt is Bytes(base+off, n).
func BytesAt(base Pointer, off, n uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(base, off)), n)
}

// ViewString returns b as a string without copying. Nothing may write to b while the string is in use.
func ViewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ViewBytes returns s as bytes without copying. They must not be written.
func ViewBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Text64 returns the eight bytes of s at i as a little-endian number. The caller guarantees that s has them.
func Text64(s string, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

// Text32 is Text64 for four bytes.
func Text32(s string, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

// Value returns the value of type t at p, settable. The caller guarantees that it exists.
func Value(t reflect.Type, p Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// Words are the two words of an interface (assumptions A1 and A7 of package machine): a word that identifies
// the dynamic type, and the value itself if it is pointer-shaped, or else its address.
type Words struct{ Type, Data Pointer }

// WordsOf returns the address of the words of *x.
//
// The caller guarantees that I is an interface type. All interfaces have two words.
func WordsOf[I any](x *I) *Words { return (*Words)(unsafe.Pointer(x)) }
