package arena

import (
	"context"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// Arena is a region of memory: values are allocated from it one after the
// other and freed all at once, by Reset. It is safe for every Go value,
// pointers to the heap and to other arenas included.
//
// An arena belongs to one goroutine at a time. The zero Arena is ready to use, with the sizes
// of an automatic pool. So is a nil *Arena: allocations then come from the Go heap, and the
// methods do nothing.
//
// A cycle of an arena is the time from NewArena, Get or a Reset to the next Reset,
// Release or Put: one request, usually.
//
// An Arena must not be copied.
type Arena struct {
	region machine.Region // first, where machine.RegionOf looks

	printer *printer // what Sprintf uses; nil before the first
	forks   *forks   // nil where the arena was not forked and is no fork

	_     noCopy
	_     [arenaPad]byte // to a multiple of a cache line: arenas of two cores share none
	owner owner          // last, for one of no size would have bytes after it
}

// What fills Arena and account up to whole cache lines, on 64 and on 32 bits;
// a test says what to write here when they change.
const (
	is64     = ^uintptr(0) >> 63
	arenaPad = 8*is64 + 32*(1-is64)
	statsPad = 40*is64 + 0*(1-is64)
)

// The region is the first field, or this does not compile.
var _ [0]struct{} = [unsafe.Offsetof(Arena{}.region)]struct{}{}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewArena returns an empty arena.
//
// chunkSize is in bytes: what the arena takes from the Go heap at a time for
// values without pointers, and keeps for them if maxRetained allows. The first
// cycle begins with less, so that an arena for one small request costs little:
// with a kilobyte, or a 64th of chunkSize if that is more, and comes to chunkSize
// with the third chunk. (An arena with a chunkSize above 1 MB begins with all of
// it.) Each type with pointers gets memory of its own, beginning with six
// objects, but no more than 512 bytes of them. While the first cycle asks for
// more, further chunks come, up to 64 times chunkSize each: as much again for
// values without pointers, three to six times as much for types. Values larger
// than a chunk are fine: they get a chunk that fits. chunkSize <= 0 panics.
//
// maxRetained is in bytes, too: the most that the arena's chunks have after a
// Reset. Below it the arena keeps what most cycles need, and for about 190 cycles
// what a larger one needed; cycles that need more than maxRetained take the rest from the heap each time.
// (Its own records come on top: about 450 bytes for each type with pointers that
// it has met, twice that if it has several chunks,
// and for marks at most an eighth of maxRetained, or 4 KB.)
// maxRetained <= 0 means 10 * chunkSize.
//
// Nothing is allocated for values before the first of them.
func NewArena(chunkSize, maxRetained int) *Arena {
	size, retained := checkSizes("NewArena", chunkSize, maxRetained)
	a := newArena(size, retained)
	if check.On {
		a.region.Watch.Begin()
	}
	return a
}

func newArena(chunkSize, maxRetained uintptr) *Arena {
	x := new(struct {
		Arena
		record machine.RegionRecord
	})
	x.region.Place(&x.record)
	x.region.Init(chunkSize, maxRetained)
	return &x.Arena
}

// Reset takes back everything that was allocated from a, in time that does
// not depend on how much that was, but for clearing the memory that held
// types with pointers, and a few nanoseconds for each such type that this cycle, or one
// of the three before, has used. The arena keeps what its cycles need for the next one, at
// most maxRetained bytes, and leaves the rest to the collector: what a cycle had
// far beyond the others, and what none has needed lately.
//
// What was allocated before must not be used any more. Such a use is safe for
// the process, but reads and writes memory that others get: it is a logic
// error. Every Mark becomes stale.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	if check.Watched {
		a.enter("Reset")
		defer a.leave()
	}
	a.region.Prepare()
	if a.forks != nil {
		a.checkForks(0, "Reset")
	}
	if check.On {
		a.region.CheckFree()
		a.region.Watch.Ended("Reset")
	}
	switch {
	case a.isGuarded():
		a.endGuardedCycle("Reset")
	case a.forks != nil:
		a.emptyForked("Reset")
	default:
		a.region.Empty()
	}
}

// emptyForked ends the cycle of a and of its forks, as the function does that it names. It
// returns how many bytes they used.
func (a *Arena) emptyForked(how string) (used uintptr) {
	if a.region.Isolates() {
		used = a.usedByForks()
		a.forgetForks()
		return used + a.region.Empty()
	}
	used = a.endForks(0, how) + a.region.Empty()
	a.trimForks()
	a.quota().TrimIdle()
	if a.forks.parent == nil {
		a.quota().Flushed()
	}
	return used
}

// Release takes back everything, as Reset does, and gives all of the arena's
// memory to the collector. The arena is as if new, and may be used again.
func (a *Arena) Release() {
	if a == nil {
		return
	}
	if check.Watched {
		a.enter("Release")
		defer a.leave()
	}
	a.region.Prepare()
	if a.forks != nil {
		a.checkForks(0, "Release")
	}
	if check.On {
		a.region.CheckFree()
		a.region.Watch.Ended("Release")
		a.region.Watch.Released()
	}
	if a.isGuarded() {
		a.endGuardedCycle("Release")
		return
	}
	if a.region.Isolates() {
		a.forgetForks()
	}
	if a.forks != nil {
		a.endForks(0, "Release")
		a.dropForks(0)
	}
	a.region.Release()
}

// NewContext returns a context that carries a, for FromContext. It costs the
// object on the heap that every value of a context costs.
//
// A context often outlives the request that it was made for: in a goroutine that
// was started and not waited for, in a log. Who takes the arena out of it must
// belong to the goroutine that owns a, and be done before a is reset or put back.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, hooks.ContextKey{}, a)
}

// FromContext returns the arena that ctx carries: the one of the innermost
// NewContext. It returns nil, with which everything works on the heap, where
// there is none. It walks up the contexts that ctx was made from, so keep the
// result instead of asking for each allocation.
func FromContext(ctx context.Context) *Arena {
	switch x := ctx.Value(hooks.ContextKey{}).(type) {
	case *Arena:
		return x
	case hooks.Lender:
		a, _ := x.Lend(ctx).(*Arena)
		return a
	}
	return nil
}

// Mark remembers how much of an arena was in use, for Rewind.
type Mark struct {
	arena *Arena
	mark  machine.Mark
	forks uint64 // the arena's newest fork
}

// Mark returns a mark at the current state of a: Rewind takes back what is
// allocated from here on. Marks nest. It costs a few words for each type with
// pointers that this cycle, or one of the three before, has used, which are kept until
// a rewind to an earlier mark or a Reset; marking twice in one place costs them once.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	if check.Watched {
		a.enter("Mark")
		defer a.leave()
	}
	a.region.Prepare()
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
	a.region.Prepare()
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
		a.quota().TrimIdle()
	}
}

// What follows is for builds with checks; plain builds call none of it.

// enter is the beginning of every function that changes an arena, where the
// checks for misuse or the race detector watch; leave is its end.
func (a *Arena) enter(does string) { a.region.Enter(does) }

func (a *Arena) leave() { a.region.Leave() }

// spent is the account of the arenas that were put back: an even number of
// turns says that they are nobody's.
var spent arenaStats

// successor returns the arena that goes on in place of a, which was put back
// and must never be anybody's again: it has a's allocators, which are empty, with
// what they have learned, and a's account. So a warm pool is as warm as in a
// plain build. It returns nil under the race detector, which takes what one
// goroutine hands on to another for an order between all that they do.
func (a *Arena) successor() *Arena {
	if check.Race {
		return nil
	}
	b := &Arena{owner: a.owner}
	a.region.MoveTo(&b.region)
	if b.forks = a.forks; b.forks != nil {
		b.quota().ForksAre(b.idleForks)
	}
	a.region.Watch.Unguard()
	b.owner.pool.guard(b)
	a.owner.stats = &spent
	return b
}
