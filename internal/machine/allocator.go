package machine

import (
	"slices"
	"strconv"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// This file contains allocators and their chunks. Fast paths raise Lo or lower Hi. Slow paths are in alloc.go and
// slice.go. The end of the file is for checked builds.

// An Allocator is the memory of one type with pointers, or of all values without pointers (the noscan allocator). It
// bumps an offset through its current chunk. Full chunks stay in the list full until the cycle ends. Empty chunks are
// in the free list.
//
// A chunk never changes its type, even if it moves to another allocator through a cache. That makes stale pointers
// harmless: memory that held pointers of a type only ever holds that type again, and memory without pointers never
// holds one.
//
// The free memory of a typed allocator is always zero, because memory is cleared when it is taken back. So it keeps
// nothing alive, and New has nothing to clear. The free memory of the noscan allocator may be dirty. It is cleared when
// it is handed out, except for bytes that were never handed out since the chunk was made.
type Allocator struct {
	chunk           // the current chunk; New uses only Base, Lo and Hi
	Key   *TypeDesc // the type, nil in the noscan allocator
	ops   *allocatorOps

	watch check.Allocator
	tip   uintptr // exact end of the newest slice; 0: no slice can grow in place
	*allocatorRecord
}

// allocatorRecord has the fields that only the slow paths need. It is separate so that New reads little of an
// arena, and so that each request can have a new Region; see isolated.go.
type allocatorRecord struct {
	full      []chunk // full chunks of this cycle, oldest first
	fullUsed  uintptr // bytes handed out from full
	free      []chunk // empty chunks, the smallest first
	retention retention
	home      *home
}

// allocatorOps makes and empties the chunks of an allocator. Each typed allocator has its own.
type allocatorOps struct {
	memoryOps
	// zeroes is true if free memory is always zero. Otherwise it may be dirty.
	zeroes bool
	// quota is nil for an arena that has no limit, no forks and no pool.
	quota *Quota
	place
}

// place is the position of a typed allocator in the TypeTable.
type place struct {
	index uint32 // in Types.allocators
	since uint32 // value of resets at which the allocator became inactive, if it was active for one cycle only; else 0
}

var noscanAllocatorOps = allocatorOps{memoryOps: noscanMemory{}}

// usedBytes returns the number of bytes handed out in this cycle.
//
//go:norace
func (al *Allocator) usedBytes() uintptr { return al.fullUsed + al.used() }

// needBytes returns the need of this cycle: the bytes handed out, and the unused ends of full chunks.
//
//go:norace
func (al *Allocator) needBytes() uintptr {
	n := al.used()
	for i := range al.full {
		n += al.full[i].cap
	}
	return n
}

// UserBytes is usedBytes without redzones.
//
//go:norace
func (al *Allocator) UserBytes() uintptr { return al.usedBytes() - al.redzoneBytes() }

// HeldBytes returns the size of all chunks.
//
//go:norace
func (al *Allocator) HeldBytes() uintptr {
	n := al.size() + al.freeBytes()
	for i := range al.full {
		n += al.full[i].size()
	}
	return n
}

// Chunks returns the number of chunks.
//
//go:norace
func (al *Allocator) Chunks() int {
	n := len(al.full) + len(al.free)
	if al.cap != 0 {
		n++
	}
	return n
}

// isIdle reports whether this cycle has not used the allocator so far.
//
//go:norace
func (al *Allocator) isIdle() bool {
	return al.used() == 0 && len(al.full) == 0 && al.retention.top == 0
}

// takeBack moves the ends of c, a chunk of the allocator, back to lo and hi.
func (al *Allocator) takeBack(c *chunk, lo, hi uintptr) {
	if al.ops.zeroes && c.Lo > lo {
		al.ops.clear(c.Base, lo, c.Lo)
	}
	c.fold()
	c.Lo, c.Hi = lo, hi
}

// initNoscan initializes a zero Allocator as a noscan allocator, in place, because copying an Allocator would be a
// large part of the cost of a new arena.
func (al *Allocator) initNoscan(chunkSize uintptr) {
	if al.allocatorRecord == nil {
		al.allocatorRecord = new(allocatorRecord)
	}
	al.ops, al.watch = &noscanAllocatorOps, check.NewNoscanAllocator(NoscanAlign)
	al.retention = newNoscanRetention(chunkSize)
}

// Typed reports whether the values have pointers. Free memory is then zero.
func (al *Allocator) Typed() bool { return al.ops.zeroes }

// Current returns the chunk from which handles of a typed allocator allocate.
func (al *Allocator) Current() *Chunk {
	if al.retention.isolates {
		return &NoChunk // stale handles must not allocate from the chunk
	}
	return &al.chunk
}

// PeakBytes returns the most bytes in use in this cycle, at rewinds and now.
//
//go:norace
func (al *Allocator) PeakBytes() uintptr { return max(al.UserBytes(), al.retention.top) }

// typedAllocator is the allocator of a type with pointers, in one allocation with its record.
type typedAllocator struct {
	Allocator
	own    allocatorOps
	record allocatorRecord
	few    [2]chunk // the list of full chunks at first
}

// reflectAllocator also has the operations of a type that is known only at run time.
type reflectAllocator struct {
	typedAllocator
	memory reflectMemory
}

// chunk is one allocation of the Go heap. Offsets and sizes are in bytes.
type chunk struct {
	watch  check.Chunk
	Base   xunsafe.Pointer
	Lo, Hi uintptr // [Lo, Hi) is free
	cap    uintptr
	span
	// The bytes [max(clean, Lo), min(cleanEnd, Hi)) were never handed out since the chunk was made, so they are zero.
	// New raises Lo without updating these fields. fold updates them before Lo goes back.
	clean, cleanEnd uintptr
}

// used returns the number of bytes handed out in this cycle.
func (c *chunk) used() uintptr { return c.Lo - c.begin() + c.cap - c.Hi }

// fold records that everything handed out is no longer clean. It must run before Lo or Hi go back.
func (c *chunk) fold() {
	c.clean = min(max(c.clean, c.Lo), c.cap)
	c.cleanEnd = max(min(c.cleanEnd, c.Hi), c.clean)
}

// clearDirty zeroes [from, to) of a noscan chunk, except for clean bytes.
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

// Chunk is the chunk of a handle. Its address stays the same until Release, whichever chunk is current.
type Chunk = chunk

// NoChunk is the chunk of handles that take the slow path for each value. It is always empty.
var NoChunk Chunk

// extent returns the extent of the chunk for package check.
func (c *chunk) extent() check.Extent {
	return check.Extent{Base: c.Base, Lo: c.Lo, Hi: c.Hi, Size: c.cap}
}

func (c *chunk) check() {
	must((c.Base == nil) == (c.cap == 0), "a chunk has memory and no size, or a size and no memory")
	must(c.begin() <= c.Lo && c.Lo <= c.Hi && c.Hi <= c.cap, "a chunk's ends are out of order")
	must(c.clean <= c.cleanEnd && c.cleanEnd <= c.cap, "a chunk's clean range is out of order")
}

// checkFree panics if free memory that must be zero is not.
func (c *chunk) checkFree(zeroes bool) {
	if c.Base == nil {
		return
	}
	// If zeroes is set, all free memory must be zero. Otherwise only clean memory must be zero.
	from, to := max(c.Lo, c.clean), min(c.Hi, c.cleanEnd)
	if zeroes {
		from, to = c.Lo, c.Hi
	}
	if from < to && !check.IsFilled(c.Base, from, to, 0) {
		panic("arena: memory that was never handed out was written, " + strconv.Itoa(int(c.Hi-c.Lo)) +
			" free bytes in a chunk of " + strconv.Itoa(int(c.cap)) + ": something wrote beyond the end of its value")
	}
}

// span has the bytes of a chunk that earlier cycles used. Both fields are 0 if cycles are not isolated, and in chunks
// of 4 GiB and more, which are used for one cycle.
type span struct {
	from uint32 // offset of the first byte that no earlier cycle used
	lost uint32 // bytes behind cap, which earlier cycles used
}

// begin returns the offset at which the memory for this cycle begins.
func (s span) begin() uintptr { return uintptr(s.from) }

// size returns the size of the heap object.
func (c *chunk) size() uintptr { return c.cap + uintptr(c.lost) }

// room returns the number of bytes that an empty chunk has for a cycle.
func (c *chunk) room() uintptr { return c.cap - c.begin() }

// addFull adds a chunk to the list of full chunks, and returns its address there.
//
//go:norace
func (al *Allocator) addFull(c chunk) *chunk {
	if len(al.full) == cap(al.full) && cap(al.full) < fewListed {
		list := append(make([]chunk, 0, fewListed), al.full...)
		clear(al.full) // al.full may be the field few, which must keep no chunk alive
		al.full = list
	}
	al.full = append(al.full, c)
	al.fullUsed += c.used()
	return &al.full[len(al.full)-1]
}

// nextFree returns the index of the free chunk to use next for need bytes: the smallest chunk for small values, and the
// largest chunk for other values, which may grow there. It returns -1 if need does not fit.
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

// takeFree removes chunk i from the free list.
//
//go:norace
func (al *Allocator) takeFree(i int) chunk {
	c := al.free[i]
	al.free = slices.Delete(al.free, i, i+1)
	return c
}

// addFree empties a chunk and adds it to the free list.
func (al *Allocator) addFree(c chunk) {
	al.takeBack(&c, c.begin(), c.cap)
	i := len(al.free)
	for i > 0 && al.free[i-1].room() > c.room() {
		i--
	}
	al.free = slices.Insert(al.free, i, c)
}

// freeBytes returns the size of the free chunks.
//
//go:norace
func (al *Allocator) freeBytes() uintptr {
	n := uintptr(0)
	for i := range al.free {
		n += al.free[i].size()
	}
	return n
}

// dropFree leaves the free chunks to the collector.
func (al *Allocator) dropFree() {
	al.ops.quota.release(al.freeBytes(), len(al.free))
	al.free = nil
}

// Drop leaves all chunks to the collector.
func (al *Allocator) Drop() {
	if check.On {
		al.quarantineFrom(0)
	}
	al.ops.quota.release(al.HeldBytes(), al.Chunks())
	clear(al.full)
	al.chunk, al.free, al.full, al.fullUsed, al.tip = chunk{}, nil, nil, 0, 0
}

// Expect sets the estimate of an allocator whose need is unknown. Up to twice the chunk size it changes nothing,
// because such a cycle soon reaches chunks of that size.
func (al *Allocator) Expect(bytes uintptr) {
	if bytes > 2*al.retention.start {
		al.retention.target = bytes
	}
}

// caches reports whether the allocator exchanges chunks with a cache. Under the race detector it does not, because
// moving a chunk would order goroutines that plain builds do not order.
func (al *Allocator) caches() bool {
	if check.On || check.Race || al.retention.isolates {
		return false
	}
	q := al.ops.quota
	return q == nil || q.onGrant == nil && (!al.pooled() || al.home.cache != nil && al.home.cache.limit.Load() != 0)
}

// pooled reports whether the arena is from a pool.
func (al *Allocator) pooled() bool { return al.ops.quota != nil && al.ops.quota.pool != nil }

// releaseChunk gives up a chunk that is in no list of the allocator. It goes to the cache if useful is set, or else to
// the collector.
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

// check panics if the allocator's records are inconsistent. Only builds with the tag arenacheck call it.
func (al *Allocator) check() {
	al.chunk.check()
	al.chunk.checkFree(al.ops.zeroes)
	for i := range al.free {
		c := &al.free[i]
		c.check()
		if i == 0 {
			c.checkFree(al.ops.zeroes) // other free chunks are checked when they become the first one
		}
		must(c.Base != nil && c.used() == 0, "a free chunk is in use")
		must(c.Base != al.Base, "a free chunk is the current one")
		must(i == 0 || al.free[i-1].room() <= c.room(), "free chunks are out of order")
	}
	must(!al.Typed() || (al.Hi-al.Lo)%al.retention.unit == 0, "the free memory is not made of whole values: a handle would not meet its end")
	must(al.tip <= al.Lo, "the newest slice ends beyond what is handed out")
	var fullUsed uintptr
	for i := range al.full {
		c := &al.full[i]
		c.check()
		if i == len(al.full)-1 {
			// Older full chunks were checked before, and are not used until they are current again. Checking all of
			// them for each new chunk would take too long.
			c.checkFree(al.ops.zeroes)
		}
		must(c.Base != nil && c.Base != al.Base, "an older chunk is in use twice")
		fullUsed += c.used()
	}
	must(al.fullUsed == fullUsed, "the count of the older chunks is wrong")
}

// The rest of this file is for checked builds, which never reuse memory: chunks go to quarantine. In plain builds
// check.On is a constant, and none of it is compiled.

// give records that [from, to) of the chunk c was handed out.
//
//go:norace
func (al *Allocator) give(c *chunk, from, to uintptr) {
	if !check.On {
		return
	}
	c.clean = max(c.clean, c.watch.Give(&al.watch, c.extent(), from, to))
}

// enter begins a function that reserves or takes back memory. The caller must call Leave of the returned tracker at the
// end.
func (al *Allocator) enter() *check.Tracker {
	t := al.watch.Tracker()
	t.Enter("")
	al.ops.mustBeInUse("", t)
	return t
}

// mustBeInUse panics if the arena was put back, or is a fork that has ended. does is the name of the function; see
// [check.Tracker.Enter]. The caller has entered t.
//
//go:norace
func (ops *allocatorOps) mustBeInUse(does string, t *check.Tracker) {
	if !check.On || ops == nil || ops.quota == nil {
		return
	}
	text := ": arena was put back in its pool"
	if how := ops.quota.Ended; how != "" {
		text = ": fork was ended by " + how
	} else if ops.quota.arena.inUse() {
		return
	}
	t.Leave()
	panic("arena: " + t.Name(does) + text + t.History())
}

// trim records that [end, was) behind the newest slice, which begins at from, was taken back. The checks rely on
// zeros behind a value and its redzone.
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

// addRedzone makes the n bytes at offset at of the chunk c a redzone.
//
//go:norace
func (al *Allocator) addRedzone(c *chunk, at, n uintptr) {
	if check.On {
		c.watch.AddRedzone(&al.watch, c.Base, at, n)
	}
}

// redzoneBytes returns the size of the redzones among the used bytes.
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

// mostFirst is the size in bytes of the largest first chunk in checked builds if the need is unknown.
const mostFirst = 8 << 10

// firstSize returns the size of a cycle's first chunk. It is n in plain builds. Checked builds make a new chunk for
// each cycle, so the chunk is little larger than the estimate.
//
//go:norace
func (al *Allocator) firstSize(n uintptr) uintptr {
	if !check.On {
		return n
	}
	return min(n, max(mostFirst, fitted(al.retention.target)))
}

// plannedFor reports whether the first chunk of a plain build would have room for need more bytes. If so, the value is
// large only in checked builds.
//
//go:norace
func (al *Allocator) plannedFor(need uintptr) bool {
	return check.On && al.usedBytes()+need <= al.retention.first()
}

// recordUse records the need of the cycle that ends, like a plain build.
func (al *Allocator) recordUse() {
	al.retention.learn(max(al.usedBytes(), al.retention.top))
	al.retention.top = 0
}

func (al *Allocator) seal() {
	al.tip = 0
	if al.Base != nil && al.used() != 0 {
		al.addFull(al.chunk)
		al.chunk = chunk{}
	}
}

// quarantineFrom ends the use of the full chunks from index first on, and of the current chunk.
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

// quarantine makes a chunk's memory inaccessible.
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

// checkFrom panics if a redzone was written in one of the chunks that quarantineFrom would take. Callers that free
// memory call it before they change anything.
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
