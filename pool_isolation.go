package arena

import "runtime"

// SetIsolation has the pool hand out memory again only when the collector has shown that
// nothing refers to it. For a request whose arena was taken after that, every promise of
// the heap holds: what is kept of it too long, a pointer, a string, a slice, a map, a
// fork or the arena itself, leads to what it led to before, or to zeros, for ever, and
// to nothing of another request; what is written there nobody else sees; and an arena
// that is used after its Put allocates for itself. Reset and Release, too, end what they
// end without giving it to anybody; Rewind has the same request use its memory again.
//
// What it can't do: a goroutine that is in a function of the arena at the very moment in
// which another one calls Put is a data race, as ever, and may get memory that the next
// request gets. PoolStats counts it where it is seen, with arenas that are used later.
//
// It costs what new memory costs, though an arena takes it in pieces that last for many
// requests: about as many bytes as the request uses, and one allocation of the heap in
// three to seven requests. An idle arena holds as much as some 40 to 80 requests use, within its
// maxRetained; where that is less, requests allocate more often. Forks are made anew for
// each request, an Allocator calls New, and codecs use each builtin map once.
//
// SetIsolation may be called at any time; it holds for an arena from its next Get on.
// SetIsolation(false), too, gives what the pool's arenas have then to the collector.
func (p *ArenaPool) SetIsolation(on bool) {
	if p != nil {
		p.begin()
		p.configure(func(c *config) { c.isolates = on })
	}
}

// beginIsolated returns an isolated arena.
func (p *ArenaPool) beginIsolated() *Arena {
	a := p.take()
	if st := a.owner.stats; st.kind != isolated {
		st.kind = isolated
		a.forgetForks()
		a.region.Isolate(p.isolated)
	}
	return a
}

// endIsolated is Put for an isolated arena. Another one goes on in its place, unless the pool
// isolates no more.
func (p *ArenaPool) endIsolated(a *Arena) {
	p.empty(a)
	p.undoConfig(a)
	c := p.config.Load()
	if c != nil && c.isolates || modes.Load()&isolate != 0 {
		a = p.replace(a)
	} else {
		a.owner.stats.kind = plain
		a.region.Isolate(nil)
	}
	p.keep(a)
}

// arenaBatch has arenas of which each is for one request: one that is used after its Put
// leads to nothing that others have. They are made together, since each has to be new.
type arenaBatch struct {
	used int
	of   [42]Arena // 8 KB, of which a size class of the heap wastes next to nothing
}

// replace returns the arena that goes on in place of a, which was put back. What is used of
// a from here on goes on alone.
func (p *ArenaPool) replace(a *Arena) *Arena {
	st := a.owner.stats
	h := a.owner.batch
	switch {
	case h == nil:
		// The account is closed when what all its arenas lie in by turns is collected.
		st.moves.Store(true)
		runtime.AddCleanup(a.owner.idle, ended, end{p.self, st, true})
		h = new(arenaBatch)
	case h.used > 1 && h.of[h.used-2].region.WasEntered():
		a.region.Entered()
	}
	if h.used == len(h.of) {
		h = new(arenaBatch)
	}
	b := &h.of[h.used]
	h.used++
	a.region.Detach(&b.region)
	b.owner, a.owner = a.owner, owner{pool: p, stats: &spent}
	b.owner.batch = h
	if b.printer, a.printer = a.printer, nil; b.printer != nil {
		b.printer.arena = b
	}
	return b
}
