package machine

import (
	"reflect"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// The functions in this file allocate values of a type that is known only at run time. They use the same allocators as
// their generic counterparts in alloc.go and slice.go, check no arguments, and do not enter the region.

// allocatorOfType returns the allocator of t, which the first call creates.
//
//go:norace
func allocatorOfType(r *Region, t *Type) *Allocator {
	r.prepareSlow()
	if !t.Pointers {
		return &r.Noscan
	}
	if al := r.Types.find(t.key); al != nil {
		return r.activate(al)
	}
	var m *reflectMemory
	x := r.Types.firstAllocator()
	if x != nil {
		m = new(reflectMemory)
	} else {
		both := new(reflectAllocator)
		x, m = &both.typedAllocator, &both.memory
	}
	m.t = t
	return r.addAllocator(x, t.key, t.Size, m)
}

// NewOfType returns a pointer to a zero t.
func NewOfType(r *Region, t *Type) xunsafe.Pointer {
	if check.Watched || t.key == nil || t.Size == 0 {
		return newOfType(r, t)
	}
	if !t.Pointers {
		if t.Size <= SmallBytes {
			if off, ok := r.Noscan.takeObject(t.Size); ok {
				p := xunsafe.Add(r.Noscan.Base, off)
				ClearBlocks(p, t.Size)
				return p
			}
		}
		return newOfType(r, t)
	}
	if al := r.Types.Lookup(t.key); al.Key == t.key {
		lo := al.Lo
		if next := lo + t.Size; next <= al.Hi {
			al.Lo = next
			return xunsafe.Add(al.Base, lo)
		}
	}
	return newOfType(r, t)
}

// newOfType is the slow path of NewOfType.
//
//go:norace
//go:noinline
func newOfType(r *Region, t *Type) xunsafe.Pointer {
	if t.Size == 0 {
		return nothing()
	}
	if r.onHeap(t.Size) {
		return reflect.New(t.Reflect).UnsafePointer()
	}
	al := allocatorOfType(r, t)
	c, off := al.reserve(t.Size)
	al.clearReserved(c, off, off+t.Size)
	return xunsafe.Add(c.Base, off)
}

// fewElements is the largest capacity for which the fast path makes a slice. It keeps products from overflowing.
const fewElements = SmallSlice / SmallBytes

// MakeSliceOfType returns a zero slice of n values of t, of capacity c.
func MakeSliceOfType(r *Region, t *Type, n, c int) Slice {
	if t.Size == 0 || c == 0 {
		return Slice{nothing(), n, c}
	}
	if t.Pointers && !check.Watched && t.key != nil && uint(c) <= fewElements && t.Size <= SmallBytes {
		if al := r.Types.Lookup(t.key); al.Key == t.key {
			if off, ok := al.TakeElements(uintptr(c) * t.Size); ok {
				return Slice{xunsafe.Add(al.Base, off), n, c}
			}
		}
	}
	size := uintptr(c) * t.Size
	if r.onHeap(size) {
		return Slice{reflect.MakeSlice(t.slices, c, c).UnsafePointer(), n, c}
	}
	al := allocatorOfType(r, t)
	ch, off := al.reserveSlice(size)
	al.clearReserved(ch, off, off+size)
	return Slice{xunsafe.Add(ch.Base, off), n, c}
}

// GrowSliceOfType returns s, a slice of t, with length n, which is beyond its capacity. It grows in place if s is the
// newest slice of its type. Otherwise it returns a new slice with a copy of the elements. New elements are zero.
// Capacities grow as in Append. expected is the expected length, 0 if it is unknown. It saves moves, each of which
// leaves a copy to the collector.
func GrowSliceOfType(r *Region, t *Type, s Slice, n, expected int) Slice {
	if al := quickAllocator(r, t); expected == 0 && uint(n) <= fewElements && al.Base != nil {
		c := grownCap(t.Size, n, s.Cap)
		if s.Cap == 0 {
			if off, ok := al.TakeElements(uintptr(c) * t.Size); ok {
				return Slice{xunsafe.Add(al.Base, off), n, c}
			}
		} else if next := al.Lo + uintptr(c-s.Cap)*t.Size; next <= al.Hi && al.endsWith(s, t.Size) {
			al.Lo, al.tip = next, next
			return Slice{s.Data, n, c}
		}
	}
	if t.Size == 0 {
		return Slice{nothing(), n, n}
	}
	if r.onHeap(0) {
		return growHeapOfType(r, t, s, n, max(grownCap(t.Size, n, s.Cap), expected))
	}
	al := allocatorOfType(r, t)
	data, c := r.grow(al, t.Size, s.Data, s.Cap, n, expected)
	if data != s.Data && s.Len != 0 {
		al.ops.move(data, s.Data, uintptr(s.Len)*t.Size)
	}
	if from := uintptr(s.Len) * t.Size; (data != s.Data || s.Cap == 0) && !al.ops.zeroes {
		clearNoscan(data, from, uintptr(n)*t.Size) // grow does not clear the first n elements
	}
	return Slice{data, n, c}
}

// quickAllocator returns the allocator of t, a type with pointers, if the fast path finds it, or else an allocator
// without a chunk.
func quickAllocator(r *Region, t *Type) *Allocator {
	if t.Pointers && !check.Watched && t.key != nil && t.Size <= SmallBytes {
		if al := r.Types.Lookup(t.key); al.Key == t.key {
			return al
		}
	}
	return vacant
}

// endsWith reports whether s, of elements of size bytes, is the newest slice of a typed allocator.
func (al *Allocator) endsWith(s Slice, size uintptr) bool {
	from := xunsafe.Offset(al.Base, s.Data)
	return from < al.Lo && al.Lo == al.tip && from+uintptr(s.Cap)*size == al.tip
}

// TrimSliceOfType cuts the capacity of s, a slice of t, to its length. It takes the rest back if s is the newest slice and no mark was
// taken since.
func TrimSliceOfType(r *Region, t *Type, s Slice) Slice {
	if s.Len == s.Cap {
		return s // see trimSlice
	}
	size := uintptr(s.Cap-s.Len) * t.Size
	if al := quickAllocator(r, t); clearsPointers && size <= clearPiece && al.endsWith(s, t.Size) && len(r.marks.entries) == 0 {
		end := al.Lo - size
		clearPointers(al.Base, end, al.Lo)
		al.chunk.fold()
		al.Lo, al.tip = end, end
	} else if t.Size != 0 && !r.onHeap(0) {
		r.trimSlice(allocatorOfType(r, t), t.Size, s.Data, s.Cap, s.Len)
	}
	return Slice{s.Data, s.Len, s.Len}
}

// ReserveText returns n bytes at an address that is a multiple of align, a power of two. The bytes may be dirty.
// GrowBytes adds bytes, and TrimBytes takes unused bytes back.
//
//go:norace
func ReserveText(r *Region, n int, align uintptr) []byte {
	size := uintptr(n) + align - min(align, NoscanAlign)
	c, off, ok := &r.Noscan.chunk, uintptr(0), false
	if !check.Watched {
		off, ok = r.Noscan.TakeSlice(size, (size+NoscanAlign-1)&^(NoscanAlign-1))
	}
	if !ok {
		if r.onHeap(size) {
			p := MakeNoscan(RoundUp(size, NoscanAlign)) // a []byte of less than 16 bytes may begin at any address
			return SliceAt[byte](p, -xunsafe.Number(p)&(align-1), n, n)
		}
		c, off = allocatorOf[byte](r).reserveSlice(size)
	}
	skip := -xunsafe.Number(xunsafe.Add(c.Base, off)) & (align - 1)
	c.watch.GiveUnwritten(c.Base, off, off+size)
	return SliceAt[byte](c.Base, off+skip, n, int(size-skip))
}

// SomeOfType returns up to n consecutive zero values of t: fewer if the current chunk has room for fewer. The size of t
// is not 0. It is for callers that can use the values in pieces.
func SomeOfType(r *Region, t *Type, n int) (xunsafe.Pointer, int) {
	if t.Pointers && !check.Watched && t.key != nil {
		if al := r.Types.Lookup(t.key); al.Key == t.key {
			if has := min(uintptr(n), (al.Hi-al.Lo)/t.Size); has > 0 {
				off := al.Lo
				al.Lo += has * t.Size
				return xunsafe.Add(al.Base, off), int(has)
			}
		}
	}
	return MakeSliceOfType(r, t, n, n).Data, n
}

// nothing returns the address of values without a size.
func nothing() xunsafe.Pointer { return xunsafe.PointerTo(new(struct{})) }

// SliceValue returns s as a reflect.Value of the slice type t. Its header may be in r, in memory of type t, so a stale
// Value finds another slice of that type.
func SliceValue(r *Region, t *Type, s Slice) reflect.Value {
	if t.key == nil {
		return reflect.SliceAt(t.Reflect.Elem(), s.Data, s.Cap).Slice3(0, s.Len, s.Cap).Convert(t.Reflect)
	}
	header := NewOfType(r, t)
	*xunsafe.Cast[Slice](header) = s
	return boxed(xunsafe.PointerTo(t.key), header)
}
