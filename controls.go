package arena

import "math/rand/v2"

// controls is what a pool was told to look after at Get. It never changes: a
// pool gets another one.
type controls struct {
	perArena uintptr // limit of each arena; 0: none
	total    bool    // all that are out have a limit together
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

// started readies an arena that Get found for a life with limits, and takes
// its stack if it is the turn of this one.
//
//go:noinline
func (c *controls) started(p *ArenaPool, a *Arena) {
	acct := a.owner.account
	if c.perArena != 0 || c.total {
		acct.Unsettled = true
		m := a.metered()
		m.SetLimit(c.perArena)
		if m.Held() > a.region.MaxRetained {
			a.Release() // kept before there was this limit
		}
		if c.total && !acct.ChargeIdle(&p.tally, m.Held()) {
			a.Release()
		}
	}
	if c.rate == 1 || c.rate > 1 && rand.IntN(c.rate) == 0 {
		acct.Unsettled = true
		acct.sample.Store(takeSample())
	}
}

// settle undoes, at Put, what started did.
//
//go:noinline
func (p *ArenaPool) settle(a *Arena) {
	acct := a.owner.account
	a.metered().SetLimit(0)
	acct.Settle(&p.tally)
	if s := acct.sample.Swap(nil); s != nil {
		s.end()
	}
}
