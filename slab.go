package arena

import "reflect"

// Slab allocates values of one type: an Arena for a single T, without the
// look for T's memory. New inlines to a compare and a bump. It is as safe as
// an arena: T may hold any pointers.
//
// A slab belongs to one goroutine at a time and must not be copied. Get one
// from NewSlab: the zero Slab is not usable.
type Slab[T any] struct {
	// New's own copies of what it needs of the lane: the current chunk, its
	// lo, and how far the room from there is zero, which is where New stops
	// to look.
	base   pointer
	next   uintptr
	ready  uintptr
	refill func() // makeReady; as a value it costs less of New's inlining budget

	lane      lane
	highWater uintptr
	resets    uint64
	watch     witness

	_ noCopy
}

// A slab of a T without pointers clears its room ahead of New, in pieces of
// twice what its chunk has handed out: at least two kilobytes, so that the
// call costs each object little, and at most half a first-level cache, so that
// the piece is still there when it is written.
const (
	clearLeast = 2 << 10
	clearMost  = 16 << 10
)

// slabRetained is how many chunks a slab keeps over a Reset, as 10 for an
// arena.
const slabRetained = 10

// NewSlab returns an empty slab. It takes memory from the Go heap in chunks
// for chunkLen values, doubling up to 64 times that, and keeps memory for at
// most 10 * chunkLen values over a Reset. chunkLen < 1, or chunks larger than
// can be allocated, panic.
func NewSlab[T any](chunkLen int) *Slab[T] {
	size := max(sizeOf[T](), 1)
	if chunkLen <= 0 || uintptr(chunkLen) > maxAlloc/size {
		panic("arena: NewSlab[" + reflect.TypeFor[T]().String() + "](chunkLen " + itoa(chunkLen) + "): chunkLen must be from 1 to " + itoa(int(maxAlloc/size)) + " values")
	}
	s := &Slab[T]{}
	s.refill = s.makeReady
	s.init(uintptr(chunkLen) * size)
	return s
}

func (s *Slab[T]) init(chunk uintptr) {
	ops := &laneOps{make: makeTyped[T]}
	if holdsPointers[T]() {
		ops.clear = clearTyped[T]
	}
	s.lane = lane{ops: ops, align: max(sizeOf[T](), 1), fit: newRetention(chunk, chunk)}
	s.lane.fit.smallest = chunk
	s.lane.watch = newLaneWatch[T]()
	s.lane.watchedBy(&s.watch)
	if checked {
		s.watch.begin()
	}
	s.load()
}

// store brings the lane up to date with what New handed out.
func (s *Slab[T]) store() {
	if !checked { // makeReady then prepares one value at a time, and keeps the lane up to date
		s.lane.lo = s.next
	}
}

// load takes over the lane's state after it changed.
func (s *Slab[T]) load() {
	s.base, s.next, s.ready = s.lane.base, s.lane.lo, s.lane.lo
	if s.lane.ops.clear != nil && !checked {
		s.ready = s.lane.hi // all room is zero
	}
	if sizeOf[T]() == 0 {
		s.base = dataOf([]T{})
	}
}

// makeReady makes room, zeroed, for one T at least.
func (s *Slab[T]) makeReady() {
	size := sizeOf[T]()
	if size == 0 {
		return
	}
	l := &s.lane
	if checked {
		s.watch.enter("Slab.New")
		defer s.watch.leave()
		c, off := l.reserveLarge(size)
		c.give(l, off, off+size)
		l.clearRoom(c, off, off+size)
		s.base, s.next, s.ready = c.base, off, off+size
		return
	}
	s.store()
	if l.hi-l.lo < size {
		l.grow(size)
	}
	s.load()
	if l.ops.clear == nil {
		piece := min(max(2*l.lo, clearLeast), clearMost)
		s.ready = min(l.lo+max(piece/size, 1)*size, l.hi)
		l.chunk.clearDirty(l.lo, s.ready)
	}
}

// MakeSlice returns a slice of T from the slab, zero up to its capacity. It
// panics as the function MakeSlice does.
func (s *Slab[T]) MakeSlice(len, cap int) []T {
	checkSlice[T]("Slab.MakeSlice", len, cap)
	if sizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if checked {
		s.watch.enter("Slab.MakeSlice")
		defer s.watch.leave()
	}
	s.store()
	size := uintptr(cap) * sizeOf[T]()
	c, off := s.lane.reserveLarge(size)
	if checked {
		c.give(&s.lane, off, off+size)
	}
	s.lane.clearRoom(c, off, off+size)
	s.load()
	return sliceAt[T](c.base, off, len, cap)
}

// Reset takes back every value, in time that does not depend on their number
// but for clearing the memory of a T with pointers. What the slab returned
// before must not be used any more.
func (s *Slab[T]) Reset() {
	if checked {
		s.watch.enter("Slab.Reset")
		defer s.watch.leave()
		s.lane.checkFrom(0)
		s.watch.ended("Slab.Reset")
	}
	s.store()
	s.highWater = max(s.highWater, s.lane.userBytes())
	s.resets++
	retained := min(s.lane.fit.start, maxAlloc/slabRetained) * slabRetained
	s.lane.empty(retained)
	if s.lane.cap > retained {
		shrink([]*lane{&s.lane}, retained)
	}
	s.load()
}

// Release takes back every value and gives the slab's memory to the
// collector. The slab is as if new.
func (s *Slab[T]) Release() {
	if checked {
		s.watch.enter("Slab.Release")
		defer s.watch.leave()
		s.lane.checkFrom(0)
		s.watch.ended("Slab.Release")
	}
	s.store()
	s.highWater = max(s.highWater, s.lane.userBytes())
	s.resets++
	oversize := s.lane.fit.oversize
	s.lane.buryFrom(0)
	s.init(s.lane.fit.start)
	s.lane.fit.oversize = oversize
}

// UsedBytes is how many bytes of values the slab has handed out since it was
// last emptied.
func (s *Slab[T]) UsedBytes() int {
	raceLook(&s.watch)
	s.store()
	return int(s.lane.userBytes())
}

// Stats returns the slab's statistics.
func (s *Slab[T]) Stats() Stats {
	used := s.UsedBytes()
	s.highWater = max(s.highWater, uintptr(used))
	st := Stats{
		UsedBytes:     used,
		RetainedBytes: int(s.lane.heldBytes()),
		HighWater:     int(s.highWater),
		Chunks:        s.lane.chunks(),
		Resets:        s.resets,
		Oversize:      uint64(s.lane.fit.oversize),
	}
	if s.lane.ops.clear != nil {
		st.Types = 1
	}
	return st
}
