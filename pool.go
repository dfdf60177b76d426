package arena

import (
	"runtime"
	"sync"
	"sync/atomic"
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
	hint        atomic.Uintptr // what requests use, as an automatic pool has learned

	mu       sync.Mutex
	accounts map[*account]struct{} // of the arenas that exist
	gone     PoolStats             // what arenas counted that exist no more
}

// account is what a pool knows of one of its arenas. It is an object of its
// own, so that it outlives the arena, and fills a cache line, so that
// counting on one core slows nobody on another.
type account struct {
	// turns is the number of Gets and Puts: odd while the arena is out.
	turns atomic.Uint64
	// fit is the chunk size that would hold what the arena's lives used.
	fit atomic.Uintptr
	_   [accountPad]byte
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
	return &ArenaPool{chunkSize: chunkSize, maxRetained: maxRetained, accounts: map[*account]struct{}{}}
}

// Get returns an empty arena, which is the caller's until Put.
func (p *ArenaPool) Get() *Arena {
	a, _ := p.arenas.Get().(*Arena)
	if a == nil {
		a = p.newArena()
	}
	turns := &a.owner.account.turns
	turns.Store(turns.Load() + 1)
	if checked {
		a.watch.begin()
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
		a.flatLane().fit.want = min(p.hint.Load(), p.maxRetained)
	}
	acct := new(account)
	a.owner = owner{p, acct}
	p.mu.Lock()
	p.accounts[acct] = struct{}{}
	p.gone.Misses++
	p.mu.Unlock()
	runtime.AddCleanup(a, p.close, acct)
	return a
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
	acct := a.owner.account
	if t := acct.turns.Load(); t%2 == 0 || !acct.turns.CompareAndSwap(t, t+1) {
		panic("arena: ArenaPool.Put: the arena was put twice; after Put it belongs to the pool" + a.watch.history())
	}
	if checked {
		a.watch.enter("ArenaPool.Put")
		defer a.watch.leave()
		a.watch.ended("Put")
	}
	a.empty()
	if n := a.resets; n%window == 0 || n < window && n&(n-1) == 0 {
		p.learn(a, n)
	}
	if checked {
		return // an arena that is never used again is what finds every stale use
	}
	p.arenas.Put(a)
}

// learn notes, now and then, what a's lives use: rising at once, falling
// slowly and only by what whole windows of lives used.
func (p *ArenaPool) learn(a *Arena, lives uint64) {
	flat := a.flatLane()
	fit := max(flat.cap, flat.fit.want)
	if lives < window {
		fit = fitted(flat.fit.peak) // the chunk is still the one that it was made with
	}
	before := a.owner.account.fit.Swap(fit)
	if !p.auto {
		return
	}
	// Only what the arena has not said before is news: an arena that lay idle
	// since requests were large would say it again.
	if fit > before {
		p.raise(fit)
	}
	if lives >= window {
		p.lower(fit)
	}
}

// raise moves the hint up to fit.
func (p *ArenaPool) raise(fit uintptr) {
	for hint := p.hint.Load(); fit > hint && !p.hint.CompareAndSwap(hint, fit); hint = p.hint.Load() {
	}
}

// lower moves the hint an eighth of the way down, at most to fit. Where it has
// just been moved by another goroutine that was enough: to store what follows
// from an older hint could undo many steps.
func (p *ArenaPool) lower(fit uintptr) {
	if hint := p.hint.Load(); fit < hint {
		p.hint.CompareAndSwap(hint, max(fit, hint-hint/8))
	}
}

// close settles the account of an arena that was collected.
func (p *ArenaPool) close(acct *account) {
	turns := acct.turns.Load()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.accounts, acct)
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
	if checked {
		defer ExplainFaults()
	}
	f(a)
}

// PoolStats describes a pool at one moment.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
	Arenas    int    // arenas that exist, out, idle or not yet noticed to be collected
	ChunkSize int    // bytes that a new arena starts with for values without pointers
}

// Stats returns the pool's statistics. It is safe at any time and costs a
// look at every arena of the pool; nothing is counted for it on the way of
// Get and Put but one number of each arena's own.
func (p *ArenaPool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.gone
	for acct := range p.accounts {
		turns := acct.turns.Load()
		s.Gets += (turns + 1) / 2
		s.Puts += turns / 2
	}
	s.Arenas = len(p.accounts)
	s.ChunkSize = int(p.chunkSize)
	if hint := p.hint.Load(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}
