package testkit

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// cached is a long-lived object, as in a cache: four words, with two pointers.
type cached struct {
	next  *cached
	value *[2]int64
	id    [2]int64
}

func alive(n int) (first *cached) {
	for i := 0; i < n; i += 2 {
		first = &cached{next: first, value: &[2]int64{int64(i)}}
	}
	return first
}

// Requests has functions that serve a request with an isolated pool, a plain pool, a keyed pool of 100 tenants, and on
// the heap.
type Requests struct{ Isolated, Plain, Keyed, Heap func() }

// Isolation measures the CPU time of requests in each of these ways, including the collector's, in turn, with
// increasing numbers of live objects, and with GOGC=400. A request has about the given number of objects.
func Isolation(b *testing.B, work string, objects int, make func() Requests) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	lives, values := []int{0, 100_000, 1_000_000, 5_000_000}, 1_000_000
	if check.On || check.Race {
		lives, values = lives[:1], 10_000 // only checks that it runs
	}
	for _, percent := range []int{100, 400} {
		debug.SetGCPercent(percent)
		for _, live := range lives {
			b.Run(fmt.Sprintf("work=%s/gogc=%d/live=%d", work, percent, live), func(b *testing.B) {
				keep := alive(live)
				// Enough for several collections: a live object has about 40 bytes.
				requests := max(values, live*percent/100) / objects
				allocations := 0.0
				of := func(serve func()) func() float64 {
					return func() float64 {
						for range requests / 10 {
							serve()
						}
						runtime.GC()
						var before, after runtime.MemStats
						runtime.ReadMemStats(&before)
						took := duration(requests, serve)
						runtime.ReadMemStats(&after)
						allocations = float64(after.Mallocs-before.Mallocs) / float64(requests)
						return float64(took)
					}
				}
				r := make()
				own := 0.0
				took := turns.Run(b.N, of(r.Plain), func() float64 { t := of(r.Isolated)(); own = allocations; return t }, of(r.Heap), of(r.Keyed))
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(turns.Ratio(took[1], took[0]).Median, "of-pool")
				b.ReportMetric(turns.Ratio(took[1], took[2]).Median, "of-heap")
				b.ReportMetric(turns.Ratio(took[3], took[0]).Median, "keyed-of-pool")
				b.ReportMetric(own, "allocs/req")
				runtime.KeepAlive(keep)
			})
		}
	}
}
