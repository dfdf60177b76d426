package arena

import "strings"

// AllocString returns a copy of s in a, or on the heap if a is nil. A string
// takes its length in bytes, and no padding.
func (a *Arena) AllocString(s string) string {
	if n := uintptr(len(s)); !watched && a != nil && n != 0 && n <= a.flat.hi-a.flat.lo {
		hi := a.flat.hi - n
		a.flat.hi = hi
		copyString(a.flat.base, hi, s)
		return stringAt(a.flat.base, hi, n)
	}
	return a.allocStringSlow(s)
}

// AllocBytesToString returns a copy of b as a string in a, or on the heap if
// a is nil.
func (a *Arena) AllocBytesToString(b []byte) string {
	return a.AllocString(viewString(b))
}

// AllocBytes returns n zero bytes in a, or on the heap if a is nil: the same
// as MakeSlice[byte](a, n, n). A negative n panics.
func (a *Arena) AllocBytes(n int) []byte {
	return makeSlice[byte](a, "AllocBytes", n, n)
}

//go:noinline
func (a *Arena) allocStringSlow(s string) string {
	switch {
	case len(s) == 0:
		return ""
	case a == nil:
		return strings.Clone(s)
	}
	if watched {
		a.enter("AllocString")
		defer a.watch.leave()
	}
	n := uintptr(len(s))
	base, off := a.textRoom(n)
	copyString(base, off, s)
	return stringAt(base, off, n)
}

// textRoom reserves n bytes for a string.
//
//go:norace
func (a *Arena) textRoom(n uintptr) (pointer, uintptr) {
	l := laneOf[byte](a)
	c, off := l.reserveText(n)
	if checked {
		c.give(l, off, off+n)
	}
	return c.base, off
}
