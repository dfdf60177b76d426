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
	charged  bool    // while a chunk is granted: it is on the pool's total, and what goes for it stays there
	spare    Spare   // what forks have that nobody uses; nil where there are none
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

// Share has the meter, which counts nothing yet, count for one of the arenas of a
// pool, too.
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
	drop := false // what is idle
	if m.spare != nil {
		m.makeRoom(l, need, beside)
	}
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
	size = m.charge(l, need, size, beside, drop)
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
	charged := m.charged
	m.charged = false
	if c.Base == nil {
		m.held -= c.cap
		m.family.add(-c.cap)
		if charged {
			m.account.discharge(m.tally, c.cap)
		}
		return
	}
	if m.tally != nil {
		m.account.grew(m.tally, c.cap, large)
	}
}

// charge is grant for the total of the pool, if there is one, and drops what is idle
// if it must or is told to.
func (m *Meter) charge(l *Lane, need, size uintptr, beside, drop bool) uintptr {
	t, acct := m.tally, m.account
	for {
		b, drop := m.balance(), drop
		if b.total == 0 {
			if drop {
				m.dropIdle(l, beside)
			}
			return size
		}
		after := b.all
		if drop || room(b.total, b.all) < need {
			drop = true
			after -= m.idle(l, beside)
		}
		if room(b.total, after) < need {
			m.refusedByTotal(b, after-m.spareBytes(), need)
		}
		n := shareOf(room(b.total, after), need, size, l.align)
		// Until what is idle is gone, it counts; and what takes its place is
		// sure before it goes, or a refusal could come after that.
		during := max(after+n, min(b.all, b.total))
		if !acct.charge(t, b, during-b.out) {
			continue
		}
		m.charged = true
		if drop {
			m.dropIdle(l, beside)
			acct.discharge(t, during-(after+n))
		}
		if m.family == nil { // else Put looks by itself, for the forks
			acct.Unsettled = true
		}
		return n
	}
}

// balance is what counts against the pool's total, as m finds it: out, of which
// charged are on the account of m's arena, and all with what that owes. The total is
// 0 where there is none, and for an arena that is not out.
type balance struct{ total, out, charged, all uintptr }

func (m *Meter) balance() (b balance) {
	if total := m.tally.limit(); total != 0 && m.account.isOut() {
		b = balance{total: total, out: m.tally.out.Load(), charged: m.account.charged.Load()}
		b.all = b.out + m.account.owed(b.charged)
	}
	return b
}

// leaves is what the total leaves when idle bytes of what counts are gone.
func (b balance) leaves(idle uintptr) uintptr {
	if b.total == 0 {
		return noLimit
	}
	return room(b.total, b.all-idle)
}

// refusedByTotal refuses need bytes, where inUse are in use.
func (m *Meter) refusedByTotal(b balance, inUse, need uintptr) {
	m.refused(Refusal{Limit: b.total, InUse: inUse, Others: b.out - min(b.out, b.charged), Asked: need, Pool: true})
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
	return m.leaves(0)
}

// leaves is what the limits leave when idle bytes of what counts are gone.
//
//go:norace
func (m *Meter) leaves(idle uintptr) uintptr {
	return min(m.limitLeaves(idle), m.balance().leaves(idle))
}

func (m *Meter) limitLeaves(idle uintptr) uintptr {
	limit, held := m.bound()
	if limit == 0 {
		return noLimit
	}
	return room(limit, held-idle)
}

// makeRoom drops what forks have that nobody uses if need bytes don't fit without
// that, and do with it. Where they don't, nothing of it goes.
func (m *Meter) makeRoom(l *Lane, need uintptr, beside bool) {
	if m.leaves(0) >= need {
		return
	}
	idle, spare := m.idle(l, beside), m.spareBytes()
	if spare == 0 || m.leaves(idle) >= need || m.limitLeaves(idle+spare) < need {
		return
	}
	if b := m.balance(); b.leaves(idle+spare) < need {
		m.refusedByTotal(b, b.all-idle-spare, need)
	}
	m.spare(true)
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
	left := m.leaves(m.idle(l, false) + m.spareBytes())
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
	// The account first: what the family has left may be another fork's at once, and the
	// account would have both.
	if m.tally != nil {
		m.account.shrank(m.tally, bytes, chunks, m.charged)
	}
	if m.reserved == 0 {
		m.family.add(-bytes)
	}
}

// idle is how many bytes the arena has in chunks that nothing is in and that
// it can do without. Where l goes on with its chunk, that one stays.
func (m *Meter) idle(l *Lane, beside bool) uintptr {
	n := uintptr(0)
	m.eachIdle(l, beside, func(_ *Lane, bytes uintptr) { n += bytes })
	if p := m.region.Types.parked; p != nil {
		n += p.held
	}
	return n
}

// dropIdle lets go of what idle counts.
func (m *Meter) dropIdle(l *Lane, beside bool) {
	m.region.unparkOver(0)
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
	for _, o := range m.region.Types.inUse() {
		one(o)
	}
}
