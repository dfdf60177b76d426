package arena

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// ArenaPool keeps emptied arenas for reuse, as a sync.Pool does, and like one
// is safe for any number of goroutines: Get takes an arena for one request,
// Put gives it back. Arenas that lie idle for two collections go to the
// collector.
//
// A pool is for many short lives with a clear end. A program with one long
// life, or one goroutine, needs only an Arena.
//
// An ArenaPool must not be copied. The zero ArenaPool is not usable: get one
// from NewArenaPool or NewAutoPool.
type ArenaPool struct {
	arenas      sync.Pool // of *Arena
	chunkSize   uintptr
	maxRetained uintptr
	auto        bool
	controls    atomic.Pointer[controls] // nil where Get has nothing to look after
	hint        atomic.Uintptr           // what requests use, as an automatic pool has learned

	mu       sync.Mutex
	accounts accountList      // of the arenas that exist
	gone     PoolStats        // what arenas counted that exist no more
	leaks    map[stack]uint64 // where arenas came from that were leaked

	tally machine.Tally
}

// owner ties an arena to its pool.
type owner struct {
	pool    *ArenaPool
	account *account
}

// autoChunk is the chunk size that an automatic pool starts with, a page.
const autoChunk = 4 << 10

// autoRetained is what an arena of an automatic pool keeps at most if the
// caller doesn't say: 10 chunks of the size that suits most requests.
const autoRetained = 640 << 10

// NewArenaPool returns a pool of arenas that are made, and panic, as
// NewArena(chunkSize, maxRetained) does.
func NewArenaPool(chunkSize, maxRetained int) *ArenaPool {
	size, retained := checkSizes("NewArenaPool", chunkSize, maxRetained)
	return newPool(size, retained)
}

// NewAutoPool returns a pool that learns the chunk size from what requests
// really use: new arenas begin with a chunk for a usual request's values
// without pointers and texts. (Types with pointers begin small in each new
// arena, and fit after its first life.) maxRetained
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
	return &ArenaPool{chunkSize: chunkSize, maxRetained: maxRetained}
}

// Get returns an empty arena, which is the caller's until Put.
func (p *ArenaPool) Get() *Arena {
	a, _ := p.arenas.Get().(*Arena)
	if a == nil {
		a = p.newArena()
	}
	turns := &a.owner.account.turns
	turns.Store(turns.Load() + 1)
	if check.On {
		a.region.Watch.Begin()
	}
	if c := p.controls.Load(); c != nil {
		c.started(p, a)
	}
	return a
}

// newArena makes an arena that the pool will notice the end of.
func (p *ArenaPool) newArena() *Arena {
	if p.chunkSize == 0 {
		panic("arena: ArenaPool.Get: the zero ArenaPool is not usable; use NewArenaPool or NewAutoPool")
	}
	a := newArena(p.chunkSize, p.maxRetained)
	if p.auto {
		a.region.FlatLane().Expect(min(p.hint.Load(), p.maxRetained))
	}
	a.owner = owner{p, new(account)}
	a.metered().Share(&p.tally, &a.owner.account.Account)
	p.enlist(a.owner.account)
	p.guard(a)
	return a
}

// guard has the pool notice a's end.
func (p *ArenaPool) guard(a *Arena) {
	a.region.Watch.Guard(runtime.AddCleanup(a, p.close, a.owner.account))
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
		if a.owner.pool == nil {
			panic("arena: ArenaPool.Put: the arena is not from a pool; use Reset or Release")
		}
		panic("arena: ArenaPool.Put: the arena is from another pool; put it in the pool that Get took it from")
	}
	if check.On {
		a.region.Watch.Occupy("ArenaPool.Put")
		defer a.leave()
		a.region.CheckFree()
	}
	acct := a.owner.account
	if t := acct.turns.Load(); t%2 == 0 || !acct.turns.CompareAndSwap(t, t+1) {
		panic("arena: ArenaPool.Put: the arena was put twice; after Put it belongs to the pool" + a.region.Watch.History())
	}
	check.RaceUse(&a.region.Watch) // not before: that it was put twice at once is told by a panic
	if check.On {
		a.region.Watch.Ended("Put")
	}
	a.region.Empty()
	if acct.Unsettled {
		p.settle(a)
	}
	if n := a.region.Resets(); n%machine.Window == 0 || n < machine.Window && n&(n-1) == 0 {
		p.learn(a, n)
	}
	if check.On {
		// An arena that is never used again is what finds every stale use.
		if a = a.successor(); a == nil {
			return
		}
	}
	p.arenas.Put(a)
}

// learn notes, now and then, what a's lives use: rising at once, falling
// slowly and only by what whole windows of lives used.
func (p *ArenaPool) learn(a *Arena, lives uint64) {
	fit := a.region.FlatLane().Fit(lives >= machine.Window)
	before := a.owner.account.fit.Swap(fit)
	if !p.auto {
		return
	}
	// Only what the arena has not said before is news: an arena that lay idle
	// since requests were large would say it again.
	if fit > before {
		machine.Raise(&p.hint, fit)
	}
	if lives >= machine.Window {
		p.lower(fit)
	}
}

// lower moves the hint an eighth of the way down, at most to fit. Where it has
// just been moved by another goroutine that was enough: to store what follows
// from an older hint could undo many steps.
func (p *ArenaPool) lower(fit uintptr) {
	check.RaceBlind()
	if hint := p.hint.Load(); fit < hint {
		p.hint.CompareAndSwap(hint, max(fit, hint-hint/8))
	}
	check.RaceSee()
}

// close settles the account of an arena that was collected.
func (p *ArenaPool) close(acct *account) {
	turns := acct.turns.Load()
	s := acct.sample.Swap(nil)
	if s != nil {
		s.end()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accounts.remove(acct)
	acct.Close(&p.tally)
	if s != nil {
		p.leaked(s)
	}
	p.gone.Gets += (turns + 1) / 2
	p.gone.Puts += turns / 2
	p.gone.Leaked += turns % 2
	if p.auto && turns/2 > 0 {
		// Where the collector takes arenas before their window is full, this is
		// what lowers the hint. It must not rise again: what the arena used was
		// news when it was put, and may be long past.
		p.lower(acct.fit.Load())
	}
}

// Do calls f with an arena and puts it back when f returns or panics. f must
// not put it back itself, nor keep anything from it.
func (p *ArenaPool) Do(f func(*Arena)) {
	a := p.Get()
	defer p.Put(a)
	if check.On {
		defer ExplainFaults()
	}
	f(a)
}
