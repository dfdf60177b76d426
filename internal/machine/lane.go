package machine

import "github.com/ebbpool/arena/internal/check"

// A Lane is the memory of one kind of value: everything without pointers
// (flat), or one type that has pointers. It bumps an offset through its
// current chunk; chunks that are full wait in older until the epoch ends.
//
//	            lo                       hi        cap
//	+-----------+------------------------+---------+
//	|  objects  |          room          | strings |   flat lane
//	+-----------+------------------------+---------+
//	|  Ts       |     room, all zero               |   lane of a type T
//	+-----------+----------------------------------+
//
// A chunk belongs to one lane for as long as it lives. That is what makes
// stale pointers harmless: memory that held pointers of a type only ever
// holds that type again, and memory without pointers never holds one.
//
// Room in the lane of a type with pointers is always zero: what is taken back
// is cleared at once, so nothing is pinned and New has nothing to do. Room in
// a lane without pointers may be dirty and is cleared when it is handed out,
// except for the bytes that were never handed out since the chunk was made.
type Lane struct {
	chunk           // the current chunk; Base, Lo and Hi are all that New touches
	Key   *TypeDesc // the type, nil in the flat lane
	ops   *laneOps

	older     []chunk // full chunks of this epoch, in the order they were started
	olderUsed uintptr // bytes handed out from them
	free      []chunk // empty chunks, for when the current one is full; see lane_trim.go
	tip       uintptr // where the newest slice ends, exactly; 0: nothing to extend
	align     uintptr // chunk sizes are multiples of it: 8, or the size of the type
	watch     check.Lane

	retention retention
}

// laneOps says how a lane makes and empties chunks. A lane of a type with pointers has
// its own, with its place in the region.
type laneOps struct {
	laneMemory
	// zeroes says that room is always zero, since what is taken back is
	// cleared at once. Elsewhere it may be dirty.
	zeroes bool
	// quota counts the chunks of an arena that has a limit or is from a pool, and
	// is nil for all others.
	quota *Quota
	place
}

// Memory with pointers that is taken back is cleared from its end, clearPiece bytes at
// a time, half of the smallest first-level caches: what was written last is still in the
// cache, and what is cleared last is what the next epoch begins with. What is further
// than clearNear from the beginning is in no cache by then, and goes in large pieces, in
// which processors need not read a line before they clear it.
const (
	clearPiece = 16 << 10
	clearNear  = 2 << 20
)

// clearStep is how many of the last of left bytes, more than clearPiece, are cleared
// next.
func clearStep(left, size uintptr) uintptr {
	piece := uintptr(clearPiece)
	if left > 2*clearNear {
		piece = clearNear
	}
	return max(piece/size, 1) * size
}

var flatOps = laneOps{laneMemory: flatMemory{}}

// usedBytes is how many bytes this epoch has handed out.
//
//go:norace
func (l *Lane) usedBytes() uintptr { return l.olderUsed + l.used() }

// needBytes is how much of its chunks this epoch has come to: what it handed
// out, and the ends of chunks that were left unused.
//
//go:norace
func (l *Lane) needBytes() uintptr {
	n := l.used()
	for i := range l.older {
		n += l.older[i].cap
	}
	return n
}

// UserBytes is usedBytes without what the checks put between the values.
//
//go:norace
func (l *Lane) UserBytes() uintptr { return l.usedBytes() - l.redzoneBytes() }

// HeldBytes is the size of all chunks that the lane holds on to.
//
//go:norace
func (l *Lane) HeldBytes() uintptr {
	n := l.cap + l.freeBytes()
	for i := range l.older {
		n += l.older[i].cap
	}
	return n
}

// Chunks is the number of chunks behind HeldBytes.
//
//go:norace
func (l *Lane) Chunks() int {
	n := len(l.older) + len(l.free)
	if l.cap != 0 {
		n++
	}
	return n
}

// newChunk makes an empty chunk of want bytes, or need where that is more. A
// limit can make it smaller, but for need; if that is too much it panics, and
// the lane is as it was. want is 0 for a chunk beside the current one.
//
//go:norace
func (l *Lane) newChunk(need, want uintptr) chunk {
	large := need > want && !l.plannedFor(need)
	if want != 0 && l.Base == nil {
		want = l.firstSize(want)
	}
	need = RoundUp(need, l.align)
	n := max(need, min(want, MaxAlloc)/l.align*l.align)
	m := l.ops.quota
	if m != nil {
		n = m.grant(l, need, n, want == 0)
	}
	c := chunk{Hi: n, cap: n, cleanEnd: n}
	if m != nil {
		defer m.granted(&c, large)
	}
	if check.On {
		c.Base = c.watch.Make(&l.watch, n, l.ops.make)
	} else {
		c.Base = l.ops.make(n)
	}
	l.retention.fresh = true
	if large {
		l.retention.oversize++
	}
	return c
}

// grow makes a chunk with room for need bytes the current one. If make panics, the
// lane is as it was.
//
//go:norace
func (l *Lane) grow(need uintptr) {
	var next chunk
	if i := l.nextFree(need); i >= 0 {
		next = l.takeFree(i)
	} else if l.isCold() {
		next = l.newChunk(need, l.coldSize(need))
	} else {
		next = l.newChunk(need, l.nextSize())
	}
	l.goOnWith(next)
}

// goOnWith makes next the lane's current chunk.
//
//go:norace
func (l *Lane) goOnWith(next chunk) {
	if l.Base != nil {
		if l.used() == 0 {
			l.addFree(l.chunk)
		} else {
			l.retire(l.chunk)
		}
	}
	l.chunk = next
	l.tip = 0
	if check.Tag {
		l.check()
	}
}

// nextSize is how large the next chunk of this epoch should be.
//
//go:norace
func (l *Lane) nextSize() uintptr {
	if l.Base == nil || l.isCold() {
		return l.retention.first()
	}
	if !check.On {
		return l.retention.next(l.HeldBytes())
	}
	// Nothing was kept: doubling what the epoch has, and enough to get where it
	// has been before a rewind.
	used := l.usedBytes()
	size := min(max(used, l.retention.smallest), l.retention.largest)
	if l.retention.top > used {
		size = max(size, fitted(l.retention.top))
	}
	return size
}

// retire lists a chunk that no more is taken from, and returns where it is
// listed.
//
//go:norace
func (l *Lane) retire(c chunk) *chunk {
	if len(l.older) == cap(l.older) && cap(l.older) < fewListed {
		list := append(make([]chunk, 0, fewListed), l.older...) // for most epochs, in one allocation
		clear(l.older)                                          // it lies in the lane, and holds on to nothing
		l.older = list
	}
	l.older = append(l.older, c)
	l.olderUsed += c.used()
	return &l.older[len(l.older)-1]
}

// wantsOwnChunk reports whether a piece that the current chunk has no room for
// gets a chunk of its own while the current one goes on: if that still has a
// quarter of its room, and the piece fills half of a free chunk, or is large,
// so that few such chunks come together.
//
//go:norace
func (l *Lane) wantsOwnChunk(size uintptr) bool {
	free := l.Hi - l.Lo
	if free == 0 || free < l.cap/4 {
		return false
	}
	if l.nextFree(size) >= 0 {
		return l.bestFit(size) >= 0
	}
	return size > max(l.nextSize(), l.HeldBytes()/4)/4 && (l.used() != 0 || l.ops.quota.Left() >= size)
}

// ownChunk is the chunk for a piece that wants its own.
//
//go:norace
func (l *Lane) ownChunk(need uintptr) chunk {
	if i := l.bestFit(need); i >= 0 {
		return l.takeFree(i)
	}
	return l.newChunk(need, 0)
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
			c.Lo = redzone + size
			l.addRedzone(&c, 0, redzone)
			l.tip = 0
			return l.retire(c), redzone
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
	c, off := l.reserveLarge(RoundUp(size, l.align))
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

// empty ends the epoch of the lane: everything handed out is taken back, and
// the chunks that the next epoch will need stay. limit is the most bytes that it
// may keep.
func (l *Lane) empty(limit uintptr) {
	if check.On && l.usedBytes() != 0 {
		// Memory that is never used again is what finds every stale use.
		l.recordUse(limit)
		l.Drop()
		return
	}
	l.tip = 0
	if len(l.older) == 0 && l.cap <= limit && (len(l.free) == 0 || l.cap+l.freeBytes() <= limit) && l.retention.seen(l.used()) {
		if l.used() != 0 {
			l.chunk.takeBack(l.ops, 0, l.cap)
		}
	} else if look, join := l.retention.endEpoch(l.needBytes(), limit); look || len(l.older) > 0 || l.cap+l.freeBytes() > limit {
		l.trim(limit, join)
	} else if l.Base != nil {
		l.chunk.takeBack(l.ops, 0, l.cap)
	}
	if check.Tag {
		l.check()
	}
}

// isIdle reports whether this epoch needed nothing of the lane so far.
//
//go:norace
func (l *Lane) isIdle() bool {
	return l.used() == 0 && len(l.older) == 0 && l.retention.top == 0
}

// Drop gives every chunk to the collector.
func (l *Lane) Drop() {
	if check.On {
		l.quarantineFrom(0)
	}
	l.ops.quota.give(l.HeldBytes(), l.Chunks())
	clear(l.older)
	l.chunk, l.free, l.older, l.olderUsed, l.tip = chunk{}, nil, nil, 0, 0
}
