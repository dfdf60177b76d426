package machine

import "github.com/ebbpool/arena/internal/check"

// GrowSlice returns s with a length of n, which is beyond its capacity: in
// place, or as a new slice, whose first n elements are to be written.
//
//go:norace
func GrowSlice[T any](r *Region, s []T, n int) []T {
	l := laneOf[T](r)
	wanted := grownCap[T](n, cap(s))
	if c := extend(l, s, n, wanted, true); c != 0 {
		return SliceAt[T](l.Base, OffsetIn(l.Base, DataOf(s)), n, c)
	}
	if twice := 2 * uintptr(cap(s)); twice <= MaxAlloc/SizeOf[T]() {
		wanted = max(wanted, int(twice))
	}
	if l.ops.meter != nil {
		wanted = l.capNearLimit(n, wanted, SizeOf[T]())
	}
	m := move{from: DataOf(s), bytes: uintptr(cap(s)) * SizeOf[T](), pinned: r.newestMark(l)}
	base, off := l.moveSlice(m, uintptr(n)*SizeOf[T](), uintptr(wanted)*SizeOf[T]())
	return SliceAt[T](base, off, n, wanted)
}

// extend lets s, if it is the newest slice of the lane, take the room behind
// it: up to wanted elements in all, at least least. What it takes is zero if
// zero says so. It returns the new capacity, 0 where s can't grow in place.
//
//go:norace
func extend[T any](l *Lane, s []T, least, wanted int, zero bool) int {
	size := SizeOf[T]()
	// s must lie in the current chunk and end exactly where the newest slice
	// ends, and nothing may have been allocated since. A slice whose capacity
	// was cut ends before that: its neighbour's elements are not ours.
	from := OffsetIn(l.Base, DataOf(s))
	end := from + uintptr(cap(s))*size
	if cap(s) == 0 || from >= l.Lo || end != l.tip || RoundUp(end, l.align) != l.Lo {
		return 0
	}
	c := min(uintptr(wanted), (l.Hi-from)/size)
	newLo := RoundUp(from+c*size, l.align)
	if c < uintptr(least) || newLo > l.Hi {
		return 0
	}
	if check.On {
		l.give(&l.chunk, from, newLo)
	}
	if !l.ops.zeroes && zero {
		// The padding behind s was not handed out, so it may be dirty.
		clearFlat(l.Base, end, l.Lo)
		l.chunk.clearDirty(l.Lo, newLo)
	}
	l.Lo = newLo
	l.tip = from + c*size
	if check.On {
		l.chunk.watch.TakeTail(l.Base, l.tip, newLo)
	}
	return int(c)
}

// grownCap is the capacity for a slice of n elements that outgrew old: the
// runtime's rule, from a first 64 bytes on.
func grownCap[T any](n, old int) int {
	const threshold = 256
	c := max(old, 32/int(min(SizeOf[T](), 32)))
	if c < threshold {
		c *= 2
	} else {
		c += (c + 3*threshold) / 4
	}
	if uint(c) > uint(MaxAlloc/SizeOf[T]()) {
		return n
	}
	return max(c, n)
}
