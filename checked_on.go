//go:build arenacheck || race || asan

package arena

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"
)

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

// witness is what the checks remember of an arena, a slab or a pool of fixed
// capacity.
type witness struct {
	life *life  // what goes on, or did last
	last *life  // the last one that ended
	busy uint32 // 1 while a call is going on

	cleanup runtime.Cleanup // of an arena from a pool
}

// life says where a life began and ended. It is an object of its own, so that
// what keeps it keeps no arena alive.
type life struct {
	began, ended trace
	how          string // it ended
}

// trace is where a function was called.
type trace struct {
	pcs [16]uintptr
	n   int
}

// here is the caller of this package's caller. The race detector's builds leave
// it out unless the tag asks for it: its reports have stacks of their own.
func (s *trace) here() {
	if !raceEnabled || invariants {
		s.n = runtime.Callers(3, s.pcs[:])
	}
}

// String lists the calls outside of this package, as a panic does.
func (s *trace) String() string {
	var b strings.Builder
	frames := runtime.CallersFrames(s.pcs[:s.n])
	for {
		f, more := frames.Next()
		if f.Function != "" && !ours(f) {
			b.WriteString("\n\t" + f.Function + "\n\t\t" + f.File + ":" + itoa(f.Line))
		}
		if !more {
			return b.String()
		}
	}
}

// ours says whether a call is one of this package's own, tests aside.
func ours(f runtime.Frame) bool {
	return strings.HasPrefix(f.Function, "github.com/ebbpool/arena.") && !strings.HasSuffix(f.File, "_test.go") ||
		f.Function == "runtime.goexit"
}

// begin starts a life.
//
//go:norace
func (w *witness) begin() {
	w.life = new(life)
	w.life.began.here()
}

// ended notes that a life ended, and how; the next one begins.
//
//go:norace
func (w *witness) ended(how string) {
	w.life.how = how
	w.life.ended.here()
	w.last = w.life
}

// history says where the life began that is going on, or was the last, and
// where memory was last taken back.
func (w *witness) history() string {
	if raceEnabled {
		return "" // what has to be read may be what another goroutine writes
	}
	if w.last != nil {
		return w.last.history()
	}
	return w.life.history()
}

func (l *life) history() string {
	if l == nil {
		return "" // a pool of fixed capacity has no lives
	}
	text := "\nthe arena's life began at:" + l.began.String()
	if l.how != "" {
		text += "\nand " + l.how + " took memory back at:" + l.ended.String()
	}
	return text
}

// watched says that enter is called. For the race detector it is in all builds:
// it stands there for what the detector does not see.
var watched = checked || raceEnabled

// enter is the beginning of every function that changes an arena, leave its
// end. It calls and does nothing else, so that the race detector, in whose sight
// it is, has the function in its reports.
func (a *Arena) enter(does string) {
	a.watch.enter(does)
	a.mustBeOut(does)
}

// mustBeOut panics if the arena was put back. Put changes that while it counts
// as being in the arena.
//
//go:norace
func (a *Arena) mustBeOut(does string) {
	if acct := a.owner.account; checked && acct != nil && acct.turns.Load()%2 == 0 {
		a.watch.leave()
		panic("arena: " + does + ": the arena was put back in its pool, and is not yours any more; Get another one" + a.watch.history())
	}
}

func (w *witness) enter(does string) {
	raceUse(w)
	if checked {
		w.occupy(does)
	}
}

//go:norace
func (w *witness) occupy(does string) {
	catchFaults()
	// Under the race detector this would be an order between the goroutines,
	// and hide from it what it finds by itself.
	if !raceEnabled && !atomic.CompareAndSwapUint32(&w.busy, 0, 1) {
		panic("arena: " + does + ": another goroutine is using the arena at this moment; an arena belongs to one goroutine at a time" + w.history())
	}
	if w.life != nil && w.life.how != "" {
		w.life = &life{began: w.life.began}
	}
}

// leave is not atomic: only who has entered calls it, and a goroutine that the
// arena is handed to sees it.
func (w *witness) leave() {
	if !raceEnabled {
		w.busy = 0
	}
}

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
func (c *chunk) takeTail(from, to uintptr) { poison(c.base, from, to) }

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

// openSlot makes slot i accessible: it is being handed out.
func (p *FixedPool[T]) openSlot(i uintptr) {
	size := sizeOf[T]()
	unpoison(p.base, i*size, i*size+size)
	p.checkSlot(i)
}

// closeSlot makes slot i inaccessible: it was given back.
func (p *FixedPool[T]) closeSlot(i uintptr) {
	size := sizeOf[T]()
	raceWrite(p.base, i*size, i*size+size)
	p.fillSlots(i, i+1)
	poison(p.base, i*size, i*size+size)
}
