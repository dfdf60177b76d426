package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// LimitError is the panic value of an allocation that would take more memory
// than a limit allows. Nothing has changed then: the arena has what it had (and
// its record of a type that it met for the first time), may
// be used on, and goes back to its pool as always; other arenas know nothing
// of it. What recovers it can use errors.As.
type LimitError struct {
	Limit  int  // bytes that were allowed
	InUse  int  // bytes of them that are in use, as chunks
	Others int  // bytes of those that other arenas of the pool have, their forks included; of them InUse counts what is idle, too
	Asked  int  // bytes that the allocation needed in addition
	Pool   bool // the limit is the total of a pool, not that of the arena

	// Retry reports whether the same allocation is within the limit once other arenas were
	// put back: for a server the difference between 503 and 413. Forks end with their arena,
	// so what its parent and the parent's other forks have is not for them to give back, and
	// an arena's own limit is for none.
	Retry bool
}

// Error says what was asked for, what was there, and what to do.
func (e *LimitError) Error() string {
	whose, advice := "the arena's limit", "; allocate less before its Reset or Put, or raise it with SetLimit"
	if e.Pool {
		whose, advice = "the pool's total", "; try again when other arenas were put back, or raise it with ArenaPool.SetLimit"
		if !e.Retry {
			advice = ", " + itoa(e.InUse-e.Others) + " of them by this arena, which can't have that many; allocate less before its Put, or raise it with ArenaPool.SetLimit"
		}
	}
	return "arena: an allocation needs " + itoa(e.Asked) + " bytes more, and " + itoa(e.InUse) + " of the " +
		itoa(e.Limit) + " bytes of " + whose + " are in use" + advice
}

// SetLimit bounds the arena's memory: its chunks never have more than bytes bytes
// together, and an allocation that needs more panics with a *LimitError. 0
// lifts the limit; a negative one panics. An arena that has more already keeps
// it until its Reset.
//
// What counts is chunks, to the byte and whether used or not, those kept from
// the last cycle included; an arena with a limit keeps at most half of it over a
// Reset. (Records, as NewArena describes them, don't count.) So that one kind
// of value does not take it all, a chunk has at most an eighth of what is left
// of the limit, unless a single value needs more. A slice that grows by Append
// leaves its former memory behind and may have a quarter of the limit; one that
// is made at once, nearly all. A limit of ten times of what usual cycles use
// takes nothing more from the heap once the arena is warm; one below the
// arena's chunk size works, too.
//
// It is the limit of the arena and of all its forks together. A fork has no other,
// and SetLimit panics for it. Chunks that one of them has and does not use count for all,
// but are never more than half of the limit: a Reset or Rewind that would leave more
// gives them to the collector.
//
// The limit of an arena from a pool holds until Put, in place of the one that
// the pool gave it. Values on the heap, a nil arena's, have no limit.
func (a *Arena) SetLimit(bytes int) {
	limit := checkLimit("Arena.SetLimit", bytes)
	if a == nil {
		return
	}
	a.region.Prepare()
	if check.Watched {
		a.enter("SetLimit")
		defer a.leave()
	}
	if a.forks != nil && a.forks.parent != nil {
		panic("arena: Arena.SetLimit: the arena is a fork, and has its limit together with the arena that it was forked from; set it there")
	}
	a.quota().SetLimit(limit)
}

// quota returns the quota of the arena, and makes it at the first call.
func (a *Arena) quota() *machine.Quota { return a.region.Quota(refuse) }

// refuse is how an allocation learns that it is beyond a limit.
func refuse(r machine.Refusal) {
	panic(&LimitError{
		Limit: int(r.Limit), InUse: int(r.InUse), Others: int(r.Others), Asked: int(r.Asked),
		Pool: r.Pool, Retry: r.Pool && r.InUse-r.Others+r.Asked <= r.Limit,
	})
}
