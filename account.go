package arena

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// account is a pool's record of one of its arenas and its forks. It is an object of its
// own, so that it outlives the arena, and fills a cache line, so that counters of two
// cores never share one.
type account struct {
	machine.Account // its Gets and Puts, and the bytes of its chunks
	// sample is the stack of the Get of the arena that is out, if it was taken.
	sample atomic.Pointer[sample]

	_ [accountPad]byte

	prev, next *account // in the pool's list

	// seen is what Turns was after the last collection, the lower half.
	seen uint32
	// leaving says that the pool let go of the arena, abandoned that it did while the
	// arena was out.
	leaving, abandoned bool
}

// accountList is a list of accounts, under its pool's lock. What it holds on to
// is the pool's, so the race detector learns nothing from it, see check.RaceBlind.
type accountList struct {
	first *account
	len   int
}

//go:norace
func (l *accountList) add(acct *account) {
	if acct.next = l.first; acct.next != nil {
		acct.next.prev = acct
	}
	l.first = acct
	l.len++
}

//go:norace
func (l *accountList) remove(acct *account) {
	if acct.prev == nil {
		l.first = acct.next
	} else {
		acct.prev.next = acct.next
	}
	if acct.next != nil {
		acct.next.prev = acct.prev
	}
	acct.prev, acct.next = nil, nil
	l.len--
}

//go:norace
func (l *accountList) all(yield func(*account) bool) {
	for acct := l.first; acct != nil && yield(acct); acct = acct.next {
	}
}

// enlist notes the account of a new arena.
//
//go:norace
func (p *ArenaPool) enlist(acct *account) {
	check.RaceBlind()
	p.mu.Lock()
	p.accounts.add(acct)
	p.gone.Misses++
	// All others are out, or where this Get could not reach them: with this one
	// it would have been served.
	p.retained.demand.now = max(p.retained.demand.now, p.accounts.len-p.retained.leaving)
	if !p.retained.watched {
		p.awaitCollection()
	}
	p.mu.Unlock()
	check.RaceSee()
}

// controls is what a pool was told to look after at Get. It never changes: a
// pool gets another one.
type controls struct {
	perArena uintptr // limit of each arena; 0: none
	total    bool    // all that are out have a limit together
	rate     int     // one Get in rate keeps its stack; 0: none

	environment fromEnvironment // where the limits are from
}

// control changes what the pool looks after. Where that is nothing, Get finds
// a nil pointer and does nothing.
func (p *ArenaPool) control(change func(*controls)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var c controls
	if old := p.controls.Load(); old != nil {
		c = *old
	}
	if change(&c); c == (controls{}) {
		p.controls.Store(nil)
		return
	}
	p.controls.Store(&c)
}

// started readies an arena that Get found for an epoch with limits, and takes
// its stack if it is the turn of this one.
//
//go:noinline
func (c *controls) started(p *ArenaPool, a *Arena) {
	acct := a.owner.account
	if c.perArena != 0 || c.total {
		acct.Pending = true
		m := a.quota()
		m.SetLimit(c.perArena)
		if acct.Held() > a.region.MaxRetained {
			a.Release() // retained before there was this limit
		}
		if c.total && !acct.ChargeIdle(&p.stats) {
			a.Release()
		}
	}
	if c.rate == 1 || c.rate > 1 && rand.IntN(c.rate) == 0 {
		acct.Pending = true
		acct.sample.Store(takeSample())
	}
}

// endControls undoes at Put what started did at Get.
//
//go:noinline
func (p *ArenaPool) endControls(a *Arena) {
	acct := a.owner.account
	a.quota().SetLimit(0)
	acct.Uncharge(&p.stats)
	if s := acct.sample.Swap(nil); s != nil {
		s.end()
	}
}
