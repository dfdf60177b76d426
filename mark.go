package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Mark remembers how much of an arena was in use, for Rewind.
type Mark struct {
	arena *Arena
	mark  machine.Mark
	forks uint64 // the arena's newest fork
}

// Mark returns a mark at the current state of a: Rewind takes back what is
// allocated from here on. Marks nest. It costs a few words for each type with
// pointers that this epoch, or one of the three before, has used, which are kept until
// a rewind to an earlier mark or a Reset; marking twice in one place costs them once.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	if check.Watched {
		a.enter("Mark")
		defer a.leave()
	}
	m := Mark{arena: a, mark: a.region.Mark()}
	if a.forks != nil {
		m.forks = a.forks.count
	}
	return m
}

// Rewind takes back everything that was allocated since m was taken, as Reset
// does for the whole arena; it costs the clearing of memory with pointers that
// is taken back. m stays good for further rewinds; marks that were taken after
// m are stale then, but for those taken in the very same place, which are the
// same mark. A stale mark, one from before the last Reset, Release or
// Put included, and a mark of another arena panic and change nothing. Forks of a
// that were made since m was taken end as by Reset; what older ones allocated stays.
func (a *Arena) Rewind(m Mark) {
	if a != m.arena {
		panic("arena: Rewind: the mark is of another arena; rewind the arena that it was taken from")
	}
	if a == nil {
		return
	}
	if check.Watched {
		a.enter("Rewind")
		defer a.leave()
	}
	if a.region.IsStale(m.mark) {
		panic("arena: Rewind: the mark is stale: the arena was reset, released, put in its pool or rewound to an earlier mark since it was taken; take a new one" + a.region.Watch.History())
	}
	if a.forks != nil {
		a.checkForks(m.forks, "Rewind")
	}
	if check.On {
		a.region.CheckFrom(m.mark)
		a.region.Watch.Ended("Rewind")
	}
	if a.forks != nil {
		a.endForks(m.forks, "Rewind")
	}
	a.region.Rewind(m.mark)
	if a.forks != nil {
		a.quota().YieldIdle()
	}
}
