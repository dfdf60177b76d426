package arena

import (
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/machine"
)

// ArenaPool keeps emptied arenas for reuse, as a sync.Pool does, and like one
// is safe for any number of goroutines: Get takes an arena for one request,
// Put gives it back.
//
// Unlike a sync.Pool it stays warm: of the arenas that lie idle over collections
// it keeps as many as were out at the same time in the last two to four minutes,
// within 32 MB or what SetMaxIdleBytes says, and leaves the others to the collector.
//
// An idle arena keeps one chunk for each type, sized for three of four requests. Chunks that larger
// requests need belong to the pool, which drops those that about 2,500 requests, or all requests
// of about 90 seconds, did not use; see [ArenaPool.SetMaxIdleBytes].
//
// A pool is for many short cycles with a clear end. A program with one long
// cycle, or one goroutine, needs only an Arena.
//
// An ArenaPool must not be copied. The zero ArenaPool is one of NewAutoPool(0). A nil pool
// returns nil arenas, which allocate from the heap; its setters only check their arguments.
type ArenaPool struct {
	arenas      sync.Pool              // of *idleArena
	config      atomic.Pointer[config] // nil if Get has nothing to apply
	evicted     atomic.Bool            // the pool of a key that a KeyedPool has evicted: Put drops the arena
	auto        bool
	chunkSize   uintptr
	maxRetained uintptr
	sizeHint    machine.SizeHint // learned by an automatic pool

	self weak.Pointer[ArenaPool] // for cleanups: what they hold on to lives as long as they wait
	made atomic.Bool             // whether begin has run

	mu       sync.Mutex
	retained retained
	allStats statsList        // of the arenas that exist
	gone     PoolStats        // what arenas counted that exist no more
	leaks    map[stack]uint64 // where arenas came from that were leaked

	highWater highWater
	noArena   atomic.Uint64 // PoolStats.NoArena

	stats    *machine.PoolStats // shared by the keys of a KeyedPool
	cache    *machine.Cache
	isolated *machine.Detached // what its arenas leave behind that isolate their cycles

	base *ArenaPool // of the pool of a key: the KeyedPool's, which has the settings
	keys *keyRing   // of the base of a KeyedPool

	listed bool // in the ring's list of evicted keys, under the base's lock
}

// owner ties an arena to its pool.
type owner struct {
	pool  *ArenaPool
	stats *arenaStats
	idle  *idleArena  // what the arena lay in; nil while it lies there
	batch *arenaBatch // of an isolated arena
}

// autoChunk is the chunk size that an automatic pool starts with, a page.
const autoChunk = 4 << 10

// autoRetained is how much an arena of an automatic pool keeps at most if the
// caller doesn't say: 10 chunks of the size that suits most requests.
const autoRetained = 640 << 10

// NewArenaPool returns a pool of arenas that are made, and panic, as
// NewArena(chunkSize, maxRetained) does.
func NewArenaPool(chunkSize, maxRetained int) *ArenaPool {
	size, retained := checkSizes("NewArenaPool", chunkSize, maxRetained)
	return newPool(size, retained)
}

// NewAutoPool returns a pool that learns the chunk size from what requests
// really use: new arenas begin with a chunk that the values without pointers and
// the texts of three of four requests fit in; a single request, however large,
// doubles it at most. (Types with pointers begin small in each new
// arena, and fit after its first cycle.) maxRetained
// is in bytes, for each arena; maxRetained <= 0 means 640 KB.
func NewAutoPool(maxRetained int) *ArenaPool {
	if maxRetained <= 0 {
		maxRetained = autoRetained
	}
	p := newPool(autoChunk, uintptr(maxRetained))
	p.auto = true
	return p
}

func newPool(chunkSize, maxRetained uintptr) *ArenaPool {
	p := &ArenaPool{chunkSize: chunkSize, maxRetained: maxRetained}
	p.begin()
	return p
}

// begin completes a pool before its first arena and before what depends on its
// settings: the zero ArenaPool comes to be one of NewAutoPool(0) here.
//
//go:norace
func (p *ArenaPool) begin() {
	if p.made.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made.Load() {
		return
	}
	if p.chunkSize == 0 {
		p.chunkSize, p.maxRetained, p.auto = autoChunk, autoRetained, true
	}
	p.self = weak.Make(p)
	p.retained.limit = defaultMaxIdle
	p.stats, p.isolated = new(machine.PoolStats), new(machine.Detached)
	p.cache = &p.stats.Cache
	p.cache.Init(p.stats, defaultMaxIdle)
	p.isolated.Init(p.chunkSize, p.maxRetained)
	p.made.Store(true)
}

// Get returns an empty arena, which is the caller's until Put. It returns nil if p is nil.
// While pools are disabled, the arena takes each value from the heap; see [SetEnabled].
func (p *ArenaPool) Get() *Arena {
	if p == nil {
		return nil
	}
	if c := p.config.Load(); c != nil || modes.Load() != 0 {
		return p.checkout(c)
	}
	return p.take()
}

// take returns an idle arena, or a new one.
func (p *ArenaPool) take() *Arena {
	x, _ := p.arenas.Get().(*idleArena)
	if x == nil {
		x = p.miss()
	}
	a := x.takeOut()
	a.owner.stats.Take()
	if check.On {
		a.region.Watch.Begin()
	}
	return a
}

// miss returns an arena where the sync.Pool has none.
func (p *ArenaPool) miss() *idleArena {
	if x := p.takeRetained(); x != nil {
		return x
	}
	x := &idleArena{arena: p.newArena()}
	runtime.SetFinalizer(x, forgotten) // which runs once the sync.Pool has dropped x
	return x
}

// newArena makes an arena whose account the pool closes when it is collected.
func (p *ArenaPool) newArena() *Arena {
	p.begin()
	a := newArena(p.chunkSize, p.maxRetained)
	if p.auto {
		a.region.Noscan.Expect(min(p.sizeHint.Size(), p.maxRetained))
	}
	a.region.ShareCache(p.cache)
	a.owner = owner{pool: p, stats: new(arenaStats)}
	a.quota().Share(p.stats, &a.owner.stats.ArenaStats)
	p.enlist(a.owner.stats)
	p.guard(a)
	if p.evicted.Load() {
		p.base.keys.keep(p.base, p)
	}
	return a
}

// guard registers the cleanup that closes a's account.
func (p *ArenaPool) guard(a *Arena) {
	a.region.Watch.Guard(runtime.AddCleanup(a, ended, end{p.self, a.owner.stats, false}))
}

// Put empties a, as Reset does, and keeps it for a later Get. Nothing from it
// may be used after that. Put(nil) does nothing.
//
// Putting an arena twice, or one that is not from this pool, panics and
// changes nothing. A second Put that comes when the arena is already out
// again looks like the new owner's own: it can't be told from it.
func (p *ArenaPool) Put(a *Arena) {
	if a == nil {
		return
	}
	if a.owner.pool != p {
		a.panicForeign("ArenaPool")
	}
	if check.On {
		a.region.Watch.Occupy("ArenaPool.Put")
		defer a.region.Leave()
		a.region.CheckFree()
	}
	if a.forks != nil {
		a.checkForks(0, "ArenaPool.Put")
	}
	st := a.owner.stats
	if t := st.Generation.Load(); t%2 == 0 || !st.Generation.CompareAndSwap(t, t+1) {
		panic("arena: " + p.name() + ".Put: arena was put twice" + a.region.Watch.History())
	}
	check.RaceUse(&a.region.Watch) // not before: that it was put twice at once is told by a panic
	if check.On {
		a.region.Watch.Ended("Put")
	}
	if p.auto && machine.Sampled(a.region.Resets()+1) {
		p.learn(a)
	}
	switch st.kind {
	case plain:
		p.endPlain(a)
	case isolated:
		p.endIsolated(a)
	case guarded:
		p.endGuarded(a)
	case onHeap:
		p.endHeap(a)
	}
}

// panicForeign panics with the reason why a pool of the named type can't take a.
func (a *Arena) panicForeign(pool string) {
	fault := "arena is from another pool"
	switch {
	case a.forks != nil && a.forks.parent != nil:
		fault = "arena is a fork"
	case a.owner.pool == nil:
		fault = "arena is not from a pool"
	}
	panic("arena: " + pool + ".Put: " + fault)
}

// name returns the name of the type that the program sees.
func (p *ArenaPool) name() string {
	if p != nil && (p.base != nil || p.keys != nil) {
		return "KeyedPool"
	}
	return "ArenaPool"
}

// settings returns the pool that has the settings and counts requests.
func (p *ArenaPool) settings() *ArenaPool {
	if p != nil && p.base != nil {
		return p.base
	}
	return p
}

// learn samples the size of the cycle that a's Put is about to end.
func (p *ArenaPool) learn(a *Arena) {
	// A cycle that used nothing of the noscan allocator says nothing about its size.
	if used := a.region.Noscan.PeakBytes(); used != 0 {
		p.sizeHint.Add(used, p.chunkSize)
	}
}

// end is the argument of an arena's cleanup: it keeps neither arena nor pool alive.
type end struct {
	pool weak.Pointer[ArenaPool]
	*arenaStats
	moved bool
}

// ended is the cleanup of an arena: it closes the account.
func ended(e end) {
	if e.moves.Load() != e.moved {
		return // an arena that was left behind: another one has the account
	}
	s := e.sample.Swap(nil)
	if s != nil {
		s.end()
	}
	e.restoreFaults()
	if p := e.pool.Value(); p != nil {
		p.close(e.arenaStats)
		if s != nil && !e.arenaStats.Abandoned.Load() {
			p.leaked(s)
		}
	}
}

// close removes the account of an arena that was collected.
func (p *ArenaPool) close(st *arenaStats) {
	turns := st.Generation.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allStats.remove(st)
	if st.leaving {
		p.retained.leaving--
	}
	st.Close(p.stats)
	p.gone.Gets += (turns + 1) / 2
	p.gone.Puts += turns / 2
	p.gone.Forks += st.Forks.Load()
	p.gone.addUsed(&st.used)
	if !st.Abandoned.Load() {
		p.gone.Leaked += turns % 2
	}
}

// Do calls f with an arena and puts it back when f returns or panics. f must
// not put it back itself, nor keep anything from it.
func (p *ArenaPool) Do(f func(*Arena)) {
	a := p.Get()
	defer p.Put(a)
	if check.On || guard.Sampled.Load() {
		defer ExplainFaults()
	}
	f(a)
}
