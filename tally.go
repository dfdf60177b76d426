package arena

import "sync/atomic"

// tally is what all arenas of a pool count together. They do so when they get
// or lose a chunk, which happens seldom once a pool is warm, so they can share
// it; with a total limit also at Get and Put.
type tally struct {
	_        [64]byte       // no cache line with what every Get reads
	held     atomic.Uintptr // bytes of all chunks
	peak     atomic.Uintptr // the most that held was
	largest  atomic.Uintptr // the most bytes that the chunks of one arena had
	out      atomic.Uintptr // bytes counted against the total
	oversize atomic.Uint64
	dropped  atomic.Uint64
	refused  atomic.Uint64
	_        [64]byte
}

// grew notes a new chunk of so many bytes, of an arena that has held of them
// now.
func (t *tally) grew(bytes, held uintptr, large bool) {
	raceBlind()
	raise(&t.peak, t.held.Add(bytes))
	raise(&t.largest, held)
	if large {
		t.oversize.Add(1)
	}
	raceSee()
}

// raise moves x up to to.
func raise(x *atomic.Uintptr, to uintptr) {
	raceBlind()
	for at := x.Load(); to > at && !x.CompareAndSwap(at, to); at = x.Load() {
	}
	raceSee()
}
