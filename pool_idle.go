package arena

import (
	"runtime"
	"time"
	"weak"

	"github.com/ebbpool/arena/internal/check"
)

// idleArena holds an arena while it is in the pool. The sync.Pool gets it in place of
// the arena, so that a finalizer runs when a collection has emptied the sync.Pool: then
// nobody has the arena, and the pool may retain it. That costs Get and Put four words
// written.
//
//	out:   Arena -> idleArena         (which is empty)
//	idle:  sync.Pool -> idleArena -> Arena
//
// Never do both point to each other: the collector leaves a circle with a
// finalizer alone, and a leaked arena would be one.
type idleArena struct{ arena *Arena }

// takeOut returns the arena, which is out from now on.
func (x *idleArena) takeOut() *Arena {
	a := x.arena
	a.owner.idle, x.arena = x, nil
	return a
}

// forgotten is the finalizer of x: neither the sync.Pool has it, nor an arena that is
// out. If x is empty the arena was lost, and the arena's own cleanup counts that.
//
//go:norace
func forgotten(x *idleArena) {
	if x.arena != nil {
		x.arena.owner.pool.retain(x)
	}
}

// defaultMaxIdle bounds the idle arenas of a pool, in bytes, until SetMaxIdleBytes is
// called: 1,000 arenas of 32 KB, and little beside the heap of a program that needs so
// many at once.
const defaultMaxIdle = 32 << 20

// lately is the period of demand. A pool remembers one to two of them. Go collects at
// least every two minutes.
const lately = 2 * time.Minute

// retained has the idle arenas that the sync.Pool has dropped and the pool retains,
// under the pool's lock. The next burst finds them warm; without them each request
// after two collections would begin cold.
type retained struct {
	arenas []retainedArena // the oldest first
	bytes  uintptr         // of their chunks
	limit  uintptr         // most of them; 0: none is retained

	demand  demand
	leaving int  // arenas that were discarded and that the collector has not taken yet
	watched bool // review runs after the next collection
}

// retainedArena is an arena and the idleArena that will hold it when the sync.Pool has
// it again. That must not lead to the arena before, which leads to the pool, or its
// finalizer would keep a pool alive that nobody else has.
type retainedArena struct {
	arena *Arena
	in    *idleArena
	bytes uintptr // of its chunks, as they were when the pool began to retain it
}

// demand records how many arenas were out at the same time lately.
type demand struct {
	now, before int // at most, in this period and in the last
	began       time.Time
}

// note records that n arenas were out at one time since the last note.
//
//go:norace
func (d *demand) note(n int, now time.Time) {
	if now.Sub(d.began) >= lately {
		d.before, d.now, d.began = d.now, 0, now
	}
	d.now = max(d.now, n)
}

// most returns how many arenas are worth having.
//
//go:norace
func (d *demand) most() int { return max(d.now, d.before) }

// SetMaxIdleBytes bounds the memory that the pool keeps for the next burst: over
// collections idle arenas, and the chunks for large requests, may have at most bytes
// bytes together, 32 MB unless SetMaxIdleBytes says otherwise. 0 keeps none, and an arena
// that lies idle for two collections is gone, as from a sync.Pool; what a request needs beyond
// most others then goes to the collector. A negative number panics.
//
// Within that bound a pool keeps as many arenas as were out at the same time
// in the last two to four minutes. The others go at the collection that
// follows; so does the largest one, and the next, where the bound is too small.
// SetMaxIdleBytes may be called at any time. It is not a limit: idle arenas count
// towards none, and what is used between two collections is not bounded by it.
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

// SetCollectAfter makes the pool call [runtime.GC], in a goroutine of its own, when it has left
// that many bytes of chunks to the collector since the last collection. 0, the default, means never.
// A negative number panics.
//
// A program that allocates almost everything from arenas rarely triggers a collection, so the memory
// of a burst may stay until the periodic one, up to two minutes later. A collection costs time in
// proportion to the live heap: bytes should be a good part of it. A nil pool ignores the call.
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

// takeRetained returns an arena that was retained, nil if there is none.
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

// trim discards the largest arenas until the others are within the limit: so many
// small ones stay, rather than the few that one large request each left. The pool is
// locked.
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

// leaving returns how many arenas the pool has let go of that the collector has not taken
// yet. The pool is locked.
//
//go:norace
func (p *ArenaPool) leaving() int { return p.retained.leaving + int(p.stats.Left.Load()) }

// discard leaves retained arenas to the collector. The pool is locked. (Package slices
// would move them in the race detector's sight.)
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

// awaitCollection makes review run after the next collection. The cleanup must not
// keep the pool alive: hence the weak pointer. The pool is locked.
//
//go:norace
func (p *ArenaPool) awaitCollection() {
	p.retained.watched = true
	type sentinel struct{ _ *byte } // with a pointer, so that it is an allocation of its own
	runtime.AddCleanup(new(sentinel), func(pool weak.Pointer[ArenaPool]) {
		if p := pool.Value(); p != nil {
			p.review(time.Now())
			p.followEnvironment()
		}
	}, p.self)
}

// review counts, after a collection, the arenas used since the last one, and discards
// those that are retained beyond the demand.
//
// Arenas that were used between two collections are at least as many as were
// out at once, and hardly more: which arena is used again is the one that came
// back last. Counting them asks nothing of Get and Put.
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

// reviewArenas is review for the arenas and the cache of p, which is locked. It reports whether there
// are any.
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
	// What is out or in the sync.Pool counts, too.
	excess := p.allStats.len - p.leaving() - k.demand.most()
	p.discard(0, max(0, min(excess, len(k.arenas))))
	p.cache.Age(now, p.mostCached())
	return p.allStats.len > 0 || p.cache.Bytes() != 0
}
