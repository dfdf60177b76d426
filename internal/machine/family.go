package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Family is what the regions of an arena and of its forks count together: the
// bytes of their chunks, and the limit of these. Each of them may be in use by a
// goroutine of its own.
type Family struct {
	held    atomic.Uintptr // at least what all members have
	limit   atomic.Uintptr // 0: none
	charged func() uintptr // what those in use have of their pool's total
}

// NewFamily has m, which is in none, found a family. spare drops what m's forks
// have that nobody uses, and is called by who works on m. charged says what all
// members have of their pool's total, if there is one.
func (m *Meter) NewFamily(spare func(), charged func() uintptr) *Family {
	f := &Family{charged: charged}
	f.held.Store(m.held)
	f.limit.Store(m.limit)
	m.family, m.spare = f, spare
	return f
}

// Join has m, which has no limit and holds nothing, be counted with f.
func (m *Meter) Join(f *Family, spare func()) { m.family, m.spare = f, spare }

// Spare replaces what drops the memory of idle forks.
func (m *Meter) Spare(spare func()) { m.spare = spare }

// bound is the limit that holds for m, 0 for none, and what other regions use of
// it.
func (m *Meter) bound() (limit, others uintptr) {
	f := m.family
	if f == nil {
		return m.limit, 0
	}
	check.RaceBlind()
	limit, others = f.limit.Load(), f.held.Load()-m.held
	check.RaceSee()
	return limit, others
}

// kin is what the others of m's family have of the pool's total: they end with m's
// arena, so that this is not for other arenas to give back. What is idle since its
// fork ended has no part of the total.
func (m *Meter) kin() uintptr {
	if m.family == nil {
		return 0
	}
	check.RaceBlind()
	all := m.family.charged()
	others := all - min(all, m.account.Charged())
	check.RaceSee()
	return others
}

// YieldIdle drops what m's region, and its forks that nobody uses, have idle if the
// family has more than half of its limit. Who makes memory idle calls it: nobody else
// may drop it, and so what is idle in the family is never more than that half.
func (m *Meter) YieldIdle() {
	if limit, others := m.bound(); m.family != nil && limit != 0 && others+m.held > limit/2 {
		m.spare()
		m.dropIdle(nil, false)
	}
}

// reserve is the part of grant that asks m's family. What it reserves is what m may
// have at most until settleFamily, with what grant drops on the way.
func (m *Meter) reserve(l *Lane, need, size uintptr, beside bool) (n uintptr, drop bool) {
	f, spared := m.family, false
	for {
		n, drop = size, false
		limit, others := m.bound()
		if held := m.held; limit != 0 {
			if room(limit, others+held) < need && !spared {
				spared = true
				m.spare()
				continue
			}
			if room(limit, others+held) < need {
				drop = true
				held -= m.idle(l, beside)
			}
			if room(limit, others+held) < need {
				m.refused(Refusal{Limit: limit, InUse: others + held, Asked: need})
			}
			n = shareOf(room(limit, others+held), need, size, l.align)
			m.reserved = max(held+n, m.held)
		} else {
			m.reserved = m.held + n
		}
		check.RaceBlind()
		swapped := f.held.CompareAndSwap(others+m.held, others+m.reserved)
		check.RaceSee()
		if swapped {
			return n, drop
		}
		m.reserved = 0
	}
}

// settleFamily ends what reserve began: m has what it has.
func (m *Meter) settleFamily() {
	if m.family != nil && m.reserved != 0 {
		reserved := m.reserved
		m.reserved = 0
		m.family.add(m.held - reserved)
	}
}

func (f *Family) add(bytes uintptr) {
	if f == nil {
		return
	}
	check.RaceBlind()
	f.held.Add(bytes)
	check.RaceSee()
}

// InitLike makes an empty region that is made as like was, whose meter m is. They
// count together, and in the tally of m for acct, if it has one.
func (r *Region) InitLike(like *Region, m *Meter, acct *Account, spare func()) {
	r.Init(like.chunkSize, m.maxRetained)
	own := r.Meter(m.refuse)
	own.Join(m.family, spare)
	if m.tally != nil {
		own.Share(m.tally, acct)
	}
}
