package machine

import (
	"slices"
	"strconv"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A Allocator is the memory of one type with pointers, or of all values without pointers
// (the noscan allocator). It bumps an offset through its current chunk; full chunks wait in
// older until the cycle ends, empty ones in the free list.
//
// A chunk belongs to one allocator for as long as it exists. That makes stale pointers
// harmless: memory that held pointers of a type only ever holds that type again, and
// memory without pointers never holds one.
//
// The free memory in the allocator of a type with pointers is always zero: what is taken
// back is cleared at once, so nothing is pinned and New has nothing to do. In the noscan
// allocator it may be dirty, and is cleared when it is handed out, except for the bytes that
// were never handed out since the chunk was made.
type Allocator struct {
	chunk           // the current chunk; Base, Lo and Hi are all that New touches
	Key   *TypeDesc // the type, nil in the noscan allocator
	ops   *allocatorOps

	watch check.Allocator
	tip   uintptr // where the newest slice ends, exactly; 0: nothing to extend
	*allocatorRecord
}

// allocatorRecord has the fields that only the slow paths of an allocator need. It is apart from it so that what
// New reads of an arena is small, and can be new for each request (region_isolated.go).
type allocatorRecord struct {
	full      []chunk // full chunks of this cycle, in the order they were started
	fullUsed  uintptr // bytes handed out from them
	free      []chunk // empty chunks, for when the current one is full; see lane_free.go
	retention retention
	home      *home
}

// allocatorOps makes and empties a allocator's chunks. An allocator of a type with pointers has its
// own, with its place in the region.
type allocatorOps struct {
	memoryOps
	// zeroes is true where free memory is always zero, since what is taken back is
	// cleared at once. Elsewhere it may be dirty.
	zeroes bool
	// quota counts the chunks of an arena that has a limit or is from a pool, and
	// is nil for all others.
	quota *Quota
	place
}

// place is where the allocator of a type with pointers is.
type place struct {
	index uint32 // in Types.allocators
	since uint32 // how many cycles had ended when it became inactive after its only one; else 0
}

var noscanAllocatorOps = allocatorOps{memoryOps: noscanMemory{}}

// align is the unit of the sizes of the allocator's values and chunks: 8, or the
// size of the type.
//
//go:norace
func (al *Allocator) align() uintptr { return al.retention.unit }

// usedBytes is how many bytes this cycle has handed out.
//
//go:norace
func (al *Allocator) usedBytes() uintptr { return al.fullUsed + al.used() }

// needBytes is how much of its chunks this cycle has come to: what it handed
// out, and the ends of chunks that were left unused.
//
//go:norace
func (al *Allocator) needBytes() uintptr {
	n := al.used()
	for i := range al.full {
		n += al.full[i].cap
	}
	return n
}

// UserBytes is usedBytes without what the checks put between the values.
//
//go:norace
func (al *Allocator) UserBytes() uintptr { return al.usedBytes() - al.redzoneBytes() }

// HeldBytes is the size of all chunks that the allocator holds on to.
//
//go:norace
func (al *Allocator) HeldBytes() uintptr {
	n := al.size() + al.freeBytes()
	for i := range al.full {
		n += al.full[i].size()
	}
	return n
}

// Chunks is the number of chunks behind HeldBytes.
//
//go:norace
func (al *Allocator) Chunks() int {
	n := len(al.full) + len(al.free)
	if al.cap != 0 {
		n++
	}
	return n
}

// isIdle reports whether this cycle needed nothing of the allocator so far.
//
//go:norace
func (al *Allocator) isIdle() bool {
	return al.used() == 0 && len(al.full) == 0 && al.retention.top == 0
}

// takeBack moves the ends of c, one of the allocator's chunks, back to lo and hi.
func (al *Allocator) takeBack(c *chunk, lo, hi uintptr) {
	if al.ops.zeroes && c.Lo > lo {
		al.ops.clear(c.Base, lo, c.Lo)
	}
	c.fold()
	c.Lo, c.Hi = lo, hi
}

// initNoscan makes al, which is zero but for its record, an allocator of values without pointers.
// It is done in place: to copy an allocator is much of what a new arena would cost.
func (al *Allocator) initNoscan(chunkSize uintptr) {
	if al.allocatorRecord == nil {
		al.allocatorRecord = new(allocatorRecord)
	}
	al.ops, al.watch = &noscanAllocatorOps, check.NewNoscanAllocator(NoscanAlign)
	al.retention = newNoscanRetention(chunkSize)
}

// Typed reports whether the allocator's values have pointers: its free memory is zero then.
func (al *Allocator) Typed() bool { return al.ops.zeroes }

// Current returns the chunk from which handles take of an allocator of a type with pointers.
func (al *Allocator) Current() *Chunk {
	if al.retention.isolates {
		return &NoChunk // stale handles must not take from it
	}
	return &al.chunk
}

// PeakBytes is how many bytes the allocator's cycle has had in use at the same time, as
// far as rewinds saw.
//
//go:norace
func (al *Allocator) PeakBytes() uintptr { return max(al.UserBytes(), al.retention.top) }

// bareAllocator is an allocator of a type with pointers, in one piece with its allocatorOps and its record.
type bareAllocator struct {
	Allocator
	own    allocatorOps
	record allocatorRecord
}

// typedAllocator is such an allocator with the list of its first full chunks.
type typedAllocator struct {
	bareAllocator
	few [2]chunk
}

// reflectAllocator is an allocator with such memory, in one piece: a new arena pays for each.
type reflectAllocator struct {
	typedAllocator
	memory reflectMemory
}

// chunk is one allocation of the Go heap, and how it is used. Offsets and
// sizes are in bytes.
type chunk struct {
	watch  check.Chunk
	Base   xunsafe.Pointer
	Lo, Hi uintptr // [Lo, Hi) is free
	cap    uintptr
	span
	// [max(clean, Lo), min(cleanEnd, Hi)) was never handed out since the
	// chunk was made, so it is zero. New moves Lo without a look at these;
	// fold brings them up to date before Lo goes back.
	clean, cleanEnd uintptr
}

// used is how many bytes of the chunk this cycle has handed out.
func (c *chunk) used() uintptr { return c.Lo - c.begin() + c.cap - c.Hi }

// fold notes what was handed out as no longer clean. It must run before Lo
// or Hi go back.
func (c *chunk) fold() {
	c.clean = min(max(c.clean, c.Lo), c.cap)
	c.cleanEnd = max(min(c.cleanEnd, c.Hi), c.clean)
}

// clearDirty zeroes [from, to) of a chunk without pointers, leaving out what
// is clean.
//
//go:norace
func (c *chunk) clearDirty(from, to uintptr) {
	if dirtyEnd := min(to, c.clean); from < dirtyEnd {
		clearNoscan(c.Base, from, dirtyEnd)
	}
	if dirty := max(from, c.cleanEnd); dirty < to {
		clearNoscan(c.Base, dirty, to)
	}
}

// Chunk is a chunk for handles, which allocate from a allocator's current chunk: its
// address stays the same while the allocator is its region's, whatever chunk is current.
type Chunk = chunk

// NoChunk is the chunk of handles that take the slow path for each value. It stays
// empty.
var NoChunk Chunk

// extent describes the chunk to the checks.
func (c *chunk) extent() check.Extent {
	return check.Extent{Base: c.Base, Lo: c.Lo, Hi: c.Hi, Size: c.cap}
}

func (c *chunk) check() {
	must((c.Base == nil) == (c.cap == 0), "a chunk has memory and no size, or a size and no memory")
	must(c.begin() <= c.Lo && c.Lo <= c.Hi && c.Hi <= c.cap, "a chunk's ends are out of order")
	must(c.clean <= c.cleanEnd && c.cleanEnd <= c.cap, "a chunk's clean range is out of order")
}

// checkFree panics unless the chunk's free memory is zero where the allocator relies on it.
func (c *chunk) checkFree(zeroes bool) {
	if c.Base == nil {
		return
	}
	// Memory that New hands out as it is must be zero; elsewhere, the part that
	// counts as clean.
	from, to := max(c.Lo, c.clean), min(c.Hi, c.cleanEnd)
	if zeroes {
		from, to = c.Lo, c.Hi
	}
	if from < to && !isZero(c.Base, from, to) {
		panic("arena: memory that was never handed out was written, " + strconv.Itoa(int(c.Hi-c.Lo)) +
			" free bytes in a chunk of " + strconv.Itoa(int(c.cap)) + ": something wrote beyond the end of its value")
	}
}

// isZero reports whether all bytes of [from, to) are zero.
func isZero(base xunsafe.Pointer, from, to uintptr) bool { return check.IsFilled(base, from, to, 0) }

// How allocators work in a region that isolates its cycles: no memory is handed out twice.
// Where a cycle ends nothing is taken back; the next one begins behind it in the same
// chunk, and chunks that are full are left to the collector, which frees them when
// nothing refers to them.
//
//	            from              Lo         Hi     cap   lost
//	+-----------+-----------------+----------+------+-------+
//	|  earlier  |  this cycle's   |  free    |  its | earl. |
//	+-----------+-----------------+----------+------+-------+
//
// So a stale reference leads to what it led to before, or to zero in the allocator of
// a type with pointers: memory that went on leading to others' would keep all of that
// alive for as long as the chunk has room. Within a cycle a rewind has memory handed
// out again; the next cycle begins behind all that was ever handed out of the chunk.

// span tells which bytes of a chunk earlier cycles had. Both are 0 where cycles are not isolated,
// and in chunks of 4 GiB and more, which serve one cycle.
type span struct {
	from uint32 // offset of the first byte that no earlier cycle had
	lost uint32 // bytes behind cap, which earlier cycles had
}

// begin is where what the chunk has for this cycle begins.
func (s span) begin() uintptr { return uintptr(s.from) }

// size returns how many bytes of the heap the chunk has.
func (c *chunk) size() uintptr { return c.cap + uintptr(c.lost) }

// room is how many bytes the chunk has for a cycle that finds it empty.
func (c *chunk) room() uintptr { return c.cap - c.begin() }

// retire lists a chunk that no more is taken from, and returns where it is
// listed.
//
//go:norace
func (al *Allocator) addFull(c chunk) *chunk {
	if len(al.full) == cap(al.full) && cap(al.full) < fewListed {
		list := append(make([]chunk, 0, fewListed), al.full...) // for most cycles, in one allocation
		clear(al.full)                                          // it lies in the allocator, and holds on to nothing
		al.full = list
	}
	al.full = append(al.full, c)
	al.fullUsed += c.used()
	return &al.full[len(al.full)-1]
}

// Chunks that Rewind empties wait in an allocator's free list, the smallest one first, until the
// cycle ends.

// nextFree returns the index of the free chunk that comes next, for a value of need
// bytes: the smallest one for small values, the largest one for others, which may grow
// there. It returns -1 where need doesn't fit.
//
//go:norace
func (al *Allocator) nextFree(need uintptr) int {
	last := len(al.free) - 1
	if last >= 0 && need <= al.free[0].room()/8 {
		return 0
	}
	if last >= 0 && al.free[last].room() < need {
		return -1
	}
	return last
}

// bestFit returns the smallest free chunk that size bytes fit in, if they
// fill half of it, else -1.
//
//go:norace
func (al *Allocator) bestFit(size uintptr) int {
	for i := range al.free {
		if n := al.free[i].room(); n >= size {
			if n/2 > size {
				break
			}
			return i
		}
	}
	return -1
}

// takeFree takes chunk i off the free list.
//
//go:norace
func (al *Allocator) takeFree(i int) chunk {
	c := al.free[i]
	al.free = slices.Delete(al.free, i, i+1)
	return c
}

// addFree empties a chunk and puts it on the free list.
func (al *Allocator) addFree(c chunk) {
	al.takeBack(&c, c.begin(), c.cap)
	i := len(al.free)
	for i > 0 && al.free[i-1].room() > c.room() {
		i--
	}
	al.free = slices.Insert(al.free, i, c)
}

// freeBytes returns the size of the free chunks in bytes.
//
//go:norace
func (al *Allocator) freeBytes() uintptr {
	n := uintptr(0)
	for i := range al.free {
		n += al.free[i].size()
	}
	return n
}

// dropFree gives the free chunks to the collector.
func (al *Allocator) dropFree() {
	al.ops.quota.release(al.freeBytes(), len(al.free))
	al.free = nil
}

// Drop gives every chunk to the collector.
func (al *Allocator) Drop() {
	if check.On {
		al.quarantineFrom(0)
	}
	al.ops.quota.release(al.HeldBytes(), al.Chunks())
	clear(al.full)
	al.chunk, al.free, al.full, al.fullUsed, al.tip = chunk{}, nil, nil, 0, 0
}

// Expect makes the next cycle of an allocator that knows nothing yet begin with a chunk of
// that many bytes. Up to twice its chunk size it comes to them by itself.
func (al *Allocator) Expect(bytes uintptr) {
	if bytes > 2*al.retention.start {
		al.retention.target = bytes
	}
}

// caches reports whether al takes chunks from a cache and leaves them there. Under the race
// detector it does not: the hand-over would be an order between goroutines that plain builds don't have.
func (al *Allocator) caches() bool {
	if check.On || check.Race || al.home == nil || al.retention.isolates {
		return false
	}
	q := al.ops.quota
	return q == nil || q.onGrant == nil && (!al.pooled() || al.home.cache != nil && al.home.cache.limit.Load() != 0)
}

// pooled reports whether al is of a pool's arena.
func (al *Allocator) pooled() bool { return al.ops.quota != nil && al.ops.quota.pool != nil }

// releaseChunk gives up a chunk that is in none of al's lists any more: to the cache if it may be
// of use there, or to the collector.
func (al *Allocator) releaseChunk(c chunk, useful bool) {
	if c.Base == nil {
		return
	}
	if c.cap < cacheLeast || !useful || !al.caches() {
		al.ops.quota.release(c.size(), 1)
		return
	}
	al.home.released = append(al.home.released, releasedChunk{al, c})
}

// check panics unless what the allocator says of itself holds together: what every
// other function takes for granted. It is called only with the tag arenacheck.
func (al *Allocator) check() {
	al.chunk.check()
	al.chunk.checkFree(al.ops.zeroes)
	for i := range al.free {
		c := &al.free[i]
		c.check()
		if i == 0 {
			c.checkFree(al.ops.zeroes) // the others when it is their turn
		}
		must(c.Base != nil && c.used() == 0, "a free chunk is in use")
		must(c.Base != al.Base, "a free chunk is the current one")
		must(i == 0 || al.free[i-1].room() <= c.room(), "free chunks are out of order")
	}
	must(!al.Typed() || (al.Hi-al.Lo)%al.align() == 0, "the free memory is not made of whole values: a handle would not meet its end")
	must(al.tip <= al.Lo, "the newest slice ends beyond what is handed out")
	var fullUsed uintptr
	for i := range al.full {
		c := &al.full[i]
		c.check()
		if i == len(al.full)-1 {
			// The others were looked at before, and nothing is taken from them
			// until they are current again. A cycle of many chunks would spend
			// its time in reading them all for each new one.
			c.checkFree(al.ops.zeroes)
		}
		must(c.Base != nil && c.Base != al.Base, "an older chunk is in use twice")
		fullUsed += c.used()
	}
	must(al.fullUsed == fullUsed, "the count of the older chunks is wrong")
}

// How allocators work where the checks for misuse are on: no memory is handed out
// twice, so what a plain build would reuse goes to quarantine. In plain builds
// check.On is a constant, and nothing of this is compiled.

// give notes that [from, to) of the allocator's chunk c was handed out.
//
//go:norace
func (al *Allocator) give(c *chunk, from, to uintptr) {
	if !check.On {
		return
	}
	c.clean = max(c.clean, c.watch.Give(&al.watch, c.extent(), from, to))
}

// enter is the beginning of a function that reserves or takes back memory. The caller calls the tracker's
// Leave at its end.
func (al *Allocator) enter() *check.Tracker {
	t := al.watch.Tracker()
	t.Enter("")
	al.ops.mustBeInUse("", t)
	return t
}

// mustBeInUse panics if the arena was put back, or is a fork that has ended. does names the function, see
// [check.Tracker.Enter]. The caller has entered t.
//
//go:norace
func (ops *allocatorOps) mustBeInUse(does string, t *check.Tracker) {
	if !check.On || ops == nil || ops.quota == nil {
		return
	}
	text := ": the arena was put back in its pool, and is not yours any more; Get another one"
	if how := ops.quota.ended; how != "" {
		text = ": the arena is a fork, and ended with the arena that it was forked from, by " + how + "; wait for its goroutine before that"
	} else if ops.quota.arena.inUse() {
		return
	}
	t.Leave()
	panic("arena: " + t.Name(does) + text + t.History())
}

// trim takes back [end, was) behind the newest slice, which begins at from, for the checks: they count
// on zeros behind a value and its redzone, which they fill.
func (al *Allocator) trim(from, end, was uintptr) {
	if !check.On {
		return
	}
	if !al.ops.zeroes {
		filled := was
		if check.Tag && !check.ASan {
			filled = min(was+al.watch.Redzone(), al.Hi)
		}
		clearNoscan(al.Base, end, filled)
	}
	al.give(&al.chunk, from, al.Lo)
	al.chunk.watch.TakeTail(al.Base, end, al.Lo)
	check.Poison(al.Base, al.Lo, was)
}

// addRedzone makes the n bytes at offset at of one of the allocator's chunks a redzone.
//
//go:norace
func (al *Allocator) addRedzone(c *chunk, at, n uintptr) {
	if check.On {
		c.watch.AddRedzone(&al.watch, c.Base, at, n)
	}
}

// redzoneBytes returns the size of the redzones among the allocator's used bytes.
//
//go:norace
func (al *Allocator) redzoneBytes() uintptr {
	if !check.On {
		return 0
	}
	n := al.chunk.watch.RedzoneBytes()
	for i := range al.full {
		n += al.full[i].watch.RedzoneBytes()
	}
	return n
}

// mostFirst is the most bytes that a cycle's first chunk has if no cycle before
// told what is needed.
const mostFirst = 8 << 10

// firstSize is the size of a cycle's first chunk, for one of n bytes in a plain
// build. Each cycle has a new one here, which costs its size: it fits the last
// cycle, not the largest one.
//
//go:norace
func (al *Allocator) firstSize(n uintptr) uintptr {
	if !check.On {
		return n
	}
	if last := al.watch.Last(); last != 0 {
		return min(n, max(last, al.retention.smallest))
	}
	return min(n, mostFirst)
}

// plannedFor reports whether a plain build's first chunk would have room for need
// bytes beside what the cycle has used: what is large then is so for this build
// alone.
//
//go:norace
func (al *Allocator) plannedFor(need uintptr) bool {
	return check.On && al.usedBytes()+need <= al.retention.first()
}

// recordUse records the size of the cycle that ends, for the first chunk of the next
// one, and for retention, as in a plain build.
func (al *Allocator) recordUse() {
	used := al.usedBytes()
	al.watch.RecordUse(fitted(max(used, al.retention.top)))
	al.retention.learn(max(used, al.retention.top))
	al.retention.top = 0
}

func (al *Allocator) seal() {
	al.tip = 0
	if al.Base != nil && al.used() != 0 {
		al.addFull(al.chunk)
		al.chunk = chunk{}
	}
}

// quarantineFrom ends the use of all chunks of the allocator's cycle from the one on that
// stands at first in older.
//
//go:norace
func (al *Allocator) quarantineFrom(first int) {
	for i := range al.full[first:] {
		al.quarantine(&al.full[first+i])
	}
	clear(al.full[first:])
	al.full = al.full[:first]
	al.fullUsed = 0
	for i := range al.full {
		al.fullUsed += al.full[i].used()
	}
	if al.Base != nil && al.used() != 0 {
		al.quarantine(&al.chunk)
		al.chunk = chunk{}
	}
}

// quarantine makes a chunk's memory inaccessible for ever.
//
//go:norace
func (al *Allocator) quarantine(c *chunk) {
	al.ops.quota.release(c.cap, 1)
	var clear func(base xunsafe.Pointer, from, to uintptr)
	if al.ops.zeroes {
		clear = al.ops.clear
	}
	c.watch.Quarantine(&al.watch, c.extent(), clear)
}

// checkFrom panics if a redzone was written in one of the chunks that quarantineFrom
// would take. Callers that free memory call it before they change anything.
//
//go:norace
func (al *Allocator) checkFrom(first int) {
	for i := range al.full[first:] {
		c := &al.full[first+i]
		c.watch.Check(&al.watch, c.extent())
	}
	if al.Base != nil {
		al.chunk.watch.Check(&al.watch, al.chunk.extent())
	}
}
