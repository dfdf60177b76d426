package arena

import "math/rand/v2"

// controls is what a pool was told to look after at Get. It never changes: a
// pool gets another one.
type controls struct {
	perArena uintptr // limit of each arena; 0: none
	total    uintptr // limit of all that are out; 0: none
	rate     int     // one Get in rate keeps its stack; 0: none
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

// totalLimit is the most bytes that all arenas which are out may have; 0: any.
// No pool has none.
func (p *ArenaPool) totalLimit() uintptr {
	if p == nil {
		return 0
	}
	if c := p.controls.Load(); c != nil {
		return c.total
	}
	return 0
}

// started readies an arena that Get found for a life with limits, and takes
// its stack if it is the turn of this one.
//
//go:noinline
func (c *controls) started(p *ArenaPool, a *Arena) {
	acct := a.owner.account
	if c.perArena != 0 || c.total != 0 {
		acct.unsettled = true
		m := a.metered()
		m.setLimit(c.perArena)
		if m.held > a.maxRetained {
			a.Release() // kept before there was this limit
		}
		if c.total != 0 && m.held != 0 && !acct.chargeIdle(p, c.total, m.held) {
			a.Release()
		}
	}
	if c.rate == 1 || c.rate > 1 && rand.IntN(c.rate) == 0 {
		acct.unsettled = true
		acct.sample.Store(takeSample())
	}
}

// chargeIdle counts what an arena kept against the pool's total, if there is
// room for it.
func (acct *account) chargeIdle(p *ArenaPool, total, held uintptr) bool {
	raceBlind()
	defer raceSee()
	for {
		out := p.tally.out.Load()
		if room(total, out) < held {
			return false
		}
		if p.tally.out.CompareAndSwap(out, out+held) {
			acct.charged.Store(held)
			return true
		}
	}
}

// settle undoes, at Put, what started did.
//
//go:noinline
func (p *ArenaPool) settle(a *Arena) {
	acct := a.owner.account
	acct.unsettled = false
	a.metered().setLimit(0)
	acct.discharge(p, ^uintptr(0))
	if s := acct.sample.Swap(nil); s != nil {
		s.end()
	}
}
