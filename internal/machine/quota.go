package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Limits. An arena and its forks have one counter, an Account, and a pool has one for all
// of its arenas, PoolStats.out. Memory is counted before it is taken:
//
//	reserve   adds bytes to both counters, or refuses and changes nothing
//	commit    notes that the memory was taken
//	cancel    takes the reservation back, if it could not be taken
//	release   takes off bytes that the arena gave up
//
// An allocation that fits its chunk does none of this. Each region of an arena or fork has
// a Quota, which knows the chunks of that region. Arenas that have no limit, no forks and no
// pool have none.

// Account counts the bytes of an arena and its forks, each of which may be in use by
// another goroutine. It outlives the arena.
type Account struct {
	// Turns is the number of the arena's Gets and Puts: odd while it is in use. A Put, which
	// may come twice at once, adds one by CompareAndSwap, a Get by Take.
	Turns atomic.Uint64

	held    atomic.Uintptr // bytes of all chunks, and bytes reserved
	limit   atomic.Uintptr // the most that held may be; 0: any
	charged atomic.Uintptr // the part of held that PoolStats.out counts
	counts  atomic.Bool    // what is reserved counts against the pool's total: from a Get under a total to Put

	abandoned atomic.Bool
	forks     atomic.Uint64  // that were ever handed out
	spared    atomic.Uintptr // bytes of this cycle that the pool has taken, of an arena with forks
}

// Quota is the part that one region, an arena's or a fork's, has in an Account.
type Quota struct {
	lanes       lanes      // of its region
	account     *Account   // shared by an arena and its forks
	stats       *PoolStats // of its pool, nil for none
	refuse      func(Refusal)
	held        uintptr // bytes of the region's chunks, and those of Charge
	maxRetained uintptr // what the arena may keep when it has no limit
	keeps       bool    // chunks that are dropped stay in the account, for their successor
	flat        laneOps // of the flat lane, with this quota

	idleForks  IdleForks // nil if there are no forks
	forksInUse int       // of the region itself, not those of forks
	ended      string    // what ended a fork, in builds with checks
	guarded    *Guarded  // nil if the region is not guarded
}

// lanes are the methods of a region that its quota calls.
type lanes interface {
	// each calls do for the flat lane and those of types that are in use.
	each(do func(*Lane))
	// inactiveBytes returns the size of the chunks of inactive allocators and of idle maps, and
	// dropInactive drops these.
	inactiveBytes() uintptr
	dropInactive()
	// OwnCached returns the size of the chunks in the arena's own cache, which its forks share,
	// and evictOwn drops these.
	OwnCached() uintptr
	evictOwn(most uintptr) uintptr
	// setMaxRetained sets the most bytes of chunks that the end of an epoch leaves.
	setMaxRetained(bytes uintptr)
}

// IdleForks returns the size of the chunks of a region's ended forks in bytes, and drops
// these chunks if drop is set, but leaves their bytes in the account. Only the goroutine that owns the region calls it.
type IdleForks func(drop bool) uintptr

// A Refusal is the error of a reservation that exceeds a limit, the arena's own or the
// total of its pool. Sizes are in bytes; Others is the part of InUse that other arenas of
// the pool have.
type Refusal struct {
	Limit, InUse, Others, Asked uintptr
	Pool                        bool
}

func (*Refusal) Error() string { return "arena: allocation exceeds a limit" }

// noAccount is the account of forks that were dropped. Using one is a bug of the program,
// and must not charge an account that others rely on.
var noAccount Account

// init makes the forks that were dropped count as in use.
func init() { noAccount.Turns.Store(1) }

// Share makes q, which has counted nothing, count in acct, for an arena of the pool of s.
func (q *Quota) Share(s *PoolStats, acct *Account) { q.stats, q.account = s, acct }

// Limit returns the limit of the arena and its forks in bytes, 0 for none.
func (q *Quota) Limit() uintptr { return q.account.limit.Load() }

// Held returns the number of bytes that the region has reserved.
func (q *Quota) Held() uintptr { return q.held }

// SetLimit sets the limit of the arena and its forks, 0 for none. An arena with a limit
// retains at most half of it, or what one type needed once would leave too little for the
// others.
func (q *Quota) SetLimit(limit uintptr) {
	check.RaceBlind()
	q.account.limit.Store(limit)
	check.RaceSee()
	retained := q.maxRetained
	if limit != 0 {
		retained = min(retained, limit/2)
	}
	q.lanes.setMaxRetained(retained)
}

// reserve counts n bytes, beyond which the caller is about to drop freed bytes, or returns a
// *Refusal and changes nothing. commit or cancel must follow.
func (q *Quota) reserve(n, freed uintptr) error {
	check.RaceBlind()
	r := q.account.reserve(q.stats, n, freed)
	check.RaceSee()
	if r != nil {
		return r
	}
	return nil
}

// commit notes that n reserved bytes were taken from the heap. large is set for the chunk of
// one large value.
func (q *Quota) commit(n uintptr, large bool) {
	q.held += n
	if q.stats != nil {
		q.account.grew(q.stats, n, large)
	}
}

// cancel takes back the reservation of n bytes.
func (q *Quota) cancel(n uintptr) { q.account.shrink(q.stats, n) }

// adopt is commit for a chunk that the pool had.
func (q *Quota) adopt(n uintptr) {
	q.held += n
	Raise(&q.stats.largest, q.account.held.Load())
}

// part takes off n bytes of a chunk that the pool has from here on.
func (q *Quota) part(n uintptr) {
	q.held -= n
	q.account.shrink(q.stats, n)
}

// give counts chunks that the arena dropped, and their size in bytes.
//
//go:norace
func (q *Quota) give(bytes uintptr, chunks int) {
	if q == nil || bytes == 0 {
		return
	}
	q.held -= bytes
	if q.stats != nil {
		check.RaceBlind()
		q.stats.drop(bytes, chunks)
		check.RaceSee()
	}
	if !q.keeps {
		q.account.shrink(q.stats, bytes)
	}
}

// grant reserves the bytes of a new chunk, and returns how many: size, or fewer if a limit
// has little capacity left, but at least need. If need does not fit, idle chunks are
// dropped; if that does not help, grant panics with a LimitError and nothing has changed.
// keep is a lane that goes on with its current chunk, nil for none.
//
//go:norace
func (q *Quota) grant(need, size, align uintptr, keep *Lane) uintptr {
	if q.guarded != nil {
		q.guarded.used()
	}
	idle := uintptr(0)
	for {
		n := shareOf(q.leaves(idle), need, size, align)
		err := q.reserve(n, idle)
		switch {
		case err == nil:
			if idle == 0 {
				return n
			}
			freed, dropped := min(n, idle), q.dropIdle(keep)
			if dropped >= freed {
				q.account.shrink(q.stats, dropped-freed)
				return n
			}
			// A fork has taken some of the cache meanwhile: begin again with what is left.
			q.account.shrink(q.stats, n-freed+dropped)
			idle = 0
		case n > need: // a fork or another arena has taken some of it meanwhile
		case idle == 0 && q.idle(keep) != 0:
			idle = q.idle(keep)
		default:
			q.refused(err.(*Refusal))
		}
	}
}

// refused counts a refusal, if there is a pool to count it, and panics.
func (q *Quota) refused(r *Refusal) {
	if s := q.stats; s != nil {
		check.RaceBlind()
		s.refused.Add(1)
		if r.Pool {
			s.byTotal.Add(1)
		}
		check.RaceSee()
	}
	q.refuse(*r)
}

// Charge counts n bytes that the caller is about to take from the heap for r and that are
// in no chunk, such as those of a builtin map. If a limit refuses them, Charge panics as an
// allocation does, and nothing has changed. Discharge takes them off.
func (r *Region) Charge(n uintptr) {
	r.MustBeMade()
	if q := r.FlatLane().ops.quota; q != nil {
		q.commit(q.grant(n, n, 1, nil), false)
	}
	r.others += n
}

// Discharge takes off n of the bytes that Charge has counted.
func (r *Region) Discharge(n uintptr) {
	r.others -= n
	q := r.FlatLane().ops.quota
	if q == nil {
		return
	}
	if q.stats != nil {
		check.RaceBlind()
		q.stats.held.Add(-n)
		check.RaceSee()
	}
	q.held -= n
	if !q.keeps {
		q.account.shrink(q.stats, n)
	}
}

// Reserve counts n bytes against the limits of r until Cancel: memory that waits to be copied into r. If a
// limit refuses them, Reserve panics as an allocation does, and nothing has changed.
func (r *Region) Reserve(n uintptr) {
	r.MustBeMade()
	if q := r.FlatLane().ops.quota; q != nil {
		q.grant(n, n, 1, nil)
	}
}

// Cancel takes off n bytes that Reserve has counted.
func (r *Region) Cancel(n uintptr) {
	if q := r.FlatLane().ops.quota; q != nil {
		q.cancel(n)
	}
}

// share is how much of what is left of a limit a chunk may take if nothing
// needs more: an eighth, or the first kind of value that comes would take what
// all need.
const share = 8

// shareOf returns the size of a chunk that should have size bytes and must have need,
// if left bytes remain of a limit.
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
	acct, left := q.account, uintptr(noLimit)
	check.RaceBlind()
	if limit := acct.limit.Load(); limit != 0 {
		left = remaining(limit, acct.held.Load()-idle)
	}
	if acct.counts.Load() {
		if total := q.stats.total.Load(); total != 0 {
			left = min(left, remaining(total, q.stats.out.Load()-idle))
		}
	}
	check.RaceSee()
	return left
}

// idle returns the size in bytes of the empty chunks of the region, of its ended forks and of
// their cache. The current chunk of keep is none of them.
func (q *Quota) idle(keep *Lane) uintptr { return q.idleBeside(keep) + q.lanes.OwnCached() }

// idleBeside is idle without the cache, which is one for a region and its forks.
func (q *Quota) idleBeside(keep *Lane) uintptr {
	n := q.lanes.inactiveBytes()
	q.eachIdle(keep, func(_ *Lane, bytes uintptr) { n += bytes })
	if q.idleForks != nil {
		n += q.idleForks(false)
	}
	return n
}

// dropIdle drops the chunks that idle counts, and returns their size in bytes. The caller
// takes it off the account.
func (q *Quota) dropIdle(keep *Lane) uintptr {
	n := q.held
	q.keeps = true
	q.lanes.dropInactive()
	q.eachIdle(keep, func(o *Lane, bytes uintptr) {
		if bytes > o.freeBytes() {
			o.Drop()
			return
		}
		o.dropFree()
	})
	q.keeps = false
	n -= q.held
	n += q.lanes.evictOwn(0)
	if q.idleForks != nil {
		n += q.idleForks(true)
	}
	return n
}

func (q *Quota) eachIdle(keep *Lane, do func(l *Lane, bytes uintptr)) {
	q.lanes.each(func(o *Lane) {
		// A lane that has other chunks needs a current one: Rewind starts there.
		n := o.freeBytes()
		if o.used() == 0 && len(o.older) == 0 && o != keep {
			n += o.size()
		}
		if n != 0 {
			do(o, n)
		}
	})
}

// Idle is the part of IdleForks for an ended fork.
func (q *Quota) Idle(drop bool) uintptr {
	if drop {
		return q.dropIdle(nil)
	}
	return q.idleBeside(nil)
}

// TrimIdle drops the idle chunks of q's region and of its ended forks if the arena and its
// forks hold more than half of their limit. Reset and Rewind call it, because no other
// goroutine may drop them: so idle chunks are never in the way of a fork that needs half.
func (q *Quota) TrimIdle() {
	if limit := q.Limit(); limit != 0 && q.account.Held() > limit/2 {
		q.DropIdle()
	}
}

// DropIdle drops the idle chunks of q's region and of its ended forks.
func (q *Quota) DropIdle() { q.account.shrink(q.stats, q.dropIdle(nil)) }

// ForksAre sets the function that knows the ended forks of q's region, nil for none.
func (q *Quota) ForksAre(idle IdleForks) { q.idleForks = idle }

// Settled notes that an epoch of q's region and of its forks has ended.
func (q *Quota) Settled() { q.account.spared.Store(0) }

// ForksInUse notes how many forks of q's region are in use.
func (q *Quota) ForksInUse(n int) { q.forksInUse = n }

// Forked counts a fork.
func (q *Quota) Forked() {
	check.RaceBlind()
	q.account.forks.Add(1)
	check.RaceSee()
}

// End notes, for builds with checks, what ended the fork that q is of: nobody may use it
// any more.
func (q *Quota) End(how string) { q.ended = how }

// Forget takes the chunks of a fork off the account, leaves them to any goroutine that may
// still use them, and separates q from all others.
func (q *Quota) Forget() {
	chunks := 0
	q.lanes.each(func(l *Lane) { chunks += l.Chunks() })
	q.give(q.held, chunks)
	q.Leave()
}

// Leave separates q, which holds nothing, from all others.
func (q *Quota) Leave() { q.idleForks, q.stats, q.account = nil, nil, &noAccount }

// reserve counts n bytes, of which freed are counted already, or returns why it does not.
func (acct *Account) reserve(s *PoolStats, n, freed uintptr) *Refusal {
	limit, more := acct.limit.Load(), n-min(n, freed)
	if held, ok := addWithin(&acct.held, more, n, freed, limit); !ok {
		return &Refusal{Limit: limit, InUse: held, Asked: n}
	}
	if !acct.counts.Load() {
		return nil
	}
	total := s.total.Load()
	if out, ok := addWithin(&s.out, more, n, freed, total); !ok {
		acct.held.Add(-more)
		charged := acct.charged.Load()
		return &Refusal{Limit: total, InUse: out, Others: out + freed - min(out+freed, charged), Asked: n, Pool: true}
	}
	acct.charged.Add(more)
	return nil
}

// addWithin adds more to x if n fit into most, 0 for any, once freed were taken off. It
// returns what x was then.
func addWithin(x *atomic.Uintptr, more, n, freed, most uintptr) (was uintptr, ok bool) {
	for {
		was = x.Load()
		if after := was - min(was, freed); most != 0 && remaining(most, after) < n {
			return after, false
		}
		if more == 0 || x.CompareAndSwap(was, was+more) {
			return was, true
		}
	}
}

// shrink takes off bytes that the arena or one of its forks has no more.
func (acct *Account) shrink(s *PoolStats, bytes uintptr) {
	if bytes == 0 {
		return
	}
	check.RaceBlind()
	acct.discharge(s, bytes)
	acct.held.Add(-bytes)
	check.RaceSee()
}

// discharge lowers charged, and the pool's out, by the smaller of bytes and charged.
func (acct *Account) discharge(s *PoolStats, bytes uintptr) {
	for charged := acct.charged.Load(); charged != 0; charged = acct.charged.Load() {
		n := min(bytes, charged)
		if acct.charged.CompareAndSwap(charged, charged-n) {
			s.out.Add(-n)
			break
		}
	}
}

// BeginCount has all that the arena has and takes count against the pool's total until
// EndCount. It returns false, and counts none of what the arena has, if the total does
// not allow it: the caller then releases that.
func (acct *Account) BeginCount(s *PoolStats) bool {
	check.RaceBlind()
	acct.counts.Store(true)
	more := acct.held.Load() - acct.charged.Load()
	_, ok := addWithin(&s.out, more, more, 0, s.total.Load())
	if ok {
		acct.charged.Add(more)
	}
	check.RaceSee()
	return ok
}

// EndCount takes all that the arena and its forks have off the pool's total.
func (acct *Account) EndCount(s *PoolStats) {
	check.RaceBlind()
	acct.counts.Store(false)
	acct.discharge(s, ^uintptr(0))
	check.RaceSee()
}

// Close ends the account of an arena that was collected.
func (acct *Account) Close(s *PoolStats) {
	s.held.Add(-acct.held.Load())
	acct.discharge(s, ^uintptr(0))
	if acct.abandoned.Load() {
		s.left.Add(-1)
	}
}

// grew counts a new chunk of the given size in bytes.
func (acct *Account) grew(s *PoolStats, bytes uintptr, large bool) {
	check.RaceBlind()
	held := s.held.Add(bytes)
	Raise(&s.peak, held)
	Raise(&s.largest, acct.held.Load())
	if large {
		s.oversize.Add(1)
	}
	check.RaceSee()
}

// Take counts a Get, of an idle arena, which the caller alone has. Whoever gets the arena
// from the caller sees that.
//
//go:norace
func (acct *Account) Take() { addAlone(&acct.Turns, 1) }

// isOut reports whether the arena is in use.
func (acct *Account) isOut() bool { return acct.Turns.Load()%2 == 1 }

// Limited reports whether the arena has a limit.
func (acct *Account) Limited() bool { return acct.limit.Load() != 0 }

// Abandoned reports whether the arena was abandoned.
func (acct *Account) Abandoned() bool { return acct.abandoned.Load() }

// Forks returns how many forks the arena and its forks ever handed out.
func (acct *Account) Forks() uint64 { return acct.forks.Load() }

// Held returns the number of bytes that the arena and its forks have reserved.
func (acct *Account) Held() uintptr { return acct.held.Load() }

// Charged returns the part of Held that counts against the total.
func (acct *Account) Charged() uintptr { return acct.charged.Load() }

// remaining returns what a limit leaves when held bytes are in use.
func remaining(limit, held uintptr) uintptr { return limit - min(limit, held) }

// noLimit is the remaining capacity if there is no limit.
const noLimit = ^uintptr(0)
