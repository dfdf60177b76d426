package bench

import (
	"sync"
	"testing"

	"github.com/ebbpool/arena/fixedpool"
)

// BenchmarkFixed allocates one object of 64 bytes, writes to it and frees it. On the heap, the collector
// frees it.
func BenchmarkFixed(b *testing.B) {
	b.Run("alloc=heap", func(b *testing.B) {
		for range b.N {
			p := new(flat64)
			p.a = 1
			sinkFlat = p
		}
	})
	b.Run("alloc=syncpool", func(b *testing.B) {
		pool := sync.Pool{New: func() any { return new(flat64) }}
		for range b.N {
			p := pool.Get().(*flat64)
			*p = flat64{a: 1}
			sinkFlat = p
			pool.Put(p)
		}
	})
	b.Run("alloc=fixed", func(b *testing.B) {
		pool := fixedpool.New[flat64](1024)
		for range b.N {
			p := pool.Allocate()
			p.a = 1
			sinkFlat = p
			pool.Deallocate(p)
		}
	})
}
