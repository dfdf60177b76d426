package arena

// Append is the builtin append for slices whose memory is in a: where s has no
// room for items, it grows in the arena, or on the heap if a is nil.
//
// If s is the newest slice or object of its kind in a, it grows in place, so
// that its address stays and nothing is copied. Otherwise the elements move
// and the old memory is free again only when the arena is reset. Capacities
// double, and grow by a quarter from 256 elements on; what lies beyond the
// length is zero. The builtin would move s to the heap without a word.
func Append[T any](a *Arena, s []T, items ...T) []T {
	if cap(s)-len(s) < len(items) {
		return appendSlow(a, s, items)
	}
	return append(s, items...)
}

//go:noinline
func appendSlow[T any](a *Arena, s, items []T) []T {
	if a == nil || sizeOf[T]() == 0 {
		return append(s, items...)
	}
	n := len(s) + len(items)
	if n < 0 || uintptr(n) > maxAlloc/sizeOf[T]() {
		panic(message[T]("Append") + "length " + itoa(len(s)) + " + " + itoa(len(items)) + " is more than can be allocated")
	}
	if watched {
		a.enter("Append")
		defer a.watch.leave()
	}
	t := growSlice(a, s, n)
	if dataOf(t) != dataOf(s) {
		copy(t, s)
	}
	copy(t[len(s):], items)
	return t
}

// growSlice returns s with a length of n, which is beyond its capacity: in
// place, or as a new slice, whose first n elements are to be written.
//
//go:norace
func growSlice[T any](a *Arena, s []T, n int) []T {
	l := laneOf[T](a)
	wanted := grownCap[T](n, cap(s))
	if c := extend(l, s, n, wanted); c != 0 {
		return sliceAt[T](l.base, offsetIn(l.base, dataOf(s)), n, c)
	}
	if l.ops.meter != nil {
		wanted = l.capNearLimit(n, wanted, sizeOf[T]())
	}
	c, off := l.reserveSlice(uintptr(wanted) * sizeOf[T]())
	if checked {
		c.give(l, off, off+uintptr(wanted)*sizeOf[T]())
	}
	l.clearRoom(c, off+uintptr(n)*sizeOf[T](), off+uintptr(wanted)*sizeOf[T]())
	return sliceAt[T](c.base, off, n, wanted)
}

// extend lets s, if it is the newest slice of the lane, take the room behind
// it: up to wanted elements in all, at least least. It returns the new
// capacity, 0 where s can't grow in place.
//
//go:norace
func extend[T any](l *lane, s []T, least, wanted int) int {
	size := sizeOf[T]()
	// s must lie in the current chunk and end exactly where the newest slice
	// ends, and nothing may have been allocated since. A slice whose capacity
	// was cut ends before that: its neighbour's elements are not ours.
	from := offsetIn(l.base, dataOf(s))
	end := from + uintptr(cap(s))*size
	if cap(s) == 0 || from >= l.lo || end != l.tip || roundUp(end, l.align) != l.lo {
		return 0
	}
	c := min(uintptr(wanted), (l.hi-from)/size)
	newLo := roundUp(from+c*size, l.align)
	if c < uintptr(least) || newLo > l.hi {
		return 0
	}
	if checked {
		l.chunk.give(l, from, newLo)
	}
	if l.ops.clear == nil {
		// The padding behind s was not handed out, so it may be dirty.
		clearFlat(l.base, end, l.lo)
		l.chunk.clearDirty(l.lo, newLo)
	}
	l.lo = newLo
	l.tip = from + c*size
	if checked {
		l.chunk.takeTail(l.tip, newLo)
	}
	return int(c)
}

// grownCap is the capacity for a slice of n elements that outgrew old: the
// runtime's rule, from a first 64 bytes on.
func grownCap[T any](n, old int) int {
	const threshold = 256
	c := max(old, 32/int(min(sizeOf[T](), 32)))
	if c < threshold {
		c *= 2
	} else {
		c += (c + 3*threshold) / 4
	}
	if uint(c) > uint(maxAlloc/sizeOf[T]()) {
		return n
	}
	return max(c, n)
}
