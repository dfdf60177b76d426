package arena

import (
	"iter"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// MakeSlice returns a slice of T in a, zero up to its capacity, or on the heap if a is nil. It panics and changes nothing if len is negative,
// cap is less than len, or the size is more than can be allocated.
//
// In memory that the arena has already, its cost does not depend on cap if T has pointers or the memory was not used before. Otherwise the
// memory is cleared.
//
//go:nosplit
func MakeSlice[T any](a *Arena, len, cap int) []T {
	// max keeps the compiler from dividing by the size of a T that has none.
	if machine.NoLayout() || check.Watched || a == nil || xunsafe.SizeOf[T]() == 0 || uint(len) > uint(cap) ||
		uintptr(cap-1) >= machine.SmallSlice/max(xunsafe.SizeOf[T](), 1) {
		return makeSlice[T](a, "MakeSlice", len, cap)
	}
	size := uintptr(cap) * xunsafe.SizeOf[T]()
	key := machine.KeyOf((*T)(nil))
	if key.PtrBytes == 0 {
		if size <= machine.SmallBytes {
			if off, ok := a.region.Noscan.TakeSlice(size, machine.Blocks(size)); ok {
				machine.ClearBlocks(xunsafe.Add(a.region.Noscan.Base, off), size)
				return machine.SliceAt[T](a.region.Noscan.Base, off, len, cap)
			}
		}
	} else if al := a.region.Types.Lookup(key); al.Key == key {
		if off, ok := al.TakeElements(size); ok {
			return machine.SliceAt[T](al.Base, off, len, cap)
		}
	}
	return makeSlice[T](a, "MakeSlice", len, cap)
}

// makeSlice is the slow path of MakeSlice: nil arena, full chunk, first use of T, or a slice that is large or impossible. Panics name
// function.
//
//go:noinline
func makeSlice[T any](a *Arena, function string, len, cap int) []T {
	checkSlice[T](function, len, cap)
	if a == nil || xunsafe.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	return machine.MakeSlice[T](&a.region, len, cap)
}

// MakeSliceUninit is MakeSlice without clearing: the elements have the previous contents of the arena's memory, and the cost does not depend
// on the size. It is for elements without pointers that are all written before they are read. A bool that was not written may be any byte, and
// compiled code uses a bool as an index without a check. MakeSliceUninit panics if T has pointers, also if a is nil.
//
//go:nosplit
func MakeSliceUninit[T any](a *Arena, len, cap int) []T {
	// max keeps the compiler from dividing by the size of a T that has none.
	if machine.NoLayout() || check.Watched || a == nil || xunsafe.SizeOf[T]() == 0 || uint(len) > uint(cap) ||
		uintptr(cap-1) >= machine.SmallSlice/max(xunsafe.SizeOf[T](), 1) || machine.KeyOf((*T)(nil)).PtrBytes != 0 {
		return makeSliceUninitSlow[T](a, len, cap)
	}
	const mask = machine.NoscanAlign - 1
	size := uintptr(cap) * xunsafe.SizeOf[T]()
	off, ok := a.region.Noscan.TakeSlice(size, (size+mask)&^mask)
	if !ok {
		return makeSliceUninitSlow[T](a, len, cap)
	}
	return machine.SliceAt[T](a.region.Noscan.Base, off, len, cap)
}

// makeSliceUninitSlow is the slow path of MakeSliceUninit.
//
//go:noinline
func makeSliceUninitSlow[T any](a *Arena, len, cap int) []T {
	checkSlice[T]("MakeSliceUninit", len, cap)
	if machine.HoldsPointers[T]() {
		panic(message[T]("MakeSliceUninit") + "element type has pointers")
	}
	if a == nil || xunsafe.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	return machine.MakeSliceUninit[T](&a.region, len, cap)
}

// Append is the builtin append for slices whose memory is in a. If s has no room for items, it grows in the arena, or on the heap if a is nil.
// Elements beyond the length are zero.
//
// If s is the newest slice or object of its kind in a and its chunk has room, it grows in place: its address stays and nothing is copied. Its
// capacity doubles, and grows by a quarter from 256 elements on. Otherwise the elements move to room for twice as many, and the old slice stays
// unchanged, as with the builtin. In a new arena, whose chunks are small, a slice moves up to once per doubling.
//
// A large slice moves to memory of its own, which is left to the collector at once when the slice moves on, unless a Mark was taken in between.
// So a large slice that grows alone costs at most twice its size, or a's chunk size. The old memory of small slices is free again when the arena is
// reset.
func Append[T any](a *Arena, s []T, items ...T) []T {
	// The comparison is append's own, which the compiler then leaves out, with
	// the call behind it.
	if len(s)+len(items) > cap(s) {
		return appendSlow(a, s, items)
	}
	return append(s, items...)
}

//go:noinline
func appendSlow[T any](a *Arena, s, items []T) []T {
	if a == nil || xunsafe.SizeOf[T]() == 0 {
		return append(s, items...)
	}
	n := len(s) + len(items)
	if n < 0 || uintptr(n) > machine.MaxAlloc/xunsafe.SizeOf[T]() {
		panic(message[T]("Append") + "length " + itoa(len(s)) + " + " + itoa(len(items)) + " is more than can be allocated")
	}
	t := machine.GrowSlice(&a.region, s, n)
	if xunsafe.DataOf(t) != xunsafe.DataOf(s) {
		copy(t, s)
	}
	copy(t[len(s):], items)
	return t
}

// SliceOf returns a slice of the items in a, or on the heap if a is nil. It replaces []T{...}: without items it is empty and not nil, and its
// capacity is its length.
func SliceOf[T any](a *Arena, items ...T) []T {
	if a != nil {
		return copyOf(a, items)
	}
	s := make([]T, len(items))
	copy(s, items)
	return s
}

// CloneSlice returns a copy of s in a, or on the heap if a is nil: nil if s is nil, and empty if s is empty. The capacity of the copy is its
// length. What the elements refer to is not copied.
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

// copyOf returns a copy of s in a.
func copyOf[T any](a *Arena, s []T) (c []T) {
	if machine.HoldsPointers[T]() {
		c = MakeSlice[T](a, len(s), len(s))
	} else {
		c = MakeSliceUninit[T](a, len(s), len(s))
	}
	copy(c, s)
	return c
}

// Collect returns the values of seq as a slice in a, or on the heap if a is nil. The slice is nil if there are none. While seq allocates
// nothing else of T's kind from a, the slice grows in place.
//
// If the compiler can't inline seq, the loop's body is allocated on the heap, about 50 bytes for each call.
func Collect[T any](a *Arena, seq iter.Seq[T]) []T {
	var s []T
	for v := range seq {
		s = Append(a, s, v)
	}
	return s
}
