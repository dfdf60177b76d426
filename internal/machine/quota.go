package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Limits. An arena and its forks have one counter, an ArenaStats. A pool has one counter for all its arenas,
// PoolStats.out. Memory is counted before it is allocated:
//
//	reserve   adds bytes to both counters, or refuses and changes nothing
//	commit    records that the memory was allocated
//	cancel    undoes the reservation if the allocation failed
//	release   takes off the bytes of dropped chunks
//
// An allocation that fits its chunk does none of this. Each region has a Quota, which knows the chunks of that region.
// The region of an arena without a limit, forks and a pool has none.

// ArenaStats counts the bytes of an arena and its forks, which several goroutines may use. It outlives the arena.
type ArenaStats struct {
	// Generation is the number of Gets and Puts of the arena. It is odd while the arena is in use. Put uses
	// CompareAndSwap, because two Puts may run at the same time. Get uses Take.
	Generation atomic.Uint64

	held    check.Uintptr // bytes of all chunks, and bytes reserved
	Limit   check.Uintptr // of held; 0: none
	Charged check.Uintptr // the part of held that PoolStats.out counts
	counts  check.Bool    // reservations count against the pool's total: from Get to Put

	Abandoned check.Bool
	Forks     check.Uint64  // calls of Fork
	flushed   check.Uintptr // bytes moved to the pool's cache in this cycle, if the arena has forks
}

// Quota is the part of a region, an arena's or a fork's, in an ArenaStats.
type Quota struct {
	region      quotaRegion
	arena       *ArenaStats // shared by an arena and its forks
	pool        *PoolStats  // nil for none
	refuse      func(Refusal)
	held        uintptr      // bytes of the region's chunks and of Charge
	maxRetained uintptr      // of an arena without a limit
	noscan      allocatorOps // of the noscan allocator, with this quota

	IdleForks  IdleForks // nil if there are no forks
	ForksInUse int       // forks of the region itself, without their forks
	Ended      string    // name of the function that ended a fork, in checked builds
	onGrant    func()    // called before memory is reserved for a guarded region; else nil
}

// quotaRegion has the methods of a region that its quota calls.
type quotaRegion interface {
	// each calls do for the noscan allocator and the active typed ones.
	each(do func(*Allocator))
	// inactiveBytes returns the size of the chunks of inactive allocators and of idle maps. dropInactive
	// drops them.
	inactiveBytes() uintptr
	dropInactive()
	// ownCache returns the arena's own cache, which its forks share, or nil.
	ownCache() *Cache
	// setMaxRetained sets the most bytes of chunks that the region keeps at the end of a cycle.
	setMaxRetained(bytes uintptr)
}

// IdleForks returns the size of the idle chunks of a region's ended forks, and drops them if drop is set. Only the
// goroutine that owns the region calls it.
type IdleForks func(drop bool) uintptr

// A Refusal describes a reservation that exceeds the limit of the arena or the total of its pool. Sizes are in bytes.
// Others is the part of InUse in other arenas of the pool.
type Refusal struct {
	Limit, InUse, Others, Asked uintptr
	Pool                        bool
}

// noArenaStats is the ArenaStats of forks that were dropped: a late use of one must not charge an arena.
var noArenaStats ArenaStats

// init makes dropped forks count as in use.
func init() { noArenaStats.Generation.Store(1) }

// guards reports whether the region is guarded.
func (q *Quota) guards() bool { return q != nil && q.onGrant != nil }

// Share makes q, which has counted nothing, count in st, for an arena of the pool that s counts.
func (q *Quota) Share(s *PoolStats, st *ArenaStats) { q.pool, q.arena = s, st }

// Limit returns the limit of the arena and its forks in bytes, 0 for none.
func (q *Quota) Limit() uintptr { return q.arena.Limit.Load() }

// Held returns the number of bytes that the region has reserved.
func (q *Quota) Held() uintptr { return q.held }

// SetLimit sets the limit of the arena and its forks, 0 for none. An arena with a limit retains at most half of it, because
// otherwise one type could leave too little for the others.
func (q *Quota) SetLimit(limit uintptr) {
	q.arena.Limit.Store(limit)
	retained := q.maxRetained
	if limit != 0 {
		retained = min(retained, limit/2)
	}
	q.region.setMaxRetained(retained)
}

// commit records that n reserved bytes were taken from the heap. large is set for the chunk of
// one large value.
func (q *Quota) commit(n uintptr, large bool) {
	if s := q.pool; s != nil {
		Raise(&s.peak, s.held.Add(n))
		if large {
			s.oversize.Add(1)
		}
	}
	q.adopt(n)
}

// cancel takes back the reservation of n bytes.
func (q *Quota) cancel(n uintptr) { q.arena.shrink(q.pool, n) }

// adopt is commit for a cached chunk.
func (q *Quota) adopt(n uintptr) {
	q.held += n
	if q.pool != nil {
		Raise(&q.pool.largest, q.arena.held.Load())
	}
}

// part takes off n bytes that the region no longer has.
func (q *Quota) part(n uintptr) {
	q.held -= n
	q.arena.shrink(q.pool, n)
}

// release takes off dropped chunks of the given total size.
//
//go:norace
func (q *Quota) release(bytes uintptr, chunks int) {
	if q == nil || bytes == 0 {
		return
	}
	if q.pool != nil {
		q.pool.drop(bytes, chunks)
	}
	q.part(bytes)
}

// grant reserves the bytes of a new chunk and returns their number: size, or fewer if a limit has little capacity left,
// but at least need. If need does not fit, grant drops idle chunks. If that would not help, it panics with a LimitError,
// and nothing has changed. keep is an allocator that keeps its current chunk, or nil.
//
//go:norace
func (q *Quota) grant(need, size, align uintptr, keep *Allocator) uintptr {
	if q.onGrant != nil {
		q.onGrant()
	}
	for {
		n := max(need, min(size, q.Left()/share/align*align))
		if q.arena.reserve(q.pool, n) {
			return n
		}
		if n > need {
			continue // a fork or another arena has reserved memory meanwhile
		}
		if r := q.arena.refusal(q.pool, need, q.idle(keep)); r != nil {
			q.refused(r)
		}
		q.dropIdle(keep)
	}
}

// refused counts a refusal, if there is a pool to count it, and panics.
func (q *Quota) refused(r *Refusal) {
	if s := q.pool; s != nil {
		s.refused.Add(1)
		if r.Pool {
			s.byTotal.Add(1)
		}
	}
	q.refuse(*r)
}

// A chunk has at most 1/share of the remaining limit, unless a single value needs more.
const share = 8

// Left returns the size in bytes of the largest chunk that the limits allow.
//
//go:norace
func (q *Quota) Left() uintptr {
	if q == nil {
		return noLimit
	}
	return q.leaves(0)
}

// leaves returns the remaining capacity of the limits after idle bytes are dropped.
//
//go:norace
func (q *Quota) leaves(idle uintptr) uintptr {
	st, left := q.arena, uintptr(noLimit)
	if limit := st.Limit.Load(); limit != 0 {
		left = remaining(limit, remaining(st.held.Load(), idle))
	}
	if st.counts.Load() {
		if total := q.pool.Total.Load(); total != 0 {
			left = min(left, remaining(total, remaining(q.pool.out.Load(), idle)))
		}
	}
	return left
}

// idle returns the size of the empty chunks of the region, of its ended forks and of their cache. It excludes the
// current chunk of keep.
func (q *Quota) idle(keep *Allocator) uintptr {
	return q.idleBeside(keep, false) + q.region.ownCache().Bytes()
}

// idleBeside is idle without the cache, which a region shares with its forks. It drops the chunks if drop is set.
func (q *Quota) idleBeside(keep *Allocator, drop bool) uintptr {
	n := q.region.inactiveBytes()
	if drop {
		q.region.dropInactive()
	}
	q.region.each(func(al *Allocator) {
		n += al.freeBytes()
		// An allocator that has full chunks needs a current one: Rewind starts there.
		whole := al.used() == 0 && len(al.full) == 0 && al != keep
		if whole {
			n += al.size()
		}
		switch {
		case drop && whole:
			al.Drop()
		case drop:
			al.dropFree()
		}
	})
	if q.IdleForks != nil {
		n += q.IdleForks(drop)
	}
	return n
}

// dropIdle drops the chunks that idle counts.
func (q *Quota) dropIdle(keep *Allocator) {
	q.idleBeside(keep, true)
	if n := q.region.ownCache().shrink(0); n != 0 {
		q.arena.shrink(q.pool, n)
	}
}

// Idle is IdleForks for one ended fork.
func (q *Quota) Idle(drop bool) uintptr { return q.idleBeside(nil, drop) }

// TrimIdle drops the idle chunks of the region and of its ended forks if the arena and its forks hold more than half of
// their limit. Reset and Rewind call it, because only the owner may drop them. So idle chunks never prevent a fork from
// using half of the limit.
func (q *Quota) TrimIdle() {
	if limit := q.Limit(); limit != 0 && q.arena.Held() > limit/2 {
		q.DropIdle()
	}
}

// DropIdle drops the idle chunks of the region and of its ended forks.
func (q *Quota) DropIdle() { q.dropIdle(nil) }

// Flushed records the end of a cycle of the arena and its forks.
func (q *Quota) Flushed() { q.arena.flushed.Store(0) }

// Forked counts a fork, of which inUse are now in use.
func (q *Quota) Forked(inUse int) {
	q.ForksInUse = inUse
	q.arena.Forks.Add(1)
}

// Forget takes the chunks of a fork off the arena. A goroutine may still use them. It then calls Leave.
func (q *Quota) Forget() {
	chunks := 0
	q.region.each(func(al *Allocator) { chunks += al.Chunks() })
	q.release(q.held, chunks)
	q.Leave()
}

// Leave separates q, which holds no bytes, from its arena and pool.
func (q *Quota) Leave() { q.IdleForks, q.pool, q.arena = nil, nil, &noArenaStats }

// reserve counts n bytes, or returns false and changes nothing if a limit does not allow them.
func (st *ArenaStats) reserve(s *PoolStats, n uintptr) bool {
	if !addWithin(&st.held, n, st.Limit.Load()) {
		return false
	}
	if st.counts.Load() {
		if !addWithin(&s.out, n, s.Total.Load()) {
			st.held.Add(-n)
			return false
		}
		st.Charged.Add(n)
	}
	return true
}

// addWithin adds n to x if the sum is at most bound. A bound of 0 allows any sum.
func addWithin(x *check.Uintptr, n, bound uintptr) bool {
	for {
		was := x.Load()
		if bound != 0 && remaining(bound, was) < n {
			return false
		}
		if x.CompareAndSwap(was, was+n) {
			return true
		}
	}
}

// refusal describes the limit that does not allow n bytes after idle bytes are dropped. It is nil if there is none.
func (st *ArenaStats) refusal(s *PoolStats, n, idle uintptr) *Refusal {
	held := remaining(st.held.Load(), idle) // a fork may have dropped idle bytes meanwhile
	if limit := st.Limit.Load(); limit != 0 && remaining(limit, held) < n {
		return &Refusal{Limit: limit, InUse: held, Asked: n}
	}
	if !st.counts.Load() {
		return nil
	}
	out := s.out.Load()
	others := out - min(out, st.Charged.Load())
	out = remaining(out, idle)
	if total := s.Total.Load(); total != 0 && remaining(total, out) < n {
		return &Refusal{Limit: total, InUse: out, Others: others, Asked: n, Pool: true}
	}
	return nil
}

// shrink takes off bytes.
func (st *ArenaStats) shrink(s *PoolStats, bytes uintptr) {
	st.discharge(s, bytes)
	st.held.Add(-bytes)
}

// discharge lowers charged, and the pool's out, by the smaller of bytes and charged.
func (st *ArenaStats) discharge(s *PoolStats, bytes uintptr) {
	for charged := st.Charged.Load(); charged != 0; charged = st.Charged.Load() {
		n := min(bytes, charged)
		if st.Charged.CompareAndSwap(charged, charged-n) {
			s.out.Add(-n)
			break
		}
	}
}

// BeginCount makes the memory of the arena, present and future, count against the pool's total until EndCount. It returns
// false and counts no present memory if the total does not allow that. The caller then drops that memory.
func (st *ArenaStats) BeginCount(s *PoolStats) bool {
	st.counts.Store(true)
	more := st.held.Load() - st.Charged.Load()
	ok := addWithin(&s.out, more, s.Total.Load())
	if ok {
		st.Charged.Add(more)
	}
	return ok
}

// EndCount takes the memory of the arena and its forks off the pool's total.
func (st *ArenaStats) EndCount(s *PoolStats) {
	st.counts.Store(false)
	st.discharge(s, ^uintptr(0))
}

// Close ends the statistics of an arena that was collected.
func (st *ArenaStats) Close(s *PoolStats) {
	s.held.Add(-st.held.Load())
	st.discharge(s, ^uintptr(0))
	if st.Abandoned.Load() {
		s.Left.Add(-1)
	}
}

// Take counts a Get. Only the caller has the arena.
//
//go:norace
func (st *ArenaStats) Take() { addAlone(&st.Generation, 1) }

// inUse reports whether the arena is in use.
func (st *ArenaStats) inUse() bool { return st.Generation.Load()%2 == 1 }

// Held returns the number of bytes that the arena and its forks have reserved.
func (st *ArenaStats) Held() uintptr { return st.held.Load() }

// remaining returns limit - held, or 0 if held is larger.
func remaining(limit, held uintptr) uintptr { return limit - min(limit, held) }

// noLimit is the remaining capacity if there is no limit.
const noLimit = ^uintptr(0)
