package bench

import (
	"fmt"
	"testing"

	"github.com/ebbpool/arena"
)

// coldStruct has a slice that grows.
type coldStruct struct {
	length int
	items  []int
}

var sinkStruct *coldStruct

// BenchmarkCold uses a new arena of the default chunk size for each cycle and drops it, like the benchmark of
// Go's arena experiment.
func BenchmarkCold(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		for _, alloc := range []string{"heap", "arena"} {
			b.Run(fmt.Sprintf("cycle=slice/n=%d/alloc=%s", n, alloc), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					var s []int
					if alloc == "heap" {
						for i := range n {
							s = append(s, i)
						}
					} else {
						a := arena.NewArena(64<<10, 0)
						for i := range n {
							s = arena.Append(a, s, i)
						}
					}
					sinkInts = s
				}
			})
			b.Run(fmt.Sprintf("cycle=struct/n=%d/alloc=%s", n, alloc), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					var x *coldStruct
					if alloc == "heap" {
						x = new(coldStruct)
						for i := range n {
							x.items = append(x.items, i)
						}
					} else {
						a := arena.NewArena(64<<10, 0)
						x = arena.New[coldStruct](a)
						for i := range n {
							x.items = arena.Append(a, x.items, i)
						}
					}
					x.length = n
					sinkStruct = x
				}
			})
		}
	}
}

// BenchmarkColdGrown appends as many ints to one slice as there are operations: -benchtime 10000000x grows it
// to 80 MB.
func BenchmarkColdGrown(b *testing.B) {
	b.Run("alloc=heap", func(b *testing.B) {
		b.ReportAllocs()
		var s []int
		for i := range b.N {
			s = append(s, i)
		}
		sinkInts = s
	})
	b.Run("alloc=arena", func(b *testing.B) {
		b.ReportAllocs()
		a := arena.NewArena(64<<10, 0)
		var s []int
		for i := range b.N {
			s = arena.Append(a, s, i)
		}
		sinkInts = s
	})
}
