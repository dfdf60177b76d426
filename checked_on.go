//go:build arenacheck || race || asan

package arena

import "os"

// checked turns on the checks for misuse: the library then hands out each piece
// of memory once, never to use it again. The collector keeps memory that is
// pointed to, so a stale pointer leads to memory that is nobody else's for as
// long as the pointer exists, and every use of it can be found:
//
//   - by AddressSanitizer, because all of an arena's memory that is not handed
//     out is poisoned, and so is what was taken back;
//   - by the race detector, because taking memory back counts as writing it;
//   - by the processor, with the tag arenacheck: see protect_on.go.
//
// It is a variable for this package's own tests, which also test how memory is
// used again, and for who wants one of these builds without the checks.
var checked = os.Getenv("EBBPOOL_CHECKED") != "off"

// laneWatch is what the checks remember of a lane.
type laneWatch struct {
	of   *witness
	kill func(base pointer, from, to uintptr) // fills with dead values; nil without pointers
	kept given                                // empty lists, for the next chunk
	last uintptr                              // bytes that a life like the last one needs
}

// watchedBy says whose lane this is.
func (l *lane) watchedBy(w *witness) { l.watch.of = w }

// chunkWatch is what the checks remember of a chunk.
type chunkWatch struct {
	zones uintptr // bytes between the values
	given         // with arenacheck: the values
	run   *run    // with arenacheck: what it is a part of
}

// given lists what was handed out of a chunk: from its lower end, and from its
// upper end.
type given struct{ objects, strings []span }

// span is a range of offsets of a chunk.
type span struct{ from, to uintptr }

const (
	// flatZone is how many bytes lie between two values without pointers: two
	// of AddressSanitizer's pieces of 8 bytes.
	flatZone = 16
	// mostZone is the size in bytes up to which a value of a type with pointers
	// has an unused one before it.
	mostZone = 1024
)

// zone is how many bytes are left out before a value, for an access beyond
// another one's end to hit. Between values with pointers AddressSanitizer alone
// would see it.
//
//go:norace
func (l *lane) zone() uintptr {
	switch {
	case !checked || !asanEnabled && !invariants:
		return 0
	case l.align == flatAlign && l.ops.clear == nil:
		return flatZone
	case l.align > mostZone || !asanEnabled && l.ops.clear != nil:
		return 0
	}
	return l.align
}

// textZone is zone for a string of size bytes: it begins at a multiple of 8, as
// AddressSanitizer needs it.
//
//go:norace
func (l *lane) textZone(size uintptr) uintptr {
	zone := l.zone()
	if zone == 0 {
		return 0
	}
	return zone + roundUp(size, 8) - size
}

// zoneBytes is how many of the lane's used bytes are between values.
//
//go:norace
func (l *lane) zoneBytes() uintptr {
	n := l.chunk.watch.zones
	for i := range l.older {
		n += l.older[i].watch.zones
	}
	return n
}

// fillIn makes the memory of a new chunk, inaccessible as far as the build can.
//
//go:norace
func (l *lane) fillIn(c *chunk) {
	c.base, c.watch.run = l.makeChecked(c.cap)
	poison(c.base, 0, c.cap)
}

// takeTail takes back [from, to), the end of what was given last.
func (c *chunk) takeTail(from, to uintptr) {
	poison(c.base, from, to)
	c.noteTail(from, to)
}

// leaveOut makes a zone of the n bytes at offset at of one of the lane's
// chunks.
//
//go:norace
func (l *lane) leaveOut(c *chunk, at, n uintptr) {
	c.watch.zones += n
	l.fillZone(c, at, n)
}

// give notes that [from, to) was handed out.
//
//go:norace
func (c *chunk) give(l *lane, from, to uintptr) {
	unpoison(c.base, from, to)
	c.noteGiven(l, from, to)
}

// mostFirst is the most bytes that a life's first chunk has if no life before
// told what is needed.
const mostFirst = 8 << 10

// firstSize is the size of a life's first chunk, for one of n bytes in a plain
// build. Each life has a new one here, which costs its size: it fits the last
// life, not the largest one.
//
//go:norace
func (l *lane) firstSize(n uintptr) uintptr {
	switch {
	case !checked:
		return n
	case l.watch.last == 0:
		return min(n, mostFirst)
	}
	return min(n, max(l.watch.last, l.fit.smallest))
}

// plannedFor says whether a plain build's first chunk would have room for need
// bytes beside what the life has used: what is large then is so for this build
// alone.
//
//go:norace
func (l *lane) plannedFor(need uintptr) bool {
	return checked && l.usedBytes()+need <= l.fit.first()
}

// lived notes how many bytes the life used that ended, for the next one, and, as
// endLife does, for a plain build's: as if the chunk were there that it keeps.
func (l *lane) lived(used, limit uintptr) {
	l.watch.last = fitted(max(used, l.fit.top))
	held := min(l.fit.first(), limit)
	l.fit.want = held
	if used > held {
		held = 0
	}
	l.fit.endLife(used, held, limit)
}

// forget undoes lived.
func (l *lane) forget() { l.watch.last = 0 }

// seal has what comes next begin in chunks of its own, so that Rewind takes
// back whole ones.
func (a *Arena) seal() {
	flat := a.flatLane()
	flat.seal()
	for _, l := range a.types.lanes {
		l.seal()
	}
}

func (l *lane) seal() {
	l.tip = 0
	if l.base != nil && l.used() != 0 {
		l.retire(l.chunk)
		l.chunk = chunk{}
	}
}

// buryFrom ends the use of all chunks of the lane's life from the one on that
// stands at first in older.
//
//go:norace
func (l *lane) buryFrom(first int) {
	if !checked {
		return
	}
	for i := range l.older[first:] {
		l.bury(&l.older[first+i])
	}
	clear(l.older[first:])
	l.older = l.older[:first]
	l.sunk = 0
	for i := range l.older {
		l.sunk += l.older[i].used()
	}
	if l.base != nil && l.used() != 0 {
		l.bury(&l.chunk)
		l.chunk = chunk{}
	}
}

// checkFrom panics if something was written beside the values of the chunks that
// buryFrom will bury. What takes memory back calls it before it changes anything.
//
//go:norace
func (l *lane) checkFrom(first int) {
	for i := range l.older[first:] {
		l.checkZones(&l.older[first+i])
	}
	if l.base != nil {
		l.checkZones(&l.chunk)
	}
}

// bury makes a chunk's memory inaccessible for good.
//
//go:norace
func (l *lane) bury(c *chunk) {
	l.keepLists(c)
	l.ops.meter.give(c.cap, 1)
	raceWrite(c.base, 0, c.lo)
	raceWrite(c.base, c.hi, c.cap)
	if l.ops.clear != nil {
		unpoison(c.base, 0, c.lo)
		l.ops.clear(c.base, 0, c.lo) // nothing is kept alive
	}
	l.protect(c)
	poison(c.base, 0, c.cap)
}

// lockSlots makes the slots of a pool inaccessible until they are handed out.
func (p *FixedPool[T]) lockSlots() {
	p.fillSlots(0, p.count)
	poison(p.base, 0, p.count*sizeOf[T]())
}

// openNext makes the slot accessible that Allocate will hand out. It panics if
// that was written while it was free; nothing has changed then.
func (p *FixedPool[T]) openNext() {
	i := p.fresh
	if n := len(p.free); n > 0 {
		i = uintptr(p.free[n-1])
	} else if i >= p.count {
		return
	}
	p.checkSlot(i)
	size := sizeOf[T]()
	unpoison(p.base, i*size, i*size+size)
}

// closeSlot makes slot i inaccessible: it was given back.
func (p *FixedPool[T]) closeSlot(i uintptr) {
	size := sizeOf[T]()
	raceWrite(p.base, i*size, i*size+size)
	p.fillSlots(i, i+1)
	poison(p.base, i*size, i*size+size)
}
