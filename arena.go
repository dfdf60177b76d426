package arena

import (
	"context"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// An Arena allocates values that are freed together, by Reset. It is safe for every Go value, including pointers to the heap and to other
// arenas.
//
// An arena belongs to one goroutine at a time; see [Arena.Fork]. The zero Arena is ready to use, with the sizes of an automatic pool. If an
// *Arena is nil, allocations come from the Go heap and methods do nothing.
//
// A cycle of an arena is the time from NewArena, Get or Reset to the next Reset, Release or Put. Usually it is one request.
//
// An Arena must not be copied.
type Arena struct {
	region machine.Region // first, where machine.RegionOf looks

	printer *printer // of Sprintf; nil before its first call
	forks   *forks   // nil if the arena was not forked and is no fork

	_     noCopy
	_     [arenaPad]byte // to a multiple of a cache line: arenas of two cores share none
	owner owner          // last, for one of no size would have bytes after it
}

// printer is the writer to which fmt writes the result of Sprintf. An arena that prints keeps one, on the heap.
type printer struct {
	arena *Arena
	text  string
}

// arenaPad and statsPad fill Arena and arenaStats up to whole cache lines, on 64 and on 32 bits.
// TestNoSharedCacheLines reports the values if the structs change.
const (
	is64     = ^uintptr(0) >> 63
	arenaPad = 8*is64 + 32*(1-is64)
	statsPad = 24*is64 + 48*(1-is64)
)

// The region is the first field, or this does not compile.
var _ [0]struct{} = [unsafe.Offsetof(Arena{}.region)]struct{}{}

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewArena returns an empty arena. It allocates no memory for values.
//
// chunkSize is the size in bytes of the chunks that the arena takes from the Go heap for values without pointers, and keeps if maxRetained
// allows. The first cycle begins with less, so that an arena for one small request costs little: with the larger of 1 KB and a 64th of
// chunkSize, and reaches chunkSize with the third chunk. (If chunkSize is above 1 MB, it begins with all of it.) Each type with pointers has
// separate memory, which begins with six objects, but at most 512 bytes. While the first cycle needs more, chunks grow to up to 64 times
// chunkSize. Larger values get a chunk that fits. NewArena panics if chunkSize <= 0.
//
// maxRetained is the most bytes of chunks that the arena keeps after a Reset. If it is <= 0, it is 10 * chunkSize. Within it, the arena keeps
// enough for most cycles, and after a larger cycle its memory for about 190 cycles. A cycle that needs more than maxRetained takes the rest
// from the heap each time. (The arena's own records are not included: about 450 bytes for each type with pointers, twice that if the type has
// several chunks, and for marks at most an eighth of maxRetained, or 4 KB.)
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
	x.region.RegionRecord = &x.record
	x.region.Init(chunkSize, maxRetained)
	return &x.Arena
}

// Reset ends the cycle: it takes back everything that was allocated from a. Every Mark becomes stale. The arena keeps the memory that its
// cycles need, at most maxRetained bytes, and leaves the rest to the collector.
//
// Values that were allocated before must not be used any more. Such a use is safe for the process, but reads and writes memory of other
// values: it is a logic error.
//
// The cost of Reset does not depend on the number of bytes, except that memory of types with pointers is cleared. Each such type that one of
// the last four cycles has used costs a few nanoseconds.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	if check.Watched {
		a.region.Enter("Reset")
		defer a.region.Leave()
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

// emptyForked ends the cycle of a and of its forks. how names the calling function. It returns the number of bytes that they used.
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

// Release takes everything back, like Reset, and leaves all of the arena's memory to the collector. The arena is as if new, and may be used
// again.
func (a *Arena) Release() {
	if a == nil {
		return
	}
	if check.Watched {
		a.region.Enter("Release")
		defer a.region.Leave()
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

// NewContext returns a context that carries a, for FromContext. It allocates one object on the heap, like every context with a value.
//
// A context often outlives its request, for example in a goroutine that is not waited for. Only the goroutine that owns a may use the arena
// from the context, and only until a is reset or put.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, hooks.ContextKey{}, a)
}

// FromContext returns the arena of the innermost NewContext of ctx, or nil, which allocates from the heap, if there is none. It walks up the
// contexts, so keep the result instead of calling FromContext for each allocation.
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

// A Mark is a position in the allocations of an arena, for Rewind.
type Mark struct {
	arena *Arena
	mark  machine.Mark
	forks uint64 // the arena's newest fork
}

// Mark returns a mark at the current position of a: Rewind takes back the allocations that follow. Marks nest. A mark costs a few words for
// each type with pointers that one of the last four cycles has used, which are kept until Rewind to an earlier mark or Reset. Marks at the
// same position cost these words once.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	if check.Watched {
		a.region.Enter("Mark")
		defer a.region.Leave()
	}
	a.region.Prepare()
	m := Mark{arena: a, mark: a.region.Mark()}
	if a.forks != nil {
		m.forks = a.forks.count
	}
	return m
}

// Rewind takes back everything that was allocated since m was taken, as Reset does for the whole arena. m stays valid for further rewinds.
// Marks that were taken after m become stale, except those at the same position, which are the same mark. Rewind panics and changes nothing
// if m is stale, for example from before the last Reset, Release or Put, or if it belongs to a different arena. Forks of a that were made
// since m was taken end as by Reset. Allocations of older forks stay.
func (a *Arena) Rewind(m Mark) {
	if a != m.arena {
		panic("arena: Rewind: mark belongs to a different arena")
	}
	if a == nil {
		return
	}
	if check.Watched {
		a.region.Enter("Rewind")
		defer a.region.Leave()
	}
	a.region.Prepare()
	if a.region.IsStale(m.mark) {
		panic("arena: Rewind: stale mark: arena was reset, released, put in its pool or rewound since" + a.region.Watch.History())
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

// spent is the statistics of arenas that were put back: its even generation says that they are not in use.
var spent arenaStats

// successor returns the arena that replaces a, which was put back and must never be used again. It gets a's empty allocators, with their
// estimates, and a's statistics, so that a pool stays as warm as in a plain build. Under the race detector it returns nil, because the exchange
// would hide races between two goroutines.
func (a *Arena) successor() *Arena {
	if check.Race {
		return nil
	}
	b := &Arena{owner: a.owner}
	a.region.MoveTo(&b.region)
	if b.forks = a.forks; b.forks != nil {
		b.quota().IdleForks = b.idleForks
	}
	a.region.Watch.Unguard()
	b.owner.pool.guard(b)
	a.owner.stats = &spent
	return b
}

// Stats are the statistics of an arena. Sizes are in bytes.
type Stats struct {
	// UsedBytes is the number of bytes allocated in this cycle: the sizes of values, the capacities of
	// slices, and the lengths of strings. Sizes of noscan values are rounded up to 8 bytes. It includes the
	// former memory of slices that Append has moved, unless that was dropped.
	UsedBytes int

	RetainedBytes int    // of the chunks of the arena, used or not
	HighWater     int    // peak of UsedBytes at calls of Reset, Release, Rewind and Stats
	Chunks        int    // number of chunks
	Types         int    // types with pointers that were allocated since the arena was made or released
	Resets        uint64 // calls of Reset, Release and Put
	Oversize      uint64 // chunks made for one large value or slice
}

// Stats returns the arena's statistics. Only the goroutine that owns the arena may call it. Forks are not included: each has its own. To
// choose a limit, which holds for an arena with its forks, see LargestArena of the pool's statistics. Stats looks at the chunks of each type
// that one of the last four cycles has used.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	check.RaceLook(&a.region.Watch)
	a.region.Prepare()
	return statsOf(a.region.Stats())
}

func statsOf(n machine.Stats) Stats {
	return Stats{
		UsedBytes:     int(n.Used),
		RetainedBytes: int(n.Held),
		HighWater:     int(n.HighWater),
		Chunks:        n.Chunks,
		Types:         n.Types,
		Resets:        n.Resets,
		Oversize:      n.Oversize,
	}
}
