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

// BenchmarkMarking times the same work while the collector marks and while it
// rests, over live objects that keep it at that for a while. An op is one
// collection, or the time between two, of which as many epochs are timed as it has
// room for; ns/op is the mean of one object, or of one pointer cleared: epochs that
// waited for the collector's own work on their processor, or helped with it, are
// part of it, as they are of a program.
func BenchmarkMarking(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // one that never comes would be waited for
	var texts [2 * epochLen]string                    // of the heap, each an object that a barrier looks up
	for i := range texts {
		texts[i] = strings.Clone("/v1/orders/17/items")
	}
	fill := func(i int, p *ptr64) {
		p.name, p.value = texts[2*i], texts[2*i+1]
		sinkPtr = p
	}
	for _, phase := range []string{"rest", "mark"} {
		name := "phase=" + phase + "/alloc="
		timed := func(b *testing.B, perEpoch int, epoch func() time.Duration) {
			c := newCollection()
			var sum time.Duration
			epochs := 0
			for range b.N {
				c.begin(phase == "mark")
				for range 2000 { // short of what the heap allocates until the next collection
					took := epoch()
					if !c.lasts() {
						break // in part another phase's
					}
					sum += took
					epochs++
				}
				c.end()
			}
			if epochs == 0 {
				b.Fatalf("in %d collections there was no room for an epoch", b.N)
			}
			b.ReportMetric(float64(sum.Nanoseconds())/float64(epochs*perEpoch), "ns/op")
			b.ReportMetric(float64(epochs)/float64(b.N), "epochs")
		}
		b.Run(name+"heap", func(b *testing.B) {
			timed(b, epochLen, func() time.Duration {
				start := time.Now()
				for i := range epochLen {
					fill(i, new(ptr64))
				}
				return time.Since(start)
			})
		})
		a := arena.NewArena(256<<10, 0)
		b.Run(name+"arena", func(b *testing.B) {
			timed(b, epochLen, func() time.Duration {
				start := time.Now()
				for i := range epochLen {
					fill(i, arena.New[ptr64](a))
				}
				a.Reset()
				return time.Since(start)
			})
		})
		b.Run(name+"reset", func(b *testing.B) {
			const slots = 2 * epochLen
			timed(b, slots, func() time.Duration {
				for i := range epochLen {
					fill(i, arena.New[ptr64](a))
				}
				start := time.Now()
				a.Reset()
				return time.Since(start)
			})
		})
	}
}

// collection follows the collector from outside. It stops the world where it
// begins to mark and where it is done, and counts both: after a pause and before
// the end of the cycle it marks.
type collection struct {
	metrics []metrics.Sample
	mark    bool
	cycles  uint64 // when neither marked
	pauses  uint64
	live    []*linked
}

// linked is an object for the collector to mark meanwhile, with random links, as in
// the load test of the lab.
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

// begin returns when the collector has just begun to mark, or has just ended.
func (c *collection) begin(mark bool) {
	c.mark = false
	runtime.GC()
	time.Sleep(time.Millisecond) // its last pause is counted a little after it
	c.cycles, c.pauses = c.read()
	c.mark = mark
	for mark && !c.lasts() { // by itself, so that those who allocate help as they do in a program
		sinkGarbage = make([]byte, 64<<10)
	}
}

// lasts reports whether the phase that begin waited for lasts still.
func (c *collection) lasts() bool {
	cycles, pauses := c.read()
	return cycles == c.cycles && (pauses > c.pauses) == c.mark
}

func (c *collection) end() { runtime.KeepAlive(c.live) }
