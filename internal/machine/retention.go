package machine

// retention decides how large a lane's chunks are, and how many bytes of them
// it keeps from one epoch to the next. An epoch ends with Reset, or with Put in a
// pool.
//
// In its first epoch a lane grows by doubling, or faster. From then on it knows
// what epochs need: want, which rises at once and falls only when two windows
// of epochs needed less. An epoch far beyond it is an exception, and kept for
// only when another one comes within these windows: one request out of
// proportion is not paid for by those that follow, and one in a hundred is not
// made anew each time.
//
// What an epoch needs is counted in chunks: bytes that were handed out, and the
// unused ends of the chunks that were full.
type retention struct {
	unit     uintptr // chunks are multiples of it
	start    uintptr // first chunk of a lane that knows nothing yet; a chunk of that size is never too large
	smallest uintptr // least size of a further chunk
	largest  uintptr // the most that growth makes
	want     uintptr // what the next epoch shall find; 0: nothing is known

	top       uintptr    // the most that this epoch needed, as far as rewinds saw; not 0 where it made a chunk
	peak      uintptr    // the most that an epoch of this window needed
	last      uintptr    // peak of the window before
	exception uintptr    // what an epoch needed that was far beyond want; 0: none did lately. Where the lane shares: the most that one of this window needed which needed half of want or less
	beyond    [2]uintptr // what the last two epochs needed beyond want

	epochs  uint8 // epochs in this window
	age     uint8 // windows for which the exception is still recent
	misfit  uint8 // the same of an epoch that needed a chunk which could not stay
	rest    uint8 // windows that ended since want changed
	fresh   bool  // chunks were made in this epoch
	whole   bool  // an epoch must find want in one chunk
	full    bool  // want is all that may be kept, and less than epochs need
	leaps   bool  // the first epoch begins small and grows fast
	cold    bool  // the first epoch begins with less than start: see coldSize
	idle    uint8 // epochs in a row that used nothing, less than patience; or seldom
	sharing       // retention_shared.go

	isolation // lane_isolated.go

	oversize uint32 // chunks made larger than planned, for one value
}

const (
	// Window is the number of epochs after which a lane looks at what they
	// needed. What none of two windows needed is not kept: so an epoch in 128 is
	// kept for, and an arena is small again after 192 small epochs.
	Window = 64

	// recent is for how many windows something counts as lately: for 128 epochs
	// at least.
	recent = 3

	// stable is after how many windows of epochs that need nothing nothing changes
	// any more, however many more there are.
	stable = atRest + 3

	// farBeyond is how many times what is kept an epoch must need to count as an
	// exception. Below that to keep it costs little, even if it does not come
	// again: three times the memory for at most 192 epochs.
	farBeyond = 4

	// maxGrowth bounds the chunks that growth makes, in chunk sizes: beyond it
	// the unused end of the last chunk would be worth more than the makes that
	// it saves.
	maxGrowth = 64

	// startObjects and startBytes bound the first chunk of a type with
	// pointers: six objects, but no more than half a kilobyte of them, so that
	// an epoch with three objects of each of ten types holds at most twice what
	// it uses.
	startObjects = 6
	startBytes   = 512

	// step, leap and stride are how fast the first epoch of a type with pointers
	// grows: the second chunk is step times the first, where most types of a small
	// request end; up to the chunk size a chunk is leap times what there is, since
	// such a type is likely to be one of many objects; beyond it stride times.
	step   = 3
	leap   = 6
	stride = 4

	// mostChunks is how many chunks a lane keeps at most: as they grow by an
	// eighth at least, the smallest of so many is a small part of all. A list of
	// an epoch's chunks has room for fewListed from the start, and is not kept for
	// the next one if it has more than for mostListed.
	mostChunks = 20
	fewListed  = 8
	mostListed = 4 * mostChunks

	// joined is the number of bytes up to which several chunks give way to one
	// that holds them all, once a lane is at rest, which it is when want has
	// not changed for atRest windows: going from chunk to chunk is a part of
	// what a short epoch costs. joinedAtFirst is up to where that is done after
	// a lane's first epoch, joinedAtOnce after any.
	atRest        = 4
	joined        = 256 << 10
	joinedAtFirst = 16 << 10
	joinedAtOnce  = 4 << 10

	// notWorthIt is the size up to which nothing is gained by a better fit.
	notWorthIt = 512
)

// newRetention is for a lane without pointers. unit is what chunk sizes are multiples of.
func newRetention(chunkSize, unit uintptr) retention {
	start := RoundUp(chunkSize, unit)
	return retention{
		unit:     unit,
		start:    start,
		smallest: min(start, max(chunkSize/16, startBytes)),
		largest:  min(chunkSize, MaxAlloc/maxGrowth) * maxGrowth,
	}
}

// newTypedRetention is for the lane of a type with pointers of size bytes.
func newTypedRetention(chunkSize, size uintptr) retention {
	r := newRetention(chunkSize, size)
	r.start = max(size, min(startBytes, chunkSize, startObjects*size)/size*size)
	r.smallest = min(r.start, r.smallest)
	r.leaps = true
	return r
}

// first is the size of the first chunk of an epoch that finds none: all that it
// will need, if that is not too much for the small epochs among large ones, or
// it must be one chunk.
func (r *retention) first() uintptr {
	switch {
	case r.want == 0:
		return r.start
	case r.want > joined && !r.whole:
		return max(r.want/8, joined, min(r.start, r.want))
	}
	return r.want
}

// next is the size of a further chunk for an epoch whose chunks, which have no
// room for what comes next, have held bytes.
//
//go:norace
func (r *retention) next(held uintptr) uintptr {
	least := max(r.want/8, r.smallest)
	if r.full {
		least = min(r.want/32, r.smallest) // it can't be kept
	} else if r.shared != 0 && r.want >= spareLeast {
		least = max(least, spareLeast*5/8) // it can be shared
	}
	switch {
	case held < r.want:
		return max(r.want-held, least)
	case r.want != 0:
		// What lies beyond want may not be kept. So it comes in pieces of an
		// eighth of what there is of it already, after a first one for what
		// the last two epochs had in common.
		past, expected := held-r.want, min(r.beyond[0], r.beyond[1])
		if r.shared != 0 && past>>r.shared == 0 && !r.full {
			return max(held/2, least, spareLeast)
		}
		if past < expected {
			return max(min(expected+expected/16-past, max(past/8, r.largest/16)), least)
		}
		return min(max(past/8, least), r.largest)
	case !r.leaps:
		return min(max(held, r.smallest), r.largest)
	case held <= r.start:
		return step * held
	case held < r.largest/maxGrowth:
		return min(leap*held, max(stride*held, r.largest/maxGrowth))
	}
	return min(stride*held, r.largest)
}

// fitted is the number of bytes to have for an epoch that needs n: an eighth
// more, so that epochs which vary a little still fit.
func fitted(n uintptr) uintptr { return RoundUp(n+n/8, FlatAlign) }

// fit is fitted in whole units, of which the eighth may be none: a chunk for
// one large value is not twice as large as the value.
func (r *retention) fit(n uintptr) uintptr {
	return max(RoundUp(n, r.unit)+n/8/r.unit*r.unit, r.start)
}

// made notes that the epoch has made a chunk.
func (r *retention) made() { r.fresh, r.top = true, max(r.top, 1) }

// sawNeed notes what is needed before a rewind takes some of it back.
func (r *retention) sawNeed(need uintptr) { r.top = max(r.top, need) }

// seen is endEpoch for most epochs: they needed what was there, and the lane has
// nothing to look at. It reports whether this is such an epoch; if not it does
// nothing.
func (r *retention) seen(need uintptr) bool {
	if need > r.want || r.top != 0 || r.epochs == Window-1 {
		return false
	}
	r.peak = max(r.peak, need)
	if r.shared != 0 && r.want > spareLeast {
		r.tell(need)
	}
	r.epochs++
	r.beyond[1], r.beyond[0] = r.beyond[0], 0
	return true
}

// endEpoch notes what an epoch needed. It reports whether the lane shall look at what
// it keeps, and up to how many bytes of it shall be one chunk. limit is the
// most that may be kept.
//
//go:norace
func (r *retention) endEpoch(need, limit uintptr) (look bool, join uintptr) {
	look, join = r.fresh, joinedAtOnce
	if r.want == 0 {
		join = joinedAtFirst
	}
	r.fresh = false
	need = max(need, r.top)
	r.top = 0
	r.beyond[1], r.beyond[0] = r.beyond[0], 0
	if r.shared != 0 && r.want != 0 && need > r.want && !r.full {
		need = r.exceeded(need)
	}
	if need > r.want {
		need = r.raise(need, limit)
	}
	if r.shared != 0 {
		r.tell(need)
	}
	r.peak = max(r.peak, need)
	if r.epochs++; r.epochs == Window {
		look = true
		r.endWindow()
		if r.rest == atRest {
			join = joined
		}
	}
	return look, join
}

// raise raises want to what an epoch needed, and returns what of it is kept for.
//
//go:norace
func (r *retention) raise(need, limit uintptr) uintptr {
	if r.want != 0 && need > farBeyond*r.want && r.shared == 0 {
		other := r.exception
		r.exception, r.age = max(need, other), recent
		need = min(need, other)
	}
	if want := r.fit(need); need != 0 && min(want, limit) > r.want {
		r.want, r.full, r.rest = min(want, limit), want > limit, 0
	}
	if need > r.want {
		r.beyond[0] = need - r.want
	}
	return need
}

// endWindow lowers want to what two windows needed.
//
//go:norace
func (r *retention) endWindow() {
	want := uintptr(0)
	if most := max(r.peak, r.last); most != 0 {
		want = max(RoundUp(most, r.unit), r.start)
	}
	want = min(want, r.usual())
	if want < r.want {
		r.want, r.full, r.whole, r.rest = want, false, false, 0
	}
	r.rest = min(r.rest+1, atRest+1)
	r.misfit = max(r.misfit, 1) - 1
	if r.age = max(r.age, 1) - 1; r.age == 0 && r.shared == 0 {
		r.exception = 0
	}
	r.last, r.peak, r.epochs = r.peak, 0, 0
}

// missed notes n epochs that needed nothing, after each of which the lane kept what
// it had.
func (r *retention) missed(n uint32) {
	if n == 0 {
		return
	}
	r.beyond[1], r.beyond[0] = r.beyond[0], 0
	if n > 1 {
		r.beyond[1] = 0
	}
	epochs := uint32(r.epochs) + n
	for range min(epochs/Window, stable) {
		r.endWindow()
	}
	r.epochs = uint8(epochs % Window)
}

// mostCold is the largest chunk size in bytes with which a lane begins cold, see
// lane_grow.go: who asks for more has large epochs, or wants all in one piece.
const mostCold = 1 << 20

// newFlatRetention is for the lane of an arena's values without pointers.
func newFlatRetention(chunkSize uintptr) retention {
	r := newRetention(chunkSize, FlatAlign)
	r.cold = chunkSize <= mostCold
	return r
}
