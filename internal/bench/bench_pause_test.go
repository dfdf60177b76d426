package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// pauseRequests is the number of requests measured after a pause.
const pauseRequests = 1000

// underWay runs requests with len(out) arenas in use: each request takes an arena and works in it, then the
// oldest request puts its arena back. It stores the time of each in times.
func underWay(p source, out []*arena.Arena, times []time.Duration) {
	for i := range times {
		at := &out[i%len(out)]
		start := time.Now()
		a := p.Get()
		for range 40 {
			q := arena.New[ptr64](a)
			q.name = "x"
			sinkPtr = q
		}
		arena.MakeSlice[byte](a, 4000, 4000)
		if *at != nil {
			p.Put(*at)
		}
		*at = a
		times[i] = time.Since(start)
	}
}

// source provides arenas.
type source interface {
	Get() *arena.Arena
	Put(*arena.Arena)
}

// byHand keeps all arenas forever, as a program with one goroutine could.
type byHand struct{ idle []*arena.Arena }

func (h *byHand) Get() (a *arena.Arena) {
	last := len(h.idle) - 1
	if last < 0 {
		return arena.NewArena(4096, 0)
	}
	a, h.idle = h.idle[last], h.idle[:last]
	return a
}

func (h *byHand) Put(a *arena.Arena) {
	a.Reset()
	h.idle = append(h.idle, a)
}

// afterPause returns the 99th percentile of requests in steady state, and of the first requests after three
// collections.
func afterPause(t testing.TB, p source, concurrent int) (steady, first time.Duration) {
	out := make([]*arena.Arena, concurrent)
	times := make([]time.Duration, pauseRequests)
	p99 := func() time.Duration {
		slices.Sort(times)
		return times[len(times)*99/100]
	}
	for range 4 {
		underWay(p, out, times)
	}
	steady = p99()
	for i, a := range out {
		p.Put(a)
		out[i] = nil
	}
	testkit.Finalizers(t, 3)
	underWay(p, out, times)
	first = p99()
	for _, a := range out {
		p.Put(a)
	}
	return steady, first
}

// BenchmarkPause reports the 99th percentile of the first 1,000 requests after a pause of three collections,
// divided by the 99th percentile in steady state: the median of the rounds. For arenas kept by hand, the difference is
// the cold cache.
func BenchmarkPause(b *testing.B) {
	for _, concurrent := range []int{1, 10, 100, 500} {
		for alloc, p := range map[string]source{"pool": arena.NewArenaPool(4096, 0), "hand": new(byHand)} {
			b.Run(fmt.Sprintf("concurrent=%d/alloc=%s", concurrent, alloc), func(b *testing.B) {
				var ratios []float64
				for range max(b.N, 5) {
					steady, first := afterPause(b, p, concurrent)
					ratios = append(ratios, float64(first)/float64(steady))
				}
				s := turns.Of(ratios)
				b.ReportMetric(s.Median, "p99-ratio")
				b.ReportMetric(s.Least, "p99-ratio-least")
				b.ReportMetric(s.Most, "p99-ratio-most")
			})
		}
	}
}
