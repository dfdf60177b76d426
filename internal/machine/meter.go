package machine

import "github.com/ebbpool/arena/internal/check"

// Meter counts the bytes of an arena's chunks and keeps them within its limit
// and within the total of its pool. Lanes ask it when they need a chunk and
// tell it when they let go of one; no allocation that finds room comes near it.
// Arenas that have no limit and are from no pool have none.
type Meter struct {
	region      *Region
	tally       *Tally   // of its pool, nil for none
	account     *Account // in that
	refuse      func(Refusal)
	held        uintptr // bytes of all chunks
	limit       uintptr // 0: none
	maxRetained uintptr // what the arena may keep when it has no limit
	flat        laneOps // of the flat lane, with this meter

	family   *Family // of an arena that was forked, and of forks; nil for others
	reserved uintptr // of that, while a chunk is granted; else 0
	spare    func()  // drops what forks have that nobody uses
}

// Meter returns the region's meter, a new one if it must. The first call says who
// is told of a refusal, which must panic.
func (r *Region) Meter(refuse func(Refusal)) *Meter {
	flat := r.FlatLane()
	if m := flat.ops.meter; m != nil {
		return m
	}
	m := &Meter{region: r, refuse: refuse, maxRetained: r.MaxRetained, held: flat.HeldBytes()}
	m.flat = laneOps{laneMemory: flat.ops.laneMemory, meter: m}
	flat.ops = &m.flat
	for _, l := range r.Types.lanes {
		l.ops.meter = m
		m.held += l.HeldBytes()
	}
	return m
}

// Share has the meter count for one of the arenas of a pool, too.
func (m *Meter) Share(t *Tally, acct *Account) { m.tally, m.account = t, acct }

// Limit is the limit in bytes, 0 for none.
func (m *Meter) Limit() uintptr { return m.limit }

// Held is how many bytes the region's chunks have.
func (m *Meter) Held() uintptr { return m.held }

// Refusal is why an allocation is refused: it asked for bytes that the limit,
// the region's own or its pool's total, has not left. Sizes are in bytes; Others
// is what other arenas of the pool have of those in use.
type Refusal struct {
	Limit, InUse, Others, Asked uintptr
	Pool                        bool
}

// refused counts a refusal, if there is a pool to count it, and panics.
func (m *Meter) refused(r Refusal) {
	m.settleFamily()
	if t := m.tally; t != nil {
		check.RaceBlind()
		t.refused.Add(1)
		check.RaceSee()
	}
	m.refuse(r)
}

// SetLimit sets the limit from here on, 0 for none. Of an arena with a limit
// at most half may be kept from one life to the next, or what one kind of
// value needed once would leave too little for the others.
func (m *Meter) SetLimit(limit uintptr) {
	m.limit = limit
	if f := m.family; f != nil {
		check.RaceBlind()
		f.limit.Store(limit)
		check.RaceSee()
	}
	m.region.MaxRetained = m.maxRetained
	if limit != 0 {
		m.region.MaxRetained = min(m.maxRetained, limit/2)
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
// its current chunk. When the chunk was made, or making it panicked, granted
// must hear of it.
//
//go:norace
func (m *Meter) grant(l *Lane, need, size uintptr, beside bool) uintptr {
	t := m.tally
	drop := false // what is idle
	if m.family != nil {
		size, drop = m.reserve(l, need, size, beside)
	} else if m.limit != 0 {
		held := m.held
		if room(m.limit, held) < need {
			drop = true
			held -= m.idle(l, beside)
			if room(m.limit, held) < need {
				m.refused(Refusal{Limit: m.limit, InUse: held, Asked: need})
			}
		}
		size = shareOf(room(m.limit, held), need, size, l.align)
	}
	if total := t.limit(); total != 0 && m.account.isOut() {
		size = m.charge(t, total, l, need, size, beside, drop)
	} else if drop {
		m.dropIdle(l, beside)
	}
	m.held += size
	m.settleFamily()
	return size
}

// granted has the pool count a chunk that grant allowed. If the chunk has no
// memory, because make panicked, it takes the grant back, or each such try would
// leave others less. large says that the chunk is for one large value.
//
//go:norace
func (m *Meter) granted(c *chunk, large bool) {
	t := m.tally
	if c.Base == nil {
		m.held -= c.cap
		m.family.add(-c.cap)
		if t.limit() != 0 && m.account.isOut() {
			m.account.discharge(t, c.cap)
		}
		return
	}
	if t == nil {
		return
	}
	m.account.held.Store(m.held)
	t.grew(c.cap, m.held, large)
}

// charge is grant for the total of the pool, and drops what is idle if it must
// or is told to.
func (m *Meter) charge(t *Tally, total uintptr, l *Lane, need, size uintptr, beside, drop bool) uintptr {
	acct := m.account
	for {
		out, charged := t.out.Load(), acct.charged.Load()
		others, held, drop := out-charged, m.held, drop
		if drop || room(total, others+held) < need {
			drop = true
			held -= m.idle(l, beside)
		}
		if room(total, others+held) < need {
			m.refused(Refusal{Limit: total, InUse: others + held, Others: others - min(others, m.kin()), Asked: need, Pool: true})
		}
		n := shareOf(room(total, others+held), need, size, l.align)
		// Until what is idle is gone, it counts; and what takes its place is
		// sure before it goes, or a refusal could come after that.
		during := max(held+n, min(m.held, room(total, others)))
		check.RaceBlind()
		swapped := t.out.CompareAndSwap(out, others+during)
		check.RaceSee()
		if !swapped {
			continue
		}
		if drop {
			acct.charged.Store(0) // give takes nothing off the total
			m.dropIdle(l, beside)
			check.RaceBlind()
			t.out.Add(held + n - during)
			check.RaceSee()
		}
		acct.charged.Store(held + n)
		acct.Unsettled = true
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

// Left is how many bytes a new chunk could have.
//
//go:norace
func (m *Meter) Left() uintptr {
	if m == nil {
		return noLimit
	}
	return m.leaves(m.held)
}

// leaves is what the limits leave when the region has held bytes.
//
//go:norace
func (m *Meter) leaves(held uintptr) uintptr {
	left := noLimit
	if limit, others := m.bound(); limit != 0 {
		left = room(limit, others+held)
	}
	t := m.tally
	if total := t.limit(); total != 0 {
		others := t.out.Load() - m.account.charged.Load()
		left = min(left, room(total, others+held))
	}
	return left
}

// capNearLimit is the capacity, in values of size bytes, that Append gives to
// a slice of n values which it moves: wanted, but not more than half of what the
// limit leaves. (What is moved may stay behind, and the limit counts that.) Where
// that is less than n, half of what is left beyond: with n alone a slice would move for
// each value that is appended, as long as there is room for two of it.
// What is idle makes room for it.
func (l *Lane) capNearLimit(n, wanted int, size uintptr) int {
	m, here := l.ops.meter, l.Hi-l.Lo
	if m.Left() == noLimit || uintptr(wanted)*size <= here {
		return wanted
	}
	left := m.leaves(m.held - m.idle(l, false))
	most := left / 2
	if need := uintptr(n) * size; most < need && need < left {
		most = need + (left-need)/2
	}
	return max(n, min(wanted, int(max(most, here)/size)))
}

// give notes that the arena let go of chunks of so many bytes.
//
//go:norace
func (m *Meter) give(bytes uintptr, chunks int) {
	if m == nil || bytes == 0 {
		return
	}
	m.held -= bytes
	if m.reserved == 0 {
		m.family.add(-bytes)
	}
	t := m.tally
	if t == nil {
		return
	}
	check.RaceBlind()
	acct := m.account
	acct.held.Store(m.held)
	t.held.Add(-bytes)
	t.dropped.Add(uint64(chunks))
	acct.discharge(t, bytes)
	check.RaceSee()
}

// idle is how many bytes the arena has in chunks that nothing is in and that
// it can do without. Where l goes on with its chunk, that one stays.
func (m *Meter) idle(l *Lane, beside bool) uintptr {
	n := uintptr(0)
	m.eachIdle(l, beside, func(_ *Lane, bytes uintptr) { n += bytes })
	return n
}

// dropIdle lets go of what idle counts.
func (m *Meter) dropIdle(l *Lane, beside bool) {
	m.eachIdle(l, beside, func(o *Lane, bytes uintptr) {
		if bytes > o.keptBytes() {
			o.Drop()
			return
		}
		o.dropKept()
	})
}

func (m *Meter) eachIdle(l *Lane, beside bool, do func(l *Lane, bytes uintptr)) {
	one := func(o *Lane) {
		// A lane that has other chunks needs a current one: Rewind starts there.
		n := o.keptBytes()
		if o.used() == 0 && len(o.older) == 0 && !(o == l && beside) {
			n += o.cap
		}
		if n != 0 {
			do(o, n)
		}
	}
	one(m.region.FlatLane())
	for _, o := range m.region.Types.lanes {
		one(o)
	}
}
