package machine

import "github.com/ebbpool/arena/internal/check"

// Quota counts the bytes of an arena's chunks and keeps them within its limit
// and within the total of its pool. Lanes ask it for each new chunk and report
// each chunk that they drop; an allocation that fits its chunk does not touch it.
// Arenas that have no limit and are from no pool have none.
type Quota struct {
	lanes       lanes      // of its region
	stats       *PoolStats // of its pool, nil for none
	account     *Account   // in that
	refuse      func(Refusal)
	held        uintptr // bytes of all chunks
	limit       uintptr // 0: none
	maxRetained uintptr // what the arena may keep when it has no limit
	flat        laneOps // of the flat lane, with this quota

	forks     *ForkQuota // nil where the arena was not forked and is no fork
	reserved  uintptr    // of that, while a chunk is granted; else 0
	charged   bool       // while a chunk is granted: the pool's total counts it, and keeps counting chunks dropped for it
	idleForks IdleForks  // nil where there are no forks
	ended     string     // what ended a fork, in builds with checks

	forksInUse int // of the region itself, not those of forks

	guarded *Guarded // nil where the region is not guarded

	leftovers []leftover // what the lanes left, at the end of an epoch
}

// lanes are the methods of a region that its quota calls.
type lanes interface {
	// each calls do for the flat lane and those of types that are in use.
	each(do func(*Lane))
	// parkedBytes returns the size of the other lanes' chunks, dropParked drops them.
	parkedBytes() uintptr
	dropParked()
	// setMaxRetained sets the most bytes of chunks that the end of an epoch leaves.
	setMaxRetained(bytes uintptr)
}

// Share makes the quota, which counts nothing yet, count for an arena of a pool, too.
func (q *Quota) Share(s *PoolStats, acct *Account) { q.stats, q.account = s, acct }

// Limit is the limit in bytes, 0 for none.
func (q *Quota) Limit() uintptr { return q.limit }

// Held returns the size of the region's chunks in bytes.
func (q *Quota) Held() uintptr { return q.held }

// Refusal is why an allocation is refused: it asked for more than the remaining
// capacity of the limit, the region's own or its pool's total. Sizes are in bytes;
// Others is the part of InUse that other arenas of the pool have.
type Refusal struct {
	Limit, InUse, Others, Asked uintptr
	Pool                        bool
}

// refused counts a refusal, if there is a pool to count it, and panics.
func (q *Quota) refused(r Refusal) {
	q.endReservation()
	if s := q.stats; s != nil {
		check.RaceBlind()
		s.refused.Add(1)
		if r.Pool {
			s.byTotal.Add(1)
		}
		check.RaceSee()
	}
	q.refuse(r)
}

// SetLimit sets the limit, 0 for none. An arena with a limit retains at most half of
// it, or what one type needed once would leave too little for the others.
func (q *Quota) SetLimit(limit uintptr) {
	q.limit = limit
	if f := q.forks; f != nil {
		check.RaceBlind()
		f.limit.Store(limit)
		check.RaceSee()
	}
	retained := q.maxRetained
	if limit != 0 {
		retained = min(retained, limit/2)
	}
	q.lanes.setMaxRetained(retained)
}

// share is how much of what is left of a limit a chunk may take if nothing
// needs more: an eighth, or the first kind of value that comes would take what
// all need.
const share = 8

// grant decides how large a new chunk of l is, and counts it: size bytes, or fewer
// where a limit has little capacity left, but at least need. Where need does not fit,
// idle chunks are dropped; if that does not help it panics with a LimitError and
// nothing has changed. beside is true where l keeps its current chunk. The caller
// calls granted when the chunk was made, or making it panicked.
//
//go:norace
func (q *Quota) grant(l *Lane, need, size uintptr, beside bool) uintptr {
	drop := false // what is idle
	if q.guarded != nil {
		q.guarded.used()
	}
	if q.idleForks != nil {
		q.dropIdleForks(l, need, beside)
	}
	if q.forks != nil {
		size, drop = q.reserve(l, need, size, beside)
	} else if q.limit != 0 {
		held := q.held
		if remaining(q.limit, held) < need {
			drop = true
			held -= q.idle(l, beside)
			if remaining(q.limit, held) < need {
				q.refused(Refusal{Limit: q.limit, InUse: held, Asked: need})
			}
		}
		size = shareOf(remaining(q.limit, held), need, size, l.align())
	}
	size = q.charge(l, need, size, beside, drop)
	q.held += size
	q.endReservation()
	return size
}

// granted counts a chunk that grant allowed in the pool's statistics. If the chunk has
// no memory, because make panicked, it takes the grant back, or each such try would
// leave less for others. large is true for the chunk of one large value.
//
//go:norace
func (q *Quota) granted(c *chunk, large bool) {
	charged := q.charged
	q.charged = false
	if c.Base == nil {
		q.held -= c.cap
		q.forks.add(-c.cap)
		if charged {
			q.account.discharge(q.stats, c.cap)
		}
		return
	}
	if q.stats != nil {
		q.account.grew(q.stats, c.cap, large)
	}
}

// charge is the part of grant for the total of the pool. It drops idle chunks where it
// must, or where drop is true.
func (q *Quota) charge(l *Lane, need, size uintptr, beside, drop bool) uintptr {
	s, acct := q.stats, q.account
	for {
		b, drop := q.balance(), drop
		if b.total == 0 {
			if drop {
				q.dropIdle(l, beside)
			}
			return size
		}
		after := b.all
		if drop || remaining(b.total, b.all) < need {
			drop = true
			after -= q.idle(l, beside)
		}
		if remaining(b.total, after) < need {
			q.refusedByTotal(b, after-q.idleForkBytes(), need)
		}
		n := shareOf(remaining(b.total, after), need, size, l.align())
		// Until what is idle is gone, it counts; and what takes its place is
		// sure before it goes, or a refusal could come after that.
		during := max(after+n, min(b.all, b.total))
		if !acct.charge(s, b, during-b.out) {
			continue
		}
		q.charged = true
		if drop {
			q.dropIdle(l, beside)
			acct.discharge(s, during-(after+n))
		}
		if q.forks == nil { // else Put looks anyway
			acct.Pending = true
		}
		return n
	}
}

func (q *Quota) balance() (b balance) {
	if total := q.stats.limit(); total != 0 && q.account.isOut() {
		b = balance{total: total, out: q.stats.out.Load(), charged: q.account.charged.Load()}
		b.all = b.out + q.account.owed(b.charged)
	}
	return b
}

// refusedByTotal panics for an allocation of need bytes, where inUse are in use.
func (q *Quota) refusedByTotal(b balance, inUse, need uintptr) {
	q.refused(Refusal{Limit: b.total, InUse: inUse, Others: b.out - min(b.out, b.charged), Asked: need, Pool: true})
}

// shareOf returns the size of a chunk that should have size bytes and must have need,
// where left bytes remain of a limit.
func shareOf(left, need, size, align uintptr) uintptr {
	return max(need, min(size, left/share/align*align))
}

// Left returns the size in bytes of the largest chunk that the limits allow.
//
//go:norace
func (q *Quota) Left() uintptr {
	if q == nil {
		return noLimit
	}
	return q.leaves(0)
}

// leaves returns the limits' remaining capacity once idle bytes were dropped.
//
//go:norace
func (q *Quota) leaves(idle uintptr) uintptr {
	return min(q.limitLeaves(idle), q.balance().leaves(idle))
}

func (q *Quota) limitLeaves(idle uintptr) uintptr {
	limit, held := q.bound()
	if limit == 0 {
		return noLimit
	}
	return remaining(limit, held-idle)
}

// dropIdleForks drops the chunks of idle forks if need bytes fit then, and did not
// fit before.
func (q *Quota) dropIdleForks(l *Lane, need uintptr, beside bool) {
	if q.leaves(0) >= need {
		return
	}
	idle, idleForks := q.idle(l, beside), q.idleForkBytes()
	if idleForks == 0 || q.leaves(idle) >= need || q.limitLeaves(idle+idleForks) < need {
		return
	}
	if b := q.balance(); b.leaves(idle+idleForks) < need {
		q.refusedByTotal(b, b.all-idle-idleForks, need)
	}
	q.idleForks(true)
}

// give counts chunks that the arena dropped, and their size in bytes.
//
//go:norace
func (q *Quota) give(bytes uintptr, chunks int) {
	if q == nil || bytes == 0 {
		return
	}
	q.held -= bytes
	// The account first: what the forks have left may be another fork's at once, and the
	// account would have both.
	if q.stats != nil {
		q.account.shrank(q.stats, bytes, chunks, q.charged)
	}
	if q.reserved == 0 {
		q.forks.add(-bytes)
	}
}

// idle returns the size in bytes of the arena's empty chunks, as far as it can do
// without them: where beside is true, l needs its current chunk.
func (q *Quota) idle(l *Lane, beside bool) uintptr {
	n := uintptr(0)
	q.eachIdle(l, beside, func(_ *Lane, bytes uintptr) { n += bytes })
	return n + q.lanes.parkedBytes()
}

// dropIdle drops the chunks that idle counts.
func (q *Quota) dropIdle(l *Lane, beside bool) {
	q.lanes.dropParked()
	q.eachIdle(l, beside, func(o *Lane, bytes uintptr) {
		if bytes > o.freeBytes() {
			o.Drop()
			return
		}
		o.dropFree()
	})
}

func (q *Quota) eachIdle(l *Lane, beside bool, do func(l *Lane, bytes uintptr)) {
	q.lanes.each(func(o *Lane) {
		// A lane that has other chunks needs a current one: Rewind starts there.
		n := o.freeBytes()
		if o.used() == 0 && len(o.older) == 0 && !(o == l && beside) {
			n += o.size()
		}
		if n != 0 {
			do(o, n)
		}
	})
}
