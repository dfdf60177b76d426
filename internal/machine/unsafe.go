package machine

// All of this package's unsafe code stands in this file. Everything else
// works on offsets, and asks for memory here, as do the fast ways of package
// arena.
//
// What it takes for granted about the runtime is numbered; layout.go checks A1,
// A2 and A5 to A7 when the program starts. Where A1, A2 or A7 does not hold, the package
// falls back to package reflect (LayoutOK is false). A5 and A6 are relied on
// before anything is asked: where they don't hold it makes no memory at all
// (readable is false), and has to be built for that fallback.
//
//	A1  An empty interface is two words, the first of which points to the
//	    descriptor of the dynamic type, one descriptor per type.
//	A2  A type descriptor begins with the size of the type (a word) and the
//	    length of the prefix of the type that can hold pointers (a word),
//	    which is zero for types without pointers.
//	A3  Memory made as a []uint64 is aligned to 8 bytes, which is enough for
//	    every type without pointers.
//	A4  The collector does not move heap objects, and keeps a whole
//	    allocation alive for a Pointer to any byte of it.
//	A5  In the descriptor of a pointer type, what all descriptors have is
//	    followed by a pointer to the descriptor of the type that it points to.
//	A6  A slice is three words: the address of its first element, its length and
//	    its capacity, as reflect.SliceHeader says.
//	A7  The second word of an interface is the pointer that it holds, or that to
//	    the value which it holds; a reflect.Type of package reflect holds a pointer
//	    to the descriptor.
//
// A3 and A4 are held by the fallback too: they follow from what package
// unsafe promises and from the only collector there is.

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// Pointer lets the other files hold the address of a chunk without
// importing package unsafe.
type Pointer = unsafe.Pointer

// TypeDesc is the beginning of a type descriptor (assumption A2). PtrBytes is an
// int because the compiler, where it knows the type, puts the constant in place
// of the load of an int, but not of a uintptr.
type TypeDesc struct {
	size     uintptr
	PtrBytes int
}

// pointerDesc is the descriptor of a pointer type (assumption A5): what all
// descriptors have, and then the one that we are after.
type pointerDesc struct {
	size, ptrBytes uintptr
	hash           uint32
	flags          [4]uint8
	equal, gcData  unsafe.Pointer
	name, pointer  int32
	elem           *TypeDesc
}

// KeyOf returns the descriptor of the type that v, a pointer, points to. Called
// as KeyOf((*T)(nil)) it inlines to two loads. (An interface that holds a T
// itself would save one of them. But where the call is not inlined, as under the
// race detector, each such T is a zero value of its size among the program's
// data; and a T that is an interface would be replaced by its dynamic type.)
//
// SAFETY: reads the first word of an interface value, which A1 says is the
// descriptor, and the word in it that A5 says is the other one. Descriptors are
// never freed while a value or an instantiation of the type exists.
//
//go:nocheckptr
func KeyOf(v any) *TypeDesc {
	return (*(**pointerDesc)(unsafe.Pointer(&v))).elem
}

// SizeOf is the size of a T in bytes, a constant in each instantiation.
func SizeOf[T any]() uintptr {
	var z T
	return unsafe.Sizeof(z)
}

// At returns the T at offset off of the chunk that base points to.
//
// SAFETY: the caller has reserved [off, off+sizeof(T)) of that chunk, at an
// offset aligned for T, for a T: chunks without pointers serve only types
// without pointers, a chunk of a type with pointers only that type.
func At[T any](base unsafe.Pointer, off uintptr) *T {
	return (*T)(unsafe.Add(base, off))
}

// Slice is what a slice is made of (assumption A6), for those who know its type at
// run time.
type Slice struct {
	Data     Pointer
	Len, Cap int
}

// SliceAt returns n elements, with room for c, at offset off. It stays in
// registers, without the checks of n and c that unsafe.Slice would make again.
//
// SAFETY: as At, for c elements; the caller has checked that n is from 0 to c.
func SliceAt[T any](base unsafe.Pointer, off uintptr, n, c int) []T {
	if Portable {
		return unsafe.Slice((*T)(unsafe.Add(base, off)), c)[:n]
	}
	h := Slice{unsafe.Add(base, off), n, c}
	return *(*[]T)(unsafe.Pointer(&h))
}

// StringAt returns the n bytes at off as a string.
//
// SAFETY: as At; nothing writes to these bytes before the arena is reset.
func StringAt(base unsafe.Pointer, off, n uintptr) string {
	return unsafe.String((*byte)(unsafe.Add(base, off)), n)
}

// Addr returns the address of offset off of a chunk.
//
// SAFETY: off is in the chunk.
func Addr(base Pointer, off uintptr) Pointer { return unsafe.Add(base, off) }

// As is p as a pointer to a T.
//
// SAFETY: as At.
func As[T any](p Pointer) *T { return (*T)(p) }

// ClearObject zeroes the n <= InlineZero bytes at p, of a chunk without
// pointers. Where n is a constant it compiles to a few vector stores, without
// the check that unsafe.Slice would make.
//
// SAFETY: the caller has reserved these n bytes. The array type is only there
// to be sliced: it may reach beyond the chunk, which checkptr would refuse.
// No write barrier is needed where no pointer can be.
//
//go:nocheckptr
func ClearObject(p Pointer, n uintptr) {
	clear((*[InlineZero]byte)(p)[:n])
}

// blockBytes is what ClearBlocks clears at a time.
const blockBytes = 64

// Blocks is how many bytes ClearBlocks clears for n.
func Blocks(n uintptr) uintptr { return (n + blockBytes - 1) &^ (blockBytes - 1) }

// ClearBlocks zeroes the Blocks(n) bytes at p, of a chunk without pointers, for n
// above 0: few stores, and no call, which takes longer than some blocks do.
//
// SAFETY: all of these bytes are room of the chunk, of which the caller has
// reserved the first n. p moves on only where more follows.
func ClearBlocks(p Pointer, n uintptr) {
	for {
		clear((*[blockBytes]byte)(p)[:])
		if n <= blockBytes {
			return
		}
		n -= blockBytes
		p = unsafe.Add(p, blockBytes)
	}
}

// BytesAt returns the n <= SmallBytes bytes at p as a slice, without the check that
// unsafe.Slice would make.
//
// SAFETY: as At. The array type is only there to be sliced: it may reach beyond
// the chunk, which checkptr would refuse.
//
//go:nocheckptr
func BytesAt(p Pointer, n uintptr) []byte { return (*[SmallBytes]byte)(p)[:n:n] }

// OffsetIn returns how far p points into the chunk at base; a p outside gives
// a number beyond every chunk's size, or one that the caller's range check
// refuses.
//
// SAFETY: compares addresses as numbers, forms no pointer.
func OffsetIn(base, p unsafe.Pointer) uintptr {
	return uintptr(p) - uintptr(base)
}

// OffsetOf returns how far x points into the memory at base, as OffsetIn does.
//
// SAFETY: compares addresses as numbers, forms no pointer.
func OffsetOf[T any](base Pointer, x *T) uintptr { return OffsetIn(base, unsafe.Pointer(x)) }

// DataOf is the address of s's first element.
func DataOf[T any](s []T) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s))
}

// MakeFlat allocates a chunk of n bytes, a multiple of 8, that the collector
// does not scan, zeroed.
func MakeFlat(n uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8)))
}

// clearFlat zeroes [from, to) of a chunk without pointers.
//
// SAFETY: the range lies in the chunk.
func clearFlat(base unsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from))
}

// MakeTyped allocates a chunk of n bytes, a multiple of the size of T, as a
// slice of T: the collector sees every Pointer in it.
func MakeTyped[T any](n uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]T, n/SizeOf[T]())))
}

// ClearTyped zeroes [from, to) of a chunk of T, with the write barriers that
// T needs, in the order of clearStep.
//
// SAFETY: the range lies in the chunk, and is made of whole elements. No slice is made
// of none: the chunk's end is the address of another object, which a pointer to it would
// keep alive, or bring back when it is free.
func ClearTyped[T any](base unsafe.Pointer, from, to uintptr) {
	for to-from > clearPiece {
		n := clearStep(to-from, SizeOf[T]())
		to -= n
		clear(unsafe.Slice((*T)(unsafe.Add(base, to)), n/SizeOf[T]()))
	}
	if from < to {
		clear(unsafe.Slice((*T)(unsafe.Add(base, from)), (to-from)/SizeOf[T]()))
	}
}

// moveFlat copies so many bytes of chunks without pointers.
//
// SAFETY: both ranges lie in chunks.
func moveFlat(to, from Pointer, bytes uintptr) {
	copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(from), bytes))
}

// moveTyped copies so many bytes, whole Ts, with the write barriers that T needs.
//
// SAFETY: both ranges are made of Ts.
func moveTyped[T any](to, from Pointer, bytes uintptr) {
	n := bytes / SizeOf[T]()
	copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
}

// words are those of an interface (assumption A7). Of one that is not empty the
// first is no descriptor.
type words struct{ _, data Pointer }

// wordOf is the second word of t: the address of its descriptor, if t is package
// reflect's.
//
// SAFETY: all interfaces have two words.
func wordOf(t reflect.Type) Pointer { return (*words)(unsafe.Pointer(&t)).data }

// descriptorOf is what a reflect.Type of package reflect points to: what leadsTo
// says, by means that need no assumption.
//
// SAFETY: descriptors are never freed while there is such a reflect.Type; a Type
// keeps it.
func descriptorOf(t reflect.Type) *TypeDesc {
	return (*TypeDesc)(reflect.ValueOf(t).UnsafePointer())
}

// boxed is the reflect.Value of what an interface with such words holds: of the
// pointer p to a T where desc is the descriptor of *T, of the slice at p where it
// is one of slices (assumptions A1 and A7). It is what reflect.NewAt makes, without
// its look for the descriptor.
//
// SAFETY: the interface lives only as long as ValueOf takes; desc is the
// descriptor of what p is, or points to.
func boxed(desc, p Pointer) reflect.Value {
	w := [2]Pointer{desc, p}
	return reflect.ValueOf(*(*any)(unsafe.Pointer(&w)))
}

// sliceVariable is the slice that x points to as one of slices' type, which keeps
// what x leads to alive as x does.
//
// SAFETY: x is made of the same words (assumption A6), with a pointer in the same
// place.
func sliceVariable(slices reflect.Type, x *Slice) reflect.Value {
	return reflect.NewAt(slices, unsafe.Pointer(x)).Elem()
}

// nothing is where values of no size are.
func nothing() Pointer { return unsafe.Pointer(new(struct{})) }

// cloneTyped returns a copy on the heap of n bytes at offset off of a chunk of T.
//
// SAFETY: the range lies in the chunk and is made of whole elements.
func cloneTyped[T any](base Pointer, off, n uintptr) Pointer {
	s := unsafe.Slice((*T)(unsafe.Add(base, off)), n/SizeOf[T]())
	c := make([]T, len(s))
	copy(c, s)
	return unsafe.Pointer(unsafe.SliceData(c))
}

// cloneFlat returns a copy on the heap of n bytes at offset off of a chunk without
// pointers, aligned to FlatAlign as they are.
//
// SAFETY: the range lies in the chunk. The heap aligns objects of a multiple of
// FlatAlign bytes to that, and those of 16 bytes and more whatever their size.
func cloneFlat(base Pointer, off, n uintptr) Pointer {
	s := unsafe.Slice((*byte)(unsafe.Add(base, off)), n)
	pad := off % FlatAlign
	if pad == 0 && n >= 16 {
		c := make([]byte, len(s))
		copy(c, s)
		return unsafe.Pointer(unsafe.SliceData(c))
	}
	p := unsafe.Add(MakeFlat(RoundUp(pad+n, FlatAlign)), pad)
	copy(unsafe.Slice((*byte)(p), n), s)
	return p
}

// at is the t at p, for those who know its type at run time.
//
// SAFETY: there is one.
func at(t reflect.Type, p Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// slotAt returns the slot of a lookup table at byte offset off.
//
// SAFETY: off is below the table's size in bytes and a multiple of a
// pointer's size: typetable.go masks it so.
func slotAt(slots *[minSlots]*Lane, off uintptr) **Lane {
	return (**Lane)(unsafe.Add(unsafe.Pointer(slots), off))
}

// sliceHolds reports whether A6 does.
//
// SAFETY: looks at s as at words only where it has as many.
func sliceHolds() bool {
	array := [5]uint16{1, 2, 3, 4, 5}
	s := array[1:3:4]
	if unsafe.Sizeof(s) != unsafe.Sizeof(Slice{}) {
		return false
	}
	return *(*Slice)(unsafe.Pointer(&s)) == Slice{Pointer(&array[1]), 2, 3}
}

// Bits returns the descriptor's address as a number, for hashing.
func (t *TypeDesc) Bits() uintptr { return uintptr(unsafe.Pointer(t)) }

// isZero reports whether all bytes of [from, to) are zero.
func isZero(base Pointer, from, to uintptr) bool { return check.IsFilled(base, from, to, 0) }

// CopyString writes s to offset off of a chunk without pointers.
//
// SAFETY: the caller has reserved len(s) bytes there.
func CopyString(base Pointer, off uintptr, s string) {
	copy(unsafe.Slice((*byte)(unsafe.Add(base, off)), len(s)), s)
}

// ViewString is b as a string, without a copy.
//
// SAFETY: for the time in which nothing writes to b: until AllocString has
// copied it.
func ViewString(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// ViewBytes is s as bytes, without a copy.
//
// SAFETY: nothing writes to them: string(b), which is all that is done with
// them, reads.
func ViewBytes(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// PointerTo is x as a pointer to anything.
func PointerTo[T any](x *T) Pointer { return unsafe.Pointer(x) }
