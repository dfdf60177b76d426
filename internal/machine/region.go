// Package machine implements the memory of arenas. It does not depend on package arena, and its functions check
// no arguments.
//
// A Region is the memory of one arena: the noscan allocator, for all values without pointers, and a typed
// allocator for each type with pointers, which a TypeTable finds by the type's descriptor. An allocator bumps
// an offset through its current chunk:
//
//	            Lo                           Hi       cap
//	+-----------+----------------------------+---------+
//	|  values   |  free                      | strings |   noscan allocator
//	+-----------+----------------------------+---------+
//	|  Ts       |  free, all zero                      |   typed allocator of T
//	+-----------+--------------------------------------+
//	            Lo                              Hi = cap
//
//	full: chunks used up in this cycle    free: empty chunks
//	+---------+ +---------+               +-----+ +---------+
//	| full    | | full    |               |     | |         |
//	+---------+ +---------+               +-----+ +---------+
//
// The fast path of an allocation is in package arena, and its slow path in alloc.go. A cycle ends in cycle.go.
//
// # Glossary
//
//	allocator           the memory of one type with pointers, or of all values without pointers
//	chunk               one allocation of the Go heap, for values of one type or for values without pointers
//	free list           the empty chunks of an allocator, the smallest first
//	slow path           the function that an allocation calls if it finds no memory inline
//	cycle               the time from one Reset, Release or Put of an arena to the next
//	remaining capacity  the bytes that a limit allows for new chunks
//	quota               counts the chunks of an arena and enforces the limits
//	fork                an arena for another goroutine, with its parent's cycle and quota
//	retention           the choice of the chunk that an allocator keeps from cycle to cycle
//	cache               the empty chunks of a pool, or of an arena, that belong to no allocator
//	inactive            not used by the last cycles: Reset does not visit such an allocator
//	idle                not in use: an empty chunk, or an arena in its pool
//	high-water mark     the most bytes that were in use at one time
//	size class          a range of sizes that a histogram counts together
//	size hint           the chunk size that a pool learned from its requests
//	tracker             records which goroutine uses an arena, and where its cycles began and ended
//	redzone             bytes between two values that must not be accessed
//	poison              to mark memory so that an access is reported
//	quarantine          memory that checked builds never hand out again
//	hooks               shared by the packages of this module, and not visible to programs
//
// Checked builds (the tag arenacheck, -race, -asan) have the tracker, redzones, poison and quarantine, from
// package check.
//
// # Compiled types
//
// Three packages compile each type once, and run the result for each value: arenajson (dec and enc),
// internal/escape and adapters/protobuf.
//
//	compile    to make a program of a type
//	program    the compiled type, which is published whole and immutable
//	op         the code of a program for one value
//	field      a struct's field in a program: its offset, op and program
//	slot       a place in a value that may hold a reference
//	recent     programs by a hash of their types, the first place to look
package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Region is the memory of an arena: an allocator for all values without pointers, and one for each type with
// pointers.
type Region struct {
	Watch check.Tracker // first, because the last field would be padded if it is empty

	Noscan Allocator // values without pointers, and text
	Types  TypeTable // an allocator for each type with pointers

	*RegionRecord // nil in the zero Region
}

// RegionRecord holds the fields that only the slow paths of a region need; see allocatorRecord.
type RegionRecord struct {
	chunkSize uintptr // 0 in a detached region
	marks     markStack
	highWater uintptr
	resets    uint64
	state     *state
	others    uintptr    // bytes that Charge has counted
	maps      *MapStore  // nil before the first map
	heap      bool       // in heap mode, heap.go
	grown     grownSlice // in heap mode
	detached  *Detached  // if cycles are isolated, or the region was detached; else nil

	home

	noscan allocatorRecord
}

// Init initializes r as an empty region. It allocates no memory for values.
func (r *Region) Init(chunkSize, maxRetained uintptr) {
	if r.RegionRecord == nil {
		r.RegionRecord = new(RegionRecord)
	}
	r.Types, r.chunkSize, r.MaxRetained = newTypeTable(), chunkSize, maxRetained
	r.Noscan.allocatorRecord = &r.noscan
	r.Noscan.initNoscan(chunkSize)
	r.heap = !LayoutOK
	r.Noscan.home = &r.home
	r.Noscan.watch.WatchedBy(&r.Watch)
}

// InitFork initializes r as an empty region with the settings of parent, whose quota is q. Both count in the
// same ArenaStats.
func (r *Region) InitFork(parent *Region, q *Quota, idleForks IdleForks) {
	r.Init(parent.chunkSize, q.maxRetained)
	r.detached = parent.detached
	r.Noscan.retention.isolates = parent.detached != nil
	r.heap = parent.heap
	own := r.Quota(q.refuse)
	own.Share(q.pool, q.arena)
	own.IdleForks = idleForks
	if parent.cache == nil {
		parent.cache = new(Cache)
	}
	r.cache, r.ofParent = parent.cache, true
}

// Quota returns the region's quota, which the first call creates. refuse is called for each refusal and must
// panic.
func (r *Region) Quota(refuse func(Refusal)) *Quota {
	noscan := &r.Noscan
	if q := noscan.ops.quota; q != nil {
		return q
	}
	q := &Quota{region: r, refuse: refuse, maxRetained: r.MaxRetained, held: noscan.HeldBytes() + r.others}
	q.noscan = allocatorOps{memoryOps: noscan.ops.memoryOps, quota: q}
	noscan.ops = &q.noscan
	for _, al := range r.Types.allocators {
		al.ops.quota = q
		q.held += al.HeldBytes()
	}
	q.arena = new(ArenaStats)
	q.arena.Generation.Store(1)
	q.arena.held.Store(q.held + r.ownCache().Bytes())
	return q
}

// each calls do for the noscan allocator and for the active typed allocators.
func (r *Region) each(do func(*Allocator)) {
	do(&r.Noscan)
	for _, al := range r.Types.active() {
		do(al)
	}
}

func (r *Region) setMaxRetained(bytes uintptr) { r.MaxRetained = bytes }

// Ready reports whether r was initialized, and not detached since.
func (r *Region) Ready() bool { return r.RegionRecord != nil && r.chunkSize != 0 }

// moveTo moves the memory of r to the zero Region to.
func (r *Region) moveTo(to *Region) {
	to.Noscan, to.Types, to.RegionRecord = r.Noscan, r.Types, r.RegionRecord
	if q := to.Noscan.ops.quota; q != nil {
		q.region = to
	}
	if to.maps != nil {
		to.maps.charger = to
	}
	r.Noscan, r.Types = Allocator{}, newTypeTable()
}

// MoveTo moves the allocators of r, which must be empty, and their estimates to the zero Region to. r is then
// like the region of an arena that was put back.
func (r *Region) MoveTo(to *Region) {
	r.moveTo(to)
	if check.Watched {
		to.Noscan.watch.WatchedBy(&to.Watch)
		for _, al := range to.Types.allocators {
			al.watch.WatchedBy(&to.Watch)
		}
	}
	r.RegionRecord = &RegionRecord{chunkSize: to.chunkSize} // as one that was never used
	r.Noscan.initNoscan(r.chunkSize)
	r.Noscan.ops = &movedOps
	r.Noscan.watch.WatchedBy(&r.Watch)
}

// Resets returns the number of cycles that have ended.
func (r *Region) Resets() uint64 { return r.resets }

// UsedBytes returns the number of bytes handed out in this cycle.
func (r *Region) UsedBytes() uintptr {
	if r.heap {
		return r.others
	}
	n := r.maps.usedBytes()
	r.each(func(al *Allocator) { n += al.UserBytes() })
	return n
}

// Stats returns the region's statistics. It looks at each chunk of the active allocators.
func (r *Region) Stats() Stats {
	n := Stats{
		Used:     r.UsedBytes(),
		Held:     r.others + r.Types.inactiveHeld,
		Chunks:   r.Types.inactiveChunks,
		Types:    len(r.Types.allocators),
		Resets:   r.resets,
		Oversize: r.oversize,
	}
	r.each(func(al *Allocator) {
		n.Held += al.HeldBytes()
		n.Chunks += al.Chunks()
	})
	if c := r.ownCache(); c != nil && !r.ofParent {
		n.Held += c.Bytes()
		n.Chunks += c.count()
	}
	r.highWater = max(r.highWater, n.Used)
	n.HighWater = r.highWater
	return n
}

// movedOps has the quota of a region that MoveTo left, which is like the quota of an arena that was put back.
var movedOps = allocatorOps{memoryOps: noscanMemory{}, quota: &Quota{arena: new(ArenaStats)}}

// state is one entry of the list behind State.
type state struct {
	of   any // a *T; there is at most one for each T
	next *state
}

// State returns the region's own T, which is initially zero. Codecs keep buffers in it for their next calls. It is
// allocated on the heap and kept until Release. State that must not outlive a cycle compares Resets. It does not count
// towards limits and statistics, so callers keep it small, and clear all references to values of the program before
// they return.
func State[T any](r *Region) *T {
	if r.RegionRecord == nil {
		r.prepareSlow()
	}
	for s := r.state; s != nil; s = s.next {
		if x, ok := s.of.(*T); ok {
			return x
		}
	}
	x := new(T)
	r.state = &state{x, r.state}
	return x
}

// Detached is shared by all regions of a pool that Detach has left behind. A stale use of such a region
// initializes it again, with memory of its own.
type Detached struct {
	chunkSize, maxRetained uintptr
	record                 RegionRecord // of all of them
	late                   atomic.Uint64
}

// Init sets the sizes of regions that are initialized again.
func (s *Detached) Init(chunkSize, maxRetained uintptr) {
	s.chunkSize, s.maxRetained, s.record.detached = chunkSize, maxRetained, s
}

// Late returns the number of uses that were seen after the end of their cycle, or during it.
func (s *Detached) Late() uint64 { return s.late.Load() }

// lateSerial is the first serial number of marks in a region that was initialized again. It is beyond all
// serial numbers that the region had before.
const lateSerial = 1 << 63

// Isolates reports whether the region isolates its cycles.
func (r *Region) Isolates() bool { return r.Ready() && r.detached != nil }

// Detach moves the allocators of r, which is empty, to the zero Region to. Later uses of r find nothing of it.
func (r *Region) Detach(to *Region) {
	r.moveTo(to)
	r.RegionRecord = &to.detached.record
}

// WasEntered reports whether another goroutine was in the region while it was detached. It is wrong if the
// region was used since.
func (r *Region) WasEntered() bool { return !r.Ready() && (r.Noscan.Lo != 0 || r.Noscan.Hi != 0) }

// Entered counts that another goroutine was in the region while its cycle ended.
func (r *Region) Entered() { r.detached.late.Add(1) }

// The sizes of the zero Region are those of an automatic pool.
const (
	zeroChunk    = 4 << 10
	zeroRetained = 640 << 10
)

// prepareSlow initializes a zero Region, or a detached one, which gets memory of its own.
func (r *Region) prepareSlow() {
	if r.Ready() {
		return
	}
	if r.RegionRecord == nil {
		r.Init(zeroChunk, zeroRetained)
		if check.On {
			r.Watch.Begin()
		}
		return
	}
	s := r.detached
	s.late.Add(1)
	*r = Region{}
	r.Init(s.chunkSize, s.maxRetained)
	r.marks.serial = lateSerial
}

// Prepare initializes r if it is not ready. It is inlined.
func (r *Region) Prepare() {
	if !r.Ready() {
		r.prepareSlow()
	}
}

// Charge counts n bytes that the caller is about to allocate on the heap for r, such as those of a builtin map.
// If a limit refuses them, Charge panics as an allocation does, and nothing has changed.
func (r *Region) Charge(n uintptr) {
	r.prepareSlow()
	if check.Watched {
		defer r.Noscan.enter().Leave()
	}
	if q := r.Noscan.ops.quota; q != nil {
		q.commit(q.grant(n, n, 1, nil), false)
	}
	r.others += n
}

// Discharge takes off n of the bytes that Charge has counted.
func (r *Region) Discharge(n uintptr) {
	r.others -= n
	q := r.Noscan.ops.quota
	if q == nil {
		return
	}
	if q.pool != nil {
		q.pool.held.Add(-n)
	}
	q.part(n)
}

// Reserve counts n bytes against the limits of r until Cancel, for memory that will be copied into r. If a limit
// refuses them, Reserve panics as an allocation does, and nothing has changed.
func (r *Region) Reserve(n uintptr) {
	r.prepareSlow()
	if q := r.Noscan.ops.quota; q != nil {
		q.grant(n, n, 1, nil)
	}
}

// Cancel takes off n bytes that Reserve has counted.
func (r *Region) Cancel(n uintptr) {
	if q := r.Noscan.ops.quota; q != nil {
		q.cancel(n)
	}
}

// inactiveBytes returns the size of the chunks of inactive allocators and of idle maps.
func (r *Region) inactiveBytes() uintptr {
	return r.Types.inactiveHeld + r.maps.idleBytes()
}

// dropInactive drops the chunks of inactive allocators, and idle maps.
func (r *Region) dropInactive() {
	r.maps.dropIdle()
	r.dropInactiveChunks()
}

// dropInactiveChunks drops the chunks of inactive allocators.
func (r *Region) dropInactiveChunks() {
	t := r.Types.allocatorList
	if t.inactiveHeld == 0 {
		return
	}
	for _, al := range t.allocators[t.activeLen:] {
		if al.cap != 0 {
			al.ops.quota.release(al.size(), 1)
			al.chunk = chunk{}
		}
	}
	t.inactiveHeld, t.inactiveChunks = 0, 0
}

// marksRetained is the size in bytes of the marks that a region may always retain: about ten marks of ten types.
const marksRetained = 4 << 10

// markStack holds the marks of the current cycle: for each the positions of all allocators that were active.
type markStack struct {
	entries   []markEntry
	positions []position
	serial    uint64 // of the newest mark; never goes back
}

type markEntry struct {
	serial uint64
	first  int     // its positions are positions[first:next entry's first]
	maps   int     // index of the first position of its maps
	loose  uintptr // bytes of maps that are not kept
}

// clear makes all marks stale. It retains at most limit bytes of positions for the next cycle.
func (s *markStack) clear(limit uintptr) {
	if uintptr(cap(s.positions))*xunsafe.SizeOf[position]() > limit {
		s.release()
		return
	}
	s.entries = s.entries[:0]
	s.positions = s.positions[:0]
}

// release is clear without retaining memory.
func (s *markStack) release() { s.entries, s.positions = nil, nil }

// position is the state of an allocator when a mark was taken.
type position struct {
	chunk  uintptr // the current chunk's address, as a number: a mark keeps no memory alive
	lo, hi uintptr
	full   int
}

// ShareCache makes the region leave chunks to c.
func (r *Region) ShareCache(c *Cache) { r.home.cache = c }

// ShrinkCache evicts chunks of the arena's own cache until most bytes are left.
func (r *Region) ShrinkCache(most uintptr) {
	if n := r.ownCache().shrink(most); n != 0 {
		if q := r.Noscan.ops.quota; q != nil {
			q.arena.shrink(nil, n)
		}
	}
}

// ownCache returns the cache if it belongs to the arena, nil if it is a pool's or there is none.
func (r *Region) ownCache() *Cache {
	if r.RegionRecord == nil || r.cache == nil || !r.cache.owned() {
		return nil
	}
	return r.cache
}

// Stats has the statistics of a region. Sizes are in bytes.
type Stats struct {
	Used, Held, HighWater uintptr
	Chunks, Types         int
	Resets                uint64
	Oversize              uint64
}

// Maps returns the builtin maps of r, nil if r is nil.
func Maps(r *Region) *MapStore {
	if r == nil {
		return nil
	}
	s := r.maps
	if s == nil {
		s = &MapStore{charger: r}
		r.maps = s
	}
	s.plain = check.On || r.Isolates() || r.guarded() || r.heap
	return s
}

// OwnsMap reports whether the region has handed out the builtin map at address m in this cycle. Each address is
// entered into a set once.
func (r *Region) OwnsMap(m uintptr) bool {
	if r.RegionRecord == nil || r.maps == nil {
		return false
	}
	s := r.maps
	if s.addresses == nil {
		s.addresses = map[uintptr]struct{}{}
	}
	for _, l := range s.used {
		for class := range l.classes {
			x := &l.classes[class]
			for ; x.known < x.inUse; x.known++ {
				s.addresses[xunsafe.Number(x.maps[x.known])] = struct{}{}
			}
		}
	}
	_, ok := s.addresses[m]
	return ok
}

// Release ends the cycle and leaves all memory of the region to the collector.
func (r *Region) Release() {
	r.highWater = max(r.highWater, r.UsedBytes())
	r.resets++
	noscan := &r.Noscan
	noscan.Drop()
	noscan.retention = newNoscanRetention(r.chunkSize)
	noscan.retention.isolates = r.detached != nil
	for _, al := range r.Types.allocators {
		al.Drop()
	}
	if !r.ofParent {
		r.ShrinkCache(0)
	}
	r.Types = newTypeTable()
	r.marks.release()
	r.maps = nil
	r.Discharge(r.others)
	r.grown = grownSlice{}
	r.state = nil
}

// grownSlice is, in heap mode, the slice that grew last: it is counted no more when it grows again. Its address is a
// number, which keeps nothing alive.
type grownSlice struct{ at, bytes uintptr }

// noscanPosition returns the position of the noscan allocator. In heap mode, in which it has no chunks, lo is the
// number of bytes counted for values.
func (r *Region) noscanPosition() position {
	if r.heap {
		return position{lo: r.others - r.maps.looseBytes()}
	}
	return r.Noscan.position()
}

// guarded reports whether the region is guarded; see guarded.go.
func (r *Region) guarded() bool { return r.Noscan.ops != nil && r.Noscan.ops.quota.guards() }

// check panics if the region's records are inconsistent. Only builds with the tag arenacheck call it.
func (r *Region) check() {
	r.each((*Allocator).check)
	r.Types.check()
}
