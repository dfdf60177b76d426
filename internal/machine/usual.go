package machine

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Usual is what an automatic pool has learned of the bytes that requests use:
// a histogram of about the last hundred samples, and from it the size that
// three of four requests fit in. A new arena begins with a chunk of that size,
// so it must be what is usual. Were it the largest that came lately, one
// request would decide what all others hold.
type Usual struct {
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

// sizeClass is the class of sizes of n bytes, n > 0.
func sizeClass(n uintptr) int {
	v := (n - 1) / 8
	if v < 4 {
		return int(v)
	}
	e := bits.Len64(uint64(v)) - 3
	return 4*(e+1) + int(v>>e&3)
}

// classSize is the largest size of a class, in bytes.
func classSize(class int) uintptr {
	if class < 4 {
		return uintptr(class+1) * 8
	}
	return uintptr(class%4+5) << (class/4 - 1) * 8
}

// Add notes that a request used n bytes; size, where nothing is known yet, is
// taken for start. One request raises the size to twice what it was at most,
// however few came before, and the next ones can only lower it again if they
// are smaller.
//
// A sample that comes while another is being added is left out: no Put waits.
//
//go:norace
func (u *Usual) Add(n, start uintptr) {
	check.RaceBlind()
	if u.mu.TryLock() {
		fits := u.count(sizeClass(fitted(n)))
		size := u.size.Load()
		if size == 0 {
			size = start
		}
		if n > size {
			size *= 2
		}
		size = min(size, fits)
		u.size.Store(size)
		u.mu.Unlock()
	}
	check.RaceSee()
}

// count adds a sample and returns the size that three of four fit in.
//
//go:norace
func (u *Usual) count(class int) uintptr {
	if u.total == memory {
		u.total, u.above = 0, 0
		for c := range u.counts {
			u.counts[c] /= 2
			u.total += int(u.counts[c])
			if c > u.class {
				u.above += int(u.counts[c])
			}
		}
	}
	u.counts[class]++
	u.total++
	if class > u.class {
		u.above++
	}
	for 4*u.above > u.total {
		u.class++
		u.above -= int(u.counts[u.class])
	}
	for u.class > 0 && 4*(u.above+int(u.counts[u.class])) <= u.total {
		u.above += int(u.counts[u.class])
		u.class--
	}
	return classSize(u.class)
}

// Size is the size that is usual, in bytes; 0 where nothing is known yet.
func (u *Usual) Size() uintptr { return u.size.Load() }

// Sampled reports whether what life number n of an arena uses is looked at, from 1.
func Sampled(n uint64) bool { return n%Window == 0 || n < Window && n&(n-1) == 0 }

// InLife is how many bytes the lane's life has had in use at the same time, as
// far as rewinds saw.
//
//go:norace
func (l *Lane) InLife() uintptr { return max(l.UserBytes(), l.fit.top) }
