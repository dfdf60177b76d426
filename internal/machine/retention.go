package machine

import "github.com/ebbpool/arena/internal/check"

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
// isUsual and emptyUsual are the fast path for most allocators with pointers at the end of a cycle, empty is the
// fast path for the others, and chooseKept the slow path if there is a choice.

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

	leaps  bool  // the first cycle begins small and grows fast
	cold   bool  // the first cycle begins with less than start: see coldSize
	seldom bool  // the allocator was inactive before this cycle, and becomes so again at its end
	idle   uint8 // cycles in a row that used nothing, up to idleCycles

	isolation // lane_isolated.go

	oversize uint32 // chunks made larger than planned, for one value
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

	// A list of a cycle's chunks has room for fewListed from the start, and is not kept for
	// the next one if it has more than for mostListed.
	fewListed  = 8
	mostListed = 80
)

// newRetention is for an allocator without pointers. unit is what chunk sizes are multiples of.
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

// mostCold is the largest chunk size in bytes with which an allocator begins cold, see
// lane_grow.go: programs that ask for more have large cycles, or want all in one piece.
const mostCold = 1 << 20

// newFlatRetention is for the allocator of an arena's values without pointers.
func newFlatRetention(chunkSize uintptr) retention {
	r := newRetention(chunkSize, FlatAlign)
	r.cold = chunkSize <= mostCold
	return r
}

// Expect makes the next cycle of an allocator that knows nothing yet begin with a chunk of
// that many bytes. Up to twice its chunk size it comes to them by itself.
func (l *Lane) Expect(bytes uintptr) {
	if bytes > 2*l.retention.start {
		l.retention.target = bytes
	}
}

// learn notes what a cycle needed.
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

// compare notes whether a cycle needed about what those before it did.
func (r *retention) compare(need uintptr) {
	low, high := min(r.low, need), max(r.high, need)
	if high > 2*low {
		low, high, r.alike, r.joined = need, need, 0, false
	}
	r.low, r.high = low, high
	r.alike = min(r.alike+1, settled)
}

// mostInOne is the size of the largest chunk that is planned as one piece.
func (r *retention) mostInOne() uintptr { return max(mostKept, r.largest/maxGrowth) }

// keeps reports whether a chunk is not too large to be kept.
func (r *retention) keeps(bytes uintptr) bool {
	return bytes <= r.target+r.target/2 || bytes <= max(smallKept, r.start)
}

// fitted is the number of bytes to have for a cycle that needs n: an eighth
// more, so that cycles which vary a little still fit.
func fitted(n uintptr) uintptr { return RoundUp(n+n/8, FlatAlign) }

// fit is fitted in whole units, of which the eighth may be none: a chunk for
// one large value is not twice as large as the value.
func (r *retention) fit(n uintptr) uintptr {
	return max(RoundUp(n, r.unit)+n/8/r.unit*r.unit, r.start)
}

// first is the size of the first chunk of a cycle that finds none.
func (r *retention) first() uintptr {
	if r.target == 0 {
		return r.start
	}
	return min(r.fit(r.target), max(r.mostInOne(), r.start))
}

// next is the size of a further chunk for a cycle whose chunks, which have no
// room for what comes next, have held bytes. most is what may be kept.
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

// made notes that the cycle has taken a chunk.
func (r *retention) made() { r.top = max(r.top, 1) }

// sawNeed notes what is needed before a rewind takes some of it back.
func (r *retention) sawNeed(need uintptr) { r.top = max(r.top, need) }

// empty ends the cycle of the allocator: everything handed out is taken back, and one chunk stays, of
// limit bytes at most. It returns the size of that chunk.
func (l *Lane) empty(limit uintptr) (held uintptr) {
	if check.On && l.usedBytes() != 0 {
		// Memory that is never used again finds every stale use.
		l.recordUse()
		l.Drop()
		return 0
	}
	l.tip = 0
	r := &l.retention
	if used := l.used(); len(l.older)|len(l.free) != 0 || r.top != 0 || !r.keeps(l.cap) || l.cap > limit {
		l.chooseKept(limit)
	} else {
		r.learn(used)
		if r.target > joinedAtOnce {
			r.compare(used)
		}
		if used != 0 { // takeBack, without a call for what has no pointers
			if l.ops.zeroes && l.Lo != 0 {
				if clearsPointers && l.Lo <= clearPiece {
					clearPointers(l.Base, 0, l.Lo)
				} else {
					l.ops.clear(l.Base, 0, l.Lo)
				}
			}
			l.chunk.fold()
			l.Lo, l.Hi = 0, l.cap
		}
	}
	if check.Tag {
		l.check()
	}
	return l.cap
}

// isUsual reports whether emptyUsual may end the cycle of this allocator of a type with pointers,
// which used so many bytes of its current chunk.
//
//go:norace
func (l *Lane) isUsual(used, limit uintptr) bool {
	r := l.laneRecord
	return clearsPointers && !check.Watched && used-1 < smallKept && r.retention.keeps(l.cap) && l.cap <= limit &&
		r.retention.top == 0 && !r.retention.seldom && len(r.older)|len(r.free)|int(r.retention.idle) == 0
}

// emptyUsual is empty for such a cycle, and looks at nothing else.
func (l *Lane) emptyUsual(used uintptr) {
	l.laneRecord.retention.learn(used)
	l.tip = 0
	clearPointers(l.Base, 0, l.Lo)
	l.clean = max(l.clean, l.Lo)
	l.Lo = 0
	if check.Tag {
		l.check()
	}
}

// chooseKept is empty if there may be something to choose.
func (l *Lane) chooseKept(limit uintptr) {
	r := &l.retention
	first := r.target == 0
	need := max(l.needBytes(), r.top)
	r.top = 0
	r.learn(need)
	r.compare(need)
	r.target = min(r.target, limit)
	size := min(r.target, r.mostInOne())
	least := size
	if size > smallKept { // below that, what is missing would be too small for the cache
		least -= size / 8
	}
	join := len(l.older) != 0 && size == r.target && r.alike == settled && !r.joined
	switch {
	case join:
		least, r.joined = size, true
	case size > joinedAtOnce || size == limit:
		least = 0 // pieces do as well
	}
	size = max(size, min(r.start, limit))
	was := l.older
	all := append(append(was, l.chunk), l.free...)
	clear(l.free)
	l.chunk, l.free, l.olderUsed = chunk{}, l.free[:0], 0
	best := -1
	for i := range all {
		n := all[i].cap
		if n == 0 || n < least || n > limit || !r.keeps(n) {
			continue
		}
		if best < 0 || all[best].cap < size && n > all[best].cap || n >= size && n < all[best].cap {
			best = i // the smallest that is large enough, or else the largest
		}
	}
	// What the next cycle makes as one chunk, or a first cycle too large, is of no use in the cache. Nor is
	// a single chunk that has become too large, unless other arenas may need it.
	useful := best >= 0 || !first && !join && (len(all) > 1 || l.pooled())
	for i := range all {
		if i == best {
			l.chunk = all[i]
			l.takeBack(&l.chunk, 0, l.cap)
		} else {
			l.leaveChunk(all[i], useful)
		}
	}
	clear(was) // lists hold on to nothing
	clear(all)
	if l.older = all[:0]; cap(all) > mostListed {
		l.older = nil
	}
}

// Drop gives every chunk to the collector.
func (l *Lane) Drop() {
	if check.On {
		l.quarantineFrom(0)
	}
	l.ops.quota.give(l.HeldBytes(), l.Chunks())
	clear(l.older)
	l.chunk, l.free, l.older, l.olderUsed, l.tip = chunk{}, nil, nil, 0, 0
}
