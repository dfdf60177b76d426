package machine

import "github.com/ebbpool/arena/internal/check"

// GrowSlice returns s with a length of n, which is beyond its capacity: in
// place, or as a new slice, whose first n elements are to be written.
//
//go:norace
func GrowSlice[T any](r *Region, s []T, n int) []T {
	data, c := r.grow(laneOf[T](r), SizeOf[T](), DataOf(s), cap(s), n)
	return SliceAt[T](data, 0, n, c)
}

// grow is GrowSlice for the slice at data, with room for c elements of size
// bytes, of l. It returns where the slice is now and its capacity.
//
//go:norace
func (r *Region) grow(l *Lane, size uintptr, data Pointer, c, n int) (Pointer, int) {
	wanted := grownCap(size, n, c)
	if more := l.extend(size, data, c, n, wanted, true); more != 0 {
		return data, more
	}
	if twice := 2 * uintptr(c); twice <= MaxAlloc/size {
		wanted = max(wanted, int(twice))
	}
	if l.ops.quota != nil {
		wanted = l.capNearLimit(n, wanted, size)
	}
	m := move{from: data, bytes: uintptr(c) * size, pinned: r.newestMark(l)}
	base, off := l.moveSlice(m, uintptr(n)*size, uintptr(wanted)*size)
	return Addr(base, off), wanted
}

// extend lets the slice at data, with room for have elements of size bytes, if it
// is the newest one of the lane, take the room behind it: up to wanted elements in
// all, at least least. What it takes is zero if zero says so. It returns the new
// capacity, 0 where the slice can't grow in place.
//
//go:norace
func (l *Lane) extend(size uintptr, data Pointer, have, least, wanted int, zero bool) int {
	from, ok := l.newest(size, data, have)
	if !ok {
		return 0
	}
	end := from + uintptr(have)*size
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

// newest reports whether the slice at data, with room for c elements of size bytes,
// can change where it ends, and returns its offset in the current chunk: it must
// lie there and end exactly where the newest slice ends, and nothing may have been
// allocated since. A slice whose capacity was cut ends before that: its
// neighbour's elements are not ours.
//
//go:norace
func (l *Lane) newest(size uintptr, data Pointer, c int) (from uintptr, ok bool) {
	from = OffsetIn(l.Base, data)
	end := from + uintptr(c)*size
	return from, c != 0 && from < l.Lo && end == l.tip && RoundUp(end, l.align) == l.Lo
}

// grownCap is the capacity for a slice of n elements of size bytes that outgrew
// old: the runtime's rule, from a first 64 bytes on.
func grownCap(size uintptr, n, old int) int {
	const threshold = 256
	c := max(old, 32/int(min(size, 32)))
	if c < threshold {
		c *= 2
	} else {
		c += (c + 3*threshold) / 4
	}
	if uint(c) > uint(MaxAlloc/size) {
		return n
	}
	return max(c, n)
}
