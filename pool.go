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

// An ArenaPool is a set of empty arenas for reuse. Get returns an arena for one request, and Put
// gives it back.
//
// An ArenaPool is safe for use by multiple goroutines simultaneously. It must not be copied after first
// use. The zero ArenaPool is equivalent to NewAutoPool(0). A nil pool returns nil arenas, which allocate
// from the heap; its setters only check their arguments.
//
// Use a pool for many short cycles that have a clear end. A program with one long cycle, or with one
// goroutine, needs only an Arena.
//
// Unlike a [sync.Pool], an ArenaPool keeps idle arenas across garbage collections: up to the peak number in
// use during the last two to four minutes, and up to the bytes of [ArenaPool.SetMaxIdleBytes]. An idle arena
// keeps one chunk for each type, sized for the 75th percentile of requests. The pool keeps the additional
// chunks of larger requests. It drops a chunk that about 2,500 requests, or about 90 seconds, did not use.
type ArenaPool struct {
	arenas      sync.Pool              // of *idleArena
	config      atomic.Pointer[config] // nil if Get has nothing to apply
	evicted     atomic.Bool            // set if a KeyedPool evicted the key of this pool: Put drops the arena
	auto        bool
	chunkSize   uintptr
	maxRetained uintptr
	sizeHint    machine.SizeHint // of an automatic pool

	self weak.Pointer[ArenaPool] // for cleanups, which must not keep the pool alive
	made atomic.Bool             // set by begin

	mu       sync.Mutex
	retained retained
	allStats statsList        // of existing arenas
	gone     PoolStats        // sums of the statistics of collected arenas
	leaks    map[stack]uint64 // number of leaked arenas, by stack of the Get

	highWater highWater
	noArena   atomic.Uint64 // PoolStats.NoArena

	stats    *machine.PoolStats // shared by the keys of a KeyedPool
	cache    *machine.Cache
	isolated *machine.Detached // shared by arenas that were put back under isolation

	base *ArenaPool // in the pool of a key, the pool of the KeyedPool, which has the settings
	keys *keyRing   // in the base pool of a KeyedPool

	listed bool // in the ring's list of evicted keys; guarded by the base's lock
}

// owner links an arena to its pool.
type owner struct {
	pool  *ArenaPool
	stats *arenaStats
	idle  *idleArena  // the holder of the arena while it was idle; nil while it is idle
	batch *arenaBatch // of an isolated arena
}

// autoChunk is the initial chunk size of an automatic pool.
const autoChunk = 4 << 10

// autoRetained is the default maxRetained of an automatic pool.
const autoRetained = 640 << 10

// NewArenaPool returns a pool whose arenas have the sizes of NewArena(chunkSize, maxRetained). It panics
// if NewArena would.
func NewArenaPool(chunkSize, maxRetained int) *ArenaPool {
	size, retained := checkSizes("NewArenaPool", chunkSize, maxRetained)
	return newPool(size, retained)
}

// NewAutoPool returns a pool that learns the chunk size of new arenas from its requests. maxRetained is the
// most bytes of chunks that each idle arena keeps; if maxRetained <= 0, it is 640 KB.
//
// The chunk size is the 75th percentile of the bytes that requests use for strings and other values without
// pointers. One request at most doubles it. Types with pointers begin with small chunks in each new arena.
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

// begin initializes a pool before its first use. The zero ArenaPool gets the settings of NewAutoPool(0).
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

// Get returns an empty arena, which belongs to the caller until Put. It returns nil if p is nil.
// While pools are disabled, the arena allocates each value from the heap; see [SetEnabled].
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

// miss is the slow path of take, for an empty sync.Pool.
func (p *ArenaPool) miss() *idleArena {
	if x := p.takeRetained(); x != nil {
		return x
	}
	x := &idleArena{arena: p.newArena()}
	runtime.SetFinalizer(x, forgotten) // which runs once the sync.Pool has dropped x
	return x
}

// newArena returns a new arena. The pool removes its statistics when it is collected.
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

// guard registers the cleanup that runs when a is collected.
func (p *ArenaPool) guard(a *Arena) {
	a.region.Watch.Guard(runtime.AddCleanup(a, ended, end{p.self, a.owner.stats, false}))
}

// Put empties a, as Reset does, and keeps it for a later Get. Values that were allocated from a must not
// be used after Put. Put(nil) does nothing.
//
// Put panics and changes nothing if a was put already, or is not from this pool. It cannot detect a second
// Put that runs after another Get returned the same arena.
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
	check.RaceUse(&a.region.Watch) // after the panic, which reports two Puts at the same time
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

// panicForeign panics because a is not from this pool.
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

// name returns the name of the exported type, for messages.
func (p *ArenaPool) name() string {
	if p != nil && (p.base != nil || p.keys != nil) {
		return "KeyedPool"
	}
	return "ArenaPool"
}

// settings returns the pool that has the settings of p: the base of a KeyedPool, or p.
func (p *ArenaPool) settings() *ArenaPool {
	if p != nil && p.base != nil {
		return p.base
	}
	return p
}

// learn adds the cycle that Put is ending to the size hint.
func (p *ArenaPool) learn(a *Arena) {
	// Cycles without noscan values must not lower the hint.
	if used := a.region.Noscan.PeakBytes(); used != 0 {
		p.sizeHint.Add(used, p.chunkSize)
	}
}

// end is the argument of an arena's cleanup. It keeps neither the arena nor the pool alive.
type end struct {
	pool weak.Pointer[ArenaPool]
	*arenaStats
	moved bool
}

// ended is the cleanup of an arena.
func ended(e end) {
	if e.moves.Load() != e.moved {
		return // another arena has the statistics; see replace
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

// close adds the statistics of a collected arena to p.gone.
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

// Do calls f with an arena and puts it back when f returns or panics. f must not put the arena back
// itself, and must not keep values that were allocated from it.
func (p *ArenaPool) Do(f func(*Arena)) {
	a := p.Get()
	defer p.Put(a)
	if check.On || guard.Sampled.Load() {
		defer ExplainFaults()
	}
	f(a)
}
