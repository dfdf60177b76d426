package arena

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// account is a pool's record of one of its arenas and its forks. It is an object of its
// own, so that it outlives the arena, and fills a cache line, so that counters of two
// cores never share one.
type account struct {
	machine.Account // its Gets and Puts, and the bytes of its chunks
	// sample is the stack of the Get of the arena that is out, if it was taken.
	sample atomic.Pointer[sample]

	config *config // that the Get applied; nil for none

	used machine.Used // at Put

	_ [accountPad]byte

	prev, next *account // in the pool's list

	// seen is the value of Turns after the last collection, the lower half.
	seen    uint32
	leaving bool        // the pool dropped the arena, which was idle
	kind    kind        // of the arena
	moves   atomic.Bool // the arena is isolated, so that another one has the account after each Put
}

// takeUsed takes what acct has counted of epochs, for it has no room for more.
//
//go:norace
func (p *ArenaPool) takeUsed(acct *account) {
	check.RaceBlind()
	p.mu.Lock()
	p.gone.UsedAtPut.add(&acct.used)
	acct.used.Clear()
	p.mu.Unlock()
	check.RaceSee()
}

// accountList is a list of accounts, under its pool's lock. What it holds on to
// is the pool's, so the race detector learns nothing from it, see check.RaceBlind.
type accountList struct {
	first *account
	len   int
}

//go:norace
func (l *accountList) add(acct *account) {
	if acct.next = l.first; acct.next != nil {
		acct.next.prev = acct
	}
	l.first = acct
	l.len++
}

//go:norace
func (l *accountList) remove(acct *account) {
	if acct.prev == nil {
		l.first = acct.next
	} else {
		acct.prev.next = acct.next
	}
	if acct.next != nil {
		acct.next.prev = acct.prev
	}
	acct.prev, acct.next = nil, nil
	l.len--
}

//go:norace
func (l *accountList) all(yield func(*account) bool) {
	for acct := l.first; acct != nil && yield(acct); acct = acct.next {
	}
}

// enlist notes the account of a new arena.
//
//go:norace
func (p *ArenaPool) enlist(acct *account) {
	check.RaceBlind()
	p.mu.Lock()
	p.accounts.add(acct)
	p.gone.Misses++
	// All others are out, or where this Get could not reach them: with this one
	// it would have been served.
	p.retained.demand.now = max(p.retained.demand.now, p.accounts.len-p.leaving())
	if !p.retained.watched {
		p.awaitCollection()
	}
	p.mu.Unlock()
	check.RaceSee()
}
