package machine

// Memory policy: what an allocator keeps from one cycle to the next.
//
// An allocator keeps one chunk, sized by one estimate of its needs. All other chunks of a
// cycle go to the cache (cache.go), where growing allocators look before they ask the heap. So an idle
// arena holds what most of its cycles need, and what the others need is held once.
//
// The estimate, target, is a frugal 75th percentile: a cycle that needs more raises it by three
// steps, another one lowers it by one, so it comes to rest where one cycle in four needs more. A step
// is a part of the estimate and not of the difference, so one giant moves it no further
// than any other cycle.
//
// A need is counted in chunks: the bytes handed out, and the unused ends of full chunks.
//
// The functions here decide. The end of a cycle (cycle.go) and growth (alloc.go) ask them.

// retention decides how large an allocator's chunks are and which one it keeps.
type retention struct {
	unit     uintptr // chunk sizes are multiples of it
	start    uintptr // first chunk of an allocator that knows nothing yet; a chunk of that size is never too large
	smallest uintptr // least size of a further chunk
	largest  uintptr // the most that growth makes

	target uintptr // what three of four cycles need at most; 0: nothing is known
	top    uintptr // the most that this cycle needed, as far as rewinds saw; not 0 if it took a chunk

	low, high uintptr // the least and the most that the last alike cycles needed
	alike     uint16  // cycles since the needs differed by more than a factor of 2, up to settled
	joined    bool    // since then pieces were joined: once, because a limit may not allow one chunk

	leaps       bool  // the first cycle begins small and grows fast
	cold        bool  // the first cycle begins with less than start: see coldSize
	wasInactive bool  // the allocator was inactive before this cycle, and becomes so again at its end
	idle        uint8 // cycles in a row that used nothing, up to idleCycles

	isolation // isolated.go
}

const (
	// Window is the number of cycles by which isolated and forked arenas count.
	Window = 64

	// steps is how many steps of the estimate are all of it.
	steps = 32

	// smallKept is the size in bytes below which nothing is gained by a better fit: such
	// a chunk is always kept, also by an inactive allocator.
	smallKept = 4 << 10

	// joinedAtOnce is the number of bytes up to which an allocator keeps nothing but one
	// chunk with most of its target: pieces are only worth their price if they are large. Larger
	// pieces, and a small one beside the kept chunk, are joined into one chunk once settled cycles in a
	// row needed about as much: a load that varies would have a new one made each time.
	joinedAtOnce = 32 << 10
	settled      = 256

	// mostKept is the size in bytes of the largest chunk that is planned as one piece,
	// unless the chunk size is larger.
	mostKept = 256 << 10

	// maxGrowth bounds the chunks that growth makes, in chunk sizes: beyond it
	// the unused end of the last chunk would be worth more than the makes that
	// it saves.
	maxGrowth = 64

	// startObjects and startBytes bound the first chunk of a type with
	// pointers: six objects, but no more than half a kilobyte of them, so that
	// a cycle with three objects of each of ten types holds at most twice what
	// it uses.
	startObjects = 6
	startBytes   = 512

	// step, leap and stride are how fast the first cycle of a type with pointers
	// grows: the second chunk is step times the first, where most types of a small
	// request end; up to the chunk size a chunk is leap times what there is, since
	// such a type is likely to be one of many objects; beyond it stride times.
	step   = 3
	leap   = 6
	stride = 4

	// A list of a cycle's chunks that grows has room for fewListed. It is not kept for the next cycle if it has
	// room for more than mostListed.
	fewListed  = 8
	mostListed = 80
)

// newRetention is for an allocator without pointers. Chunk sizes are multiples of unit.
func newRetention(chunkSize, unit uintptr) retention {
	start := RoundUp(chunkSize, unit)
	return retention{
		unit:     unit,
		start:    start,
		smallest: min(start, max(chunkSize/16, startBytes)),
		largest:  min(chunkSize, MaxAlloc/maxGrowth) * maxGrowth,
	}
}

// newTypedRetention is for the allocator of a type with pointers of size bytes.
func newTypedRetention(chunkSize, size uintptr) retention {
	r := newRetention(chunkSize, size)
	r.start = max(size, min(startBytes, chunkSize, startObjects*size)/size*size)
	r.smallest = min(r.start, r.smallest)
	r.leaps = true
	return r
}

// mostCold is the largest chunk size in bytes with which an allocator begins cold, see coldStart. Programs that ask for more have large cycles,
// or want everything in one piece.
const mostCold = 1 << 20

// newNoscanRetention is for the allocator of an arena's values without pointers.
func newNoscanRetention(chunkSize uintptr) retention {
	r := newRetention(chunkSize, NoscanAlign)
	r.cold = chunkSize <= mostCold
	return r
}

// learn records the need of a cycle.
func (r *retention) learn(need uintptr) {
	if need <= r.target {
		r.target -= min(r.target-need, r.target/steps)
		return
	}
	r.learnMore(need)
}

func (r *retention) learnMore(need uintptr) {
	if r.target == 0 || need <= smallKept {
		r.target = need
		return
	}
	r.target += min(need-r.target, 3*(r.target/steps)+r.unit)
}

// compare records whether the need of a cycle is about that of the cycles before it.
func (r *retention) compare(need uintptr) {
	low, high := min(r.low, need), max(r.high, need)
	if high > 2*low {
		low, high, r.alike, r.joined = need, need, 0, false
	}
	r.low, r.high = low, high
	r.alike = min(r.alike+1, settled)
}

// mostInOne returns the size of the largest chunk that is planned as one piece.
func (r *retention) mostInOne() uintptr { return max(mostKept, r.largest/maxGrowth) }

// keeps reports whether a chunk is not too large to be kept.
func (r *retention) keeps(bytes uintptr) bool {
	return bytes <= r.target+r.target/2 || bytes <= max(smallKept, r.start)
}

// fitted returns the number of bytes to have for a cycle that needs n: an eighth more, so that cycles that vary a little still fit.
func fitted(n uintptr) uintptr { return RoundUp(n+n/8, NoscanAlign) }

// fit is fitted in whole units, of which the eighth may be none: a chunk for one large value is not twice as large as the value.
func (r *retention) fit(n uintptr) uintptr {
	return max(RoundUp(n, r.unit)+n/8/r.unit*r.unit, r.start)
}

// first returns the size of the first chunk of a cycle that finds none.
func (r *retention) first() uintptr {
	if r.target == 0 {
		return r.start
	}
	return min(r.fit(r.target), max(r.mostInOne(), r.start))
}

// next returns the size of a further chunk for a cycle whose chunks have held bytes. most is what may be kept.
//
//go:norace
func (r *retention) next(held, most uintptr) uintptr {
	switch {
	case r.target != 0 && held >= most:
		// What lies beyond goes to the collector.
		return min(max((held-most)/8, held/32), r.largest)
	case r.target != 0:
		n := max(held/4, min(held, smallKept), r.smallest)
		if held < r.target {
			n = min(max(r.target-held, r.target/8, r.smallest), r.mostInOne())
		}
		if n = min(n, r.largest); n > most-held && most-held >= r.smallest {
			n = most - held // the last chunk that may be kept
		}
		return n
	case !r.leaps:
		return min(max(held, r.smallest), r.largest)
	case held <= r.start:
		return step * held
	case held < r.largest/maxGrowth:
		return min(leap*held, max(stride*held, r.largest/maxGrowth))
	}
	return min(stride*held, r.largest)
}

// made records that the cycle has taken a chunk.
func (r *retention) made() { r.top = max(r.top, 1) }

// sawNeed records the need before a rewind takes some of it back.
func (r *retention) sawNeed(need uintptr) { r.top = max(r.top, need) }

// isolation sizes a allocator's chunks where cycles are isolated: so that each lasts for
// leastCycles at least, but no more than the region may retain.
type isolation struct {
	isolates bool
	lasted   uint16 // cycles since a chunk was planned
	planned  uint8  // its size, as a power of two; 0: none was
	ceiling  uint8  // of planned; 0: none
}

// A noscan allocator whose need is unknown begins with less than the chunk size, because a new arena for one small request should not pay for
// 64 KB. It begins with coldStart, or 1/coldPart of the chunk size. Each further chunk is coldStep times as large, so the third has the full
// size; the chunks before it have an eighth more.
const (
	coldStart = 1 << 10
	coldPart  = 64
	coldStep  = 8
)
