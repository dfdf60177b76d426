package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/escape"
	"github.com/ebbpool/arena/internal/machine"
)

// This file has forks, and limits, which an arena and its forks share.

// forks links an arena with its forks, and a fork with its parent.
type forks struct {
	parent *Arena // nil if the arena is not a fork
	born   uint64 // a fork's number among its parent's

	list   []*Arena // list[:out] are in use, the others idle
	out    int
	count  uint64 // of forks that were ever handed out
	most   int    // of out, since cycles was 0
	cycles int
}

// Fork returns an arena for another goroutine that works on the same request. The fork ends when a does. Neither waits for the other to
// allocate, and values of each may point into the other. The goroutine that owns a fork may fork it. The fork of a nil arena is nil.
//
//	fork := a.Fork() // by the goroutine that owns a, and no other
//	g.Go(func() error { return work(fork) })
//	...
//	err := g.Wait() // before a's Reset, Release or Put
//
// A fork ends at a's Reset, Release or Put, and at a Rewind to a Mark that was taken before the call of Fork. The goroutine that owns a must
// first wait until the fork's goroutine no longer uses it, for example with a WaitGroup. A later use is a logic error, like the use of an
// arena after its Put, and a concurrent use is a data race. Builds with checks report both.
//
// The limits of a and of its pool count a and its forks together, and so does maxRetained. Ended forks keep memory for later forks, so a warm
// arena forks without allocating. This memory counts towards a pool's total until the arena needs it or is put back. Stats describes an
// arena or fork alone, and PoolStats counts forks with their arenas.
//
// A fork's Reset and Release take back only the memory of the fork and its own forks. A Mark is valid only for the arena that returned it.
// A fork can't be put in a pool.
func (a *Arena) Fork() *Arena {
	if a == nil {
		return nil
	}
	a.region.Prepare()
	if check.Watched {
		a.region.Enter("Fork")
		defer a.region.Leave()
	}
	if a.forks == nil {
		a.forks = &forks{}
		a.quota().IdleForks = a.idleForks
	}
	k := a.forks
	if k.out == len(k.list) {
		k.list = append(k.list, a.newFork())
	}
	f := k.list[k.out]
	k.out++
	k.count++
	k.most = max(k.most, k.out)
	a.quota().Forked(k.out)
	f.forks.born = k.count
	f.region.MaxRetained = a.region.MaxRetained // which a limit may have changed
	if check.On {
		f.region.Watch.Begin()
	}
	return f
}

// newFork returns a new fork.
func (a *Arena) newFork() *Arena {
	f := &Arena{forks: &forks{parent: a}}
	f.region.InitFork(&a.region, a.quota(), f.idleForks)
	if a.isGuarded() {
		f.region.Guard(&machine.Guarded{Cycle: a.region.Guarded().Cycle})
	}
	return f
}

// checkForks panics if one of the forks younger than born is in use at this moment, or if something was written beside their values.
func (a *Arena) checkForks(born uint64, does string) {
	if !check.Watched {
		return
	}
	for _, f := range a.forks.list[:a.forks.out] {
		if f.forks.born > born {
			f.checkFork(does)
		}
	}
}

func (a *Arena) checkFork(does string) {
	a.region.Watch.Enter(does)
	defer a.region.Leave()
	if check.On {
		a.region.CheckFree()
	}
	a.checkForks(0, does)
}

// endForks ends the forks younger than born, and returns the number of bytes that they used.
func (a *Arena) endForks(born uint64, how string) (used uintptr) {
	k := a.forks
	for k.out > 0 && k.list[k.out-1].forks.born > born {
		k.out--
		f := k.list[k.out]
		f.region.MaxRetained = a.region.MaxRetained
		used += f.endForks(0, how)
		if check.On {
			f.region.Watch.Ended(how)
			f.quota().Ended = how
		}
		used += f.region.Empty()
		if check.On {
			a.dropForks(k.out) // one that is never used again finds every stale use
		}
	}
	a.quota().ForksInUse = k.out
	return used
}

// usedByForks returns the number of bytes that a's forks, and their forks, have used.
func (a *Arena) usedByForks() (used uintptr) {
	if a.forks != nil {
		for _, f := range a.forks.list[:a.forks.out] {
			used += f.region.UsedBytes() + f.usedByForks()
		}
	}
	return used
}

// trimForks bounds the memory that a's forks, which have all ended, keep for the next cycle: as many forks as one of the last cycles used, and
// no more bytes than a and its forks may keep together.
func (a *Arena) trimForks() {
	k := a.forks
	if k.cycles++; k.cycles == machine.Window {
		a.dropForks(k.most)
		k.cycles, k.most = 0, 0
	}
	if a.forks.parent != nil {
		return // all forks share the budget of the outermost arena
	}
	held, most := a.heldAll(), a.region.MaxRetained
	a.region.ShrinkCache(most - min(most, held))
	if held > most {
		for i := len(k.list) - 1; i >= 0 && held > most; i-- {
			held -= k.list[i].heldAll()
			k.list[i].drop()
		}
	}
}

// forgetForks ends a's forks without looking into them, because other goroutines may use them too late. Their memory stays theirs, and the
// next request gets new forks.
func (a *Arena) forgetForks() {
	if a.forks == nil {
		return
	}
	for _, f := range a.forks.list {
		f.forget()
	}
	a.quota().ForksInUse = 0
	if a.forks.parent != nil {
		a.forks.list, a.forks.out = nil, 0
		return
	}
	a.forks = nil
	a.quota().IdleForks = nil
}

func (f *Arena) forget() {
	for _, g := range f.forks.list {
		g.forget()
	}
	f.quota().Forget()
}

// heldAll returns the size of the chunks of a and of its forks, which are all idle.
func (a *Arena) heldAll() uintptr {
	n := a.quota().Held()
	if a.forks != nil {
		for _, f := range a.forks.list {
			n += f.heldAll()
		}
	}
	return n
}

// dropForks leaves the memory of ended forks, from index from on, to the collector.
func (a *Arena) dropForks(from int) {
	k := a.forks
	for i := from; i < len(k.list); i++ {
		k.list[i].drop()
		k.list[i].quota().Leave()
		k.list[i] = nil
	}
	k.list = k.list[:min(from, len(k.list))]
}

// drop leaves the memory of an ended fork, and of its forks, to the collector.
func (f *Arena) drop() {
	f.dropForks(0)
	f.region.Release()
}

// idleForks returns the size of the idle chunks of a's ended forks, and drops them if drop is set.
func (a *Arena) idleForks(drop bool) (n uintptr) {
	for _, f := range a.forks.list[a.forks.out:] {
		n += f.quota().Idle(drop)
	}
	return n
}

// memory returns all memory that ends with a.
func (a *Arena) memory() escape.Region {
	a.region.Prepare()
	if a.forks == nil || len(a.forks.list) == 0 {
		return &a.region
	}
	return (*withForks)(a)
}

// withForks is the memory of an arena and of its forks, including idle ones, to which stale pointers may lead.
type withForks Arena

func (w *withForks) Holdings(list []machine.Holding) []machine.Holding {
	list = w.region.Holdings(list)
	if w.forks != nil {
		for _, f := range w.forks.list {
			list = (*withForks)(f).Holdings(list)
		}
	}
	return list
}

func (w *withForks) OwnsMap(m uintptr) bool {
	if w.region.OwnsMap(m) {
		return true
	}
	if w.forks != nil {
		for _, f := range w.forks.list {
			if (*withForks)(f).OwnsMap(m) {
				return true
			}
		}
	}
	return false
}

// A LimitError is the panic value of an allocation that would exceed a limit. A refused allocation changes nothing, except that the arena keeps
// its record of a type that it met for the first time. The arena is still usable, and goes back to its pool as usual. Other arenas are not
// affected. Code that recovers a LimitError can use errors.As.
//
// If Retry is true, the allocation can succeed after other arenas were put back. Otherwise the program must allocate less in a cycle, or raise
// the limit with [Arena.SetLimit] or [ArenaPool.SetLimit].
type LimitError struct {
	Limit  int  // in bytes
	InUse  int  // bytes of chunks that count against the limit
	Others int  // the part of InUse in other arenas of the pool and their forks, including idle chunks
	Asked  int  // bytes that the allocation needed in addition
	Pool   bool // the limit is the total of a pool, not the limit of the arena

	// Retry reports whether the allocation fits the limit once all other arenas of the pool were put
	// back. Servers answer 503 if it is true, and 413 otherwise. It is false for an arena's own limit.
	Retry bool
}

// Error returns the sizes and whose limit it is.
func (e *LimitError) Error() string {
	whose, others := "arena", ""
	if e.Pool {
		whose, others = "pool", ", "+itoa(e.Others)+" by other arenas"
	}
	return "arena: allocation of " + itoa(e.Asked) + " bytes exceeds the limit of the " + whose + ": " +
		itoa(e.InUse) + " of " + itoa(e.Limit) + " bytes in use" + others
}

// SetLimit bounds the arena's memory: its chunks never have more than that many bytes together, and an allocation that needs more panics with a
// *LimitError. 0 removes the limit; SetLimit panics if bytes is negative. An arena that already has more keeps it until its Reset.
//
// The limit counts whole chunks, used or not, including those kept from the last cycle, and the builtin maps that codecs make. An arena with a
// limit keeps at most half of it over a Reset. (Records, as NewArena describes them, are not included.) A chunk has at most an eighth of the
// remaining limit, unless a single value needs more, so that one kind of value does not take it all. A slice that grows by Append leaves its
// former memory behind, so it can have a quarter of the limit. A slice that is made at once can have nearly all. With a limit of ten times the
// bytes of usual cycles, a warm arena takes nothing from the heap. A limit below the arena's chunk size also works.
//
// The limit holds for the arena and all its forks together, and SetLimit panics for a fork. Idle chunks of each of them count, but are never
// more than half of the limit: a Reset or Rewind that would leave more drops them.
//
// For an arena from a pool, the limit holds until Put, in place of the pool's. While pools are disabled, the limit counts each value. A nil
// arena has no limit.
func (a *Arena) SetLimit(bytes int) {
	limit := checkLimit("Arena.SetLimit", bytes)
	if a == nil {
		return
	}
	a.region.Prepare()
	if check.Watched {
		a.region.Enter("SetLimit")
		defer a.region.Leave()
	}
	if a.forks != nil && a.forks.parent != nil {
		panic("arena: Arena.SetLimit: arena is a fork")
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
