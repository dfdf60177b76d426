package machine

import "slices"

// Chunks that Rewind empties wait in an allocator's free list, the smallest one first, until the
// cycle ends.

// nextFree returns the index of the free chunk that comes next, for a value of need
// bytes: the smallest one for small values, the largest one for others, which may grow
// there. It returns -1 where need doesn't fit.
//
//go:norace
func (l *Lane) nextFree(need uintptr) int {
	last := len(l.free) - 1
	if last >= 0 && need <= l.free[0].room()/8 {
		return 0
	}
	if last >= 0 && l.free[last].room() < need {
		return -1
	}
	return last
}

// bestFit returns the smallest free chunk that size bytes fit in, if they
// fill half of it, else -1.
//
//go:norace
func (l *Lane) bestFit(size uintptr) int {
	for i := range l.free {
		if n := l.free[i].room(); n >= size {
			if n/2 > size {
				break
			}
			return i
		}
	}
	return -1
}

// takeFree takes chunk i off the free list.
//
//go:norace
func (l *Lane) takeFree(i int) chunk {
	c := l.free[i]
	l.free = slices.Delete(l.free, i, i+1)
	return c
}

// addFree empties a chunk and puts it on the free list.
func (l *Lane) addFree(c chunk) {
	l.takeBack(&c, c.begin(), c.cap)
	i := len(l.free)
	for i > 0 && l.free[i-1].room() > c.room() {
		i--
	}
	l.free = slices.Insert(l.free, i, c)
}

// freeBytes returns the size of the free chunks in bytes.
//
//go:norace
func (l *Lane) freeBytes() uintptr {
	n := uintptr(0)
	for i := range l.free {
		n += l.free[i].size()
	}
	return n
}

// dropFree gives the free chunks to the collector.
func (l *Lane) dropFree() {
	l.ops.quota.give(l.freeBytes(), len(l.free))
	l.free = nil
}
