package bench

import (
	"strconv"
	"testing"

	"github.com/ebbpool/arena"
)

// BenchmarkCycles allocates objects with two strings, in cycles of 20 (a small request), 250, and 1,000 (64
// KB, more than some first-level caches). An operation is one object. allocator uses an Allocator that each cycle
// obtains, as a request does.
func BenchmarkCycles(b *testing.B) {
	for _, n := range []int{20, 250, 1000} {
		b.Run("objects="+strconv.Itoa(n), func(b *testing.B) { benchCycles(b, n) })
	}
}

func benchCycles(b *testing.B, n int) {
	b.Run("alloc=heap", func(b *testing.B) {
		for range (b.N + n - 1) / n {
			for range n {
				p := new(ptr64)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range (b.N + n - 1) / n {
			a.Reset()
			for range n {
				p := arena.New[ptr64](a)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=allocator", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range (b.N + n - 1) / n {
			a.Reset()
			l := arena.AllocatorFor[ptr64](a)
			for range n {
				p := l.New()
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=inlined", func(b *testing.B) {
		c := newByteBump(256 << 10)
		for range (b.N + n - 1) / n {
			c.reset()
			for range n {
				p := inlinedNew[ptr64](c)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=cursor", func(b *testing.B) {
		c := newByteBump(256 << 10)
		for range (b.N + n - 1) / n {
			c.reset()
			for range n {
				p := cursorNew[ptr64](c)
				p.a = 1
				sinkPtr = p
			}
		}
	})
}

var sinkBytes []byte

// BenchmarkBytes allocates slices of 64 bytes; an operation is one slice. bytebump does not clear its slices.
func BenchmarkBytes(b *testing.B) {
	const size = 64
	b.Run("alloc=heap", func(b *testing.B) {
		for range cycles(b) {
			for range cycleLen {
				sinkBytes = make([]byte, size)
			}
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				sinkBytes = a.AllocBytes(size)
			}
		}
	})
	b.Run("alloc=uninit", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				sinkBytes = arena.MakeSliceUninit[byte](a, size, size)
			}
		}
	})
	b.Run("alloc=bytebump", func(b *testing.B) {
		c := newByteBump(256 << 10)
		for range cycles(b) {
			c.reset()
			for range cycleLen {
				sinkBytes = c.bytes(size)
			}
		}
	})
}
