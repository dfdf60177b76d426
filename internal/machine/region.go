package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Region is the memory of an arena: a lane for everything without pointers and
// one for each type with pointers.
type Region struct {
	Watch check.Tracker // first, since the last field would be padded if it is empty

	Flat  Lane      // values without pointers, and text
	Types TypeTable // a lane for each type with pointers

	*RegionRecord // nil in a region that was never made
}

// RegionRecord holds what only the slow paths of a region need, see laneRecord.
type RegionRecord struct {
	chunkSize uintptr // 0 in a region that was retired
	marks     markStack
	highWater uintptr
	resets    uint64
	state     *state
	others    uintptr    // bytes that Charge has counted
	maps      *MapStore  // nil before the first map
	heap      bool       // in heap mode, heap.go
	grown     grownSlice // in heap mode
	retired   *Retired   // where epochs are isolated, and in a region that was retired; else nil

	home

	flat laneRecord
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
	r.Flat.laneRecord = &r.flat
	r.Flat.initFlat(chunkSize)
	r.heap = !LayoutOK
	r.FlatLane().home = &r.home
	if check.On {
		r.FlatLane().watch.WatchedBy(&r.Watch)
	}
}

// InitLike makes r an empty region with the settings of like, whose quota is q, and
// shares q's counters.
func (r *Region) InitLike(like *Region, q *Quota, idleForks IdleForks) {
	r.Init(like.chunkSize, q.maxRetained)
	r.Isolate(like.retired)
	r.heap = like.heap
	own := r.Quota(q.refuse)
	own.Share(q.stats, q.account)
	own.ForksAre(idleForks)
	if like.cache == nil {
		like.cache = new(Cache)
	}
	r.cache, r.ofParent = like.cache, true
	if q.guarded != nil {
		r.Guard(&Guarded{Epoch: q.guarded.Epoch})
	}
}

// Quota returns the region's quota, and makes it at the first call, whose argument
// is called for each refusal and must panic.
func (r *Region) Quota(refuse func(Refusal)) *Quota {
	flat := r.FlatLane()
	if q := flat.ops.quota; q != nil {
		return q
	}
	q := &Quota{lanes: r, refuse: refuse, maxRetained: r.MaxRetained, held: flat.HeldBytes() + r.others}
	q.flat = laneOps{laneMemory: flat.ops.laneMemory, quota: q}
	flat.ops = &q.flat
	for _, l := range r.Types.lanes {
		l.ops.quota = q
		q.held += l.HeldBytes()
	}
	q.account = new(Account)
	q.account.Turns.Store(1)
	q.account.held.Store(q.held + r.OwnCached())
	return q
}

// each calls do for the flat lane and those of types that are in use.
func (r *Region) each(do func(*Lane)) {
	do(r.FlatLane())
	for _, l := range r.Types.inUse() {
		do(l)
	}
}

func (r *Region) setMaxRetained(bytes uintptr) { r.MaxRetained = bytes }

// Made reports whether Init was called, and the region was not retired since.
func (r *Region) Made() bool { return r.RegionRecord != nil && r.chunkSize != 0 }

// FlatLane is the lane of values without pointers.
func (r *Region) FlatLane() *Lane { return &r.Flat }

// laneOf returns the lane that serves T, a new one if it must.
//
//go:norace
func laneOf[T any](r *Region) *Lane {
	if !r.Made() {
		r.MustBeMade()
	}
	key := KeyOf((*T)(nil))
	if key.PtrBytes == 0 {
		return &r.Flat
	}
	if l := r.Types.find(key); l != nil {
		return r.use(l)
	}
	x, few := r.Types.newLane()
	l := newTypedLane[T](r, x, few)
	l.Key = key
	r.Types.add(l)
	return l
}

// newTypedLane makes x, which is zero, the lane of a type with pointers, with a list for
// its first full chunks.
func newTypedLane[T any](r *Region, x *bareLane, few []chunk) *Lane {
	size := xunsafe.SizeOf[T]()
	return r.initTyped(x, few, size, (*typedMemory[T])(nil), check.NewLane[T](size, true))
}

// newReflectLane is newTypedLane where the type is known at run time. x is where the lane
// shall lie, nil for anywhere.
func newReflectLane(r *Region, x *bareLane, few []chunk, t *Type) *Lane {
	var m *reflectMemory
	if x != nil {
		m = new(reflectMemory)
	} else {
		both := new(reflectLane)
		x, few, m = &both.bareLane, both.few[:0], &both.memory
	}
	m.t = t
	return r.initTyped(x, few, t.Size, m, check.NewLaneOf(t.Reflect, t.Size, true))
}

func (r *Region) initTyped(x *bareLane, few []chunk, size uintptr, memory laneMemory, watch check.Lane) *Lane {
	x.own = laneOps{laneMemory: memory, zeroes: true, quota: r.FlatLane().ops.quota}
	l := &x.Lane
	l.laneRecord = &x.record
	l.ops, l.watch, l.older = &x.own, watch, few
	l.retention = newTypedRetention(r.chunkSize, size)
	l.home = &r.home
	l.retention.isolates = r.retired != nil
	l.watch.WatchedBy(&r.Watch)
	return l
}

// Empty ends the epoch of all lanes and makes every mark stale. It returns how many bytes
// the epoch used.
func (r *Region) Empty() (used uintptr) {
	rec := r.RegionRecord
	switch {
	case rec.retired != nil:
		return r.endIsolated()
	case rec.heap:
		return r.endHeap()
	}
	flat := r.FlatLane()
	used = flat.UserBytes()
	held := flat.empty(rec.MaxRetained)
	most, busiest := uintptr(0), r.Types.Busiest
	lanes := r.Types.inUse()
	for i := 0; i < len(lanes); i++ {
		l := lanes[i]
		if n := l.used(); l.isUsual(n, rec.MaxRetained) {
			l.emptyUsual(n)
			if n > most {
				most, busiest = n, l
			}
			used += n
			held += l.cap
			continue
		}
		n := l.usedBytes()
		if n == 0 && l.isIdle() {
			if l.retention.idle++; l.retention.idle == idleCycles {
				r.rest(l)
				lanes = lanes[:len(lanes)-1] // another one has taken its place
				i--
				continue
			}
			held += l.cap
			continue
		}
		n -= l.redzoneBytes()
		if n > most {
			most, busiest = n, l
		}
		used += n
		stays := l.empty(rec.MaxRetained)
		if l.retention.seldom {
			r.rest(l)
			lanes = lanes[:len(lanes)-1]
			i--
			continue
		}
		held += stays
		l.retention.idle = 0
	}
	if busiest != r.Types.Busiest { // else not even a write barrier
		r.Types.Busiest = busiest
	}
	if held += r.Types.restHeld; held > rec.MaxRetained {
		held = r.shrink(held)
	}
	if rec.maps != nil {
		used += rec.maps.endCycle(r, rec.MaxRetained-held)
		held += rec.others
	}
	rec.highWater = max(rec.highWater, used)
	rec.resets++
	if cap(rec.marks.positions) != 0 {
		rec.marks.clear(max(rec.MaxRetained/8, marksRetained))
	}
	if c := rec.cache; len(rec.leftovers) != 0 || c != nil && c.owned() && held+c.Bytes() > rec.MaxRetained {
		r.settle(held)
	}
	if rec.resets%cacheTick == 0 && rec.cache != nil {
		rec.cache.tick()
	}
	if check.Tag {
		r.Types.check()
	}
	return used
}

// Release ends the epoch of all lanes and gives their memory to the collector.
func (r *Region) Release() {
	r.highWater = max(r.highWater, r.UsedBytes())
	r.resets++
	flat, oversize := r.FlatLane(), r.oversize()
	flat.Drop()
	flat.retention = newFlatRetention(r.chunkSize)
	flat.retention.isolates = r.retired != nil
	flat.retention.oversize = oversize
	flat.watch.RecordUse(0)
	for _, l := range r.Types.lanes {
		l.Drop()
	}
	if r.ownCache() != nil && !r.ofParent {
		r.ShrinkCache(0)
	}
	r.Types = newTypeTable()
	r.marks.release()
	r.maps.release(r)
	r.Discharge(r.others)
	r.grown = grownSlice{}
	r.state = nil
}

// CheckFree panics if something was written beside values: what takes
// everything back calls it before it changes anything.
func (r *Region) CheckFree() { r.FlatLane().checkFrom(0) }

// MoveTo has to, a region that was never made, go on in place of r: with its
// lanes, which must be empty, and what they have learned. r is of no use then.
func (r *Region) MoveTo(to *Region) {
	to.Flat, to.Types, to.RegionRecord = r.Flat, r.Types, r.RegionRecord
	if m := to.FlatLane().ops.quota; m != nil {
		m.lanes = to
	}
	if check.Watched {
		to.FlatLane().watch.WatchedBy(&to.Watch)
		for _, l := range to.Types.lanes {
			l.watch.WatchedBy(&to.Watch)
		}
	}
	r.Flat, r.Types = Lane{}, newTypeTable()
	r.RegionRecord = &RegionRecord{chunkSize: r.chunkSize} // as one that was never used
	r.Flat.initFlat(r.chunkSize)
	r.Flat.ops = &movedOps
}

// Resets is how often the region was emptied or released.
func (r *Region) Resets() uint64 { return r.resets }

// UsedBytes is how many bytes were handed out since the region was last emptied.
func (r *Region) UsedBytes() uintptr {
	if r.heap {
		return r.others
	}
	n := r.FlatLane().UserBytes()
	for _, l := range r.Types.inUse() {
		n += l.UserBytes()
	}
	return n + r.maps.usedBytes()
}

// Numbers looks at every chunk of the lanes that are in use.
func (r *Region) Numbers() Numbers {
	flat := r.FlatLane()
	n := Numbers{
		Used:     r.UsedBytes(),
		Held:     flat.HeldBytes() + r.others,
		Chunks:   flat.Chunks(),
		Types:    len(r.Types.lanes),
		Resets:   r.resets,
		Oversize: r.oversize(),
	}
	for _, l := range r.Types.inUse() {
		n.Held += l.HeldBytes()
		n.Chunks += l.Chunks()
	}
	n.Held += r.Types.restHeld
	n.Chunks += r.Types.restChunks
	if c := r.ownCache(); c != nil && !r.ofParent {
		n.Held += c.Bytes()
		n.Chunks += c.count()
	}
	r.highWater = max(r.highWater, n.Used)
	n.HighWater = r.highWater
	return n
}

// oversize adds up what the lanes count.
func (r *Region) oversize() uint32 {
	n := r.FlatLane().retention.oversize
	for _, l := range r.Types.inUse() {
		n += l.retention.oversize
	}
	return n + r.Types.restOversize
}

// Seal has what comes next begin in chunks of its own, so that Rewind takes
// back whole ones.
func (r *Region) Seal() {
	flat := r.FlatLane()
	flat.seal()
	for _, l := range r.Types.inUse() {
		l.seal()
	}
}

// newestMark is where l stood when the newest mark was taken that is good.
//
//go:norace
func (r *Region) newestMark(l *Lane) position {
	n := len(r.marks.entries)
	if n == 0 {
		return position{}
	}
	at := r.marks.positions[r.marks.entries[n-1].first:]
	if l == r.FlatLane() {
		return at[0]
	}
	if i := int(l.ops.index); i+1 < len(at) {
		return at[i+1]
	}
	return position{} // the lane came later
}
