package machine

import (
	"slices"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// move is the way of a slice that Append can't extend where it is.
type move struct {
	from   xunsafe.Pointer // where it is
	bytes  uintptr         // its capacity there
	pinned position        // what the arena's newest mark needs of the lane
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
func (l *Lane) moveSlice(m move, need, size uintptr) (xunsafe.Pointer, uintptr) {
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
	taken := RoundUp(size, l.align())
	if l.Hi-l.Lo >= redzone+taken || l.Base == nil || l.used() == 0 {
		return l.reserveSlice(size)
	}
	if l.nextFree(redzone+taken) < 0 {
		// What has grown so far goes on, mostly, and would leave each smaller one to the
		// collector.
		c, granted := l.takeCached(taken, 2*taken, 2*taken, 8*taken, false)
		if c.Base != nil {
			l.goOnWith(c)
			return l.reserveSlice(size)
		}
		if granted != 0 {
			l.ops.quota.cancel(granted) // a smaller one won't do
		}
	}
	if m.isAlone(&l.chunk, l) {
		// The current chunk goes with the slice. That it is long does not say
		// that other values of its type will come.
		if l.nextFree(redzone+taken) < 0 && l.retention.leaps && l.retention.target == 0 {
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
	if m.bytes < ownChunkLeast/2 || m.bytes <= l.cap/4 && l.caches() && l.pooled() {
		return
	}
	for i := len(l.older) - 1; i >= max(m.pinned.older, len(l.older)-lookBack); i-- {
		c := &l.older[i]
		if !m.isAlone(c, l) {
			continue
		}
		if xunsafe.Number(c.Base) != m.pinned.chunk {
			l.olderUsed -= c.used()
			l.ops.quota.give(c.size(), 1)
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
	return c.Base == m.from && c.Hi == c.cap && c.Lo == RoundUp(m.bytes, l.align()) && c.Lo != 0
}

// extend lets the slice at data, with room for have elements of size bytes, if it
// is the newest one of the lane, take the memory behind it: up to wanted elements in
// all, at least least. What it takes is zero if zero says so. It returns the new
// capacity, 0 where the slice can't grow in place.
//
//go:norace
func (l *Lane) extend(size uintptr, data xunsafe.Pointer, have, least, wanted int, zero bool) int {
	from, ok := l.newest(size, data, have)
	if !ok {
		return 0
	}
	end := from + uintptr(have)*size
	c := min(uintptr(wanted), (l.Hi-from)/size)
	newLo := RoundUp(from+c*size, l.align())
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
func (l *Lane) newest(size uintptr, data xunsafe.Pointer, c int) (from uintptr, ok bool) {
	from = xunsafe.Offset(l.Base, data)
	end := from + uintptr(c)*size
	return from, c != 0 && from < l.Lo && end == l.tip && RoundUp(end, l.align()) == l.Lo
}

// capNearLimit returns the capacity, in values of size bytes, of a slice of n values
// that Append moves: wanted, but at most half of the limit's remaining capacity, since
// the old copy may stay, and counts. Where that is less than n, half of what remains
// beyond n: with n alone a slice would move for each appended value, as long as two
// copies of it fit. Idle chunks count as remaining capacity.
func (l *Lane) capNearLimit(n, wanted int, size uintptr) int {
	q, here := l.ops.quota, l.Hi-l.Lo
	if q.Left() == noLimit || uintptr(wanted)*size <= here {
		return wanted
	}
	left := q.leaves(q.idle(nil))
	most := left / 2
	if need := uintptr(n) * size; most < need && need < left {
		most = need + (left-need)/2
	}
	return max(n, min(wanted, int(max(most, here)/size)))
}
