package advise

import (
	"fmt"
	"math"
	"time"
)

// minHeap is the size to which a program's heap grows before the collector runs at all.
const minHeap = 4 << 20

// outlives reports why a site's values live longer than a request, or nothing.
//
// By Little's law a value's mean life is how many of a site's are in use, divided by how many
// it makes in a second. The collector counts as in use what was made while it marked: that is
// at most half of the heap, and so bounds what a life of no length looks like.
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

// minLiveSamples is how many of a site's values the profiler must have seen in use.
const minLiveSamples = 5

// mean is the mean life in seconds, of what was made in some.
func (l *life) mean(seconds float64) float64 {
	if l.made == 0 {
		return 0
	}
	return l.live / (l.made / seconds)
}

// tells reports whether the samples are enough to say on which side of a bound the mean lies: chance
// moves it by less than two of its standard deviations.
func (l *life) tells(bound, seconds float64) bool {
	mean := l.mean(seconds)
	return l.samples >= minLiveSamples && math.Abs(mean-bound) > 2*mean/math.Sqrt(l.samples)
}

// lifeOf is that of all values that a site's function makes.
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

// request is a request's processor time in seconds, or 0.
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
