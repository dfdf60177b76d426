package machine

import "github.com/ebbpool/arena/internal/xunsafe"

// HoldsText reports whether s has bytes in one of the region's chunks: the current one, a
// full one, or a free one. The region is the caller's; forks are others', which may be at
// work, and are not looked at (see ForksInUse). It costs two comparisons a chunk.
//
//go:norace
func (r *Region) HoldsText(s string) bool {
	return s != "" && r.FlatLane().holds(xunsafe.Number(xunsafe.TextOf(s)))
}

// HoldsSlice is HoldsText for the elements of s themselves. They can lie in the lane of any
// type with pointers: an array in a struct is one.
//
//go:norace
func (r *Region) HoldsSlice(s []string) bool {
	if len(s) == 0 {
		return false
	}
	at := xunsafe.Number(xunsafe.DataOf(s))
	for _, l := range r.Types.inUse() {
		if l.holds(at) {
			return true
		}
	}
	return false
}

// ForksInUse reports whether the region's epoch has forks, in which a value may lie that
// came to the region's goroutine. Where they have it, and what lies there, is known
// to their own goroutines alone.
func (r *Region) ForksInUse() bool {
	q := r.FlatLane().ops.quota
	return q != nil && q.forksInUse != 0
}

//go:norace
func (l *Lane) holds(at uintptr) bool {
	if l.chunk.holds(at) {
		return true
	}
	for i := range l.older {
		if l.older[i].holds(at) {
			return true
		}
	}
	for i := range l.free {
		if l.free[i].holds(at) {
			return true
		}
	}
	return false
}

//go:norace
func (c *chunk) holds(at uintptr) bool { return at-xunsafe.Number(c.Base) < c.cap }
