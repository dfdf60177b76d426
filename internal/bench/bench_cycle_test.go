package bench

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// BenchmarkReset times Reset after a million objects. alloc=clear clears the same memory once.
func BenchmarkReset(b *testing.B) {
	timed := func(b *testing.B, fill, reset func()) {
		var sum time.Duration
		for range b.N {
			fill()
			start := time.Now()
			reset()
			sum += time.Since(start)
		}
		b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), "ns/op")
	}
	b.Run("objects=1000000/type=flat/alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 128<<20)
		timed(b, func() {
			for range million {
				sinkFlat = arena.New[flat64](a)
			}
		}, a.Reset)
	})
	b.Run("objects=1000000/type=ptr/alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 128<<20)
		fill := func() {
			for range million {
				p := arena.New[ptr64](a)
				p.name = "x"
				sinkPtr = p
			}
		}
		fill()
		a.Reset() // from here on one chunk holds a cycle
		timed(b, fill, a.Reset)
	})
	b.Run("objects=1000000/type=ptr/alloc=clear", func(b *testing.B) {
		s := make([]ptr64, million)
		timed(b, func() {
			for i := range s {
				s[i].name = "x"
				sinkPtr = &s[i]
			}
		}, func() { clear(s) })
	})
}

var keepAlive atomic.Pointer[[20]*flat64]

// BenchmarkPool times a small request: Get, 20 objects of 64 bytes, Put. An operation is one request. On two
// cores the time is divided by all requests, so it should be half.
func BenchmarkPool(b *testing.B) {
	// The objects of a request are stored in an array on the heap, one per core. Its stores have write
	// barriers.
	heap := func(n int) {
		keep := new([20]*flat64)
		keepAlive.Store(keep)
		for range n {
			for i := range keep {
				p := new(flat64)
				p.a = 1
				keep[i] = p
			}
		}
	}
	p := arena.NewArenaPool(4<<10, 0)
	pooled := func(n int) {
		keep := new([20]*flat64)
		keepAlive.Store(keep)
		for range n {
			a := p.Get()
			for i := range keep {
				p := arena.New[flat64](a)
				p.a = 1
				keep[i] = p
			}
			p.Put(a)
		}
	}
	b.Run("cores=1/alloc=heap", func(b *testing.B) { heap(b.N) })
	b.Run("cores=1/alloc=arena", func(b *testing.B) { pooled(b.N) })
	b.Run("cores=2/alloc=arena", func(b *testing.B) { onTwo(b, pooled) })
	// The baseline for two cores: nothing shared, an arena for each.
	own := func(n int) {
		keep := new([20]*flat64)
		keepAlive.Store(keep)
		a := arena.NewArena(4<<10, 0)
		for range n {
			for i := range keep {
				p := arena.New[flat64](a)
				p.a = 1
				keep[i] = p
			}
			a.Reset()
		}
	}
	b.Run("cores=1/alloc=own", func(b *testing.B) { own(b.N) })
	b.Run("cores=2/alloc=own", func(b *testing.B) { onTwo(b, own) })
}

// onTwo runs half of the work in each of two goroutines.
func onTwo(b *testing.B, work func(n int)) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { work((b.N + 1) / 2) })
	}
	wg.Wait()
}
