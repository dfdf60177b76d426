package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Family is what the regions of an arena and of its forks count together: the
// bytes of their chunks, and the limit of these. Each of them may be in use by a
// goroutine of its own.
type Family struct {
	held  atomic.Uintptr // at least what all members have
	limit atomic.Uintptr // 0: none
}

// Spare returns how many bytes those forks of a region have that nobody uses, and
// drops these if drop says so. It is called by who works on the region.
type Spare func(drop bool) uintptr

// NewFamily has m, which is in none, found a family.
func (m *Meter) NewFamily(spare Spare) {
	f := new(Family)
	f.held.Store(m.held)
	f.limit.Store(m.limit)
	m.family, m.spare = f, spare
}

// Spare replaces what knows the idle forks.
func (m *Meter) Spare(spare Spare) { m.spare = spare }

// Leave has m, which holds nothing, count with nobody any more: what is taken from a
// fork that was dropped, which is a logic error, would stay on an account that nobody
// settles.
func (m *Meter) Leave() { m.family, m.spare, m.tally, m.account = nil, nil, nil, nil }

// bound is the limit that holds for m, 0 for none, and what all that it holds for
// have.
func (m *Meter) bound() (limit, held uintptr) {
	f := m.family
	if f == nil {
		return m.limit, m.held
	}
	check.RaceBlind()
	limit, held = f.limit.Load(), f.held.Load()
	check.RaceSee()
	return limit, held
}

// spareBytes is what the forks have that nobody uses.
func (m *Meter) spareBytes() uintptr {
	if m.spare == nil {
		return 0
	}
	return m.spare(false)
}

// YieldIdle drops what m's region, and its forks that nobody uses, have idle if the
// family has more than half of its limit. Who makes memory idle calls it: nobody else
// may drop it, and so what is idle in the family is never more than that half.
func (m *Meter) YieldIdle() {
	if limit, held := m.bound(); m.family != nil && limit != 0 && held > limit/2 {
		m.spare(true)
		m.dropIdle(nil, false)
	}
}

// reserve is the part of grant that asks m's family. What it reserves is what m may
// have at most until settleFamily, with what grant drops on the way.
func (m *Meter) reserve(l *Lane, need, size uintptr, beside bool) (n uintptr, drop bool) {
	f := m.family
	for {
		n, drop = size, false
		limit, all := m.bound()
		after := all
		if limit != 0 {
			if room(limit, all) < need {
				drop = true
				after -= m.idle(l, beside)
			}
			if room(limit, after) < need {
				m.refused(Refusal{Limit: limit, InUse: after - m.spareBytes(), Asked: need})
			}
			n = shareOf(room(limit, after), need, size, l.align)
		}
		during := max(after+n, all)
		m.reserved = m.held + during - all
		check.RaceBlind()
		swapped := f.held.CompareAndSwap(all, during)
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

// InitLike makes an empty region of another fork, like was made whose meter m is. They
// count together.
func (r *Region) InitLike(like *Region, m *Meter, spare Spare) {
	r.Init(like.chunkSize, m.maxRetained)
	own := r.Meter(m.refuse)
	own.family, own.spare = m.family, spare
	own.Share(m.tally, m.account)
}
