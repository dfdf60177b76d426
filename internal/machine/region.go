// Package machine implements the memory of arenas. It knows nothing of what
// programs call, and its functions check no arguments.
//
// A Region is the memory of one arena: an allocator for all values without pointers, and one
// for each type with pointers, which a TypeTable finds by the type's descriptor. An allocator bumps an offset through its current chunk:
//
//	            Lo                           Hi       cap
//	+-----------+----------------------------+---------+
//	|  values   |  free                      | strings |   the allocator without pointers
//	+-----------+----------------------------+---------+
//	|  Ts       |  free, all zero                      |   the allocator of a type T
//	+-----------+--------------------------------------+
//	            Lo                              Hi = cap
//
//	full: full chunks of this cycle      free list: empty chunks
//	+---------+ +---------+               +-----+ +---------+
//	| full    | | full    |               |     | |         |
//	+---------+ +---------+               +-----+ +---------+
//
// # Glossary
//
//	allocator                the memory of one type with pointers, or of all values without
//	chunk               one allocation of the Go heap, part of one allocator for ever
//	free list           a allocator's empty chunks, the smallest first
//	slow path           what an allocation calls that finds no memory inline
//	cycle               the time from one Reset, Release or Put of an arena to the next
//	outstanding         handed out in this cycle; for a pool: its arenas that are out
//	remaining capacity  what a limit leaves for new chunks
//	quota               counts an arena's chunks, and keeps them within the limits
//	fork                an arena for another goroutine, with its parent's cycle and quota
//	retention           which chunk an allocator keeps from cycle to cycle
//	cache               the empty chunks of a pool, or of an arena, that no allocator has
//	inactive            an allocator that the last cycles did not use: Reset leaves it out
//	idle                in nobody's use: a chunk without values, an arena in its pool
//	high-water mark     the most bytes that were outstanding at one time
//	size class          a range of sizes that a histogram counts as one
//	size hint           the first chunk size that a pool has learned from its requests
//	tracker             records who uses an arena, and where its cycles began and ended
//	redzone             bytes between two values that nobody may access
//	poison              to mark memory so that an access is reported
//	quarantine          memory that checked builds never hand out again
//	hooks               what the packages of this module share and programs do not see
//
// Checked builds (the tag arenacheck, -race, -asan) have the tracker, redzones, poison
// and quarantine, by package check.
//
// # Compiled types
//
// Three packages compile each type once, and run what comes of it for each value:
// arenajson (to read, dec..., and to write, enc...), internal/escape, adapters/protobuf.
//
//	compile    to make a program of a type
//	program    what a type is compiled to: published whole, and never changed then
//	op         what a program does with one value
//	field      a struct's field in a program: where it lies, its op, its program
//	slot       a place in a value, a field's or an element's, that may lead elsewhere
//	recent     programs by a hash of their types, the first place to look
package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Region is the memory of an arena: an allocator for everything without pointers and
// one for each type with pointers.
type Region struct {
	Watch check.Tracker // first, since the last field would be padded if it is empty

	Noscan Allocator // values without pointers, and text
	Types  TypeTable // an allocator for each type with pointers

	*RegionRecord // nil in a region that was never made
}

// RegionRecord holds what only the slow paths of a region need, see allocatorRecord.
type RegionRecord struct {
	chunkSize uintptr // 0 in a region that was detached
	marks     markStack
	highWater uintptr
	resets    uint64
	state     *state
	others    uintptr    // bytes that Charge has counted
	maps      *MapStore  // nil before the first map
	heap      bool       // in heap mode, heap.go
	grown     grownSlice // in heap mode
	detached  *Detached  // where cycles are isolated, and in a region that was detached; else nil

	home

	noscan allocatorRecord
}

// Place has the region, which was never made, keep its record in x.
func (r *Region) Place(x *RegionRecord) { r.RegionRecord = x }

// Init makes an empty region. Nothing is allocated for values before the first
// of them.
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

// InitFork makes r an empty region with the settings of like, whose quota is q, and
// shares q's counters.
func (r *Region) InitFork(like *Region, q *Quota, idleForks IdleForks) {
	r.Init(like.chunkSize, q.maxRetained)
	r.detached = like.detached
	r.Noscan.retention.isolates = like.detached != nil
	r.heap = like.heap
	own := r.Quota(q.refuse)
	own.Share(q.pool, q.arena)
	own.ForksAre(idleForks)
	if like.cache == nil {
		like.cache = new(Cache)
	}
	r.cache, r.ofParent = like.cache, true
}

// Quota returns the region's quota, and makes it at the first call, whose argument
// is called for each refusal and must panic.
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
	q.arena.held.Store(q.held + r.OwnCached())
	return q
}

// each calls do for the noscan allocator and those of types that are in use.
func (r *Region) each(do func(*Allocator)) {
	do(&r.Noscan)
	for _, al := range r.Types.active() {
		do(al)
	}
}

func (r *Region) setMaxRetained(bytes uintptr) { r.MaxRetained = bytes }

// Made reports whether Init was called, and the region was not detached since.
func (r *Region) Ready() bool { return r.RegionRecord != nil && r.chunkSize != 0 }

// FlatLane is the allocator of values without pointers.
func (r *Region) FlatLane() *Allocator { return &r.Noscan }

// MoveTo has to, a region that was never made, go on in place of r: with its
// allocators, which must be empty, and what they have learned. r is of no use then.
func (r *Region) MoveTo(to *Region) {
	to.Noscan, to.Types, to.RegionRecord = r.Noscan, r.Types, r.RegionRecord
	if m := to.Noscan.ops.quota; m != nil {
		m.region = to
	}
	if check.Watched {
		to.Noscan.watch.WatchedBy(&to.Watch)
		for _, al := range to.Types.allocators {
			al.watch.WatchedBy(&to.Watch)
		}
	}
	r.Noscan, r.Types = Allocator{}, newTypeTable()
	r.RegionRecord = &RegionRecord{chunkSize: r.chunkSize} // as one that was never used
	r.Noscan.initNoscan(r.chunkSize)
	r.Noscan.ops = &movedOps
	r.Noscan.watch.WatchedBy(&r.Watch)
}

// Resets is how often the region was emptied or released.
func (r *Region) Resets() uint64 { return r.resets }

// UsedBytes is how many bytes were handed out since the region was last emptied.
func (r *Region) UsedBytes() uintptr {
	if r.heap {
		return r.others
	}
	n := r.Noscan.UserBytes()
	for _, al := range r.Types.active() {
		n += al.UserBytes()
	}
	return n + r.maps.usedBytes()
}

// Stats looks at every chunk of the allocators that are in use.
func (r *Region) Stats() Stats {
	noscan := &r.Noscan
	n := Stats{
		Used:     r.UsedBytes(),
		Held:     noscan.HeldBytes() + r.others,
		Chunks:   noscan.Chunks(),
		Types:    len(r.Types.allocators),
		Resets:   r.resets,
		Oversize: r.oversize(),
	}
	for _, al := range r.Types.active() {
		n.Held += al.HeldBytes()
		n.Chunks += al.Chunks()
	}
	n.Held += r.Types.inactiveHeld
	n.Chunks += r.Types.inactiveChunks
	if c := r.ownCache(); c != nil && !r.ofParent {
		n.Held += c.Bytes()
		n.Chunks += c.count()
	}
	r.highWater = max(r.highWater, n.Used)
	n.HighWater = r.highWater
	return n
}

// oversize adds up what the allocators count.
func (r *Region) oversize() uint32 {
	n := r.Noscan.retention.oversize
	for _, al := range r.Types.active() {
		n += al.retention.oversize
	}
	return n + r.Types.inactiveOversize
}

// movedOps are the ops that MoveTo leaves in an allocator: the quota of an arena that was put back.
var movedOps = allocatorOps{memoryOps: noscanMemory{}, quota: &Quota{arena: new(ArenaStats)}}

// state is one of the things that packages of this module keep with a region.
type state struct {
	of   any // a *T, for each T one at most
	next *state
}

// State returns the region's own T, the same one each time, zero at first: what a
// codec works with and wants to find warm, buffers for example. It lies on the
// heap, and lives as long as the region does, through Empty, up to Release. What
// must not outlive a cycle of the region compares Resets. It counts towards no
// limit and no statistics, so whoever keeps it keeps it small, and lets go of all
// that leads to a program's values before it returns.
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

// Detached is the common part of a pool's regions that were left behind: in each of them
// a stale arena would allocate. One that does goes on as a region of its own.
type Detached struct {
	chunkSize, maxRetained uintptr
	record                 RegionRecord // of all of them
	late                   atomic.Uint64
}

// Init sets what a region goes on with that was detached.
func (s *Detached) Init(chunkSize, maxRetained uintptr) {
	s.chunkSize, s.maxRetained, s.record.detached = chunkSize, maxRetained, s
}

// Late returns how often somebody was seen in memory whose cycle had ended or was about
// to end.
func (s *Detached) Late() uint64 { return s.late.Load() }

// lateSerial is the serial from which marks of a revived region count: beyond all that the region
// had before.
const lateSerial = 1 << 63

// Isolates reports whether the region isolates its cycles.
func (r *Region) Isolates() bool { return r.Ready() && r.detached != nil }

// Detach has to, a region that was never made, go on in place of r, which is empty.
// Whoever uses r from here on finds nothing of it.
func (r *Region) Detach(to *Region) {
	to.Noscan, to.Types, to.RegionRecord = r.Noscan, r.Types, r.RegionRecord
	if q := to.Noscan.ops.quota; q != nil {
		q.region = to
	}
	r.Noscan, r.Types, r.RegionRecord = Allocator{}, newTypeTable(), &to.detached.record
}

// WasEntered reports whether somebody was in the region, which was detached, while that
// was done. Nobody has used it later.
func (r *Region) WasEntered() bool { return !r.Ready() && (r.Noscan.Lo != 0 || r.Noscan.Hi != 0) }

// Entered counts that somebody was in the region while its cycle ended.
func (r *Region) Entered() { r.detached.late.Add(1) }

// The zero Region goes on as one with these sizes, which are those of an automatic pool.
const (
	zeroChunk    = 4 << 10
	zeroRetained = 640 << 10
)

// prepareSlow makes a region that was never made, the zero one, or that was detached. The latter
// goes on as a region of its own, with memory that is nobody else's.
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

// Prepare is prepareSlow, inlined.
func (r *Region) Prepare() {
	if !r.Ready() {
		r.prepareSlow()
	}
}

// Charge counts n bytes that the caller is about to take from the heap for r and that are
// in no chunk, such as those of a builtin map. If a limit refuses them, Charge panics as an
// allocation does, and nothing has changed. Discharge takes them off.
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
	q.held -= n
	if !q.keeps {
		q.arena.shrink(q.pool, n)
	}
}

// Reserve counts n bytes against the limits of r until Cancel: memory that waits to be copied into r. If a
// limit refuses them, Reserve panics as an allocation does, and nothing has changed.
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

// inactiveBytes returns the bytes that the region could do without, beside the chunks of active
// allocators and of its cache: those of inactive ones, and of idle maps.
func (r *Region) inactiveBytes() uintptr {
	return r.Types.inactiveHeld + r.maps.idleBytes()
}

// dropInactive drops the chunks of inactive allocators, and idle maps.
func (r *Region) dropInactive() {
	r.maps.dropIdle(r)
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

// marksRetained is the size in bytes of the marks that a region may always retain,
// about ten marks of ten types.
const marksRetained = 4 << 10

// markStack holds what the marks of a region's current cycle remember: for
// each mark the positions of all allocators that there were.
type markStack struct {
	entries   []markEntry
	positions []position
	serial    uint64 // of the newest mark; never goes back
}

type markEntry struct {
	serial uint64
	first  int     // its positions are positions[first:next entry's first]
	maps   int     // where the positions of its maps begin
	loose  uintptr // bytes of maps that are not kept
}

// clear makes all marks stale. It retains at most limit bytes of positions for the
// next ones.
func (s *markStack) clear(limit uintptr) {
	if uintptr(cap(s.positions))*xunsafe.SizeOf[position]() > limit {
		s.release()
		return
	}
	s.entries = s.entries[:0]
	s.positions = s.positions[:0]
}

// release also gives up the memory.
func (s *markStack) release() { s.entries, s.positions = nil, nil }

// position is where an allocator stood when a mark was taken.
type position struct {
	chunk  uintptr // the current chunk's address, as a number: a mark keeps no memory alive
	lo, hi uintptr
	full   int
}

// ShareCache makes the region leave chunks to c.
func (r *Region) ShareCache(c *Cache) { r.home.cache = c }

// OwnCached returns the size in bytes of the chunks in the cache that belongs to the arena, if any.
func (r *Region) OwnCached() uintptr {
	if c := r.ownCache(); c != nil {
		return c.Bytes()
	}
	return 0
}

// ShrinkCache evicts chunks of the arena's own cache until most bytes are left.
func (r *Region) ShrinkCache(most uintptr) {
	if n := r.evictOwn(most); n != 0 {
		if q := r.Noscan.ops.quota; q != nil {
			q.arena.shrink(nil, n)
		}
	}
}

// evictOwn is ShrinkCache without taking the bytes off the account. It returns how many they were.
func (r *Region) evictOwn(most uintptr) uintptr {
	if c := r.ownCache(); c != nil {
		return c.shrink(most)
	}
	return 0
}

// ownCache returns the cache if it belongs to the arena, nil if it is a pool's or there is none.
func (r *Region) ownCache() *Cache {
	if r.RegionRecord == nil || r.cache == nil || !r.cache.owned() {
		return nil
	}
	return r.cache
}

// Stats holds the counts of a region's statistics. Sizes are in
// bytes.
type Stats struct {
	Used, Held, HighWater uintptr
	Chunks, Types         int
	Resets                uint64
	Oversize              uint32
}

// Maps returns r's maps, nil if r is nil.
func Maps(r *Region) *MapStore {
	if r == nil {
		return nil
	}
	s := r.maps
	if s == nil {
		s = new(MapStore)
		r.maps = s
	}
	s.charger, s.plain = r, check.On || r.Isolates() || r.guarded() || r.heap
	return s
}

// OwnsMap reports whether the builtin map at address m is one that the region has handed out in
// this cycle. Each address is entered into a set once.
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

// Release ends the cycle of all allocators and gives their memory to the collector.
func (r *Region) Release() {
	r.highWater = max(r.highWater, r.UsedBytes())
	r.resets++
	noscan, oversize := &r.Noscan, r.oversize()
	noscan.Drop()
	noscan.retention = newNoscanRetention(r.chunkSize)
	noscan.retention.isolates = r.detached != nil
	noscan.retention.oversize = oversize
	noscan.watch.RecordUse(0)
	for _, al := range r.Types.allocators {
		al.Drop()
	}
	if r.ownCache() != nil && !r.ofParent {
		r.ShrinkCache(0)
	}
	r.Types = newTypeTable()
	r.marks.release()
	r.maps = nil
	r.Discharge(r.others)
	r.grown = grownSlice{}
	r.state = nil
}

// grownSlice is the slice that grew last, which counts no more when it grows again. Its address
// is a number, which keeps nothing alive: if the slice is gone, its bytes are not in use
// either.
type grownSlice struct{ at, bytes uintptr }

// noscanPosition is where the allocator without pointers stands. In heap mode, where it has nothing,
// it is what was counted for values.
func (r *Region) noscanPosition() position {
	if r.heap {
		return position{lo: r.others - r.maps.looseBytes()}
	}
	return r.Noscan.position()
}

// guarded reports whether the region is guarded: guarded.go.
func (r *Region) guarded() bool { return r.Noscan.ops != nil && r.Noscan.ops.quota.guards() }

// check panics if what the region's allocators record is inconsistent. Only builds with the tag arenacheck call it.
func (r *Region) check() {
	r.Noscan.check()
	for _, al := range r.Types.active() {
		al.check()
	}
	r.Types.check()
}
