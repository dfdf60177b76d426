package suite

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// testSlab fills a slab over several epochs, with values that are not zero, and
// checks that each value begins as zero and keeps what was written.
func testSlab[T comparable](t *testing.T, value func(i int) T) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	for _, chunkLen := range []int{1, 2, 7, 100} {
		s := arena.NewSlab[T](chunkLen)
		if s.Stats().UsedBytes != 0 || s.Stats() != (arena.Stats{Types: s.Stats().Types}) {
			t.Fatalf("a new slab has %+v", s.Stats())
		}
		high := 0
		for epoch := range 5 {
			type piece struct {
				s     []T
				first int
			}
			var pieces []piece
			n, used := 0, 0
			for i := range 60 * (epoch%2 + 1) {
				var part []T
				switch {
				case i%3 == 0:
					part = s.MakeSlice(i%5, i%5+i%2*chunkLen)
					part = part[:cap(part)]
				case i%17 == 5:
					part = s.MakeSlice(2*chunkLen+1, 2*chunkLen+1)
				default:
					part = unsafe.Slice(s.New(), 1)
				}
				for j := range part {
					if part[j] != zero {
						t.Fatalf("chunkLen %d, epoch %d, piece %d: element %d of %d is %v", chunkLen, epoch, i, j, len(part), part[j])
					}
					part[j] = value(n + j)
				}
				pieces = append(pieces, piece{part, n})
				n += len(part)
				used += len(part) * size
				if s.Stats().UsedBytes != used {
					t.Fatalf("chunkLen %d, epoch %d, piece %d: UsedBytes = %d, want %d", chunkLen, epoch, i, s.Stats().UsedBytes, used)
				}
			}
			for _, p := range pieces {
				for j, x := range p.s {
					if x != value(p.first+j) {
						t.Fatalf("chunkLen %d, epoch %d: element %d holds %v", chunkLen, epoch, p.first+j, x)
					}
				}
			}
			high = max(high, used)
			st := s.Stats()
			if st.UsedBytes != used || st.HighWater != high || st.RetainedBytes < used || st.Chunks == 0 || st.Resets != uint64(epoch) {
				t.Fatalf("chunkLen %d, epoch %d: %+v, want %d used, %d at most", chunkLen, epoch, st, used, high)
			}
			s.Reset()
			if st := s.Stats(); st.UsedBytes != 0 || st.RetainedBytes > 11*chunkLen*size {
				t.Fatalf("chunkLen %d, epoch %d: after Reset %+v", chunkLen, epoch, st)
			}
		}
		s.Release()
		if st := s.Stats(); st.UsedBytes != 0 || st.RetainedBytes != 0 || st.Chunks != 0 || st.HighWater != high {
			t.Fatalf("chunkLen %d: after Release %+v", chunkLen, st)
		}
		if x := s.New(); *x != zero || s.Stats().UsedBytes != size {
			t.Fatalf("chunkLen %d: after Release New = %v, used %d", chunkLen, *x, s.Stats().UsedBytes)
		}
	}
}

// A slab must keep the same promises as an arena for every kind of type; it
// has code of its own for each.
func TestSlab(t *testing.T) {
	t.Run("byte", func(t *testing.T) { testSlab(t, func(i int) byte { return byte(i) | 1 }) })
	t.Run("[3]byte", func(t *testing.T) { testSlab(t, func(i int) [3]byte { return [3]byte{1, byte(i), byte(i >> 8)} }) })
	t.Run("uint64", func(t *testing.T) { testSlab(t, func(i int) uint64 { return uint64(i + 1) }) })
	type padded struct {
		a uint64
		b uint32
		c uint8
	}
	t.Run("padded", func(t *testing.T) { testSlab(t, func(i int) padded { return padded{uint64(i), 1, 1} }) })
	t.Run("[3000]byte", func(t *testing.T) { testSlab(t, func(i int) [3000]byte { return [3000]byte{0: 1, 2999: byte(i)} }) })
	t.Run("string", func(t *testing.T) { testSlab(t, func(i int) string { return testkit.HeapText(uint64(i)) }) })
	t.Run("textPair", func(t *testing.T) {
		testSlab(t, func(i int) textPair { return textPair{b: testkit.HeapText(uint64(i))} })
	})
	t.Run("any", func(t *testing.T) { testSlab(t, func(i int) any { return i }) })
	t.Run("pointers", func(t *testing.T) {
		p := make([]int, 40000)
		testSlab(t, func(i int) [5]*int { return [5]*int{4: &p[i]} })
	})
}

// Values of no size need no memory, and chunk arithmetic must not divide by
// it.
func TestSlabZeroSize(t *testing.T) {
	s := arena.NewSlab[struct{}](4)
	for range 100 {
		if s.New() == nil || len(s.MakeSlice(3, 5)) != 3 {
			t.Fatal("no value")
		}
	}
	s.Reset()
	if s.New() == nil || s.Stats().UsedBytes != 0 || s.Stats().RetainedBytes != 0 {
		t.Errorf("%+v", s.Stats())
	}
	s.Release()
	if s.New() == nil {
		t.Error("nil after Release")
	}
}

// Values of one type are aligned for it, whatever their number before.
func TestSlabAlignment(t *testing.T) {
	type odd struct {
		b byte
		n uint32
		c byte
	}
	s, u := arena.NewSlab[odd](3), arena.NewSlab[complex128](3)
	for i := range 200 {
		s.MakeSlice(i%4, i%4)
		u.MakeSlice(i%4, i%4)
		if p := uintptr(unsafe.Pointer(s.New())); p%unsafe.Alignof(odd{}) != 0 {
			t.Fatalf("address %#x", p)
		}
		if p := uintptr(unsafe.Pointer(u.New())); p%unsafe.Alignof(complex128(0)) != 0 {
			t.Fatalf("address %#x", p)
		}
	}
}

// Lengths that no slab can have must be refused when it is made, and wrong
// slice lengths must change nothing.
func TestSlabPanics(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt, math.MaxInt, math.MaxInt/8 + 2} {
		testkit.WantPanic(t, func() { arena.NewSlab[uint64](n) }, "NewSlab", "uint64", fmt.Sprint(n))
		testkit.WantPanic(t, func() { arena.NewSlab[string](n) }, "NewSlab", "string", fmt.Sprint(n))
	}
	testkit.WantPanic(t, func() { arena.NewSlab[struct{}](0) }, "NewSlab", "0")
	s, u := arena.NewSlab[string](4), arena.NewSlab[uint64](4)
	*s.New(), *u.New() = "x", 1
	for _, c := range []struct{ n, c int }{{-1, 0}, {0, -1}, {3, 2}, {0, math.MaxInt}, {math.MaxInt, math.MaxInt}, {1, math.MaxInt/8 + 2}} {
		used, stats := s.Stats().UsedBytes, s.Stats()
		testkit.WantPanic(t, func() { s.MakeSlice(c.n, c.c) }, "Slab.MakeSlice", fmt.Sprint(c.n), fmt.Sprint(c.c))
		testkit.WantPanic(t, func() { u.MakeSlice(c.n, c.c) }, "Slab.MakeSlice", fmt.Sprint(c.n), fmt.Sprint(c.c))
		if s.Stats().UsedBytes != used || s.Stats() != stats || u.Stats().UsedBytes != 8 {
			t.Errorf("MakeSlice(%d, %d) changed the slab: %+v, was %+v", c.n, c.c, s.Stats(), stats)
		}
	}
	if *s.New() != "" || *u.New() != 0 || len(s.MakeSlice(0, 0)) != 0 {
		t.Error("not usable after a panic")
	}
}
