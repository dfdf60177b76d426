package arena

import "math"

// meter counts the bytes of an arena's chunks and keeps them within its limit
// and within the total of its pool. Lanes ask it when they need a chunk and
// tell it when they let go of one; no allocation that finds room comes near it.
// Arenas that have no limit and are from no pool have none.
type meter struct {
	arena       *Arena
	held        uintptr // bytes of all chunks
	limit       uintptr // 0: none
	maxRetained uintptr // what the arena may keep when it has no limit
	flat        laneOps // of the flat lane, with this meter
}

// metered returns the arena's meter, a new one if it must.
func (a *Arena) metered() *meter {
	flat := a.flatLane()
	if m := flat.ops.meter; m != nil {
		return m
	}
	m := &meter{arena: a, maxRetained: a.maxRetained, held: flat.heldBytes()}
	m.flat = laneOps{make: flat.ops.make, meter: m}
	flat.ops = &m.flat
	for _, l := range a.types.lanes {
		l.ops.meter = m
		m.held += l.heldBytes()
	}
	return m
}

// setLimit sets the limit from here on, 0 for none. Of an arena with a limit
// at most half may be kept from one life to the next, or what one kind of
// value needed once would leave too little for the others.
func (m *meter) setLimit(limit uintptr) {
	m.limit = limit
	m.arena.maxRetained = m.maxRetained
	if limit != 0 {
		m.arena.maxRetained = min(m.maxRetained, limit/2)
	}
}

// share is how much of what is left of a limit a chunk may take if nothing
// needs more: an eighth, or the first kind of value that comes would take what
// all need.
const share = 8

// grant decides how large a new chunk of l is, and counts it: size if a limit
// has room for that, less if it has little, need at least. Where need does not
// fit, chunks that nothing is in are let go of; if that doesn't help it panics
// with a LimitError and nothing has changed. beside says that l goes on with
// its current chunk, large that the chunk is for one large value.
//
//go:norace
func (m *meter) grant(l *lane, need, size uintptr, beside, large bool) uintptr {
	p := m.arena.owner.pool
	drop := false // what is idle
	if m.limit != 0 {
		held := m.held
		if room(m.limit, held) < need {
			drop = true
			held -= m.idle(l, beside)
			if room(m.limit, held) < need {
				p.refuse(&LimitError{Limit: int(m.limit), InUse: int(held), Asked: int(need)})
			}
		}
		size = shareOf(room(m.limit, held), need, size, l.align)
	}
	if total := p.totalLimit(); total != 0 {
		size = m.charge(p, total, l, need, size, beside, drop)
	} else if drop {
		m.dropIdle(l, beside)
	}
	m.held += size
	if p == nil {
		return size
	}
	m.arena.owner.account.held.Store(m.held)
	p.tally.grew(size, m.held, large)
	return size
}

// charge is grant for the total of the pool, and drops what is idle if it must
// or is told to.
func (m *meter) charge(p *ArenaPool, total uintptr, l *lane, need, size uintptr, beside, drop bool) uintptr {
	acct := m.arena.owner.account
	for {
		out, charged := p.tally.out.Load(), acct.charged.Load()
		others, held, drop := out-charged, m.held, drop
		if drop || room(total, others+held) < need {
			drop = true
			held -= m.idle(l, beside)
		}
		if room(total, others+held) < need {
			p.refuse(&LimitError{Limit: int(total), InUse: int(others + held), Others: int(others), Asked: int(need), Pool: true})
		}
		n := shareOf(room(total, others+held), need, size, l.align)
		// Until what is idle is gone, it counts; and what takes its place is
		// sure before it goes, or a refusal could come after that.
		during := max(held+n, min(m.held, room(total, others)))
		raceBlind()
		swapped := p.tally.out.CompareAndSwap(out, others+during)
		raceSee()
		if !swapped {
			continue
		}
		if drop {
			acct.charged.Store(0) // give takes nothing off the total
			m.dropIdle(l, beside)
			raceBlind()
			p.tally.out.Add(held + n - during)
			raceSee()
		}
		acct.charged.Store(held + n)
		acct.unsettled = true
		return n
	}
}

// room is what a limit leaves when held bytes are in use.
func room(limit, held uintptr) uintptr { return limit - min(limit, held) }

// shareOf is the size of a chunk that should have size bytes and must have
// need, where left bytes are left.
func shareOf(left, need, size, align uintptr) uintptr {
	return max(need, min(size, left/share/align*align))
}

// noLimit is what is left where there is no limit.
const noLimit = ^uintptr(0)

// left is how many bytes a new chunk could have.
//
//go:norace
func (m *meter) left() uintptr {
	left := noLimit
	if m == nil {
		return left
	}
	if m.limit != 0 {
		left = room(m.limit, m.held)
	}
	p := m.arena.owner.pool
	if total := p.totalLimit(); total != 0 {
		others := p.tally.out.Load() - m.arena.owner.account.charged.Load()
		left = min(left, room(total, others+m.held))
	}
	return left
}

// capNearLimit is the capacity, in values of size bytes, that Append gives to
// a slice of n values which it moves: wanted where the chunk has room beyond
// it, to grow in place. Else it is twice n, for what is moved stays behind and
// a limit counts that, but not more than half of what the limit leaves, or n.
func (l *lane) capNearLimit(n, wanted int, size uintptr) int {
	left, here := l.ops.meter.left(), l.hi-l.lo
	if left == noLimit || uintptr(wanted)*size <= max(here, min(l.nextSize(), left/share)) {
		return wanted
	}
	return max(n, min(2*n, int(max(left/2, here)/size)))
}

// give notes that the arena let go of chunks of so many bytes.
//
//go:norace
func (m *meter) give(bytes uintptr, chunks int) {
	if m == nil || bytes == 0 {
		return
	}
	m.held -= bytes
	p := m.arena.owner.pool
	if p == nil {
		return
	}
	raceBlind()
	acct := m.arena.owner.account
	acct.held.Store(m.held)
	p.tally.held.Add(-bytes)
	p.tally.dropped.Add(uint64(chunks))
	acct.discharge(p, bytes)
	raceSee()
}

// discharge takes bytes, at most what is there, off what the arena has of the
// pool's total.
func (acct *account) discharge(p *ArenaPool, bytes uintptr) {
	if charged := acct.charged.Load(); charged != 0 {
		raceBlind()
		bytes = min(bytes, charged)
		acct.charged.Store(charged - bytes)
		p.tally.out.Add(-bytes)
		raceSee()
	}
}

// idle is how many bytes the arena has in chunks that nothing is in and that
// it can do without. Where l goes on with its chunk, that one stays.
func (m *meter) idle(l *lane, beside bool) uintptr {
	n := uintptr(0)
	m.eachIdle(l, beside, func(_ *lane, bytes uintptr) { n += bytes })
	return n
}

// dropIdle lets go of what idle counts.
func (m *meter) dropIdle(l *lane, beside bool) {
	m.eachIdle(l, beside, func(o *lane, bytes uintptr) {
		if bytes > o.spare.cap {
			o.drop()
			return
		}
		m.give(o.spare.cap, 1)
		o.spare = chunk{}
	})
}

func (m *meter) eachIdle(l *lane, beside bool, do func(l *lane, bytes uintptr)) {
	one := func(o *lane) {
		// A lane that has other chunks needs a current one: Rewind starts there.
		n := o.spare.cap
		if o.used() == 0 && len(o.older) == 0 && !(o == l && beside) {
			n += o.cap
		}
		if n != 0 {
			do(o, n)
		}
	}
	one(m.arena.flatLane())
	for _, o := range m.arena.types.lanes {
		one(o)
	}
}

// checkLimit checks one of the sizes that a Limit has.
func checkLimit(function string, bytes int) uintptr {
	if bytes < 0 {
		panic("arena: " + function + ": a limit of " + itoa(bytes) + " bytes; limits are from 1 to " + itoa(math.MaxInt) + " bytes, and 0 is none")
	}
	return uintptr(bytes)
}
