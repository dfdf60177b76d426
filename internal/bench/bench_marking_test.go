package bench

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// BenchmarkMarking times the same work while the collector marks and while it does not, with many live
// objects so that marking takes a while. An operation is one collection, or the time between two, in which as
// many cycles are timed as fit. ns/op is the mean of one object, or of one pointer cleared. It includes
// cycles in which the goroutine waited for the collector or assisted it, as in a program.
func BenchmarkMarking(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // otherwise begin may wait forever
	var texts [2 * cycleLen]string                    // on the heap; a write barrier looks up each of them
	for i := range texts {
		texts[i] = strings.Clone("/v1/orders/17/items")
	}
	fill := func(i int, p *ptr64) {
		p.name, p.value = texts[2*i], texts[2*i+1]
		sinkPtr = p
	}
	for _, phase := range []string{"rest", "mark"} {
		name := "phase=" + phase + "/alloc="
		timed := func(b *testing.B, perCycle int, cycle func() time.Duration) {
			c := newCollection()
			var sum time.Duration
			cycles := 0
			for range b.N {
				c.begin(phase == "mark")
				for range 2000 { // less than the heap allocates until the next collection
					took := cycle()
					if !c.lasts() {
						break // partly in another phase
					}
					sum += took
					cycles++
				}
				c.end()
			}
			if cycles == 0 {
				b.Fatalf("in %d collections there was no room for a cycle", b.N)
			}
			b.ReportMetric(float64(sum.Nanoseconds())/float64(cycles*perCycle), "ns/op")
			b.ReportMetric(float64(cycles)/float64(b.N), "cycles")
		}
		b.Run(name+"heap", func(b *testing.B) {
			timed(b, cycleLen, func() time.Duration {
				start := time.Now()
				for i := range cycleLen {
					fill(i, new(ptr64))
				}
				return time.Since(start)
			})
		})
		a := arena.NewArena(256<<10, 0)
		b.Run(name+"arena", func(b *testing.B) {
			timed(b, cycleLen, func() time.Duration {
				start := time.Now()
				for i := range cycleLen {
					fill(i, arena.New[ptr64](a))
				}
				a.Reset()
				return time.Since(start)
			})
		})
		b.Run(name+"reset", func(b *testing.B) {
			const slots = 2 * cycleLen
			timed(b, slots, func() time.Duration {
				for i := range cycleLen {
					fill(i, arena.New[ptr64](a))
				}
				start := time.Now()
				a.Reset()
				return time.Since(start)
			})
		})
	}
}

// collection observes the collector. The collector stops the world at the beginning and the end of marking
// and counts both: it marks after a pause and before the cycle's end.
type collection struct {
	metrics []metrics.Sample
	mark    bool
	cycles  uint64 // at a time when the collector did not mark
	pauses  uint64
	live    []*linked
}

// linked is an object with random links for the collector to mark, as in the load test.
type linked struct {
	links [2]*linked
	_     [6]int
}

var sinkGarbage []byte

func newCollection() *collection {
	c := &collection{
		metrics: []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/pauses/total/gc:seconds"}},
		live:    make([]*linked, 1<<20),
	}
	for i := range c.live {
		c.live[i] = new(linked)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range c.live {
		for k := range x.links {
			x.links[k] = c.live[random.IntN(len(c.live))]
		}
	}
	return c
}

func (c *collection) read() (cycles, pauses uint64) {
	metrics.Read(c.metrics)
	for _, n := range c.metrics[1].Value.Float64Histogram().Counts {
		pauses += n
	}
	return c.metrics[0].Value.Uint64(), pauses
}

// begin returns when the collector has just begun to mark, or has just finished.
func (c *collection) begin(mark bool) {
	c.mark = false
	runtime.GC()
	time.Sleep(time.Millisecond) // its last pause is counted slightly later
	c.cycles, c.pauses = c.read()
	c.mark = mark
	for mark && !c.lasts() { // not by runtime.GC, so that allocating goroutines assist as in a program
		sinkGarbage = make([]byte, 64<<10)
	}
}

// lasts reports whether the phase that begin waited for is still in progress.
func (c *collection) lasts() bool {
	cycles, pauses := c.read()
	return cycles == c.cycles && (pauses > c.pauses) == c.mark
}

func (c *collection) end() { runtime.KeepAlive(c.live) }
