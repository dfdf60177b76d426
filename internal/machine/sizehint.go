package machine

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// SizeHint learns, for an automatic pool, how many bytes requests use: a histogram of
// about the last hundred samples gives the size that three of four requests fit in. A
// new arena begins with a chunk of that size. Were it the largest of the last
// samples, one request would decide what all others hold.
type SizeHint struct {
	size atomic.Uintptr // 0: nothing is known yet

	mu     sync.Mutex
	counts [sizeClasses]uint8 // samples, by class
	total  int                // samples
	class  int                // the one that size follows
	above  int                // samples of larger classes
}

const (
	// memory is the number of samples after which all count half: a pool whose
	// requests have changed follows within a hundred.
	memory = 128

	// sizeClasses is the number of classes: four in each power of two, so that
	// a chunk is at most a quarter larger than what it is for.
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

// Add adds a sample: a request used n bytes. start is the size where nothing is known
// yet. One request at most doubles the size, however few came before, and later ones
// lower it again only if they are smaller.
//
// A sample is dropped while another is being added: no Put waits.
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

// count adds a sample and returns the size that three of four fit in.
//
//go:norace
func (h *SizeHint) count(class int) uintptr {
	if h.total == memory {
		h.total, h.above = 0, 0
		for c := range h.counts {
			h.counts[c] /= 2
			h.total += int(h.counts[c])
			if c > h.class {
				h.above += int(h.counts[c])
			}
		}
	}
	h.counts[class]++
	h.total++
	if class > h.class {
		h.above++
	}
	for 4*h.above > h.total {
		h.class++
		h.above -= int(h.counts[h.class])
	}
	for h.class > 0 && 4*(h.above+int(h.counts[h.class])) <= h.total {
		h.above += int(h.counts[h.class])
		h.class--
	}
	return classSize(h.class)
}

// Size returns the hint in bytes, 0 where nothing is known yet.
func (h *SizeHint) Size() uintptr { return h.size.Load() }

// Sampled reports whether what epoch number n of an arena uses is looked at, from 1.
func Sampled(n uint64) bool { return n%Window == 0 || n < Window && n&(n-1) == 0 }
