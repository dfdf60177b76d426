package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// New returns a pointer to a zero T in a, or on the heap if a is nil. The memory is valid until the arena is reset; the pointer keeps it
// alive for longer if necessary.
//
// It costs a few instructions: a bump of an offset, and stores that clear a T without pointers. Memory of a T with pointers is zero already.
//
//go:nosplit
func New[T any](a *Arena) *T {
	// nosplit saves the look at the stack's bound in a function that calls
	// nothing on its fast path. No sum here overflows: an offset is at
	// most machine.MaxAlloc, and no type is so large that its size added to that exceeds a uintptr.
	if machine.NoLayout() || check.Watched || a == nil || xunsafe.SizeOf[T]() == 0 {
		return newSlow[T](a)
	}
	key := machine.KeyOf((*T)(nil))
	if key.PtrBytes == 0 {
		const mask = machine.NoscanAlign - 1
		size := (xunsafe.SizeOf[T]() + mask) &^ mask
		lo := a.region.Noscan.Lo
		if next := lo + size; size <= machine.InlineZero && next <= a.region.Noscan.Hi {
			a.region.Noscan.Lo = next
			p := xunsafe.Add(a.region.Noscan.Base, lo)
			machine.ClearObject(p, min(xunsafe.SizeOf[T](), machine.InlineZero))
			return xunsafe.Cast[T](p)
		}
		return newSlow[T](a)
	}
	al := a.region.Types.Busiest
	if al == nil { // the zero Arena
		return newSlow[T](a)
	}
	if al.Key != key {
		if al = a.region.Types.At(key); al.Key != key {
			return newSlow[T](a)
		}
	}
	lo := al.Lo
	if next := lo + xunsafe.SizeOf[T](); next <= al.Hi {
		al.Lo = next
		return xunsafe.At[T](al.Base, lo)
	}
	return newSlow[T](a)
}

// newSlow is the slow path of New: nil arena, full chunk, first use of T, or a large T.
//
//go:noinline
func newSlow[T any](a *Arena) *T {
	if a == nil || xunsafe.SizeOf[T]() == 0 {
		return new(T)
	}
	return machine.New[T](&a.region)
}

// NewOf returns a pointer to a copy of v in a, or on the heap if a is nil. It replaces &T{...}.
//
// It costs as much as New and an assignment. Strings, slices and pointers in v are not copied deeply: their targets must live as long as the
// copy is used.
func NewOf[T any](a *Arena, v T) *T {
	p := newToWrite[T](a)
	*p = v
	return p
}

// newToWrite is New for a T that the caller writes completely: it is zero only if T has pointers. NewOf is inlined, so that v is constructed
// in place.
//
//go:nosplit
func newToWrite[T any](a *Arena) *T {
	if a == nil {
		return new(T)
	}
	if !check.Watched && xunsafe.SizeOf[T]() != 0 && !machine.HoldsPointers[T]() {
		const mask = machine.NoscanAlign - 1
		lo := a.region.Noscan.Lo
		if next := lo + (xunsafe.SizeOf[T]()+mask)&^mask; next <= a.region.Noscan.Hi {
			a.region.Noscan.Lo = next
			return xunsafe.At[T](a.region.Noscan.Base, lo)
		}
	}
	return New[T](a)
}

// BoxOf returns v as an any whose value is in a, or on the heap if a is nil. It compares, prints and converts like any(v). Values that Go
// stores in an interface without allocating, such as pointers and single bytes, do not use the arena either.
//
// It costs what NewOf costs. The any must not be used after the arena's cycle, not even as a key of a map.
func BoxOf[T any](a *Arena, v T) any {
	if machine.NoLayout() || a == nil || xunsafe.SizeOf[T]() <= 1 {
		return v
	}
	if pointers := machine.KeyOf((*T)(nil)).PtrBytes != 0; pointers {
		if xunsafe.SizeOf[T]() == xunsafe.SizeOf[*T]() || xunsafe.SizeOf[T]() == xunsafe.SizeOf[any]() && any(*new(T)) == nil {
			return v // is one pointer, or an interface
		}
	} else if lo := a.region.Noscan.Lo; !check.Watched {
		const mask = machine.NoscanAlign - 1
		if next := lo + (xunsafe.SizeOf[T]()+mask)&^mask; next <= a.region.Noscan.Hi {
			a.region.Noscan.Lo = next
			p := xunsafe.At[T](a.region.Noscan.Base, lo)
			*p = v
			return machine.Box(p)
		}
	}
	p := New[T](a)
	*p = v
	return machine.Box(p)
}
