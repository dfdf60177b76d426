package testkit

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/testkit/turns"
)

// Duel runs theirs and ours in turn in one process. It reports the median, minimum and maximum of the ratio
// of their times, and ours as a fraction of theirs. It measures processor time, including the collector's, if
// the system provides it. A turn is long enough for collections. Each b.N is one round:
//
//	go test -run '^$' -bench . -benchtime 11x
func Duel(b *testing.B, theirs, ours func()) {
	b.Helper()
	n := 1
	for {
		took := duration(n, theirs)
		if took > 50*time.Millisecond || b.N == 1 {
			break
		}
		n *= 2
	}
	ours() // warm up
	took := turns.Run(b.N, func() float64 { return float64(duration(n, theirs)) }, func() float64 { return float64(duration(n, ours)) })
	times := turns.Ratio(took[0], took[1])
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times.Median, "times")
	b.ReportMetric(turns.Ratio(took[1], took[0]).Median, "of-theirs")
	b.Logf("%.2f to %.2f, of %d rounds; theirs %s, ours %s", times.Least, times.Most, b.N, allocations(theirs), allocations(ours))
}

func duration(n int, f func()) time.Duration {
	runtime.GC()
	begun := turns.ProcessorTime()
	for range n {
		f()
	}
	return turns.ProcessorTime() - begun
}

func allocations(f func()) string {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return fmt.Sprintf("%d allocations of %d bytes", after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc)
}

// ProcessorTime is turns.ProcessorTime.
func ProcessorTime() time.Duration { return turns.ProcessorTime() }

// Best returns the shortest times of f and g in alternating rounds. It stops early if enough returns true, so
// a test that compares the two waits until other programs have let both run undisturbed.
func Best(rounds int, f, g func(), enough func(bestF, bestG time.Duration) bool) (bestF, bestG time.Duration) {
	bestF, bestG = math.MaxInt64, math.MaxInt64
	for range rounds {
		start := time.Now()
		f()
		middle := time.Now()
		g()
		bestF = min(bestF, middle.Sub(start))
		bestG = min(bestG, time.Since(middle))
		if enough(bestF, bestG) {
			break
		}
	}
	return bestF, bestG
}
