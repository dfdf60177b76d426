package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A Lane is the memory of one type with pointers, or of all values without pointers
// (the flat lane). It bumps an offset through its current chunk; full chunks wait in
// older until the epoch ends, empty ones in the free list.
//
// A chunk belongs to one lane for as long as it exists. That makes stale pointers
// harmless: memory that held pointers of a type only ever holds that type again, and
// memory without pointers never holds one.
//
// The free memory in the lane of a type with pointers is always zero: what is taken
// back is cleared at once, so nothing is pinned and New has nothing to do. In the flat
// lane it may be dirty, and is cleared when it is handed out, except for the bytes that
// were never handed out since the chunk was made.
type Lane struct {
	chunk           // the current chunk; Base, Lo and Hi are all that New touches
	Key   *TypeDesc // the type, nil in the flat lane
	ops   *laneOps

	watch check.Lane
	tip   uintptr // where the newest slice ends, exactly; 0: nothing to extend
	*laneRecord
}

// laneRecord has the fields that only the slow paths of a lane need. It is apart from it so that what
// New reads of an arena is small, and can be new for each request (region_isolated.go).
type laneRecord struct {
	older     []chunk // full chunks of this epoch, in the order they were started
	olderUsed uintptr // bytes handed out from them
	free      []chunk // empty chunks, for when the current one is full; see lane_free.go
	retention retention
	home      *home
}

// laneOps makes and empties a lane's chunks. A lane of a type with pointers has its
// own, with its place in the region.
type laneOps struct {
	laneMemory
	// zeroes is true where free memory is always zero, since what is taken back is
	// cleared at once. Elsewhere it may be dirty.
	zeroes bool
	// quota counts the chunks of an arena that has a limit or is from a pool, and
	// is nil for all others.
	quota *Quota
	place
}

// place is where the lane of a type with pointers is.
type place struct {
	index uint32 // in Types.lanes
	since uint32 // how many cycles had ended when it became inactive after its only one; else 0
}

var flatOps = laneOps{laneMemory: flatMemory{}}

// align is the unit of the sizes of the lane's values and chunks: 8, or the
// size of the type.
//
//go:norace
func (l *Lane) align() uintptr { return l.retention.unit }

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
	n := l.size() + l.freeBytes()
	for i := range l.older {
		n += l.older[i].size()
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

// isIdle reports whether this epoch needed nothing of the lane so far.
//
//go:norace
func (l *Lane) isIdle() bool {
	return l.used() == 0 && len(l.older) == 0 && l.retention.top == 0
}

// takeBack moves the ends of c, one of the lane's chunks, back to lo and hi.
func (l *Lane) takeBack(c *chunk, lo, hi uintptr) {
	if l.ops.zeroes && c.Lo > lo {
		l.ops.clear(c.Base, lo, c.Lo)
	}
	c.fold()
	c.Lo, c.Hi = lo, hi
}

// initFlat makes l, which is zero but for its record, a lane of values without pointers.
// It is done in place: to copy a lane is much of what a new arena would cost.
func (l *Lane) initFlat(chunkSize uintptr) {
	if l.laneRecord == nil {
		l.laneRecord = new(laneRecord)
	}
	l.ops, l.watch = &flatOps, check.NewFlatLane(FlatAlign)
	l.retention = newFlatRetention(chunkSize)
}

// Typed reports whether the lane's values have pointers: its free memory is zero then.
func (l *Lane) Typed() bool { return l.ops.zeroes }

// Current returns the chunk from which handles take of a lane of a type with pointers.
func (l *Lane) Current() *Chunk {
	if l.retention.isolates {
		return &NoChunk // stale handles must not take from it
	}
	return &l.chunk
}

// PeakBytes is how many bytes the lane's epoch has had in use at the same time, as
// far as rewinds saw.
//
//go:norace
func (l *Lane) PeakBytes() uintptr { return max(l.UserBytes(), l.retention.top) }

//go:norace
func (l *Lane) holdings(list []Holding, size uintptr) []Holding {
	if l.Base != nil {
		list = append(list, l.holding(&l.chunk, size))
	}
	for i := range l.older {
		list = append(list, l.holding(&l.older[i], size))
	}
	for i := range l.free {
		list = append(list, l.holding(&l.free[i], size))
	}
	return list
}

//go:norace
func (l *Lane) holding(c *chunk, size uintptr) Holding {
	base := xunsafe.Add(c.Base, c.begin())
	start := xunsafe.Number(base)
	return Holding{start, start + c.cap - c.begin(), base, size, l.Key, l.ops.laneMemory}
}

// bareLane is a lane of a type with pointers, in one piece with its laneOps and its record.
type bareLane struct {
	Lane
	own    laneOps
	record laneRecord
}

// typedLane is such a lane with the list of its first full chunks.
type typedLane struct {
	bareLane
	few [2]chunk
}

// reflectLane is a lane with such memory, in one piece: a new arena pays for each.
type reflectLane struct {
	typedLane
	memory reflectMemory
}

// Numbers holds the counts of a region's statistics. Sizes are in
// bytes.
type Numbers struct {
	Used, Held, HighWater uintptr
	Chunks, Types         int
	Resets                uint64
	Oversize              uint32
}
