package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// arena has package arena's Arena and no other type, which this package can't name.
type arena[A any] interface {
	*A
	AllocString(string) string
	Reset()
	Release()
}

// RegionOf returns the region of an *arena.Arena, which is not nil: its first field.
func RegionOf[A any, P arena[A]](a P) *Region {
	return xunsafe.Cast[Region](xunsafe.PointerTo((*A)(a)))
}

// Enter is how the other packages of this module come from an *arena.Arena, which is not
// nil, to its region, at the beginning of a function, which does names. It panics, in
// builds with checks, where the arena is not the caller's, and Leave has to follow.
func Enter[A any, P arena[A]](a P, does string) *Region {
	r := RegionOf(a)
	r.Enter(does)
	r.Revive()
	return r
}

// Enter is the beginning of every function that changes the region, where the checks for
// misuse or the race detector watch.
func (r *Region) Enter(does string) {
	if check.Watched {
		r.Watch.Enter(does)
		r.mustBeOut(does)
	}
}

// Leave is the end of what Enter began. A function leaves before it calls a program's
// own, which may use the arena, and enters again afterwards.
func (r *Region) Leave() {
	if check.Watched {
		r.Watch.Leave()
	}
}

// mustBeOut panics if the arena was put back, or is a fork that has ended. Put and what
// ends forks change that while they count as being in the arena.
//
//go:norace
func (r *Region) mustBeOut(does string) {
	ops := r.FlatLane().ops
	if !check.On || ops == nil || ops.quota == nil {
		return
	}
	if how := ops.quota.ended; how != "" {
		r.Leave()
		panic("arena: " + does + ": the arena is a fork, and ended with the arena that it was forked from, by " + how + "; wait for its goroutine before that" + r.Watch.History())
	}
	if !ops.quota.account.isOut() {
		r.Leave()
		panic("arena: " + does + ": the arena was put back in its pool, and is not yours any more; Get another one" + r.Watch.History())
	}
}

// movedOps are the ops that MoveTo leaves in a lane: the quota of an arena that was put back.
var movedOps = laneOps{laneMemory: flatMemory{}, quota: &Quota{account: new(Account)}}

// Abandon takes the place of Put for an *arena.Arena of a pool that is out, where another
// goroutine may go on with it beyond the end of its request: it is left to the collector,
// and counts as abandoned, not as leaked. It changes nothing that the arena's user
// changes, and does nothing for nil. It panics as Put does if the arena was put.
//
//go:norace
func Abandon[A any, P arena[A]](a P) {
	if a != nil {
		RegionOf(a).abandon()
	}
}

//go:norace
func (r *Region) abandon() {
	ops := r.FlatLane().ops // nil: the region was retired; without a quota: and used after that
	if ops == nil || ops.quota == nil || ops.quota.stats == nil || !ops.quota.account.isOut() {
		panic("arena: ArenaPool.Put: the arena was put twice; after Put it belongs to the pool" + r.Watch.History())
	}
	q := ops.quota
	check.RaceBlind()
	if q.account.abandoned.CompareAndSwap(false, true) {
		q.stats.abandoned.Add(1)
		q.stats.left.Add(1)
	}
	check.RaceSee()
}
