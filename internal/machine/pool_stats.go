package machine

import (
	"runtime"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// PoolStats has the counters that all arenas of a pool share. An arena changes them
// when it gains or loses a chunk, which is rare in a warm pool, and with a total limit
// at Get and Put.
type PoolStats struct {
	_        [64]byte       // no cache line with what every Get reads
	held     atomic.Uintptr // bytes of all chunks
	peak     atomic.Uintptr // the most that held was
	largest  atomic.Uintptr // the most bytes that the chunks of one arena and its forks had
	out      atomic.Uintptr // bytes counted against the total
	total    atomic.Uintptr // the most that out may be; 0: any
	oversize atomic.Uint64
	dropped  atomic.Uint64
	refused  atomic.Uint64
	byTotal  atomic.Uint64 // of those, by the total

	droppedBytes atomic.Uint64
	letGo        atomic.Uintptr // bytes dropped since the last collection
	collectAfter atomic.Uintptr // of letGo; 0: never

	abandoned atomic.Uint64 // arenas, of which left ones are not collected yet
	left      atomic.Int64
	_         [64]byte

	Cache Cache // held counts its chunks, too
}

// Limit sets the total; 0 is none.
func (s *PoolStats) Limit(total uintptr) { s.total.Store(total) }

// Counts is a snapshot of the counters. Sizes are in bytes.
type Counts struct {
	Held, Out, Total   uintptr // of all chunks; of those that count against the total; that, 0 for none
	HighWater, Largest uintptr // the most that Held was; the most that one arena and its forks had
	Oversize, Dropped  uint64
	Refused, ByTotal   uint64 // by all limits; of those, by the total
	Abandoned          uint64
	DroppedBytes       uint64
}

// Counts reads the counters, each at its own moment.
func (s *PoolStats) Counts() Counts {
	return Counts{s.held.Load(), s.out.Load(), s.total.Load(), s.peak.Load(), s.largest.Load(), s.oversize.Load(), s.dropped.Load(), s.refused.Load(), s.byTotal.Load(), s.abandoned.Load(), s.droppedBytes.Load()}
}

// TakeHighWater returns the high-water mark, which begins anew with what is held now.
func (s *PoolStats) TakeHighWater() uintptr {
	peak := s.peak.Swap(0)
	Raise(&s.peak, s.held.Load())
	return peak
}

// Left returns how many arenas were abandoned and are not collected yet.
func (s *PoolStats) Left() int { return int(s.left.Load()) }

// Raise sets x to the larger of x and to.
func Raise(x *atomic.Uintptr, to uintptr) {
	check.RaceBlind()
	for at := x.Load(); to > at && !x.CompareAndSwap(at, to); at = x.Load() {
	}
	check.RaceSee()
}

// drop counts chunks that nobody has any more.
func (s *PoolStats) drop(bytes uintptr, chunks int) {
	s.held.Add(-bytes)
	s.dropped.Add(uint64(chunks))
	s.droppedBytes.Add(uint64(bytes))
	s.LetGo(bytes)
}

// CollectAfter sets the number of dropped bytes after which the pool calls runtime.GC, 0 for never.
func (s *PoolStats) CollectAfter(bytes uintptr) { s.collectAfter.Store(bytes) }

// Collected notes a collection.
func (s *PoolStats) Collected() { s.letGo.Store(0) }

// collecting is set while a pool's call of runtime.GC runs.
var collecting atomic.Bool

// LetGo counts bytes that were left to the collector, and starts a collection if CollectAfter asks for it.
func (s *PoolStats) LetGo(bytes uintptr) {
	after := s.collectAfter.Load()
	if after == 0 || s.letGo.Add(bytes) < after || collecting.Swap(true) {
		return
	}
	s.letGo.Store(0)
	go func() { // the caller may hold a pool's lock, and should not wait
		defer collecting.Store(false)
		runtime.GC()
	}()
}
