package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// MakeSlice returns a slice of T in a, zero up to its capacity, or on the
// heap if a is nil.
//
// In room that the arena has already, its cost does not depend on cap where the
// memory was not used before or T has pointers; otherwise the memory is
// cleared. Negative lengths, a cap below
// len and sizes that no allocation can have panic and change nothing.
//
//go:nosplit
func MakeSlice[T any](a *Arena, len, cap int) []T {
	// max keeps the compiler from dividing by the size of a T that has none.
	if check.Watched || a == nil || machine.SizeOf[T]() == 0 || uint(len) > uint(cap) ||
		uintptr(cap-1) >= machine.SmallSlice/max(machine.SizeOf[T](), 1) {
		return makeSlice[T](a, "MakeSlice", len, cap)
	}
	size := uintptr(cap) * machine.SizeOf[T]()
	key := machine.KeyOf((*T)(nil))
	if key.PtrBytes == 0 {
		if size <= machine.SmallBytes {
			if off, ok := a.region.Flat.TakeSlice(size, machine.Blocks(size)); ok {
				machine.ClearBlocks(machine.Addr(a.region.Flat.Base, off), size)
				return machine.SliceAt[T](a.region.Flat.Base, off, len, cap)
			}
		}
	} else if l := a.region.Types.Lane(key); l.Key == key {
		if off, ok := l.TakeElements(size); ok {
			return machine.SliceAt[T](l.Base, off, len, cap)
		}
	}
	return makeSlice[T](a, "MakeSlice", len, cap)
}

// makeSlice is MakeSlice where the fast way ends: no arena, no room, a type not
// met before, a slice that is large or can't be. A panic names function.
//
//go:noinline
func makeSlice[T any](a *Arena, function string, len, cap int) []T {
	checkSlice[T](function, len, cap)
	if a == nil || machine.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if check.Watched {
		a.enter(function)
		defer a.leave()
	}
	return machine.MakeSlice[T](&a.region, len, cap)
}

// MakeSliceUninit is MakeSlice without the clearing: the slice holds what the
// arena's memory last held, from the epoch before or from nothing at all, and
// costs the same whatever its size. It is for elements without pointers that
// are all written before they are read: a bool that is not may be any byte, and
// compiled code uses a bool as an index without a check. A T with pointers panics,
// on the heap (a nil a), too.
//
//go:nosplit
func MakeSliceUninit[T any](a *Arena, len, cap int) []T {
	// max keeps the compiler from dividing by the size of a T that has none.
	if check.Watched || a == nil || machine.SizeOf[T]() == 0 || uint(len) > uint(cap) ||
		uintptr(cap-1) >= machine.SmallSlice/max(machine.SizeOf[T](), 1) || machine.KeyOf((*T)(nil)).PtrBytes != 0 {
		return makeSliceUninitSlow[T](a, len, cap)
	}
	const mask = machine.FlatAlign - 1
	size := uintptr(cap) * machine.SizeOf[T]()
	off, ok := a.region.Flat.TakeSlice(size, (size+mask)&^mask)
	if !ok {
		return makeSliceUninitSlow[T](a, len, cap)
	}
	return machine.SliceAt[T](a.region.Flat.Base, off, len, cap)
}

// makeSliceUninitSlow is MakeSliceUninit where the fast way ends: no arena, no
// room, a slice that is large or can't be.
//
//go:noinline
func makeSliceUninitSlow[T any](a *Arena, len, cap int) []T {
	checkSlice[T]("MakeSliceUninit", len, cap)
	if machine.HoldsPointers[T]() {
		panic(message[T]("MakeSliceUninit") + "the element type has pointers, which can't be left uninitialized; use MakeSlice")
	}
	if a == nil || machine.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if check.Watched {
		a.enter("MakeSliceUninit")
		defer a.leave()
	}
	return machine.MakeSliceUninit[T](&a.region, len, cap)
}

// AllocBytes returns n zero bytes in a, or on the heap if a is nil: the same
// as MakeSlice[byte](a, n, n). A negative n panics.
//
//go:nosplit
func (a *Arena) AllocBytes(n int) []byte {
	if size := uintptr(n); !check.Watched && a != nil && size-1 < machine.SmallBytes {
		if off, ok := a.region.Flat.TakeSlice(size, machine.Blocks(size)); ok {
			p := machine.Addr(a.region.Flat.Base, off)
			machine.ClearBlocks(p, size)
			return machine.BytesAt(p, size)
		}
	}
	return a.allocBytesSlow(n)
}

// allocBytesSlow is AllocBytes where the fast way ends, and without an arena.
//
//go:noinline
func (a *Arena) allocBytesSlow(n int) []byte {
	if a == nil && uint(n) <= machine.MaxAlloc {
		return make([]byte, n) // what makeSlice comes to, after more checks
	}
	return makeSlice[byte](a, "AllocBytes", n, n)
}
