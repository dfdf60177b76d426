package machine

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// PoolStats has the counters that all arenas of a pool share. An arena changes them when it gains or loses a chunk, which is rare in a warm
// pool. With a total limit it also changes them at Get and Put.
type PoolStats struct {
	_        [64]byte      // shares no cache line with fields that every Get reads
	held     check.Uintptr // bytes of all chunks
	peak     check.Uintptr // of held
	largest  check.Uintptr // peak bytes of the chunks of one arena and its forks
	out      check.Uintptr // bytes counted against the total
	Total    check.Uintptr // the limit of out; 0: none
	oversize check.Uint64
	dropped  check.Uint64
	refused  check.Uint64
	byTotal  check.Uint64 // the part of refused that exceeded Total

	droppedBytes check.Uint64
	evicted      check.Uintptr // bytes dropped since the last collection
	CollectAfter check.Uintptr // runtime.GC is called if evicted reaches it; 0: never

	abandoned check.Uint64 // arenas
	Left      check.Int64  // abandoned arenas that are not collected yet
	_         [64]byte

	Cached   atomic.Uintptr // bytes of all caches
	Retained atomic.Uintptr // bytes of the idle arenas that pools retain over collections

	Cache Cache // held also counts its chunks
}

// Idle returns the bytes of all caches and of retained arenas.
func (s *PoolStats) Idle() uintptr { return s.Cached.Load() + s.Retained.Load() }

// Counts is a snapshot of the counters. Sizes are in bytes.
type Counts struct {
	Held, Out, Total   uintptr // of all chunks; of chunks that count against the total limit; the limit
	HighWater, Largest uintptr // peak of Held; peak of one arena and its forks
	Oversize, Dropped  uint64
	Refused, ByTotal   uint64 // by all limits; by the total limit
	Abandoned          uint64
	DroppedBytes       uint64
}

// Counts reads the counters. It is not an atomic snapshot.
func (s *PoolStats) Counts() Counts {
	return Counts{s.held.Load(), s.out.Load(), s.Total.Load(), s.peak.Load(), s.largest.Load(), s.oversize.Load(), s.dropped.Load(), s.refused.Load(), s.byTotal.Load(), s.abandoned.Load(), s.droppedBytes.Load()}
}

// TakeHighWater returns the high-water mark and resets it to the bytes held now.
func (s *PoolStats) TakeHighWater() uintptr {
	peak := s.peak.Swap(0)
	Raise(&s.peak, s.held.Load())
	return peak
}

// Raise sets x to the maximum of x and to.
func Raise(x *check.Uintptr, to uintptr) {
	for at := x.Load(); to > at && !x.CompareAndSwap(at, to); at = x.Load() {
	}
}

// drop counts dropped chunks.
func (s *PoolStats) drop(bytes uintptr, chunks int) {
	s.held.Add(-bytes)
	s.dropped.Add(uint64(chunks))
	s.droppedBytes.Add(uint64(bytes))
	s.Evicted(bytes)
}

// Collected records a collection.
func (s *PoolStats) Collected() { s.evicted.Store(0) }

// collecting is set while a pool's call of runtime.GC runs.
var collecting atomic.Bool

// Evicted counts dropped bytes, and starts a collection if they reach CollectAfter.
func (s *PoolStats) Evicted(bytes uintptr) {
	after := s.CollectAfter.Load()
	if after == 0 || s.evicted.Add(bytes) < after || collecting.Swap(true) {
		return
	}
	s.evicted.Store(0)
	go func() { // the caller may hold a pool's lock, and should not wait
		defer collecting.Store(false)
		runtime.GC()
	}()
}

// UsedClasses is the number of size classes of a Used: up to 256 bytes, up to 512 bytes and so on up to 64 MB, and more.
const UsedClasses = 20

// Used counts cycles by the bytes that they used. Only the goroutine that puts the arena adds to it.
type Used struct {
	bytes  atomic.Uint64 // sum
	none   atomic.Uint64 // cycles without allocations, which the smallest class also counts
	counts [UsedClasses]atomic.Uint64
}

// Add counts a cycle that used that many bytes.
//
//go:norace
func (u *Used) Add(bytes uintptr) {
	class := 0
	if bytes == 0 {
		addAlone(&u.none, 1)
	} else {
		class = min(bits.Len64(uint64(bytes-1)>>8), UsedClasses-1)
		addAlone(&u.bytes, uint64(bytes))
	}
	addAlone(&u.counts[class], 1)
}

// addAlone is x.Add(n) for an x that no other goroutine writes. On 64-bit processors it needs no locked instruction,
// which would cost a sixth of an empty Get and Put.
//
//go:norace
func addAlone(x *atomic.Uint64, n uint64) {
	if bits.UintSize == 64 {
		*xunsafe.Cast[uint64](xunsafe.PointerTo(x)) += n
		return
	}
	x.Add(n)
}

// AddTo adds the counts of u to counts, bytes and none.
func (u *Used) AddTo(counts *[UsedClasses]uint64, bytes, none *uint64) {
	for i := range counts {
		counts[i] += u.counts[i].Load()
	}
	*bytes += u.bytes.Load()
	*none += u.none.Load()
}

// SizeHint is the size of the first chunk of a new arena in an automatic pool: the 75th percentile of the bytes that
// about the last hundred samples used.
type SizeHint struct {
	size atomic.Uintptr // 0: unknown

	mu     sync.Mutex
	counts [sizeClasses]uint8 // samples, by class
	total  int                // samples
}

const (
	// memory is the number of samples after which all counts are halved, so that the hint follows a change
	// of the requests within a hundred samples.
	memory = 128

	// sizeClasses is the number of size classes: four for each power of two, so that a chunk is at most a
	// quarter larger than requested.
	sizeClasses = 4 * 60
)

// sizeClass returns the class of sizes of n bytes, n > 0.
func sizeClass(n uintptr) int {
	v := (n - 1) / 8
	if v < 4 {
		return int(v)
	}
	e := bits.Len64(uint64(v)) - 3
	return 4*(e+1) + int(v>>e&3)
}

// classSize returns the largest size of a class in bytes.
func classSize(class int) uintptr {
	if class < 4 {
		return uintptr(class+1) * 8
	}
	return uintptr(class%4+5) << (class/4 - 1) * 8
}

// Add adds a sample, the n bytes that a request used. start is the initial size. One request at most doubles the size.
// Add drops the sample if another goroutine is adding one, so that Put never waits.
//
//go:norace
func (h *SizeHint) Add(n, start uintptr) {
	check.RaceBlind()
	if h.mu.TryLock() {
		fits := h.count(sizeClass(fitted(n)))
		size := h.size.Load()
		if size == 0 {
			size = start
		}
		if n > size {
			size *= 2
		}
		size = min(size, fits)
		h.size.Store(size)
		h.mu.Unlock()
	}
	check.RaceSee()
}

// count adds a sample and returns the 75th percentile.
//
//go:norace
func (h *SizeHint) count(class int) uintptr {
	if h.total == memory {
		h.total = 0
		for c := range h.counts {
			h.counts[c] /= 2
			h.total += int(h.counts[c])
		}
	}
	h.counts[class]++
	h.total++
	c := sizeClasses
	for above := 0; 4*above <= h.total; above += int(h.counts[c]) {
		c--
	}
	return classSize(c)
}

// Size returns the hint in bytes, 0 if nothing is known yet.
func (h *SizeHint) Size() uintptr { return h.size.Load() }

// Sampled reports whether cycle number n of an arena, counted from 1, is a sample.
func Sampled(n uint64) bool { return n%Window == 0 || n < Window && n&(n-1) == 0 }
