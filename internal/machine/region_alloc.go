package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// New returns a pointer to a zero T, which has a size, where the fast path ends:
// a full chunk, a type not met before, a large T.
//
//go:norace
func New[T any](r *Region) *T {
	if r.onHeap(xunsafe.SizeOf[T]()) {
		return new(T)
	}
	l := laneOf[T](r)
	c, off := l.reserveLarge(RoundUp(xunsafe.SizeOf[T](), l.align()))
	if check.On {
		l.give(c, off, off+xunsafe.SizeOf[T]())
	}
	l.clearReserved(c, off, off+xunsafe.SizeOf[T]())
	return xunsafe.At[T](c.Base, off)
}

// MakeSlice returns a zero slice of Ts, which have a size; c is not 0.
func MakeSlice[T any](r *Region, n, c int) []T {
	if r.onHeap(uintptr(c) * xunsafe.SizeOf[T]()) {
		return make([]T, n, c)
	}
	l := laneOf[T](r)
	size := uintptr(c) * xunsafe.SizeOf[T]()
	ch, off := l.reserveSlice(size)
	if check.On {
		l.give(ch, off, off+size)
	}
	l.clearReserved(ch, off, off+size)
	return SliceAt[T](ch.Base, off, n, c)
}

// MakeSliceUninit is MakeSlice without the clearing, for Ts without pointers.
func MakeSliceUninit[T any](r *Region, n, c int) []T {
	if r.onHeap(uintptr(c) * xunsafe.SizeOf[T]()) {
		return make([]T, n, c)
	}
	l := laneOf[T](r)
	size := uintptr(c) * xunsafe.SizeOf[T]()
	ch, off := l.reserveSlice(size)
	if check.On {
		l.give(ch, off, off+size)
		ch.watch.GiveUnwritten(ch.Base, off, off+size)
	}
	return SliceAt[T](ch.Base, off, n, c)
}

// ReserveString reserves n bytes, not 0, for a string, and returns their chunk and
// offset.
//
//go:norace
func ReserveString(r *Region, n uintptr) (xunsafe.Pointer, uintptr) {
	if r.onHeap(n) {
		return xunsafe.DataOf(make([]byte, n)), 0
	}
	l := laneOf[byte](r)
	c, off := l.reserveText(n)
	if check.On {
		l.give(c, off, off+n)
	}
	return c.Base, off
}

// CurrentOf returns the chunk from which a handle may take Ts: [Lo, Hi) is zero, and
// made of whole Ts. It makes the lane of a T with pointers if there is none, but no
// chunk.
func CurrentOf[T any](r *Region) *Chunk {
	if r.onHeap(0) {
		return &NoChunk
	}
	if l := laneOf[T](r); l.Typed() {
		return l.Current()
	}
	return &NoChunk
}
