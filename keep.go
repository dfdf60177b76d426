package arena

import (
	"math"
	"runtime"
	"time"
	"weak"

	"github.com/ebbpool/arena/internal/check"
)

// idleArena is what an arena lies in while it is in the pool. The sync.Pool
// gets this in place of the arena, so that a finalizer can say when a
// collection has emptied the sync.Pool: then it is nobody's, and the pool may
// keep it. Nothing is paid for that at Get and Put but four words written.
//
//	out:   Arena -> idleArena         (which is empty)
//	idle:  sync.Pool -> idleArena -> Arena
//
// Never do both point to each other: the collector leaves a circle with a
// finalizer alone, and a leaked arena would be one.
type idleArena struct{ arena *Arena }

// newIdle returns a's idleArena, in which it lies.
func newIdle(a *Arena) *idleArena {
	x := &idleArena{arena: a}
	x.arm()
	return x
}

// arm has the pool hear of it when only the sync.Pool had x and forgot it.
func (x *idleArena) arm() { runtime.SetFinalizer(x, forgotten) }

// takeOut returns the arena, which is out from here on.
func (x *idleArena) takeOut() *Arena {
	a := x.arena
	a.owner.idle, x.arena = x, nil
	return a
}

// forgotten runs when a collection found x in no place: not in the sync.Pool,
// which forgot it, nor in an arena that is out. If x is empty it was the arena
// that was lost, and the arena's own cleanup sees to that.
//
//go:norace
func forgotten(x *idleArena) {
	if x.arena != nil {
		x.arena.owner.pool.keep(x)
	}
}

// keepIdle is how many bytes of idle arenas a pool keeps over collections if
// it was not told: 1,000 arenas of 32 KB, and little beside the heap of a
// program that needs so many at once.
const keepIdle = 32 << 20

// lately is for how long, once to twice, a pool remembers how many arenas were
// out at the same time. Go collects at least every two minutes.
const lately = 2 * time.Minute

// kept are the idle arenas that the sync.Pool has forgotten and the pool has
// not, under the pool's lock. What a pool keeps is what the next burst finds
// warm; without it each request after two collections would begin cold.
type kept struct {
	arenas []keptArena // the longest kept first
	bytes  uintptr     // of their chunks
	limit  uintptr     // most of them; 0: nothing is kept

	demand  demand
	leaving int  // arenas that were let go of and that the collector has not taken yet
	watched bool // review runs after the next collection
}

// keptArena is an arena that is kept, and what it will lie in when the sync.Pool
// has it again: that must not lead to the arena before, which leads to the pool,
// or its finalizer would keep a pool alive that nobody else has.
type keptArena struct {
	arena *Arena
	in    *idleArena
	bytes uintptr // of its chunks, as they were when the pool began to keep it
}

// demand is how many arenas were out at the same time lately.
type demand struct {
	now, before int // at most, in this period and in the last
	began       time.Time
}

// note says that at one time n arenas were out, since note was last called.
//
//go:norace
func (d *demand) note(n int, now time.Time) {
	if now.Sub(d.began) >= lately {
		d.before, d.now, d.began = d.now, 0, now
	}
	d.now = max(d.now, n)
}

// most is how many arenas are worth having.
//
//go:norace
func (d *demand) most() int { return max(d.now, d.before) }

// SetMaxIdleBytes bounds the memory that the pool keeps for the next burst: over
// collections idle arenas may have at most bytes bytes of chunks together, 32
// MB unless SetMaxIdleBytes says otherwise. 0 keeps none, and an arena that lies idle
// for two collections is gone, as from a sync.Pool; a negative number panics.
//
// Within that bound a pool keeps as many arenas as were out at the same time
// in the last two to four minutes. The others go at the collection that
// follows; so does the largest one, and the next, where the bound is too small.
// SetMaxIdleBytes may be called at any time. It is not a limit: idle arenas count
// towards none, and what is used between two collections is not bounded by it.
func (p *ArenaPool) SetMaxIdleBytes(bytes int) {
	if bytes < 0 {
		panic("arena: ArenaPool.SetMaxIdleBytes: " + itoa(bytes) + " bytes; keep from 1 to " + itoa(math.MaxInt) + " bytes, or 0 for nothing")
	}
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.setKeep(uintptr(bytes))
}

// setKeep is SetMaxIdleBytes. The pool is locked.
//
//go:norace
func (p *ArenaPool) setKeep(bytes uintptr) {
	p.kept.limit = bytes
	p.fit()
}

// keep takes what the sync.Pool forgot.
//
//go:norace
func (p *ArenaPool) keep(x *idleArena) {
	check.RaceBlind()
	p.mu.Lock()
	a := x.arena
	x.arena = nil
	x.arm() // here rather than in the Get that wants it quickly
	bytes := a.owner.account.Held()
	p.kept.arenas = append(p.kept.arenas, keptArena{a, x, bytes})
	p.kept.bytes += bytes
	p.fit()
	p.mu.Unlock()
	check.RaceSee()
}

// takeKept returns an arena that was kept, nil if there is none.
//
//go:norace
func (p *ArenaPool) takeKept() (x *idleArena) {
	check.RaceBlind()
	p.mu.Lock()
	k := &p.kept
	if last := len(k.arenas) - 1; last >= 0 {
		x = k.arenas[last].in
		x.arena = k.arenas[last].arena
		k.bytes -= k.arenas[last].bytes
		k.arenas[last] = keptArena{}
		k.arenas = k.arenas[:last]
	}
	p.mu.Unlock()
	check.RaceSee()
	if x != nil {
		check.RaceTake(x)
	}
	return x
}

// fit lets go of the largest arenas until the others are within the limit: so
// many small ones stay, rather than the few that one large request each left.
// The pool is locked.
//
//go:norace
func (p *ArenaPool) fit() {
	k := &p.kept
	if k.limit == 0 {
		p.letGo(0, len(k.arenas))
	}
	for len(k.arenas) > 0 && k.bytes > k.limit {
		largest := 0
		for i := range k.arenas {
			if k.arenas[i].bytes > k.arenas[largest].bytes {
				largest = i
			}
		}
		p.letGo(largest, largest+1)
	}
}

// letGo leaves kept arenas to the collector. The pool is locked. (Package
// slices would move them in the race detector's sight.)
//
//go:norace
func (p *ArenaPool) letGo(from, to int) {
	k := &p.kept
	for i := from; i < to; i++ {
		k.bytes -= k.arenas[i].bytes
		k.leaving++
		k.arenas[i].arena.owner.account.leaving = true
	}
	for i := to; i < len(k.arenas); i++ {
		k.arenas[from+i-to] = k.arenas[i]
	}
	left := len(k.arenas) - (to - from)
	for i := left; i < len(k.arenas); i++ {
		k.arenas[i] = keptArena{}
	}
	k.arenas = k.arenas[:left]
}

// awaitCollection has review run after the next collection. The cleanup must
// not keep the pool alive, which nobody may want any more: hence a weak
// pointer. The pool is locked.
//
//go:norace
func (p *ArenaPool) awaitCollection() {
	p.kept.watched = true
	type sentinel struct{ _ *byte } // with a pointer, so that it is an allocation of its own
	runtime.AddCleanup(new(sentinel), func(pool weak.Pointer[ArenaPool]) {
		if p := pool.Value(); p != nil {
			p.review(time.Now())
		}
	}, p.self)
}

// review looks, after a collection, at how many arenas were used since the last
// one, and lets go of those that are kept beyond what was needed lately.
//
// Arenas that were used between two collections are at least as many as were
// out at once, and hardly more: which arena is used again is the one that came
// back last. Counting them asks nothing of Get and Put.
//
//go:norace
func (p *ArenaPool) review(now time.Time) {
	check.RaceBlind()
	p.mu.Lock()
	used := 0
	for acct := p.accounts.first; acct != nil; acct = acct.next { // all's yield would be in the race detector's sight
		if acct.abandoned {
			continue
		}
		turns := uint32(acct.Turns.Load())
		if turns%2 == 1 || turns != acct.seen {
			used++
		}
		acct.seen = turns
	}
	k := &p.kept
	k.demand.note(used, now)
	// What is out or in the sync.Pool counts, too.
	excess := p.accounts.len - k.leaving - k.demand.most()
	p.letGo(0, max(0, min(excess, len(k.arenas))))
	if k.watched = false; p.accounts.len > 0 {
		p.awaitCollection()
	}
	p.mu.Unlock()
	check.RaceSee()
}
