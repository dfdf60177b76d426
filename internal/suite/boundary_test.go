package suite

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// arenasFor calls f with a nil arena and with new and used arenas of several chunk sizes.
func arenasFor(t *testing.T, f func(t *testing.T, a *arena.Arena)) {
	t.Run("nil", func(t *testing.T) { f(t, nil) })
	for _, chunk := range []int{1, 7, 8, 64, 100, 4096} {
		t.Run(fmt.Sprint("chunk", chunk), func(t *testing.T) { f(t, arena.NewArena(chunk, 0)) })
		t.Run(fmt.Sprint("used", chunk), func(t *testing.T) {
			a := arena.NewArena(chunk, 2*chunk)
			for range 3 {
				testkit.Dirty(arena.MakeSlice[byte](a, 3*chunk/2, 2*chunk))
				a.AllocString("something")
				*arena.New[*int](a) = new(int)
				a.Reset()
			}
			f(t, a)
		})
	}
}

// Sizes close to the chunk size reveal off-by-one errors: the last byte overlaps a neighbour, or a chunk that
// is large enough is never used.
func TestBoundarySizes(t *testing.T) {
	const chunk = 512
	sizes := []int{0, 1, 2, 7, 8, 9, chunk - 9, chunk - 8, chunk - 7, chunk - 1, chunk, chunk + 1,
		2*chunk - 1, 2 * chunk, 2*chunk + 1, 10 * chunk, 20*chunk + 3, 100 * chunk}
	for _, n := range sizes {
		for _, before := range sizes {
			a := arena.NewArena(chunk, chunk)
			for range 2 {
				guard := a.AllocBytes(before)
				testkit.Dirty(guard)
				s := a.AllocString(strings.Repeat("s", n))
				b := a.AllocBytes(n)
				if len(b) != n || cap(b) != n || !testkit.AllZero(b) {
					t.Fatalf("AllocBytes(%d) after %d: len %d, cap %d, zero %t", n, before, len(b), cap(b), testkit.AllZero(b))
				}
				testkit.Dirty(b)
				u := a.AllocBytesToString(b)
				after := arena.MakeSlice[uint16](a, n/2, n/2+1)
				for i := range after[:cap(after)] {
					if after[:cap(after)][i] != 0 {
						t.Fatalf("MakeSlice of %d uint16 after %d: element %d is not zero", n/2, before, i)
					}
					after[:cap(after)][i] = 0xffff
				}
				if s != strings.Repeat("s", n) || u != strings.Repeat("\xa5", n) ||
					string(guard) != strings.Repeat("\xa5", before) || string(b) != u {
					t.Fatalf("%d bytes after %d: a neighbour's write shows", n, before)
				}
				if want := testkit.Round8(before) + n + testkit.Round8(n) + n + testkit.Round8(2*(n/2+1)); a.Stats().UsedBytes != want {
					t.Fatalf("%d bytes after %d: UsedBytes = %d, want %d", n, before, a.Stats().UsedBytes, want)
				}
				a.Reset()
				if got := a.Stats().RetainedBytes; got > chunk {
					t.Fatalf("%d bytes after %d: %d bytes retained, maxRetained %d", n, before, got, chunk)
				}
			}
		}
	}
}

// testSliceSizes allocates slices of T of every length around the end of a chunk, twice, so that the second
// pass uses recycled memory.
func testSliceSizes[T comparable](t *testing.T, dirty T) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	const chunk = 256
	a := arena.NewArena(chunk, 0)
	for cycle := range 3 {
		for n := range 2*chunk/size + 2 {
			s := arena.MakeSlice[T](a, n/2, n)
			if len(s) != n/2 || cap(s) != n {
				t.Fatalf("MakeSlice[%T](%d, %d): len %d, cap %d", zero, n/2, n, len(s), cap(s))
			}
			p := arena.New[T](a)
			for i := range s[:n] {
				if s[:n][i] != zero {
					t.Fatalf("cycle %d, MakeSlice[%T](%d, %d): element %d = %v", cycle, zero, n/2, n, i, s[:n][i])
				}
				s[:n][i] = dirty
			}
			if *p != zero {
				t.Fatalf("cycle %d, New[%T] after a slice of %d = %v", cycle, zero, n, *p)
			}
			*p = dirty
		}
		a.Reset()
		if a.Stats().UsedBytes != 0 {
			t.Fatalf("UsedBytes = %d after Reset", a.Stats().UsedBytes)
		}
	}
}

// Type sizes that do not divide the chunk size leave a rest that must be neither used nor counted.
func TestBoundarySlices(t *testing.T) {
	testSliceSizes(t, byte(0xff))
	testSliceSizes(t, [3]byte{1, 2, 3})
	testSliceSizes(t, [5]uint16{1, 2, 3, 4, 5})
	testSliceSizes(t, 1.5)
	testSliceSizes(t, [7]uint32{6: 1})
	testSliceSizes(t, [100]byte{99: 1})
	testSliceSizes(t, [300]byte{0: 1, 299: 1})
	testSliceSizes(t, "text")
	testSliceSizes(t, new(int))
	testSliceSizes(t, any(3))
	testSliceSizes(t, [5]*int{4: new(int)})
	testSliceSizes(t, struct {
		b byte
		p *int
		c byte
	}{1, new(int), 2})
	testSliceSizes(t, [40]string{39: "x"})
}

// Values of size zero take no memory and are still usable.
func TestZeroSizes(t *testing.T) {
	arenasFor(t, func(t *testing.T, a *arena.Arena) {
		before := a.Stats()
		if arena.New[struct{}](a) == nil || arena.New[[0]uint64](a) == nil || arena.New[[0]*int](a) == nil {
			t.Error("New of a zero-size type is nil")
		}
		if s := arena.MakeSlice[struct{}](a, 5, 1000); len(s) != 5 || cap(s) < 5 {
			t.Errorf("MakeSlice[struct{}](5, 1000): len %d, cap %d", len(s), cap(s))
		}
		if s := arena.MakeSliceUninit[struct{}](a, 5, 5); len(s) != 5 {
			t.Errorf("MakeSliceUninit[struct{}](5, 5): len %d", len(s))
		}
		for _, s := range [][]byte{arena.MakeSlice[byte](a, 0, 0), arena.MakeSliceUninit[byte](a, 0, 0), a.AllocBytes(0)} {
			if s == nil || len(s) != 0 || cap(s) != 0 {
				t.Errorf("empty slice: nil %t, len %d, cap %d", s == nil, len(s), cap(s))
			}
		}
		if s := arena.MakeSlice[*int](a, 0, 0); s == nil || cap(s) != 0 {
			t.Errorf("empty []*int: nil %t, cap %d", s == nil, cap(s))
		}
		if a.AllocString("") != "" || a.AllocBytesToString(nil) != "" || a.AllocBytesToString([]byte{}) != "" {
			t.Error("an empty string is not empty")
		}
		if after := a.Stats(); after.UsedBytes != before.UsedBytes || after.RetainedBytes != before.RetainedBytes {
			t.Errorf("nothing took memory: %+v, before %+v", after, before)
		}
	})
}

// A slice of zero-size elements may have any length, as with make.
func TestZeroSizeAnyLength(t *testing.T) {
	arenasFor(t, func(t *testing.T, a *arena.Arena) {
		if s := arena.MakeSlice[struct{}](a, math.MaxInt, math.MaxInt); len(s) != math.MaxInt {
			t.Errorf("MakeSlice[struct{}](MaxInt): len %d", len(s))
		}
	})
}

// Lengths for which len*size or offset+size overflows must panic, not return memory that does not exist.
func TestLengthPanics(t *testing.T) {
	const big = math.MaxInt
	type kb [1024]byte
	arenasFor(t, func(t *testing.T, a *arena.Arena) {
		kept := a.AllocString("kept")
		*arena.New[uint64](a) = 1
		used, stats := a.Stats().UsedBytes, a.Stats()
		check := func(f func(), parts ...string) {
			t.Helper()
			testkit.WantPanic(t, f, parts...)
			if a.Stats().UsedBytes != used || a.Stats() != stats {
				t.Errorf("%q: UsedBytes %d, was %d; stats %+v, were %+v", parts, a.Stats().UsedBytes, used, a.Stats(), stats)
			}
		}
		for _, c := range []struct{ n, c int }{
			{-1, -1}, {-1, 0}, {0, -1}, {-1, 5}, {5, 4}, {1, 0}, {big, 0}, {big, -1}, {math.MinInt, math.MinInt}, {math.MinInt, 3},
		} {
			n, m := fmt.Sprint(c.n), fmt.Sprint(c.c)
			check(func() { arena.MakeSlice[byte](a, c.n, c.c) }, "MakeSlice", "uint8", n, m)
			check(func() { arena.MakeSlice[string](a, c.n, c.c) }, "MakeSlice", "string", n, m)
			check(func() { arena.MakeSlice[struct{}](a, c.n, c.c) }, "MakeSlice", "struct {}", n, m)
			check(func() { arena.MakeSliceUninit[int32](a, c.n, c.c) }, "MakeSliceUninit", "int32", n, m)
		}
		// Products that are negative or wrap to a small number, to zero, or to a multiple of the chunk size;
		// and byte counts that overflow when added to an offset.
		lengths := []int{big, big - 1, big - 7, big - 8, big - 63, big/2 + 1, big/2 + 2, big/4 + 2}
		if big>>40 != 0 { // on 32 bits that many uint16 are a gigabyte, which is valid
			lengths = append(lengths, big/4+1)
		}
		for _, n := range lengths {
			text := fmt.Sprint(n)
			check(func() { arena.MakeSlice[uint64](a, n, n) }, "MakeSlice", "uint64", text)
			check(func() { arena.MakeSlice[uint16](a, n, n) }, "MakeSlice", "uint16", text)
			check(func() { arena.MakeSlice[[3]byte](a, 1, n) }, "MakeSlice", text)
			check(func() { arena.MakeSlice[kb](a, 0, n) }, "MakeSlice", text)
			check(func() { arena.MakeSlice[*int](a, n, n) }, "MakeSlice", "*int", text)
			check(func() { arena.MakeSlice[[3]string](a, 0, n) }, "MakeSlice", text)
			check(func() { arena.MakeSliceUninit[uint64](a, n, n) }, "MakeSliceUninit", "uint64", text)
		}
		check(func() { arena.MakeSlice[kb](a, 0, big/1024+2) }, "MakeSlice", fmt.Sprint(big/1024+2))
		check(func() { arena.MakeSlice[byte](a, big, big) }, "MakeSlice", fmt.Sprint(big))
		check(func() { arena.MakeSliceUninit[byte](a, big-9, big-9) }, "MakeSliceUninit", fmt.Sprint(big-9))
		for _, n := range []int{-1, math.MinInt, big, big - 7, big - 64} {
			check(func() { a.AllocBytes(n) }, "AllocBytes", fmt.Sprint(n))
		}
		huge := make([]struct{}, big)
		wantZero := arena.Append(a, huge[:big-1], struct{}{})
		if len(wantZero) != big {
			t.Errorf("Append to MaxInt-1 struct{}: len %d", len(wantZero))
		}

		// The arena is still usable.
		if b := a.AllocBytes(9); !testkit.AllZero(b) || kept != "kept" {
			t.Error("the arena is damaged")
		}
		if a != nil && a.Stats().UsedBytes != used+16 {
			t.Errorf("UsedBytes = %d, want %d", a.Stats().UsedBytes, used+16)
		}
	})
}

// A chunk size of zero or less must panic in the constructor, not at the first allocation.
func TestConstructorPanics(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt, math.MaxInt} {
		testkit.WantPanic(t, func() { arena.NewArena(n, 1) }, "NewArena", fmt.Sprint(n))
		testkit.WantPanic(t, func() { arena.NewArenaPool(n, 1) }, "NewArenaPool", fmt.Sprint(n))
	}
	for _, retained := range []int{0, -1, math.MinInt, 1, math.MaxInt} {
		for _, a := range []*arena.Arena{arena.NewArena(64, retained), arena.NewArenaPool(64, retained).Get(), arena.NewAutoPool(retained).Get()} {
			for range 3 {
				testkit.Dirty(a.AllocBytes(1000))
				*arena.New[string](a) = "x"
				a.Reset()
			}
			if b := a.AllocBytes(1000); !testkit.AllZero(b) {
				t.Errorf("maxRetained %d: not zero", retained)
			}
		}
	}
}

// The functions for uninitialized memory must refuse types with pointers, for every arena and length.
func TestUninitRefusesPointers(t *testing.T) {
	arenasFor(t, func(t *testing.T, a *arena.Arena) {
		used := a.Stats().UsedBytes
		for _, n := range []int{0, 1, 100} {
			testkit.WantPanic(t, func() { arena.MakeSliceUninit[*int](a, n, n) }, "MakeSliceUninit", "*int", "pointer")
			testkit.WantPanic(t, func() { arena.MakeSliceUninit[string](a, n, n) }, "MakeSliceUninit", "string")
			testkit.WantPanic(t, func() { arena.MakeSliceUninit[any](a, n, n) }, "MakeSliceUninit", "interface")
			testkit.WantPanic(t, func() { arena.MakeSliceUninit[[2]struct{ f func() }](a, n, n) }, "MakeSliceUninit")
			testkit.WantPanic(t, func() { arena.MakeSliceUninit[unsafe.Pointer](a, n, n) }, "MakeSliceUninit")
			if s := arena.MakeSliceUninit[uintptr](a, n, n+1); len(s) != n || cap(s) != n+1 {
				t.Errorf("MakeSliceUninit[uintptr](%d, %d): len %d, cap %d", n, n+1, len(s), cap(s))
			}
		}
		word := int(unsafe.Sizeof(uintptr(0)))
		if want := used + testkit.Round8(word) + testkit.Round8(2*word) + testkit.Round8(101*word); a != nil && a.Stats().UsedBytes != want {
			t.Errorf("UsedBytes = %d, want %d", a.Stats().UsedBytes, want)
		}
	})
}

// Every function works with a nil arena, on the heap, so that a program needs one code path.
func TestNilArena(t *testing.T) {
	var a *arena.Arena
	m := a.Mark()
	if m != (arena.Mark{}) {
		t.Errorf("Mark of a nil arena = %v", m)
	}
	a.Rewind(m)
	a.Reset()
	a.Release()
	if a.Stats().UsedBytes != 0 || a.Stats() != (arena.Stats{}) {
		t.Errorf("UsedBytes %d, Stats %+v", a.Stats().UsedBytes, a.Stats())
	}
	p := arena.New[textPair](a)
	p.a = testkit.HeapText(1)
	b := []byte("text")
	s, u := a.AllocString("text"), a.AllocBytesToString(b)
	if b[0] = 'n'; *p != (textPair{a: testkit.HeapText(1)}) || s != "text" || u != "text" {
		t.Error("wrong content")
	}
	if b := a.AllocBytes(10); len(b) != 10 || cap(b) != 10 {
		t.Errorf("AllocBytes(10): len %d, cap %d", len(b), cap(b))
	}
	x := arena.Append(a, arena.MakeSlice[int](a, 1, 2), 1, 2, 3)
	if len(x) != 4 || x[3] != 3 {
		t.Errorf("Append = %v", x)
	}
	(*arena.ArenaPool)(arena.NewArenaPool(1, 1)).Put(a)
}
