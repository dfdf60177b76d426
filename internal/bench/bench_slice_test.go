package bench

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

const million = 1_000_000

var (
	sinkInts  []int
	sinkInts2 []int
)

// BenchmarkMakeSlice allocates slices of a million ints: fresh in memory that is already zero, uninit in used
// memory without clearing, recycled in used memory with clearing. The last writes to every page, as make
// does.
func BenchmarkMakeSlice(b *testing.B) {
	b.Run("mem=fresh/alloc=arena", func(b *testing.B) {
		if check.On {
			b.Skip("the checks for misuse begin with small chunks, which the slices don't fit into")
		}
		// Memory is fresh only once. So each round allocates a chunk for sixteen slices with the timer
		// stopped and then times all of them. The collector is off, because it would scan all that memory.
		const count = 16
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		var times []float64
		for range b.N {
			a := arena.NewArena((count+1)*8*million, 0)
			for range 8 {
				// Allocate the chunk and warm the caches after the kernel's work.
				sinkInts = arena.MakeSlice[int](a, 1, 1)
				_ = time.Now()
			}
			start := time.Now()
			for range count {
				sinkInts = arena.MakeSlice[int](a, million, million)
			}
			times = append(times, float64(time.Since(start).Nanoseconds())/count)
			if a.Stats().Chunks != 1 {
				b.Fatal("the slices did not fit into fresh memory")
			}
			sinkInts = nil
			runtime.GC()
		}
		b.ReportMetric(turns.Of(times).Median, "ns/op")
	})
	b.Run("mem=uninit/alloc=arena", func(b *testing.B) {
		a := arena.NewArena(8*million+4096, 0)
		clearedSlice(a)
		b.ResetTimer()
		for range b.N {
			a.Reset()
			sinkInts = arena.MakeSliceUninit[int](a, million, million)
		}
	})
	b.Run("mem=recycled/alloc=arena", func(b *testing.B) {
		a := arena.NewArena(8*million+4096, 0)
		clearedSlice(a)
		b.ResetTimer()
		for range b.N {
			a.Reset()
			sinkInts = clearedSlice(a)
		}
	})
	b.Run("mem=recycled/alloc=heap", func(b *testing.B) {
		// make with the collector off. Memory is returned with the timer stopped.
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		for i := range b.N {
			if i%64 == 63 {
				b.StopTimer()
				sinkInts = nil
				runtime.GC()
				b.StartTimer()
			}
			sinkInts = clearedSlice(nil)
		}
		sinkInts = nil
	})
}

// clearedSlice allocates a slice and writes to every page of it.
func clearedSlice(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, million, million)
	for i := 0; i < len(s); i += 512 {
		s[i] = i
	}
	return s
}

// BenchmarkAppend appends 1,000 ints one by one; an operation is all of them.
func BenchmarkAppend(b *testing.B) {
	const n = 1000
	b.Run("slices=one/alloc=heap", func(b *testing.B) {
		for range b.N {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			sinkInts = s
		}
	})
	b.Run("slices=one/alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range b.N {
			a.Reset()
			var s []int
			for i := range n {
				s = arena.Append(a, s, i)
			}
			sinkInts = s
		}
	})
	b.Run("slices=two/alloc=heap", func(b *testing.B) {
		for range b.N {
			var s, t []int
			for i := range n {
				s = append(s, i)
				t = append(t, i)
			}
			sinkInts, sinkInts2 = s, t
		}
	})
	b.Run("slices=two/alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range b.N {
			a.Reset()
			var s, t []int
			for i := range n {
				s = arena.Append(a, s, i)
				t = arena.Append(a, t, i)
			}
			sinkInts, sinkInts2 = s, t
		}
	})
}
