package arena

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// account is a pool's record of one of its arenas and its forks. It is an object of its
// own, so that it outlives the arena, and fills a cache line, so that counters of two
// cores never share one.
type arenaStats struct {
	machine.ArenaStats // its Gets and Puts, and the bytes of its chunks
	// sample is the stack of the Get of the arena that is out, if it was taken.
	sample atomic.Pointer[sample]

	config *config // that the Get applied; nil for none
	panics uint64  // goroutine in which the Get turned on debug.SetPanicOnFault; 0 for none

	used machine.Used // at Put

	_ [statsPad]byte

	prev, next *arenaStats // in the pool's list

	// seen is the value of Generation after the last collection, the lower half.
	seen    uint32
	leaving bool        // the pool dropped the arena, which was idle
	kind    kind        // of the arena
	moves   atomic.Bool // the arena is isolated, so that another one has the account after each Put
}

// takeUsed takes what st has counted of cycles, for it has no room for more.
//
//go:norace
func (p *ArenaPool) takeUsed(st *arenaStats) {
	p.lock()
	p.gone.addUsed(&st.used)
	st.used.Clear()
	p.unlock()
}

// statsList is a list of accounts, under its pool's lock. What it holds on to
// is the pool's, so the race detector learns nothing from it, see check.RaceBlind.
type statsList struct {
	first *arenaStats
	len   int
}

//go:norace
func (l *statsList) add(st *arenaStats) {
	if st.next = l.first; st.next != nil {
		st.next.prev = st
	}
	l.first = st
	l.len++
}

//go:norace
func (l *statsList) remove(st *arenaStats) {
	if st.prev == nil {
		l.first = st.next
	} else {
		st.prev.next = st.next
	}
	if st.next != nil {
		st.next.prev = st.prev
	}
	st.prev, st.next = nil, nil
	l.len--
}

//go:norace
func (l *statsList) all(yield func(*arenaStats) bool) {
	for st := l.first; st != nil && yield(st); st = st.next {
	}
}

// enlist notes the account of a new arena.
//
//go:norace
func (p *ArenaPool) enlist(st *arenaStats) {
	p.lock()
	p.allStats.add(st)
	p.gone.Misses++
	// All others are out, or where this Get could not reach them: with this one
	// it would have been served.
	p.retained.demand.now = max(p.retained.demand.now, p.allStats.len-p.leaving())
	if !p.retained.watched {
		p.awaitCollection()
	}
	p.unlock()
}

// lock locks the pool for bookkeeping that is no order between the goroutines which use the pool: the race
// detector does not see it. Callers have go:norace.
//
//go:norace
func (p *ArenaPool) lock() {
	check.RaceBlind()
	p.mu.Lock()
}

//go:norace
func (p *ArenaPool) unlock() {
	p.mu.Unlock()
	check.RaceSee()
}
