package arena

// flatAlign is the alignment of values without pointers, and what their sizes
// are rounded up to: no Go type needs more.
const flatAlign = 8

// inlineZero is the size in bytes up to which New clears an object with
// stores of its own. Larger ones go the slow way, which knows what is clean
// already.
const inlineZero = 1024

// New returns a pointer to a zero T in a, or on the heap if a is nil.
//
// It costs a few instructions: a bump, and the stores that clear a T without
// pointers; a T with pointers is clear already. The memory is valid until the
// arena is reset; the pointer keeps it alive for longer if it must.
//
//go:nosplit
func New[T any](a *Arena) *T {
	// nosplit saves the look at the stack's bound in a function that calls
	// nothing on its fast way. No sum here overflows: offsets are at most
	// maxAlloc, far below what is left above the largest type that links.
	if portable || watched || a == nil || sizeOf[T]() == 0 {
		return newSlow[T](a)
	}
	key := keyOf(box[T]{})
	if key.ptrBytes == 0 {
		const mask = flatAlign - 1
		size := (sizeOf[T]() + mask) &^ mask
		lo := a.flat.lo
		if next := lo + size; size <= inlineZero && next <= a.flat.hi {
			a.flat.lo = next
			p := addr(a.flat.base, lo)
			clearObject(p, min(sizeOf[T](), inlineZero))
			return as[T](p)
		}
		return newSlow[T](a)
	}
	if l := a.types.at(key); l.key == key {
		lo := l.lo
		if next := lo + sizeOf[T](); next <= l.hi {
			l.lo = next
			return at[T](l.base, lo)
		}
	}
	return newSlow[T](a)
}

// newSlow is New where the fast way ends: no arena, no room, a type not met
// before, a large T.
//
//go:noinline
//go:norace
func newSlow[T any](a *Arena) *T {
	if a == nil || sizeOf[T]() == 0 {
		return new(T)
	}
	if watched {
		a.enter("New")
		defer a.watch.leave()
	}
	l := laneOf[T](a)
	c, off := l.reserveLarge(roundUp(sizeOf[T](), l.align))
	if checked {
		c.give(l, off, off+sizeOf[T]())
	}
	l.clearRoom(c, off, off+sizeOf[T]())
	return at[T](c.base, off)
}

// MakeSlice returns a slice of T in a, zero up to its capacity, or on the
// heap if a is nil.
//
// In room that the arena has already, its cost does not depend on cap where the
// memory was not used before or T has pointers; otherwise the memory is
// cleared. Negative lengths, a cap below
// len and sizes that no allocation can have panic and change nothing.
func MakeSlice[T any](a *Arena, len, cap int) []T {
	return makeSlice[T](a, "MakeSlice", len, cap)
}

// makeSlice is MakeSlice, called by the function that a panic shall name.
func makeSlice[T any](a *Arena, function string, len, cap int) []T {
	checkSlice[T](function, len, cap)
	if a == nil || sizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if watched {
		a.enter(function)
		defer a.watch.leave()
	}
	l := laneOf[T](a)
	size := uintptr(cap) * sizeOf[T]()
	c, off := l.reserveSlice(size)
	if checked {
		c.give(l, off, off+size)
	}
	l.clearRoom(c, off, off+size)
	return sliceAt[T](c.base, off, len, cap)
}

// MakeSliceUninit is MakeSlice without the clearing: the slice holds what the
// arena's memory last held, from the life before or from nothing at all, and
// costs the same whatever its size. It is for elements without pointers that
// are all written before they are read; a T with pointers panics, on the heap
// (a nil a), too.
func MakeSliceUninit[T any](a *Arena, len, cap int) []T {
	checkSlice[T]("MakeSliceUninit", len, cap)
	if holdsPointers[T]() {
		panic(message[T]("MakeSliceUninit") + "the element type has pointers, which can't be left uninitialized; use MakeSlice")
	}
	if a == nil || sizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if watched {
		a.enter("MakeSliceUninit")
		defer a.watch.leave()
	}
	l := laneOf[T](a)
	size := uintptr(cap) * sizeOf[T]()
	c, off := l.reserveSlice(size)
	if checked {
		c.give(l, off, off+size)
		c.giveUnwritten(off, off+size)
	}
	return sliceAt[T](c.base, off, len, cap)
}
