package machine

import (
	"math"
	"math/bits"
)

// How lanes work in a region that isolates its epochs: no memory is handed out twice.
// Where an epoch ends nothing is taken back; the next one begins behind it in the same
// chunk, and chunks that are full are left to the collector, which frees them when
// nothing refers to them.
//
//	            from              Lo         Hi     cap   lost
//	+-----------+-----------------+----------+------+-------+
//	|  earlier  |  this epoch's   |  free    |  its | earl. |
//	+-----------+-----------------+----------+------+-------+
//
// So a stale reference leads to what it led to before, or to zero in the lane of
// a type with pointers: memory that went on leading to others' would keep all of that
// alive for as long as the chunk has room. Within an epoch a rewind has memory handed
// out again; the next epoch begins behind all that was ever handed out of the chunk.

// span tells which bytes of a chunk earlier epochs had. Both are 0 where epochs are not isolated,
// and in chunks of 4 GiB and more, which serve one epoch.
type span struct {
	from uint32 // offset of the first byte that no earlier epoch had
	lost uint32 // bytes behind cap, which earlier epochs had
}

// begin is where what the chunk has for this epoch begins.
func (s span) begin() uintptr { return uintptr(s.from) }

// size returns how many bytes of the heap the chunk has.
func (c *chunk) size() uintptr { return c.cap + uintptr(c.lost) }

// room is how many bytes the chunk has for an epoch that finds it empty.
func (c *chunk) room() uintptr { return c.cap - c.begin() }

// isolation sizes a lane's chunks where epochs are isolated: so that each lasts for
// leastEpochs at least, but no more than the region may retain.
type isolation struct {
	isolates bool
	lasted   uint16 // epochs since a chunk was planned
	planned  uint8  // its size, as a power of two; 0: none was
	ceiling  uint8  // of planned; 0: none
}

const (
	// leastEpochs is how many epochs a chunk shall last. Ten lanes whose chunks last so
	// long make a chunk in one epoch of four; and an idle arena holds what so many
	// epochs use, or twice that.
	leastEpochs = 40

	// mostEpochs is after how many epochs a chunk was too large.
	mostEpochs = 16 * leastEpochs

	// heapHeader is how many bytes the heap adds to most objects with pointers, which would
	// have a power of two take its next size: an eighth more.
	heapHeader = 8
)

// isolatedSize is the size of the next chunk: a power of two, with its header.
func (r *retention) isolatedSize() uintptr {
	n := r.planned
	switch {
	case n == 0 && r.cold:
		n = power(min(r.start, max(coldStart, r.start/coldPart)))
	case n == 0:
		n = power(r.start)
	case r.lasted < leastEpochs/8:
		n += 3 // it did not last an eighth of that
	case r.lasted < leastEpochs:
		n++
	case r.lasted > mostEpochs:
		n--
	}
	n = min(n, power(r.largest))
	if r.ceiling != 0 {
		n = min(n, r.ceiling)
	}
	return max(1<<(n%bits.UintSize), min(r.start, startBytes)+heapHeader) - heapHeader
}

// power is the largest power of two that is not above n, as its exponent.
func power(n uintptr) uint8 { return uint8(bits.Len(uint(n)) - 1) }

// plan notes that a chunk of so many bytes is made.
func (r *retention) plan(bytes uintptr) { r.planned, r.lasted = power(bytes+heapHeader), 0 }

// isolate ends the epoch of the lane. Chunks that are made from here on have ceiling
// bytes at most. It returns false where it finds that somebody was in the lane while
// an epoch ended.
func (l *Lane) isolate(ceiling uintptr) (ok bool) {
	r := &l.retention
	r.ceiling, r.top = power(max(ceiling, 2)), 0
	if r.lasted < mostEpochs+1 {
		r.lasted++
	}
	l.tip = 0
	if len(l.older)+len(l.free) != 0 {
		l.leaveFull()
	}
	if l.Base == nil {
		return true
	}
	if ok = l.Lo >= l.begin(); !ok || !l.chunk.isolate(l.ops) {
		l.ops.quota.give(l.size(), 1)
		l.chunk = chunk{}
	}
	return ok
}

// leaveFull leaves all chunks but the current one to the collector.
func (l *Lane) leaveFull() {
	l.dropFree()
	if len(l.older) == 0 {
		return
	}
	bytes := uintptr(0)
	for i := range l.older {
		bytes += l.older[i].size()
	}
	l.ops.quota.give(bytes, len(l.older))
	clear(l.older)
	if l.older, l.olderUsed = l.older[:0], 0; cap(l.older) > mostListed {
		l.older = nil
	}
}

// isolate has the next epoch begin behind all that was ever handed out of the chunk.
// It returns false where nothing is left.
func (c *chunk) isolate(ops *laneOps) bool {
	begin := c.begin()
	if c.Lo == begin && c.Hi == c.cap && c.clean <= begin && c.cleanEnd == c.cap {
		return true // nobody had anything of it
	}
	if c.size() > math.MaxUint32 {
		return false
	}
	if ops.zeroes && c.Lo > begin {
		ops.clear(c.Base, begin, c.Lo)
	}
	c.fold()
	if c.cleanEnd < c.cap {
		end := c.cleanEnd &^ (FlatAlign - 1)
		c.lost += uint32(c.cap - end)
		c.cap, c.cleanEnd = end, end
	}
	if c.clean >= c.cap {
		return false
	}
	c.from, c.Lo, c.Hi = uint32(c.clean), c.clean, c.cap
	return true
}
