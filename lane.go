package arena

// A lane is the memory of one kind of value: everything without pointers
// (flat), or one type that has pointers. It bumps an offset through its
// current chunk; chunks that are full wait in older until the life ends.
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
type lane struct {
	chunk           // the current chunk; its first three fields are all that New touches
	key   *typeDesc // the type, nil in the flat lane
	ops   *laneOps

	older []chunk // full chunks of this life, in the order they were started
	sunk  uintptr // bytes handed out from them
	spare chunk   // an emptied chunk that Rewind took back, for the next one
	tip   uintptr // where the newest slice ends, exactly; 0: nothing to extend
	align uintptr // chunk sizes are multiples of it: 8, or the size of the type
	watch laneWatch

	fit retention
}

// chunk is one allocation of the Go heap, and how it is used. Offsets and
// sizes are in bytes.
type chunk struct {
	watch  chunkWatch
	base   pointer
	lo, hi uintptr // room is [lo, hi)
	cap    uintptr
	// [max(clean, lo), min(cleanEnd, hi)) was never handed out since the
	// chunk was made, so it is zero. New moves lo without a look at these;
	// fold brings them up to date before lo goes back.
	clean, cleanEnd uintptr
}

// laneOps says how a lane makes and empties chunks: the part that depends on
// the type.
type laneOps struct {
	make func(bytes uintptr) pointer
	// clear zeroes a range that is taken back; nil where room may be dirty.
	clear func(base pointer, from, to uintptr)
	// meter counts the chunks of an arena that has a limit or is from a pool;
	// nil for all others.
	meter *meter
}

var flatOps = laneOps{make: makeFlat}

// used is how many bytes of the chunk are handed out.
func (c *chunk) used() uintptr { return c.lo + c.cap - c.hi }

// fold notes what was handed out as no longer clean. It must run before lo
// or hi go back.
func (c *chunk) fold() {
	c.clean = min(max(c.clean, c.lo), c.cap)
	c.cleanEnd = max(min(c.cleanEnd, c.hi), c.clean)
}

// takeBack moves the chunk's ends back to lo and hi.
func (c *chunk) takeBack(ops *laneOps, lo, hi uintptr) {
	if ops.clear != nil && c.lo > lo {
		ops.clear(c.base, lo, c.lo)
	}
	c.fold()
	c.lo, c.hi = lo, hi
}

// clearDirty zeroes [from, to) of a chunk without pointers, leaving out what
// is clean.
//
//go:norace
func (c *chunk) clearDirty(from, to uintptr) {
	if dirtyEnd := min(to, c.clean); from < dirtyEnd {
		clearFlat(c.base, from, dirtyEnd)
	}
	if dirty := max(from, c.cleanEnd); dirty < to {
		clearFlat(c.base, dirty, to)
	}
}

// usedBytes is how many bytes this life has handed out.
//
//go:norace
func (l *lane) usedBytes() uintptr { return l.sunk + l.used() }

// userBytes is usedBytes without what the checks put between the values.
//
//go:norace
func (l *lane) userBytes() uintptr { return l.usedBytes() - l.zoneBytes() }

// heldBytes is the size of all chunks that the lane holds on to.
//
//go:norace
func (l *lane) heldBytes() uintptr {
	n := l.cap + l.spare.cap
	for i := range l.older {
		n += l.older[i].cap
	}
	return n
}

// chunks is the number of chunks behind heldBytes.
//
//go:norace
func (l *lane) chunks() int {
	n := len(l.older)
	if l.cap != 0 {
		n++
	}
	if l.spare.cap != 0 {
		n++
	}
	return n
}

// newChunk makes an empty chunk of want bytes, or need where that is more. A
// limit can make it smaller, but for need; if that is too much it panics, and
// the lane is as it was. want is 0 for a chunk beside the current one.
//
//go:norace
func (l *lane) newChunk(need, want uintptr) chunk {
	large := need > want && !l.plannedFor(need)
	if want != 0 && l.base == nil {
		want = l.firstSize(want)
	}
	need = roundUp(need, l.align)
	n := max(need, roundUp(want, l.align))
	if m := l.ops.meter; m != nil {
		n = m.grant(l, need, n, want == 0, large)
	}
	if large {
		l.fit.oversize++
	}
	c := chunk{hi: n, cap: n, cleanEnd: n}
	if checked {
		l.fillIn(&c)
	} else {
		c.base = l.ops.make(n)
	}
	return c
}

// grow gives the lane a current chunk with room for need bytes. A panic or a
// memory exhaustion in make leaves the lane as it was.
//
//go:norace
func (l *lane) grow(need uintptr) {
	next := l.spare
	if next.cap < need {
		next = l.newChunk(need, l.nextSize())
	} else {
		l.spare = chunk{}
	}
	if l.base != nil {
		if l.used() == 0 {
			l.setAside(l.chunk)
		} else {
			l.retire(l.chunk)
		}
	}
	l.chunk = next
	l.tip = 0
	if invariants {
		l.check()
	}
}

// nextSize is how large the next chunk of this life should be: doubling what
// the life has, within the limits of the growth rule, and enough to get where
// the life has been before a rewind: a loop that rewinds comes to rest with
// two chunks.
//
//go:norace
func (l *lane) nextSize() uintptr {
	if l.base == nil {
		return l.fit.first()
	}
	used := l.usedBytes()
	size := min(max(used, l.fit.smallest), l.fit.largest)
	if l.fit.top > used {
		size = max(size, fitted(l.fit.top))
	}
	return size
}

// retire lists a chunk that no more is taken from, and returns where it is
// listed.
//
//go:norace
func (l *lane) retire(c chunk) *chunk {
	l.older = append(l.older, c)
	l.sunk += c.used()
	return &l.older[len(l.older)-1]
}

// wantsOwnChunk says whether a piece that the current chunk has no room for
// gets a chunk of its own while the current one goes on: if that still has a
// quarter of its room, and the piece is large, so that few such chunks come
// together.
//
//go:norace
func (l *lane) wantsOwnChunk(size uintptr) bool {
	room := l.hi - l.lo
	return room != 0 && room >= l.cap/4 && l.spare.cap < size && size > l.nextSize()/4 &&
		(l.used() != 0 || l.ops.meter.left() >= size)
}

// reserveLarge reserves size bytes, a multiple of the lane's align and not
// zero, and returns their chunk and offset.
//
//go:norace
func (l *lane) reserveLarge(size uintptr) (*chunk, uintptr) {
	zone := l.zone()
	if l.hi-l.lo < zone+size {
		if l.wantsOwnChunk(size) {
			c := l.newChunk(zone+size, 0)
			c.lo = zone + size
			l.leaveOut(&c, 0, zone)
			l.tip = 0
			return l.retire(c), zone
		}
		l.grow(zone + size)
	}
	l.tip = 0
	l.leaveOut(&l.chunk, l.lo, zone)
	off := l.lo + zone
	l.lo = off + size
	return &l.chunk, off
}

// reserveSlice is reserveLarge for any number of bytes; what it returns can be
// extended until something else is reserved.
//
//go:norace
func (l *lane) reserveSlice(size uintptr) (*chunk, uintptr) {
	c, off := l.reserveLarge(roundUp(size, l.align))
	if c == &l.chunk {
		l.tip = off + size
	}
	return c, off
}

// reserveText reserves size bytes at the upper end of a chunk of the flat
// lane.
//
//go:norace
func (l *lane) reserveText(size uintptr) (*chunk, uintptr) {
	zone := l.textZone(size)
	if l.hi-l.lo < zone+size {
		if l.wantsOwnChunk(size) {
			c := l.newChunk(zone+size, 0)
			l.leaveOut(&c, c.hi-zone, zone)
			c.hi -= zone + size
			return l.retire(c), c.hi
		}
		l.grow(zone + size)
	}
	l.leaveOut(&l.chunk, l.hi-zone, zone)
	l.hi -= zone + size
	return &l.chunk, l.hi
}

// clearRoom zeroes [from, to) of one of the lane's chunks, which is being
// handed out, unless the lane's room is zero anyway.
//
//go:norace
func (l *lane) clearRoom(c *chunk, from, to uintptr) {
	if l.ops.clear == nil {
		c.clearDirty(from, to)
	}
}

// empty ends the life of the lane: everything handed out is taken back, and
// the chunk that the next life will start with stays. limit is the most bytes
// it may keep.
func (l *lane) empty(limit uintptr) {
	used := l.usedBytes()
	if checked && used != 0 {
		// Memory that is never used again is what finds every stale use.
		l.lived(used, limit)
		l.drop()
		return
	}
	if l.base == nil {
		l.fit.endLife(0, 0, limit)
		return
	}
	l.tip = 0
	if len(l.older) > 0 || l.spare.base != nil {
		// One chunk was not enough: the next life starts with one that is.
		l.fit.endLife(used, 0, limit)
		l.drop()
		return
	}
	l.chunk.takeBack(l.ops, 0, l.cap)
	if !l.fit.endLife(used, l.cap, limit) {
		l.drop()
	}
	if invariants {
		l.check()
	}
}

// drop gives every chunk to the collector.
func (l *lane) drop() {
	l.buryFrom(0)
	l.ops.meter.give(l.heldBytes(), l.chunks())
	l.chunk, l.spare, l.older, l.sunk, l.tip = chunk{}, chunk{}, nil, 0, 0
}

// setAside empties a chunk that is not needed any more and keeps it as the
// spare one, if it is larger than what is there; otherwise the collector gets
// it.
func (l *lane) setAside(c chunk) {
	if c.cap > l.spare.cap {
		c.takeBack(l.ops, 0, c.cap)
		c, l.spare = l.spare, c
	}
	if c.cap != 0 {
		l.ops.meter.give(c.cap, 1)
	}
}

// roundUp rounds n up to a multiple of align, which need not be a power of
// two.
func roundUp(n, align uintptr) uintptr {
	if r := n % align; r != 0 {
		n += align - r
	}
	return n
}
