package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// kin ties an arena to its forks, and a fork to what it was forked from.
type kin struct {
	parent  *Arena       // nil in what is no fork
	pool    *ArenaPool   // of the first one of the family; nil for none
	root    *account     // of that in its pool
	account *forkAccount // a fork's own, beside that
	born    uint64       // a fork's number among its parent's
	ended   string       // what ended a fork, in builds with checks

	forks []*Arena // the first out are in use
	out   int
	count uint64 // of forks that were ever handed out
	most  int    // of out, since lives was 0
	lives int

	accounts []*forkAccount // of forks that are no more, for the next ones
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
// A Limit of a, and that of its pool, count what a and its forks have together. So
// does maxRetained: forks that have ended keep memory for the next ones, so that a
// warm arena forks without an allocation. Stats and UsedBytes say what each has of
// its own; PoolStats counts forks with their arenas.
//
// A fork's Reset and Release take back what came from the fork, and its forks' alone,
// and a Mark is for the arena that it was taken of. A fork can't be put in a pool.
func (a *Arena) Fork() *Arena {
	if a == nil {
		return nil
	}
	if !a.region.Made() {
		panic("arena: Arena.Fork: the zero Arena is not usable; use NewArena or a pool")
	}
	if check.Watched {
		a.enter("Fork")
		defer a.leave()
	}
	if a.kin == nil {
		a.kin = &kin{pool: a.owner.pool, root: a.owner.account}
		a.metered().NewFamily(a.dropSpare, a.owner.account.charged)
	}
	k := a.kin
	if k.out == len(k.forks) {
		k.forks = append(k.forks, a.newFork())
	}
	f := k.forks[k.out]
	if f.kin.account != nil {
		f.startAccount()
	}
	k.out++
	k.count++
	k.most = max(k.most, k.out)
	f.kin.born = k.count
	f.region.MaxRetained = a.region.MaxRetained // which a limit may have changed
	if check.On {
		f.region.Watch.Begin()
	}
	return f
}

// newFork makes another fork.
func (a *Arena) newFork() *Arena {
	k := a.kin
	own := &kin{parent: a, pool: k.pool, root: k.root}
	f := &Arena{kin: own}
	acct := new(machine.Account)
	if k.pool != nil {
		own.account = k.newAccount()
		acct = &own.account.Account
	}
	f.region.InitLike(&a.region, a.metered(), acct, f.dropSpare)
	return f
}

// newAccount returns the account of a new fork, which the pool knows by that of
// the arena.
func (k *kin) newAccount() *forkAccount {
	if n := len(k.accounts); n > 0 {
		acct := k.accounts[n-1]
		k.accounts = k.accounts[:n-1]
		return acct
	}
	acct := new(forkAccount)
	check.RaceBlind()
	for {
		acct.next = k.root.forks.Load()
		if k.root.forks.CompareAndSwap(acct.next, acct) {
			check.RaceSee()
			return acct
		}
	}
}

// startAccount begins a fork's life in its pool: what it has kept counts towards
// the total from here on, or goes.
func (f *Arena) startAccount() {
	acct, tally := f.kin.account, &f.kin.pool.tally
	acct.Turns.Store(acct.Turns.Load() + 1)
	if held := f.metered().Held(); held != 0 {
		acct.Unsettled = true
		if !acct.ChargeIdle(tally, held) {
			f.region.Release()
		}
	}
}

// checkForks panics if one of the forks that are younger than born is in use at
// this moment, or something was written beside their values. It changes nothing.
func (a *Arena) checkForks(born uint64, does string) {
	if !check.Watched {
		return
	}
	for _, f := range a.kin.forks[:a.kin.out] {
		if f.kin.born > born {
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

// endForks ends the forks that are younger than born.
func (a *Arena) endForks(born uint64, how string) {
	k := a.kin
	for k.out > 0 && k.forks[k.out-1].kin.born > born {
		k.out--
		f := k.forks[k.out]
		f.region.MaxRetained = a.region.MaxRetained
		f.endForks(0, how)
		if check.On {
			f.region.Watch.Ended(how)
			f.kin.ended = how
		}
		f.region.Empty()
		if acct := f.kin.account; acct != nil {
			acct.Turns.Store(acct.Turns.Load() + 1)
			if acct.Unsettled {
				acct.Settle(&k.pool.tally)
			}
		}
		if check.On {
			a.dropForks(k.out) // one that is never used again is what finds every stale use
		}
	}
}

// keepForks bounds what a's forks, which have all ended, keep for the next life:
// as many of them as one of the last lives used, and at most what a may keep of
// bytes, with its own.
func (a *Arena) keepForks() {
	k := a.kin
	if k.lives++; k.lives == machine.Window {
		a.dropForks(k.most)
		k.lives, k.most = 0, 0
	}
	if held, most := a.heldAll(), a.region.MaxRetained; held > most {
		for i := len(k.forks) - 1; i >= 0 && held > most; i-- {
			held -= k.forks[i].heldAll()
			k.forks[i].dropForks(0)
			k.forks[i].region.Release()
		}
	}
}

// heldAll is how many bytes the chunks of a and of its forks have, which are all
// idle.
func (a *Arena) heldAll() uintptr {
	n := a.metered().Held()
	if a.kin != nil {
		for _, f := range a.kin.forks {
			n += f.heldAll()
		}
	}
	return n
}

// dropForks gives the memory of forks that have ended to the collector, from the
// one on with the index from.
func (a *Arena) dropForks(from int) {
	k := a.kin
	for i := from; i < len(k.forks); i++ {
		f := k.forks[i]
		f.dropForks(0)
		f.region.Release()
		if f.kin.account != nil {
			k.accounts = append(append(k.accounts, f.kin.account), f.kin.accounts...)
			f.kin.account, f.kin.accounts = nil, nil
		}
		k.forks[i] = nil
	}
	k.forks = k.forks[:min(from, len(k.forks))]
}

// dropSpare gives the memory of the forks that nobody uses to the collector.
func (a *Arena) dropSpare() {
	for _, f := range a.kin.forks[a.kin.out:] {
		f.dropForks(0)
		f.region.Release()
	}
}
