package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/escape"
	"github.com/ebbpool/arena/internal/machine"
)

// forks ties an arena to its forks, and a fork to its parent.
type forks struct {
	parent *Arena // nil in what is no fork
	born   uint64 // a fork's number among its parent's

	list   []*Arena // list[:out] are in use, the others idle
	out    int
	count  uint64 // of forks that were ever handed out
	most   int    // of out, since cycles was 0
	cycles int
}

// Fork returns an arena for another goroutine, which works on the same request: the
// fork ends when a does. Neither waits for the other when it allocates, and each may
// point into the other. The goroutine that a fork belongs to may fork it. The fork of
// a nil arena is nil.
//
//	fork := a.Fork() // by the goroutine that a belongs to, and no other
//	g.Go(func() error { return work(fork) })
//	...
//	err := g.Wait() // before a's Reset, Release or Put
//
// A fork ends at a's Reset, Release or Put, and at a Rewind to a Mark that was taken
// before it was made. Its goroutine must be done with it by then, and a's must have
// waited for that, by a WaitGroup for example. A fork that is used later is a logic
// error, as an arena that is used after its Put: it may be another goroutine's by
// then, and one that is used at the same moment is a data race. Builds with checks
// tell of both.
//
// A limit of a, and that of its pool, count what a and its forks have together. So
// does maxRetained: forks that have ended keep memory for the next ones, so that a
// warm arena forks without an allocation. Stats says what each has of
// its own; PoolStats counts forks with their arenas, and so does a pool's total: what
// forks that have ended keep counts until their arena needs the memory, or is put back.
//
// A fork's Reset and Release take back what came from the fork, and its forks' alone,
// and a Mark is for the arena that it was taken of. A fork can't be put in a pool.
func (a *Arena) Fork() *Arena {
	if a == nil {
		return nil
	}
	a.region.Prepare()
	if check.Watched {
		a.enter("Fork")
		defer a.leave()
	}
	if a.forks == nil {
		a.forks = &forks{}
		a.quota().ForksAre(a.idleForks)
	}
	k := a.forks
	if k.out == len(k.list) {
		k.list = append(k.list, a.newFork())
	}
	f := k.list[k.out]
	k.out++
	k.count++
	k.most = max(k.most, k.out)
	a.quota().ForksInUse(k.out)
	a.quota().Forked()
	f.forks.born = k.count
	f.region.MaxRetained = a.region.MaxRetained // which a limit may have changed
	if check.On {
		f.region.Watch.Begin()
	}
	return f
}

// newFork makes another fork.
func (a *Arena) newFork() *Arena {
	f := &Arena{forks: &forks{parent: a}}
	f.region.InitFork(&a.region, a.quota(), f.idleForks)
	if a.isGuarded() {
		f.region.Guard(&machine.Guarded{Cycle: a.region.Guarded().Cycle})
	}
	return f
}

// checkForks panics if one of the forks that are younger than born is in use at
// this moment, or something was written beside their values. It changes nothing.
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
	defer a.leave()
	if check.On {
		a.region.CheckFree()
	}
	a.checkForks(0, does)
}

// endForks ends the forks that are younger than born, and returns how many bytes they used.
func (a *Arena) endForks(born uint64, how string) (used uintptr) {
	k := a.forks
	for k.out > 0 && k.list[k.out-1].forks.born > born {
		k.out--
		f := k.list[k.out]
		f.region.MaxRetained = a.region.MaxRetained
		used += f.endForks(0, how)
		if check.On {
			f.region.Watch.Ended(how)
			f.quota().End(how)
		}
		used += f.region.Empty()
		if check.On {
			a.dropForks(k.out) // one that is never used again finds every stale use
		}
	}
	a.quota().ForksInUse(k.out)
	return used
}

// usedByForks returns how many bytes a's forks, and theirs, have used.
func (a *Arena) usedByForks() (used uintptr) {
	if a.forks != nil {
		for _, f := range a.forks.list[:a.forks.out] {
			used += f.region.UsedBytes() + f.usedByForks()
		}
	}
	return used
}

// trimForks bounds what a's forks, which have all ended, keep for the next cycle:
// as many of them as one of the last cycles used, and at most what a may keep of
// bytes, with its own.
func (a *Arena) trimForks() {
	k := a.forks
	if k.cycles++; k.cycles == machine.Window {
		a.dropForks(k.most)
		k.cycles, k.most = 0, 0
	}
	if a.forks.parent != nil {
		return // its arena's budget is that of all
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

// forgetForks ends a's forks without a look into them, which other goroutines may be
// using too late: what they have is theirs, and another request gets new ones.
func (a *Arena) forgetForks() {
	if a.forks == nil {
		return
	}
	for _, f := range a.forks.list {
		f.forget()
	}
	a.quota().ForksInUse(0)
	if a.forks.parent != nil {
		a.forks.list, a.forks.out = nil, 0
		return
	}
	a.forks = nil
	a.quota().ForksAre(nil)
}

func (f *Arena) forget() {
	for _, g := range f.forks.list {
		g.forget()
	}
	f.quota().Forget()
}

// heldAll is how many bytes the chunks of a and of its forks have, which are all
// idle.
func (a *Arena) heldAll() uintptr {
	n := a.quota().Held()
	if a.forks != nil {
		for _, f := range a.forks.list {
			n += f.heldAll()
		}
	}
	return n
}

// dropForks gives the memory of forks that have ended to the collector, from the
// one on with the index from.
func (a *Arena) dropForks(from int) {
	k := a.forks
	for i := from; i < len(k.list); i++ {
		k.list[i].drop()
		k.list[i].quota().Leave()
		k.list[i] = nil
	}
	k.list = k.list[:min(from, len(k.list))]
}

// drop gives the memory of a fork that has ended, and of its forks, to the collector.
func (f *Arena) drop() {
	f.dropForks(0)
	f.region.Release()
}

// idleForks returns the size of the idle chunks of a's ended forks in bytes, and drops them
// if drop is set.
func (a *Arena) idleForks(drop bool) (n uintptr) {
	for _, f := range a.forks.list[a.forks.out:] {
		n += f.quota().Idle(drop)
	}
	return n
}

// memory is all that ends with a.
func (a *Arena) memory() escape.Region {
	a.region.Prepare()
	if a.forks == nil || len(a.forks.list) == 0 {
		return &a.region
	}
	return (*withForks)(a)
}

// withForks is an arena's memory and that of its forks, of those that are idle, too:
// stale pointers lead there.
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
