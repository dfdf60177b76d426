package arena

// All of this package's unsafe code stands in this file. Everything else
// works on offsets, and asks for memory here.
//
// What it takes for granted about the runtime is numbered; layout.go checks A1
// and A2 when the program starts, and where one of them does not hold, the
// package falls back to package reflect (layoutOK is false).
//
//	A1  An empty interface is two words, the first of which points to the
//	    descriptor of the dynamic type, one descriptor per type.
//	A2  A type descriptor begins with the size of the type (a word) and the
//	    length of the prefix of the type that can hold pointers (a word),
//	    which is zero for types without pointers.
//	A3  Memory made as a []uint64 is aligned to 8 bytes, which is enough for
//	    every type without pointers.
//	A4  The collector does not move heap objects, and keeps a whole
//	    allocation alive for a pointer to any byte of it.
//
// A3 and A4 are held by the fallback too: they follow from what package
// unsafe promises and from the only collector there is.

import "unsafe"

// pointer lets the other files hold the address of a chunk without
// importing package unsafe.
type pointer = unsafe.Pointer

// typeDesc is the beginning of a type descriptor (assumption A2).
type typeDesc struct {
	size     uintptr
	ptrBytes uintptr
}

// box gives T a descriptor that an interface carries as it is: a T that is
// itself an interface would be replaced by its dynamic type.
type box[T any] struct{ _ T }

// keyOf returns the type descriptor of v's dynamic type. Called as
// keyOf(box[T]{}) it inlines to one load.
//
// SAFETY: reads the first word of an interface value, which A1 says is the
// descriptor. A descriptor is never freed while a value or an instantiation
// of the type exists.
//
//go:nocheckptr
func keyOf(v any) *typeDesc {
	return *(**typeDesc)(unsafe.Pointer(&v))
}

// sizeOf is the size of a T in bytes, a constant in each instantiation.
func sizeOf[T any]() uintptr {
	var z T
	return unsafe.Sizeof(z)
}

// at returns the T at offset off of the chunk that base points to.
//
// SAFETY: the caller has reserved [off, off+sizeof(T)) of that chunk, at an
// offset aligned for T, for a T: chunks without pointers serve only types
// without pointers, a chunk of a type with pointers only that type.
func at[T any](base unsafe.Pointer, off uintptr) *T {
	return (*T)(unsafe.Add(base, off))
}

// sliceAt returns n elements, with room for c, at offset off.
//
// SAFETY: as at, for c elements.
func sliceAt[T any](base unsafe.Pointer, off uintptr, n, c int) []T {
	return unsafe.Slice((*T)(unsafe.Add(base, off)), c)[:n]
}

// stringAt returns the n bytes at off as a string.
//
// SAFETY: as at; nothing writes to these bytes before the arena is reset.
func stringAt(base unsafe.Pointer, off, n uintptr) string {
	return unsafe.String((*byte)(unsafe.Add(base, off)), n)
}

// addr returns the address of offset off of a chunk.
//
// SAFETY: off is in the chunk.
func addr(base pointer, off uintptr) pointer { return unsafe.Add(base, off) }

// as is p as a pointer to a T.
//
// SAFETY: as at.
func as[T any](p pointer) *T { return (*T)(p) }

// clearObject zeroes the n <= inlineZero bytes at p, of a chunk without
// pointers. Where n is a constant it compiles to a few vector stores, without
// the check that unsafe.Slice would make.
//
// SAFETY: the caller has reserved these n bytes. The array type is only there
// to be sliced: it may reach beyond the chunk, which checkptr would refuse.
// No write barrier is needed where no pointer can be.
//
//go:nocheckptr
func clearObject(p pointer, n uintptr) {
	clear((*[inlineZero]byte)(p)[:n])
}

// offsetIn returns how far p points into the chunk at base; a p outside gives
// a number beyond every chunk's size, or one that the caller's range check
// refuses.
//
// SAFETY: compares addresses as numbers, forms no pointer.
func offsetIn(base, p unsafe.Pointer) uintptr {
	return uintptr(p) - uintptr(base)
}

// offsetOf returns how far x points into the memory at base, as offsetIn does.
//
// SAFETY: compares addresses as numbers, forms no pointer.
func offsetOf[T any](base pointer, x *T) uintptr { return offsetIn(base, unsafe.Pointer(x)) }

// dataOf is the address of s's first element.
func dataOf[T any](s []T) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(s))
}

// makeFlat allocates a chunk of n bytes, a multiple of 8, that the collector
// does not scan, zeroed.
func makeFlat(n uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, n/8)))
}

// clearFlat zeroes [from, to) of a chunk without pointers.
//
// SAFETY: the range lies in the chunk.
func clearFlat(base unsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from))
}

// makeTyped allocates a chunk of n bytes, a multiple of the size of T, as a
// slice of T: the collector sees every pointer in it.
func makeTyped[T any](n uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]T, n/sizeOf[T]())))
}

// clearTyped zeroes [from, to) of a chunk of T, with the write barriers that
// T needs.
//
// SAFETY: the range lies in the chunk and is made of whole elements.
func clearTyped[T any](base unsafe.Pointer, from, to uintptr) {
	clear(unsafe.Slice((*T)(unsafe.Add(base, from)), (to-from)/sizeOf[T]()))
}

// slotAt returns the slot of a lookup table at byte offset off.
//
// SAFETY: off is below the table's size in bytes and a multiple of a
// pointer's size: typetable.go masks it so.
func slotAt(slots *[minSlots]*lane, off uintptr) **lane {
	return (**lane)(unsafe.Add(unsafe.Pointer(slots), off))
}

// bits returns the descriptor's address as a number, for hashing.
func (t *typeDesc) bits() uintptr { return uintptr(unsafe.Pointer(t)) }

// isZero says whether all bytes of [from, to) are zero.
func isZero(base pointer, from, to uintptr) bool { return isFilled(base, from, to, 0) }

// copyString writes s to offset off of a chunk without pointers.
//
// SAFETY: the caller has reserved len(s) bytes there.
func copyString(base pointer, off uintptr, s string) {
	copy(unsafe.Slice((*byte)(unsafe.Add(base, off)), len(s)), s)
}

// viewString is b as a string, without a copy.
//
// SAFETY: for the time in which nothing writes to b: until AllocString has
// copied it.
func viewString(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// New returns a pointer to a zero T. It is valid until the slab is reset.
//
// It stands here, written out, because that is how it stays within what the
// compiler inlines.
//
// SAFETY: next and ready are multiples of the size of T, [next, ready) is zero
// room of the chunk at base, and refill returns with next < ready, or with
// both zero for a T of no size.
func (s *Slab[T]) New() (p *T) {
	if s.next == s.ready {
		s.refill()
	}
	p = (*T)(unsafe.Add(s.base, s.next))
	s.next += unsafe.Sizeof(*p)
	return
}

// pointerTo is x as a pointer to anything.
func pointerTo[T any](x *T) pointer { return unsafe.Pointer(x) }

// bytesAt is the first n bytes of a chunk, or of the pages that it fills.
//
// SAFETY: for the checks of the tag arenacheck; nothing is read or written
// through it that has pointers.
func bytesAt(base pointer, n uintptr) []byte { return unsafe.Slice((*byte)(base), n) }

// fill fills [from, to) of a chunk without pointers with repetitions of like.
//
// SAFETY: the range lies in the chunk.
func fill(base pointer, from, to uintptr, like string) {
	s := unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from)
	for done := copy(s, like); done < len(s); done *= 2 {
		copy(s[done:], s[:done])
	}
}

// isFilled says whether all bytes of [from, to) are b: whether the first one
// is, and each other is like the one before it.
//
// SAFETY: the range lies in the chunk. It reads pointers as bytes and keeps
// none. (norace also takes away AddressSanitizer's look at it, unless it is
// inlined or lets the runtime look: the lanes check memory that nobody else may
// read.)
//
//go:norace
//go:noinline
func isFilled(base pointer, from, to uintptr, b byte) bool {
	if from == to {
		return true
	}
	s := unsafe.Slice((*byte)(unsafe.Add(base, from)), to-from)
	return s[0] == b && viewString(s[1:]) == viewString(s[:len(s)-1])
}

// repeatTyped fills [from, to) of a chunk of T with copies of the T at from.
//
// SAFETY: the range lies in the chunk and is made of whole elements.
func repeatTyped[T any](base pointer, from, to uintptr) {
	s := unsafe.Slice((*T)(unsafe.Add(base, from)), (to-from)/sizeOf[T]())
	for done := 1; done < len(s); done *= 2 {
		copy(s[done:], s[:done])
	}
}

// setPointer writes p to offset off of a chunk of a type that has a pointer
// there, with the write barrier that it needs.
//
// SAFETY: the offset lies in the chunk, p is no address of the Go heap that
// could be freed.
func setPointer(base pointer, off uintptr, p pointer) {
	*(*pointer)(unsafe.Add(base, off)) = p
}

// setWord writes n to offset off of a chunk, where no pointer is.
//
// SAFETY: the offset lies in the chunk.
func setWord(base pointer, off uintptr, n uintptr) {
	*(*uintptr)(unsafe.Add(base, off)) = n
}
