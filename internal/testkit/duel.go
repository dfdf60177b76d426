package testkit

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/testkit/turns"
)

// Duel measures theirs beside ours, by turns in one process, and reports the median of
// how many times as long theirs takes, with the least and the most, and of what part of theirs
// ours takes. It counts processor time, the collector's included, where the system tells it.
// A turn is so long that there is garbage to collect. Each b.N is one round:
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
	ours() // warm
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

// ProcessorTime is that of package turns.
func ProcessorTime() time.Duration { return turns.ProcessorTime() }

// Best is the shortest time of f and of g, in rounds that alternate: of so many, or of
// fewer where enough says that no more are needed. A test that compares them waits so
// until the machine, which other programs use too, has let both run undisturbed.
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
