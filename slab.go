package arena

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Slab allocates values of one type: an Arena for a single T, without the
// look for T's memory. New inlines to a compare and a bump. It is as safe as
// an arena: T may hold any pointers.
//
// It has no limit, and shares nothing with an arena. See docs/guide.md for when it
// serves better than an Allocator.
//
// A slab belongs to one goroutine at a time and must not be copied. Get one
// from NewSlab: the zero Slab is not usable.
type Slab[T any] struct {
	// New's own copies of what it needs of the lane: the current chunk, its
	// lo, and how far the memory from there is zero, which is where New stops
	// to look.
	base   xunsafe.Pointer
	next   uintptr
	ready  uintptr
	refill func() // makeReady; as a value it costs less of New's inlining budget

	lane      machine.Lane
	highWater uintptr
	resets    uint64
	watch     check.Tracker

	_ noCopy
}

// A slab of a T without pointers clears its memory ahead of New, in pieces of
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

// NewSlab returns an empty slab. It takes memory from the Go heap in chunks, the
// first one for chunkLen values, further ones as large as what its first epoch
// has already, up to 64 times chunkLen. Over a Reset it keeps memory for as many
// values as its epochs need, at most 10 * chunkLen: an epoch of more values takes
// the rest from the heap each time, which costs several times as much, so choose
// chunkLen no smaller than a tenth of the values of a usual epoch. chunkLen < 1,
// or chunks larger than can be allocated, panic.
func NewSlab[T any](chunkLen int) *Slab[T] {
	size := max(xunsafe.SizeOf[T](), 1)
	if chunkLen <= 0 || uintptr(chunkLen) > machine.MaxAlloc/size {
		panic("arena: NewSlab[" + reflect.TypeFor[T]().String() + "](chunkLen " + itoa(chunkLen) + "): chunkLen must be from 1 to " + itoa(int(machine.MaxAlloc/size)) + " values")
	}
	s := &Slab[T]{}
	s.refill = s.makeReady
	s.lane = machine.NewLane[T](uintptr(chunkLen)*size, &s.watch)
	s.begin()
	return s
}

// New returns a pointer to a zero T. It is valid until the slab is reset.
func (s *Slab[T]) New() (p *T) {
	// SAFETY: next and ready are multiples of the size of T, [next, ready) is zero
	// memory of the chunk at base, and refill returns with next < ready, or with
	// both zero for a T of no size.
	if s.next == s.ready {
		s.refill()
	}
	p = (*T)(unsafe.Add(s.base, s.next))
	s.next += unsafe.Sizeof(*p)
	return
}

// begin starts the first epoch of an empty lane.
func (s *Slab[T]) begin() {
	if check.On {
		s.watch.Begin()
	}
	s.load()
}

// store brings the lane up to date with what New handed out.
func (s *Slab[T]) store() {
	if !check.On { // makeReady then prepares one value at a time, and keeps the lane up to date
		s.lane.Lo = s.next
	}
}

// load takes over the lane's state after it changed.
func (s *Slab[T]) load() {
	s.base, s.next, s.ready = s.lane.Base, s.lane.Lo, s.lane.Lo
	if s.lane.Typed() && !check.On {
		s.ready = s.lane.Hi // all free memory is zero
	}
	if xunsafe.SizeOf[T]() == 0 {
		s.base = xunsafe.DataOf([]T{})
	}
}

// makeReady has zeroed memory for one T at least.
func (s *Slab[T]) makeReady() {
	size := xunsafe.SizeOf[T]()
	if size == 0 {
		return
	}
	l := &s.lane
	if check.On {
		s.watch.Enter("Slab.New")
		defer s.watch.Leave()
		s.base, s.next, s.ready = xunsafe.PointerTo(machine.NewIn[T](l)), 0, size
		return
	}
	s.store()
	if l.Hi-l.Lo < size {
		l.Grow(size)
	}
	s.load()
	if !l.Typed() {
		piece := min(max(2*l.Lo, clearLeast), clearMost)
		s.ready = min(l.Lo+max(piece/size, 1)*size, l.Hi)
		l.ClearAhead(s.ready)
	}
}

// MakeSlice returns a slice of T from the slab, zero up to its capacity. It
// panics as the function MakeSlice does.
func (s *Slab[T]) MakeSlice(len, cap int) []T {
	checkSlice[T]("Slab.MakeSlice", len, cap)
	if xunsafe.SizeOf[T]() == 0 || cap == 0 {
		return make([]T, len, cap)
	}
	if check.On {
		s.watch.Enter("Slab.MakeSlice")
		defer s.watch.Leave()
	}
	s.store()
	made := machine.MakeSliceIn[T](&s.lane, len, cap)
	s.load()
	return made
}

// Reset takes back every value, in time that does not depend on their number
// but for clearing the memory of a T with pointers. What the slab returned
// before must not be used any more.
func (s *Slab[T]) Reset() {
	if check.On {
		s.watch.Enter("Slab.Reset")
		defer s.watch.Leave()
		s.lane.CheckFree()
		s.watch.Ended("Slab.Reset")
	}
	s.store()
	s.highWater = max(s.highWater, s.lane.UserBytes())
	s.resets++
	s.lane.Empty(min(s.lane.ChunkSize(), machine.MaxAlloc/slabRetained) * slabRetained)
	s.load()
}

// Release takes back every value and gives the slab's memory to the
// collector. The slab is as if new.
func (s *Slab[T]) Release() {
	if check.On {
		s.watch.Enter("Slab.Release")
		defer s.watch.Leave()
		s.lane.CheckFree()
		s.watch.Ended("Slab.Release")
	}
	s.store()
	s.highWater = max(s.highWater, s.lane.UserBytes())
	s.resets++
	s.lane.Renew(machine.NewLane[T](s.lane.ChunkSize(), &s.watch))
	s.begin()
}

// Stats returns the slab's statistics.
func (s *Slab[T]) Stats() Stats {
	check.RaceLook(&s.watch)
	s.store()
	s.highWater = max(s.highWater, s.lane.UserBytes())
	n := s.lane.Numbers()
	n.HighWater, n.Resets = s.highWater, s.resets
	return statsOf(n)
}
