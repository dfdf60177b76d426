package arena

// Arena is a region of memory: values are allocated from it one after the
// other and freed all at once, by Reset. It is safe for every Go value,
// pointers to the heap and to other arenas included.
//
// An arena belongs to one goroutine at a time. The zero Arena is not usable:
// get one from NewArena or from an ArenaPool. A nil *Arena is: allocations
// then come from the Go heap, and the methods do nothing.
//
// An Arena must not be copied.
type Arena struct {
	flat  lane      // values without pointers, and text
	types typeTable // a lane for each type with pointers

	side *sideTable // lanes found by package reflect instead; nil where descriptors serve

	chunkSize   uintptr
	maxRetained uintptr
	marks       markStack
	highWater   uintptr
	resets      uint64

	owner owner
	watch witness

	_ noCopy
	_ [arenaPad]byte // a multiple of a cache line: arenas of two cores share none
}

// marksKept is how many bytes of marks an arena may always keep, about ten
// marks of ten types.
const marksKept = 4 << 10

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewArena returns an empty arena.
//
// chunkSize is in bytes: what the arena takes from the Go heap at first for
// values without pointers. Each type with pointers gets memory of its own,
// beginning with 512 bytes. Both double, up to 64 times chunkSize, while a
// life asks for more. Values larger than a chunk are fine: they get a chunk
// that fits. chunkSize <= 0 panics.
//
// maxRetained is in bytes, too: the most that the arena's chunks have after a
// Reset. (Its own records come on top: about 300 bytes for each type with
// pointers that it has met, and for marks at most an eighth of maxRetained, or
// 4 KB.) maxRetained <= 0 means 10 * chunkSize.
//
// Nothing is allocated for values before the first of them.
func NewArena(chunkSize, maxRetained int) *Arena {
	size, retained := checkSizes("NewArena", chunkSize, maxRetained)
	a := newArena(size, retained)
	if checked {
		a.watch.begin()
	}
	return a
}

func newArena(chunkSize, maxRetained uintptr) *Arena {
	a := &Arena{types: newTypeTable(), chunkSize: chunkSize, maxRetained: maxRetained}
	a.flat = newFlatLane(chunkSize)
	if portable || !layoutOK {
		a.side = newSideTable(chunkSize)
	}
	if checked {
		a.flatLane().watchedBy(&a.watch)
	}
	return a
}

func newFlatLane(chunkSize uintptr) lane {
	return lane{ops: &flatOps, align: flatAlign, fit: newRetention(chunkSize, chunkSize)}
}

// flatLane is the lane of values without pointers. Where types are found by
// reflection a.flat stays empty, so that no fast path ever takes from it.
func (a *Arena) flatLane() *lane {
	if a.side != nil {
		return &a.side.flat
	}
	return &a.flat
}

// laneOf returns the lane that serves T, a new one if it must.
//
//go:norace
func laneOf[T any](a *Arena) *lane {
	if a.chunkSize == 0 {
		panic("arena: use of an Arena that was not made by NewArena or a pool: the zero Arena is not usable")
	}
	if portable || a.side != nil {
		return sideLaneOf[T](a)
	}
	key := keyOf(box[T]{})
	if key.ptrBytes == 0 {
		return &a.flat
	}
	if l := a.types.find(key); l != nil {
		return l
	}
	l := newTypedLane[T](a.chunkSize, a.flat.ops.meter)
	l.key = key
	l.watchedBy(&a.watch)
	a.types.add(l)
	return l
}

// newTypedLane makes the lane of a type with pointers.
func newTypedLane[T any](chunkSize uintptr, m *meter) *lane {
	size := sizeOf[T]()
	return &lane{
		ops:   &laneOps{make: makeTyped[T], clear: clearTyped[T], meter: m},
		align: size,
		watch: newLaneWatch[T](),
		fit:   newRetention(chunkSize, max(size, min(slabStart, chunkSize)/size*size)),
	}
}

// Reset takes back everything that was allocated from a, in time that does
// not depend on how much that was, but for clearing the memory that held
// types with pointers. The arena keeps at most maxRetained bytes for its next
// life and leaves the rest to the collector.
//
// What was allocated before must not be used any more. Such a use is safe for
// the process, but reads and writes memory that others get: it is a logic
// error. Every Mark becomes stale.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	if watched {
		a.enter("Reset")
		defer a.watch.leave()
	}
	if checked {
		a.flatLane().checkFrom(0)
		a.watch.ended("Reset")
	}
	a.empty()
}

// empty is Reset, also for the pool.
func (a *Arena) empty() {
	flat := a.flatLane()
	used, held := flat.userBytes(), uintptr(0)
	flat.empty(a.maxRetained)
	held = flat.cap
	for _, l := range a.types.lanes {
		used += l.userBytes()
		l.empty(a.maxRetained)
		held += l.cap
	}
	a.highWater = max(a.highWater, used)
	a.resets++
	a.marks.clear(max(a.maxRetained/8, marksKept))
	if held > a.maxRetained {
		shrink(append([]*lane{flat}, a.types.lanes...), a.maxRetained)
	}
}

// Release takes back everything, as Reset does, and gives all of the arena's
// memory to the collector. The arena is as if new, and may be used again.
func (a *Arena) Release() {
	if a == nil {
		return
	}
	if watched {
		a.enter("Release")
		defer a.watch.leave()
	}
	if checked {
		a.flatLane().checkFrom(0)
		a.watch.ended("Release")
	}
	a.highWater = max(a.highWater, uintptr(a.UsedBytes()))
	a.resets++
	flat, oversize := a.flatLane(), a.oversizeChunks()
	flat.drop()
	flat.fit = newRetention(a.chunkSize, a.chunkSize)
	flat.fit.oversize = oversize
	flat.forget()
	for _, l := range a.types.lanes {
		l.drop()
	}
	a.types = newTypeTable()
	if a.side != nil {
		clear(a.side.types)
	}
	a.marks.release()
}

// UsedBytes is how many bytes the arena has handed out since it was last
// emptied: sizes of values and capacities of slices, rounded up to 8 bytes
// for those without pointers, and the lengths of strings.
func (a *Arena) UsedBytes() int {
	if a == nil {
		return 0
	}
	raceLook(&a.watch)
	n := a.flatLane().userBytes()
	for _, l := range a.types.lanes {
		n += l.userBytes()
	}
	return int(n)
}
