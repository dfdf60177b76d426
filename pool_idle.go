package arena

import (
	"runtime"
	"time"
	"weak"

	"github.com/ebbpool/arena/internal/check"
)

// idleArena holds an arena while it is in the pool. The sync.Pool contains idleArenas, so that a finalizer runs
// when a collection has emptied the sync.Pool. The pool may then retain the arena.
//
//	in use:  Arena -> idleArena         (which is empty)
//	idle:    sync.Pool -> idleArena -> Arena
//
// The two never point to each other, because the collector does not free a cycle with a finalizer: a leaked arena
// would never be found.
type idleArena struct{ arena *Arena }

// takeOut returns the arena, which is in use from now on.
func (x *idleArena) takeOut() *Arena {
	a := x.arena
	a.owner.idle, x.arena = x, nil
	return a
}

// forgotten is the finalizer of x. It runs when neither the sync.Pool nor an arena in use refers to x. If x is empty,
// its arena was leaked, and the cleanup of the arena counts that.
//
//go:norace
func forgotten(x *idleArena) {
	if x.arena != nil {
		x.arena.owner.pool.retain(x)
	}
}

// defaultMaxIdle is the limit of SetMaxIdleBytes until it is called: 1,000 arenas of 32 KB.
const defaultMaxIdle = 32 << 20

// lately is the period over which demand is measured: the runtime collects at least every two minutes. A pool
// remembers one to two periods.
const lately = 2 * time.Minute

// retained has the idle arenas that the sync.Pool has dropped and the pool keeps for the next burst. It is guarded
// by the pool's lock.
type retained struct {
	arenas []retainedArena // oldest first
	bytes  uintptr         // of their chunks
	limit  uintptr         // of SetMaxIdleBytes; 0: no arena is retained

	demand  demand
	leaving int  // discarded arenas that are not collected yet
	watched bool // review will run after the next collection
}

// retainedArena is an arena and its idleArena. While the arena is retained, the idleArena does not point to it:
// its finalizer would keep the arena, and through it the pool, alive.
type retainedArena struct {
	arena *Arena
	in    *idleArena
	bytes uintptr // of its chunks when the pool began to retain it
}

// demand is the peak number of arenas in use at the same time.
type demand struct {
	now, before int // in this period and in the last one
	began       time.Time
}

// note records that n arenas were in use at the same time since the last note.
//
//go:norace
func (d *demand) note(n int, now time.Time) {
	if now.Sub(d.began) >= lately {
		d.before, d.now, d.began = d.now, 0, now
	}
	d.now = max(d.now, n)
}

// most returns the peak of the last one to two periods.
//
//go:norace
func (d *demand) most() int { return max(d.now, d.before) }

// SetMaxIdleBytes sets the most memory in bytes that the pool keeps across collections, for idle arenas and for the
// additional chunks of large requests. The default is 32 MB. SetMaxIdleBytes may be called at any time, and panics if
// bytes is negative.
//
// Within this bound a pool keeps as many idle arenas as were in use at the same time in the last two to four
// minutes. It drops the others after a collection. If the arenas exceed the bound, it drops the largest ones first.
// If bytes is 0, an arena that is idle for two collections is dropped, as by a [sync.Pool], and additional chunks are
// dropped at Put.
//
// The bound does not limit allocations, and does not apply between two collections.
func (p *ArenaPool) SetMaxIdleBytes(bytes int) {
	if bytes < 0 {
		panic("arena: " + p.name() + ".SetMaxIdleBytes: negative size " + itoa(bytes))
	}
	if p == nil {
		return
	}
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setMaxIdle(uintptr(bytes))
}

// SetCollectAfter makes the pool call [runtime.GC], in a new goroutine, when it has dropped that many bytes of
// chunks since the last collection. 0, the default, means never. SetCollectAfter panics if bytes is negative.
//
// A program that allocates almost everything from arenas rarely triggers a collection, so the memory of a burst may
// stay until the periodic collection, up to two minutes later. The cost of a collection is proportional to the live
// heap, so bytes should be a large part of it.
func (p *ArenaPool) SetCollectAfter(bytes int) {
	if bytes < 0 {
		panic("arena: " + p.name() + ".SetCollectAfter: negative size " + itoa(bytes))
	}
	if p != nil {
		p.begin()
		p.stats.CollectAfter.Store(uintptr(bytes))
	}
}

// setMaxIdle is SetMaxIdleBytes with the pool locked.
//
//go:norace
func (p *ArenaPool) setMaxIdle(bytes uintptr) {
	p.retained.limit = bytes
	if p.keys != nil {
		p.keys.setMaxIdle(bytes)
		return
	}
	p.cache.Bound(bytes)
	p.trim()
	p.cache.Age(time.Now(), p.mostCached())
}

// mostCached returns the most bytes that the cache may keep within the bound.
//
//go:norace
func (p *ArenaPool) mostCached() uintptr {
	cached, idle := p.cache.Bytes(), p.stats.Idle()
	return cached - min(cached, idle-min(idle, p.retained.limit))
}

// retain takes an arena that the sync.Pool has dropped.
//
//go:norace
func (p *ArenaPool) retain(x *idleArena) {
	p.lock()
	a := x.arena
	x.arena = nil
	if p.evicted.Load() {
		p.stats.Evicted(a.owner.stats.Held())
		a.owner.stats.leaving = true
		p.retained.leaving++
		p.unlock()
		return
	}
	runtime.SetFinalizer(x, forgotten) // here rather than in the Get that wants it quickly
	bytes := a.owner.stats.Held()
	p.retained.arenas = append(p.retained.arenas, retainedArena{a, x, bytes})
	p.retained.bytes += bytes
	p.stats.Retained.Add(bytes)
	p.trim()
	p.unlock()
}

// takeRetained returns the newest retained arena, or nil.
//
//go:norace
func (p *ArenaPool) takeRetained() (x *idleArena) {
	p.lock()
	k := &p.retained
	if last := len(k.arenas) - 1; last >= 0 {
		x = k.arenas[last].in
		x.arena = k.arenas[last].arena
		k.bytes -= k.arenas[last].bytes
		p.stats.Retained.Add(-k.arenas[last].bytes)
		k.arenas[last] = retainedArena{}
		k.arenas = k.arenas[:last]
	}
	p.unlock()
	if x != nil {
		check.RaceTake(x)
	}
	return x
}

// trim discards the largest arenas until the rest is within the limit, so that many small arenas stay instead of a
// few large ones. The pool is locked.
//
//go:norace
func (p *ArenaPool) trim() {
	k := &p.retained
	if k.limit == 0 {
		p.discard(0, len(k.arenas))
	}
	for len(k.arenas) > 0 && p.stats.Retained.Load() > k.limit {
		largest := 0
		for i := range k.arenas {
			if k.arenas[i].bytes > k.arenas[largest].bytes {
				largest = i
			}
		}
		p.discard(largest, largest+1)
	}
}

// leaving returns the number of dropped arenas that are not collected yet. The pool is locked.
//
//go:norace
func (p *ArenaPool) leaving() int { return p.retained.leaving + int(p.stats.Left.Load()) }

// discard drops the retained arenas [from, to). The pool is locked. It does not use package slices, whose functions
// the race detector sees.
//
//go:norace
func (p *ArenaPool) discard(from, to int) {
	k := &p.retained
	bytes := uintptr(0)
	for i := from; i < to; i++ {
		bytes += k.arenas[i].bytes
		k.leaving++
		k.arenas[i].arena.owner.stats.leaving = true
	}
	for i := to; i < len(k.arenas); i++ {
		k.arenas[from+i-to] = k.arenas[i]
	}
	left := len(k.arenas) - (to - from)
	for i := left; i < len(k.arenas); i++ {
		k.arenas[i] = retainedArena{}
	}
	k.arenas = k.arenas[:left]
	k.bytes -= bytes
	p.stats.Retained.Add(-bytes)
	p.stats.Evicted(bytes)
}

// awaitCollection makes review run after the next collection. The weak pointer does not keep the pool alive. The
// pool is locked.
//
//go:norace
func (p *ArenaPool) awaitCollection() {
	p.retained.watched = true
	type sentinel struct{ _ *byte } // has a pointer, so that it does not share an allocation with other objects
	runtime.AddCleanup(new(sentinel), func(pool weak.Pointer[ArenaPool]) {
		if p := pool.Value(); p != nil {
			p.review(time.Now())
			p.followEnvironment()
		}
	}, p.self)
}

// review runs after a collection. It updates the demand, and discards retained arenas that exceed it.
//
// The demand is the number of arenas that were used since the last collection. It is hardly larger than the number
// in use at the same time, because the sync.Pool returns the newest arena first. So Get and Put need not count.
//
//go:norace
func (p *ArenaPool) review(now time.Time) {
	p.stats.Collected()
	p.lock()
	more := false
	if p.keys != nil {
		more = p.keys.review(p, now)
	} else {
		more = p.reviewArenas(now)
	}
	if p.retained.watched = false; more {
		p.awaitCollection()
	}
	p.unlock()
}

// reviewArenas is review for the arenas and the cache of p, which is locked. It reports whether p has arenas or
// cached chunks.
//
//go:norace
func (p *ArenaPool) reviewArenas(now time.Time) bool {
	used := 0
	for st := p.allStats.first; st != nil; st = st.next { // all's yield would be in the race detector's sight
		if st.Abandoned.Load() {
			continue
		}
		turns := uint32(st.Generation.Load())
		if turns%2 == 1 || turns != st.seen {
			used++
		}
		st.seen = turns
	}
	k := &p.retained
	k.demand.note(used, now)
	// Arenas in use and in the sync.Pool also count.
	excess := p.allStats.len - p.leaving() - k.demand.most()
	p.discard(0, max(0, min(excess, len(k.arenas))))
	p.cache.Age(now, p.mostCached())
	return p.allStats.len > 0 || p.cache.Bytes() != 0
}
