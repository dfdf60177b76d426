package machine

import (
	"strconv"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// chunk is one allocation of the Go heap, and how it is used. Offsets and
// sizes are in bytes.
type chunk struct {
	watch  check.Chunk
	Base   xunsafe.Pointer
	Lo, Hi uintptr // [Lo, Hi) is free
	cap    uintptr
	span
	// [max(clean, Lo), min(cleanEnd, Hi)) was never handed out since the
	// chunk was made, so it is zero. New moves Lo without a look at these;
	// fold brings them up to date before Lo goes back.
	clean, cleanEnd uintptr
}

// used is how many bytes of the chunk this epoch has handed out.
func (c *chunk) used() uintptr { return c.Lo - c.begin() + c.cap - c.Hi }

// fold notes what was handed out as no longer clean. It must run before Lo
// or Hi go back.
func (c *chunk) fold() {
	c.clean = min(max(c.clean, c.Lo), c.cap)
	c.cleanEnd = max(min(c.cleanEnd, c.Hi), c.clean)
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

func (c *chunk) check() {
	must((c.Base == nil) == (c.cap == 0), "a chunk has memory and no size, or a size and no memory")
	must(c.begin() <= c.Lo && c.Lo <= c.Hi && c.Hi <= c.cap, "a chunk's ends are out of order")
	must(c.clean <= c.cleanEnd && c.cleanEnd <= c.cap, "a chunk's clean range is out of order")
}

// checkFree panics unless the chunk's free memory is zero where the lane relies on it.
func (c *chunk) checkFree(zeroes bool) {
	if c.Base == nil {
		return
	}
	// Memory that New hands out as it is must be zero; elsewhere, the part that
	// counts as clean.
	from, to := max(c.Lo, c.clean), min(c.Hi, c.cleanEnd)
	if zeroes {
		from, to = c.Lo, c.Hi
	}
	if from < to && !isZero(c.Base, from, to) {
		panic("arena: memory that was never handed out was written, " + strconv.Itoa(int(c.Hi-c.Lo)) +
			" free bytes in a chunk of " + strconv.Itoa(int(c.cap)) + ": something wrote beyond the end of its value")
	}
}

// isZero reports whether all bytes of [from, to) are zero.
func isZero(base xunsafe.Pointer, from, to uintptr) bool { return check.IsFilled(base, from, to, 0) }
