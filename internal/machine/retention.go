package machine

// Memory policy: which memory an allocator keeps from one cycle to the next.
//
// An allocator keeps one chunk, sized by one estimate of its needs. All other chunks of a cycle go to the cache
// (cache.go), where growing allocators look before they ask the heap. So an idle arena holds the memory that most of
// its cycles need. The memory for larger cycles exists once, in the cache.
//
// The estimate, target, is a frugal 75th percentile: a cycle that needs more raises it by three steps, and any other
// cycle lowers it by one step. So it settles where one cycle in four needs more. A step is a fraction of the estimate,
// not of the difference, so one giant cycle moves the estimate no further than any other cycle.
//
// The need of a cycle is the number of bytes handed out, and the unused ends of full chunks.
//
// The functions here decide. The end of a cycle (cycle.go) and growth (alloc.go) call them.

// retention decides the sizes of an allocator's chunks, and which chunk it keeps.
type retention struct {
	unit     uintptr // chunk sizes are multiples of it
	start    uintptr // size of the first chunk if the need is unknown; a chunk of this size may always be kept
	smallest uintptr // minimum size of a further chunk
	largest  uintptr // maximum size of a further chunk

	target uintptr // estimate of the need; 0: unknown
	top    uintptr // peak need of this cycle at rewinds; at least 1 if the cycle took a chunk

	low, high uintptr // range of the needs of the last similar cycles
	alike     uint16  // number of similar cycles, whose needs differ by at most a factor of 2, up to settled
	joined    bool    // pieces were joined since then: once, because a limit may not allow one chunk

	leaps       bool  // the first cycle starts with small chunks that grow fast
	cold        bool  // the first cycle starts with less than start; see coldSize
	wasInactive bool  // the allocator was inactive before this cycle, and becomes inactive again at its end
	idle        uint8 // consecutive cycles without a use, up to idleCycles

	isolation // isolated.go
}

const (
	// Window is the number of cycles after which an isolated allocator that is not used becomes inactive, and the
	// distance of the cycles that Sampled picks.
	Window = 64

	// A step of the estimate is target/steps.
	steps = 32

	// A chunk of up to smallKept bytes is always kept, also by an inactive allocator. A better fit would save nothing.
	smallKept = 4 << 10

	// Up to joinedAtOnce bytes, an allocator keeps only a chunk with most of its target. Larger pieces are kept,
	// because joining them costs more. They are joined into one chunk after settled similar cycles. If the load varied,
	// joining them earlier would make a new chunk each time.
	joinedAtOnce = 32 << 10
	settled      = 256

	// mostKept is the size in bytes of the largest chunk that is planned as one piece, unless the chunk size is larger.
	mostKept = 256 << 10

	// maxGrowth is the maximum size of a further chunk, in chunk sizes. Larger chunks would waste more in their unused
	// ends than they save in allocations.
	maxGrowth = 64

	// startObjects and startBytes bound the first chunk of a type with pointers, so that a cycle with three objects of
	// each of ten types holds at most twice the bytes that it uses.
	startObjects = 6
	startBytes   = 512

	// In the first cycle, the second chunk of a type with pointers is step times as large as the first. Most types of a
	// small request need no more. Up to the chunk size, a further chunk is leap times as large as the existing chunks
	// together, because such a type probably has many objects. Beyond the chunk size it is stride times as large.
	step   = 3
	leap   = 6
	stride = 4

	// A growing list of full chunks has at least the capacity fewListed. The next cycle does not reuse a list with a
	// capacity above mostListed.
	fewListed  = 8
	mostListed = 80
)

// newRetention returns the retention of an allocator whose chunk sizes are multiples of unit.
func newRetention(chunkSize, unit uintptr) retention {
	start := RoundUp(chunkSize, unit)
	return retention{
		unit:     unit,
		start:    start,
		smallest: min(start, max(chunkSize/16, startBytes)),
		largest:  min(chunkSize, MaxAlloc/maxGrowth) * maxGrowth,
	}
}

// newTypedRetention returns the retention of the allocator of a type with pointers. size is the size of the type.
func newTypedRetention(chunkSize, size uintptr) retention {
	r := newRetention(chunkSize, size)
	r.start = max(size, min(startBytes, chunkSize, startObjects*size)/size*size)
	r.smallest = min(r.start, r.smallest)
	r.leaps = true
	return r
}

// mostCold is the largest chunk size in bytes with which an allocator starts cold; see coldStart. Programs that set a
// larger chunk size have large cycles, or need one contiguous chunk.
const mostCold = 1 << 20

// newNoscanRetention returns the retention of a noscan allocator.
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

// compare records whether the need of a cycle is similar to the needs of the cycles before it.
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

// keeps reports whether a chunk is small enough to be kept.
func (r *retention) keeps(bytes uintptr) bool {
	return bytes <= r.target+r.target/2 || bytes <= max(smallKept, r.start)
}

// fitted returns the size of the memory for cycles that need about n bytes. It is an eighth larger, so that cycles that
// vary a little still fit.
func fitted(n uintptr) uintptr { return RoundUp(n+n/8, NoscanAlign) }

// fit is fitted in whole units. The additional eighth may be less than a unit, so a chunk for one large value is not
// twice as large as the value.
func (r *retention) fit(n uintptr) uintptr {
	return max(RoundUp(n, r.unit)+n/8/r.unit*r.unit, r.start)
}

// first returns the size of a cycle's first chunk.
func (r *retention) first() uintptr {
	if r.target == 0 {
		return r.start
	}
	return min(r.fit(r.target), max(r.mostInOne(), r.start))
}

// next returns the size of a further chunk of a cycle whose chunks have held bytes. At most most bytes may be kept.
//
//go:norace
func (r *retention) next(held, most uintptr) uintptr {
	switch {
	case r.target != 0 && held >= most:
		// The arena can't keep this chunk.
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

// made records that the cycle took a chunk.
func (r *retention) made() { r.top = max(r.top, 1) }

// sawNeed records the need before a rewind lowers it.
func (r *retention) sawNeed(need uintptr) { r.top = max(r.top, need) }

// isolation sizes the chunks of an isolated allocator. A chunk lasts for at least leastCycles cycles if the region may
// retain that many bytes.
type isolation struct {
	isolates bool
	lasted   uint16 // cycles since the newest chunk was planned
	planned  uint8  // its size, as a power of two; 0: there is none
	ceiling  uint8  // maximum of planned; 0: none
}

// A noscan allocator whose need is unknown starts with less than the chunk size, because a new arena for one small
// request should not pay for 64 KB. It starts with coldStart bytes or 1/coldPart of the chunk size. Each further chunk
// is coldStep times as large, so the third has the full size. The first two chunks together have about an eighth
// of the chunk size.
const (
	coldStart = 1 << 10
	coldPart  = 64
	coldStep  = 8
)
