package advise

import (
	"fmt"
	"math"
	"time"
)

// minHeap is the heap size of a program's first collection.
const minHeap = 4 << 20

// outlives returns why a site's values live longer than a request, or "".
//
// By Little's law, the mean life of values is the number in use divided by the number allocated in a second.
// The collector counts values allocated while it marks as in use. These are at most half of the heap, which
// bounds the mean life that values without a life appear to have.
func (a *adviser) outlives(s *Site) string {
	if a.allocs == nil || a.cpu.Seconds == 0 {
		return ""
	}
	floating := 0.5 * max(a.allocs.LiveBytes, minHeap) / (a.bytes() / a.cpu.Seconds)
	long := max(1.5*floating, 10*a.request(), 1e-3)
	l := s.life
	if all := a.lifeOf(s); !l.tells(long, a.cpu.Seconds) && all.samples > l.samples {
		l = *all
	}
	mean := l.mean(a.cpu.Seconds)
	if l.samples < minLiveSamples || mean < long {
		return ""
	}
	return fmt.Sprintf("lives %v, longer than a call", seconds(mean))
}

// minLiveSamples is the least number of sampled values in use for an estimate.
const minLiveSamples = 5

// mean returns the mean life in seconds. The profile covers so many seconds.
func (l *life) mean(seconds float64) float64 {
	if l.made == 0 {
		return 0
	}
	return l.live / (l.made / seconds)
}

// tells reports whether the mean is more than two standard deviations from a bound.
func (l *life) tells(bound, seconds float64) bool {
	mean := l.mean(seconds)
	return l.samples >= minLiveSamples && math.Abs(mean-bound) > 2*mean/math.Sqrt(l.samples)
}

// lifeOf returns the life of all values of a site's function.
func (a *adviser) lifeOf(s *Site) *life {
	name := s.within()
	if a.lives[name] == nil {
		a.lives[name] = &life{}
	}
	return a.lives[name]
}

func (a *adviser) bytes() (n float64) {
	for _, s := range a.all() {
		n += s.Bytes
	}
	return n
}

// request returns the processor time of a request in seconds, or 0.
func (a *adviser) request() float64 {
	if a.Requests <= 0 {
		return 0
	}
	return a.cpu.Total / 1e9 / float64(a.Requests)
}

func seconds(s float64) time.Duration {
	d := time.Duration(s * 1e9)
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= 10*unit {
			return d.Round(unit)
		}
	}
	return d
}
