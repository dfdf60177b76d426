package machine

import "github.com/ebbpool/arena/internal/check"

// chunk is one allocation of the Go heap, and how it is used. Offsets and
// sizes are in bytes.
type chunk struct {
	watch  check.Chunk
	Base   Pointer
	Lo, Hi uintptr // room is [Lo, Hi)
	cap    uintptr
	// [max(clean, Lo), min(cleanEnd, Hi)) was never handed out since the
	// chunk was made, so it is zero. New moves Lo without a look at these;
	// fold brings them up to date before Lo goes back.
	clean, cleanEnd uintptr
}

// used is how many bytes of the chunk are handed out.
func (c *chunk) used() uintptr { return c.Lo + c.cap - c.Hi }

// fold notes what was handed out as no longer clean. It must run before Lo
// or Hi go back.
func (c *chunk) fold() {
	c.clean = min(max(c.clean, c.Lo), c.cap)
	c.cleanEnd = max(min(c.cleanEnd, c.Hi), c.clean)
}

// takeBack moves the chunk's ends back to lo and hi.
func (c *chunk) takeBack(ops *laneOps, lo, hi uintptr) {
	if ops.zeroes && c.Lo > lo {
		ops.clear(c.Base, lo, c.Lo)
	}
	c.fold()
	c.Lo, c.Hi = lo, hi
}

// clearDirty zeroes [from, to) of a chunk without pointers, leaving out what
// is clean.
//
//go:norace
func (c *chunk) clearDirty(from, to uintptr) {
	if dirtyEnd := min(to, c.clean); from < dirtyEnd {
		clearFlat(c.Base, from, dirtyEnd)
	}
	if dirty := max(from, c.cleanEnd); dirty < to {
		clearFlat(c.Base, dirty, to)
	}
}

// RoundUp rounds n up to a multiple of align, which need not be a power of
// two.
func RoundUp(n, align uintptr) uintptr {
	if r := n % align; r != 0 {
		n += align - r
	}
	return n
}

// Chunk is a chunk for handles, which allocate from a lane's current chunk: its
// address stays the same while the lane is its region's, whatever chunk is current.
type Chunk = chunk

// NoChunk is the chunk of handles that take the slow path for each value. It stays
// empty.
var NoChunk Chunk

// extent describes the chunk to the checks.
func (c *chunk) extent() check.Extent {
	return check.Extent{Base: c.Base, Lo: c.Lo, Hi: c.Hi, Size: c.cap}
}
