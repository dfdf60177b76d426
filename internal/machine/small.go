package machine

// What the fast ways of slices do: small ones, of a lane without pointers.

const (
	// SmallBytes is the most bytes that AllocBytes clears in line. Where memory
	// is cleared by a call, it costs more than all else for less than that.
	SmallBytes = 256

	// SmallSlice is the most bytes that a slice takes the fast way. It is only
	// there so that sums and products don't overflow.
	SmallSlice = 1 << 20
)

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
