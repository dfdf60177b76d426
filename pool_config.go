package arena

import (
	"math/rand/v2"

	"github.com/ebbpool/arena/internal/check"
)

// How Get and Put treat an arena depends on the pool's config and on the arena's kind:
//
//	Get       no config, no mode of the program:  take
//	          else:                               checkout: begin the kind, apply the config
//	Put       end the kind, which undoes the config

// config is the configuration that Get applies. It is immutable; setters replace it.
type config struct {
	perArena uintptr // limit of each arena; 0: none
	total    bool    // all arenas that are in use have a limit together
	rate     int     // one Get in rate keeps its stack; 0: none
	misuse   misuseSampling
	isolates bool

	environment fromEnvironment // the source of the limits
}

// noConfig is the configuration of a pool that has none.
var noConfig config

// configure replaces the pool's config. If nothing is left to apply, Get finds a nil pointer.
func (p *ArenaPool) configure(change func(*config)) {
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	c := noConfig
	if old := p.config.Load(); old != nil {
		c = *old
	}
	change(&c)
	next := &c
	if c.isZero() {
		next = nil
	}
	p.config.Store(next)
	for q := range p.keys.all {
		q.config.Store(next)
	}
}

// isZero reports whether Get has nothing to apply. misuse has a function, which does not compare.
func (c *config) isZero() bool {
	return c.perArena == 0 && !c.total && c.rate == 0 && c.misuse.rate == 0 && !c.isolates && c.environment == fromEnvironment{}
}

// kind says how the memory of an arena is used from Get to Put. Each kind has a begin, which
// Get calls, and an end, which Put calls.
type kind uint8

const (
	plain    kind = iota // kept warm, and used again: take, endPlain
	isolated             // used again once the collector has shown that nothing refers to it: pool_isolation.go
	guarded              // made unusable at Put: pool_misuse.go
	onHeap               // each value is on the Go heap: pool_modes.go
)

// kindOf returns the kind of the next arena.
func (p *ArenaPool) kindOf(c *config) kind {
	switch mode := modes.Load(); {
	case mode&(off|unknownLayout) != 0:
		return onHeap
	case c.misuse.picks():
		return guarded
	case check.On: // which hands no memory out twice anyway
		return plain
	case c.isolates || mode&isolate != 0:
		return isolated
	}
	return plain
}

// checkout is Get for a pool that has a config, and while the program has a mode.
//
//go:noinline
func (p *ArenaPool) checkout(c *config) (a *Arena) {
	if c == nil {
		c = &noConfig
	}
	switch p.kindOf(c) {
	case plain:
		a = p.take()
	case isolated:
		a = p.beginIsolated()
	case guarded:
		a = p.beginGuarded(&c.misuse)
	case onHeap:
		a = p.beginHeap()
	}
	st := a.owner.stats
	st.config = c
	if c.misuse.rate != 0 && st.kind != onHeap {
		st.faultsPanic()
	}
	if c.perArena != 0 || c.total {
		q := a.quota()
		q.SetLimit(c.perArena)
		if st.Held() > a.region.MaxRetained {
			q.DropIdle() // retained before there was this limit
		}
		if c.total && !st.BeginCount(p.stats) {
			q.DropIdle()
		}
	}
	if c.rate == 1 || c.rate > 1 && rand.IntN(c.rate) == 0 {
		st.sample.Store(takeSample(st, c.rate))
	}
	return a
}

// undoConfig takes back at Put what checkout applied, and a limit of the arena's own.
func (p *ArenaPool) undoConfig(a *Arena) {
	st := a.owner.stats
	if st.Limited() {
		a.quota().SetLimit(0)
	}
	if st.config == nil {
		return
	}
	st.config = nil
	st.faultsThrow()
	st.EndCount(p.stats)
	if s := st.sample.Swap(nil); s != nil {
		s.end()
	}
}

// endPlain is Put for a plain arena.
func (p *ArenaPool) endPlain(a *Arena) {
	p.empty(a)
	p.undoConfig(a)
	p.keep(a)
}

// empty ends the cycle of a, which Put has, and counts its bytes.
func (p *ArenaPool) empty(a *Arena) {
	var used uintptr
	if a.forks == nil {
		used = a.region.Empty()
	} else {
		used = a.emptyForked("Put")
	}
	if st := a.owner.stats; st.used.Add(used) {
		p.takeUsed(st)
	}
}

// keep makes a, which Put has emptied, available to Get.
func (p *ArenaPool) keep(a *Arena) {
	if p.evicted.Load() {
		p.leave(a.owner.stats)
		return
	}
	x := a.owner.idle
	a.owner.idle = nil
	if check.On {
		// An arena that is never used again finds every stale use.
		if a = a.successor(); a == nil {
			return
		}
	}
	x.arena = a
	check.RaceLeave(x)
	p.arenas.Put(x)
}

// leave notes that the pool drops the arena of st.
//
//go:norace
func (p *ArenaPool) leave(st *arenaStats) {
	p.lock()
	st.leaving = true
	p.retained.leaving++
	p.unlock()
}
