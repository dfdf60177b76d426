package machine

// retention decides how large a lane's chunks are and which one it keeps from
// one life to the next. A life ends with Reset, or with Put in a pool.
//
// A lane starts small, or with the arena's chunk size for values without
// pointers, and doubles while a life asks for more. The next life then starts
// with one chunk that holds it all. Every 64 lives what is kept is compared
// with what those lives used, and if it is more than half too large, a chunk
// that fits takes its place: one large request, or a guess that was too
// generous, is not paid for forever.
type retention struct {
	start    uintptr // first chunk of a lane that knows nothing yet
	smallest uintptr // least size of a further chunk
	largest  uintptr // most that doubling makes
	want     uintptr // first chunk of the next life; 0: start

	top   uintptr // most bytes this life had in use, as far as rewinds saw
	peak  uintptr // most bytes a life of this window used
	lives uint8   // lives in this window

	oversize uint32 // chunks made larger than planned, for one value
}

const (
	// Window is the number of lives after which a lane fits its memory to
	// what they used. A power of two near the number of requests after which
	// an average is worth something; a pool's arena gets there in well under
	// a second.
	Window = 64

	// maxGrowth bounds doubling, in chunk sizes: beyond it the unused end of
	// the last chunk would be worth more than the makes that it saves.
	maxGrowth = 64

	// slabStart is the size in bytes of the first chunk of a type with
	// pointers: eight objects of a cache line. Ten types cost 5 KB, not ten
	// times the chunk size.
	slabStart = 512

	// notWorthIt is the chunk size up to which nothing is gained by a better
	// fit.
	notWorthIt = 256
)

func newRetention(chunkSize, start uintptr) retention {
	return retention{
		start:    start,
		smallest: min(start, max(chunkSize/16, slabStart)),
		largest:  min(chunkSize, MaxAlloc/maxGrowth) * maxGrowth,
	}
}

// first is the size of the first chunk of a life.
func (r *retention) first() uintptr {
	if r.want != 0 {
		return r.want
	}
	return r.start
}

// fitted is the chunk size for a life that uses n bytes: an eighth more, so
// that lives which vary a little still fit.
func fitted(n uintptr) uintptr { return RoundUp(n+n/8, 8) }

// sawUse notes how much is in use before a rewind takes some of it back.
func (r *retention) sawUse(used uintptr) { r.top = max(r.top, used) }

// endLife notes that a life used that many bytes, and says whether a chunk of
// size held, all that the lane had, shall stay. held is 0 where one chunk was
// not enough or none was there. No lane asks to start with more than limit.
//
//go:norace
func (r *retention) endLife(used, held, limit uintptr) bool {
	used = max(used, r.top)
	r.top = 0
	r.peak = max(r.peak, used)
	r.lives++
	keep := held != 0
	if !keep && used != 0 {
		r.want = min(max(r.want, fitted(used)), limit)
	}
	if r.lives == Window {
		if max(held, r.want) > max(r.peak+r.peak/2, notWorthIt) {
			r.want = min(fitted(r.peak), limit)
			keep = keep && held <= notWorthIt
		}
		r.peak, r.lives = 0, 0
	}
	return keep
}

// shrink makes the lanes' chunks fit into limit bytes together, after all of
// them were emptied. Small lanes keep what they have; the large ones are cut
// to one common size, and start their next life with a chunk of it.
func shrink(lanes []*Lane, limit uintptr) {
	// The largest common size under which everything fits, by bisection.
	low, high := uintptr(0), limit
	for low < high {
		size := high - (high-low)/2
		var sum uintptr
		for _, l := range lanes {
			sum += min(l.cap, size)
		}
		if sum <= limit {
			low = size
		} else {
			high = size - 1
		}
	}
	for _, l := range lanes {
		if l.cap > low {
			l.Drop()
			l.fit.want = low / l.align * l.align
		}
	}
}

// Expect has the next life of a lane that knows nothing yet begin with a chunk of
// that many bytes, 0 for none.
func (l *Lane) Expect(bytes uintptr) { l.fit.want = bytes }

// Fit is the chunk size that would hold what the lane's lives used. Until it is
// settled, after the first Window of them, that is only what they used so far: the
// chunk is still the one that the lane was made with.
func (l *Lane) Fit(settled bool) uintptr {
	if settled {
		return max(l.cap, l.fit.want)
	}
	return fitted(l.fit.peak)
}
