package machine

// TakeSlice is reserveSlice where l, which has no pointers, has room for cleared
// bytes, which are at least as many as size rounded up to FlatAlign.
func (l *Lane) TakeSlice(size, cleared uintptr) (off uintptr, ok bool) {
	off = l.Lo
	if off+cleared > l.Hi {
		return 0, false
	}
	l.Lo = off + (size+FlatAlign-1)&^(FlatAlign-1)
	l.tip = off + size
	return off, true
}

// TakeElements is reserveSlice where l, the lane of a type with pointers, has room
// for size bytes, whole elements.
func (l *Lane) TakeElements(size uintptr) (off uintptr, ok bool) {
	off = l.Lo
	if off+size > l.Hi {
		return 0, false
	}
	l.Lo = off + size
	l.tip = l.Lo
	return off, true
}

// takeObject reserves size bytes and rounded up for ClearBlocks, if l, the flat lane, has
// room for them.
func (l *Lane) takeObject(size uintptr) (off uintptr, ok bool) {
	off = l.Lo
	if off+Blocks(size) > l.Hi {
		return 0, false
	}
	l.Lo = off + (size+FlatAlign-1)&^(FlatAlign-1)
	return off, true
}

// reserveLarge reserves size bytes, a multiple of the lane's align and not
// zero, and returns their chunk and offset.
//
//go:norace
func (l *Lane) reserveLarge(size uintptr) (*chunk, uintptr) {
	redzone := l.watch.Redzone()
	if l.Hi-l.Lo < redzone+size {
		if l.wantsOwnChunk(size) {
			c := l.ownChunk(redzone + size)
			off := c.Lo + redzone // free chunks may begin behind what earlier epochs had
			l.addRedzone(&c, c.Lo, redzone)
			c.Lo = off + size
			l.tip = 0
			return l.retire(c), off
		}
		l.grow(redzone + size)
	}
	l.tip = 0
	l.addRedzone(&l.chunk, l.Lo, redzone)
	off := l.Lo + redzone
	l.Lo = off + size
	return &l.chunk, off
}

// reserveSlice is reserveLarge for any number of bytes; what it returns can be
// extended until something else is reserved.
//
//go:norace
func (l *Lane) reserveSlice(size uintptr) (*chunk, uintptr) {
	c, off := l.reserveLarge(RoundUp(size, l.align()))
	if c == &l.chunk {
		l.tip = off + size
	}
	return c, off
}

// reserveText reserves size bytes at the upper end of a chunk of the flat
// lane.
//
//go:norace
func (l *Lane) reserveText(size uintptr) (*chunk, uintptr) {
	redzone := l.watch.TextRedzone(size)
	if l.Hi-l.Lo < redzone+size {
		if l.wantsOwnChunk(size) {
			c := l.ownChunk(redzone + size)
			l.addRedzone(&c, c.Hi-redzone, redzone)
			c.Hi -= redzone + size
			return l.retire(c), c.Hi
		}
		l.grow(redzone + size)
	}
	l.addRedzone(&l.chunk, l.Hi-redzone, redzone)
	l.Hi -= redzone + size
	return &l.chunk, l.Hi
}

// clearReserved zeroes [from, to) of one of the lane's chunks, which was reserved,
// unless the lane's free memory is zero anyway.
//
//go:norace
func (l *Lane) clearReserved(c *chunk, from, to uintptr) {
	if !l.ops.zeroes {
		c.clearDirty(from, to)
	}
}
