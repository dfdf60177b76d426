package arena

import (
	"iter"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// NewOf returns a pointer to a copy of v in a, or on the heap if a is nil. It
// stands where &T{...} stood: v's parts are evaluated there, in the same order.
//
// It costs what New and an assignment cost. What v leads to is not copied: its
// strings, slices and pointers stay where they are, and those into another
// arena must not outlive that.
func NewOf[T any](a *Arena, v T) *T {
	p := newToWrite[T](a)
	*p = v
	return p
}

// newToWrite is New for a T that the caller writes, all of it: it is zero only
// where it has pointers. NewOf itself is inlined, so that v is made where it
// is copied from.
//
//go:nosplit
func newToWrite[T any](a *Arena) *T {
	if a == nil {
		return new(T)
	}
	if !check.Watched && machine.SizeOf[T]() != 0 && !machine.HoldsPointers[T]() {
		const mask = machine.FlatAlign - 1
		lo := a.region.Flat.Lo
		if next := lo + (machine.SizeOf[T]()+mask)&^mask; next <= a.region.Flat.Hi {
			a.region.Flat.Lo = next
			return machine.At[T](a.region.Flat.Base, lo)
		}
	}
	return New[T](a)
}

// SliceOf returns a slice of the items in a, or on the heap if a is nil. It
// stands where []T{...} stood, and like that is not nil where there are none.
// Its capacity is its length.
//
// It costs the copy of the items, which the caller has on its stack.
func SliceOf[T any](a *Arena, items ...T) []T {
	if a != nil {
		return copyOf(a, items)
	}
	s := make([]T, len(items))
	copy(s, items)
	return s
}

// CloneSlice returns a copy of s in a, or on the heap if a is nil: nil of nil, an
// empty slice of an empty one. The copy's capacity is its length, so that what
// is appended to it never shows in s. What the elements lead to is not copied.
func CloneSlice[T any](a *Arena, s []T) []T {
	if s == nil {
		return nil
	}
	if a != nil {
		return copyOf(a, s)
	}
	c := make([]T, len(s))
	copy(c, s)
	return c
}

// copyOf returns a copy of s in a. It clears the memory first only where a T has
// pointers.
func copyOf[T any](a *Arena, s []T) (c []T) {
	if machine.HoldsPointers[T]() {
		c = MakeSlice[T](a, len(s), len(s))
	} else {
		c = MakeSliceUninit[T](a, len(s), len(s))
	}
	copy(c, s)
	return c
}

// Collect returns the values of seq in a slice in a, or on the heap if a is nil;
// nil if there are none. It appends one by one, as Append does: while seq
// allocates nothing else of T's kind from a, the slice grows in place.
//
// A seq that the compiler can't see through makes it put the loop's body on the
// heap, about 50 bytes for each call.
func Collect[T any](a *Arena, seq iter.Seq[T]) []T {
	var s []T
	for v := range seq {
		s = Append(a, s, v)
	}
	return s
}
