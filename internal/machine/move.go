package machine

import (
	"slices"

	"github.com/ebbpool/arena/internal/check"
)

// move is the way of a slice that Append can't extend where it is.
type move struct {
	from   Pointer  // where it is
	bytes  uintptr  // its capacity there
	pinned position // what the arena's newest mark needs of the lane
}

// moveSlice finds a new place for a slice: size bytes, the first need of which
// the caller writes. The others are zero.
//
// A slice that is large beside what the lane has gets a chunk of its own, all
// of which is its capacity. When it has outgrown that, the collector gets the
// chunk at once: nothing else is in it, and the collector keeps it for as long
// as the program has the old slice. So however long a slice gets, the arena
// holds at most twice of it, where it would hold four times with all that it
// left behind.
//
//go:norace
func (l *Lane) moveSlice(m move, need, size uintptr) (Pointer, uintptr) {
	c, off := l.reserveMoved(m, size)
	if check.On {
		l.give(c, off, off+size)
	}
	l.clearReserved(c, off+need, off+size)
	base := c.Base
	if !check.On { // there it is found out if the old slice is used too late
		l.leave(m)
	}
	return base, off
}

// reserveMoved reserves size bytes for a slice that moves.
//
//go:norace
func (l *Lane) reserveMoved(m move, size uintptr) (*chunk, uintptr) {
	redzone := l.watch.Redzone()
	taken := RoundUp(size, l.align)
	if l.Hi-l.Lo >= redzone+taken || l.Base == nil || l.used() == 0 {
		return l.reserveSlice(size)
	}
	if m.isAlone(&l.chunk, l) {
		// The current chunk goes with the slice. That it is long does not say
		// that other values of its type will come.
		if l.nextFree(redzone+taken) < 0 && l.retention.leaps && l.retention.want == 0 {
			l.goOnWith(l.newChunk(redzone+taken, redzone+taken))
		} else {
			l.grow(redzone + taken)
		}
		return l.reserveSlice(size)
	}
	if l.nextFree(redzone+taken) >= 0 || taken < ownChunkLeast || taken < l.nextSize()/ownChunkPart {
		return l.reserveSlice(size)
	}
	c := l.newChunk(redzone+taken, 0)
	c.Lo = redzone + taken
	l.addRedzone(&c, 0, redzone)
	l.tip = 0
	return l.retire(c), redzone
}

// ownChunkLeast is the least size in bytes of a chunk for one slice that moves:
// below it the chunk's own record, and the allocation, would be a good part of
// what it saves.
const ownChunkLeast = 1 << 10

// ownChunkPart is which part of the lane's next chunk a slice must have to get a
// chunk of its own. With 4, of four slices that grow by turns some would share
// chunks, in which their old copies stay: 4.5 bytes for each one in use, not 2.
const ownChunkPart = 16

// lookBack is how many of the newest chunks are looked at for the one that a
// slice leaves: a slice that grows all the time is in one of them.
const lookBack = 32

// leave gives the chunk that a slice has left to the collector, if nothing else
// is in it and no mark needs it.
//
//go:norace
func (l *Lane) leave(m move) {
	if m.bytes < ownChunkLeast/2 {
		return
	}
	for i := len(l.older) - 1; i >= max(m.pinned.older, len(l.older)-lookBack); i-- {
		c := &l.older[i]
		if !m.isAlone(c, l) {
			continue
		}
		if OffsetIn(nil, c.Base) != m.pinned.chunk {
			l.olderUsed -= c.used()
			l.ops.quota.give(c.cap, 1)
			l.older = slices.Delete(l.older, i, i+1)
		}
		break
	}
	if check.Tag {
		l.check()
	}
}

// isAlone reports whether the slice is all that is in c, a chunk of l.
//
//go:norace
func (m *move) isAlone(c *chunk, l *Lane) bool {
	return c.Base == m.from && c.Hi == c.cap && c.Lo == RoundUp(m.bytes, l.align) && c.Lo != 0
}

// newestMark is where l stood when the newest mark was taken that is good.
//
//go:norace
func (r *Region) newestMark(l *Lane) position {
	n := len(r.marks.entries)
	if n == 0 {
		return position{}
	}
	at := r.marks.positions[r.marks.entries[n-1].first:]
	if l == r.FlatLane() {
		return at[0]
	}
	if i := int(l.ops.index); i+1 < len(at) {
		return at[i+1]
	}
	return position{} // the lane came later
}
