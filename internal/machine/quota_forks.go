package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// ForkQuota has the counters that an arena and its forks share: the size of their
// chunks, and its limit. Each of them may be in use by another goroutine.
type ForkQuota struct {
	held  atomic.Uintptr // no less than the chunks of all have
	limit atomic.Uintptr // 0: none

	spared atomic.Uintptr // bytes that their pool has taken of this epoch
}

// IdleForks returns the size of the chunks of a region's idle forks in bytes, and drops
// these chunks if drop is true. Only the goroutine that owns the region calls it.
type IdleForks func(drop bool) uintptr

// ShareWithForks makes q, which has no ForkQuota, the first to share one.
func (q *Quota) ShareWithForks(idleForks IdleForks) {
	f := new(ForkQuota)
	f.held.Store(q.held)
	f.limit.Store(q.limit)
	q.forks, q.idleForks = f, idleForks
}

// Settled notes that an epoch of q's region and of its forks has ended.
func (q *Quota) Settled() { q.forks.spared.Store(0) }

// IdleForks replaces the function that knows the idle forks.
func (q *Quota) IdleForks(idleForks IdleForks) { q.idleForks = idleForks }

// ForksInUse notes how many forks of q's region are in use.
func (q *Quota) ForksInUse(n int) { q.forksInUse = n }

// Forked counts a fork, if there is a pool to count it.
func (q *Quota) Forked() {
	if q.account != nil {
		check.RaceBlind()
		q.account.forks.Add(1)
		check.RaceSee()
	}
}

// End notes, for builds with checks, what ended the fork that q is of: nobody may use it
// any more.
func (q *Quota) End(how string) { q.ended = how }

// ShareNoMore ends what ShareWithForks began, where there are no forks any more.
func (q *Quota) ShareNoMore() { q.forks, q.idleForks = nil, nil }

// Forget separates q from all others, and leaves the memory to whoever may use it.
func (q *Quota) Forget() {
	chunks := 0
	q.lanes.each(func(l *Lane) { chunks += l.Chunks() })
	q.give(q.held, chunks)
	q.Leave()
}

// Leave separates q, which holds nothing, from all others: use of a fork that was
// dropped is a logic error, and would charge an account that nobody discharges.
func (q *Quota) Leave() { q.forks, q.idleForks, q.stats, q.account = nil, nil, nil, nil }

// bound returns the limit that q has, alone or with the forks, 0 for none, and the
// bytes that count against it.
func (q *Quota) bound() (limit, held uintptr) {
	f := q.forks
	if f == nil {
		return q.limit, q.held
	}
	check.RaceBlind()
	limit, held = f.limit.Load(), f.held.Load()
	check.RaceSee()
	return limit, held
}

// idleForkBytes returns the size of the idle forks' chunks.
func (q *Quota) idleForkBytes() uintptr {
	if q.idleForks == nil {
		return 0
	}
	return q.idleForks(false)
}

// YieldIdle drops the idle chunks of q's region and of its idle forks if all of them
// together hold more than half of their limit. What makes chunks idle calls it, since
// no other goroutine may drop them: so idle chunks never hold more than that half.
func (q *Quota) YieldIdle() {
	if limit, held := q.bound(); q.forks != nil && limit != 0 && held > limit/2 {
		q.idleForks(true)
		q.dropIdle(nil, false)
	}
}

// reserve is the part of grant for the limit that forks share. It reserves as much as q
// may hold until endReservation, with the chunks that grant drops before that.
func (q *Quota) reserve(l *Lane, need, size uintptr, beside bool) (n uintptr, drop bool) {
	f := q.forks
	for {
		n, drop = size, false
		limit, all := q.bound()
		after := all
		if limit != 0 {
			if remaining(limit, all) < need {
				drop = true
				after -= q.idle(l, beside)
			}
			if remaining(limit, after) < need {
				q.refused(Refusal{Limit: limit, InUse: after - q.idleForkBytes(), Asked: need})
			}
			n = shareOf(remaining(limit, after), need, size, l.align())
		}
		during := max(after+n, all)
		q.reserved = q.held + during - all
		check.RaceBlind()
		swapped := f.held.CompareAndSwap(all, during)
		check.RaceSee()
		if swapped {
			return n, drop
		}
		q.reserved = 0
	}
}

// endReservation gives back what q reserved and does not hold.
func (q *Quota) endReservation() {
	if q.forks != nil && q.reserved != 0 {
		reserved := q.reserved
		q.reserved = 0
		q.forks.add(q.held - reserved)
	}
}

func (f *ForkQuota) add(bytes uintptr) {
	if f == nil {
		return
	}
	check.RaceBlind()
	f.held.Add(bytes)
	check.RaceSee()
}
