package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// A LimitError is the panic value of an allocation that would exceed a limit. Nothing has changed then: the arena is still usable, keeps what it
// has (and its record of a type that it met for the first time), and goes back to its pool as usual. Other arenas are not affected. Code that
// recovers it can use errors.As.
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

// Error returns the sizes and whose limit it is.
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

// SetLimit bounds the arena's memory: its chunks never have more than that many bytes together, and an allocation that needs more panics with a
// *LimitError. 0 removes the limit; SetLimit panics if bytes is negative. An arena that has more already keeps it until its Reset.
//
// The limit counts whole chunks, used or not, including those kept from the last cycle. An arena with a limit keeps at most half of it over a
// Reset. (Records, as NewArena describes them, are not included.) A chunk has at most an eighth of the remaining limit, unless a single value
// needs more, so that one kind of value does not take it all. A slice that grows by Append leaves its former memory behind, and may have a
// quarter of the limit; a slice that is made at once may have nearly all. With a limit of ten times what usual cycles use, a warm arena takes
// nothing more from the heap. A limit below the arena's chunk size also works.
//
// The limit holds for the arena and all its forks together, and SetLimit panics for a fork. Chunks that one of them has and does not use count
// for all, but are never more than half of the limit: a Reset or Rewind that would leave more gives them to the collector.
//
// For an arena from a pool, the limit holds until Put, in place of the pool's. Values on the heap, such as those of a nil arena, have no limit.
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

// quota returns the arena's quota, which the first call creates.
func (a *Arena) quota() *machine.Quota { return a.region.Quota(refuse) }

// refuse panics with the LimitError of a refusal.
func refuse(r machine.Refusal) {
	panic(&LimitError{
		Limit: int(r.Limit), InUse: int(r.InUse), Others: int(r.Others), Asked: int(r.Asked),
		Pool: r.Pool, Retry: r.Pool && r.InUse-r.Others+r.Asked <= r.Limit,
	})
}
