package suite

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// Small slices are cleared in blocks that may extend beyond them. Clearing must not reach the strings, which
// are at the other end of the chunk.
func TestSmallSlicesSpareStrings(t *testing.T) {
	for _, size := range []int{1, 8, 13, 64, 65, 200, 256, 257} {
		for textLen := 1; textLen < 80; textLen++ {
			a := arena.NewArena(1024, 0)
			text := a.AllocString(strings.Repeat("x", textLen))
			for i := 0; a.Stats().UsedBytes < 1024+2*size; i++ {
				var b []byte
				switch i % 3 {
				case 0:
					b = a.AllocBytes(size)
				case 1:
					b = arena.MakeSlice[byte](a, size/2, size)
				default:
					b = arena.MakeSliceUninit[byte](a, size, size)
				}
				testkit.Dirty(b)
			}
			if strings.Trim(text, "x") != "" {
				t.Fatalf("slices of %d bytes changed a string of %d: %q", size, textLen, text)
			}
		}
	}
}

// Recycled memory is zeroed to the last byte, for every length around the block size and the fast path's
// limit.
func TestSmallSlicesAreZero(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	for n := range 600 {
		testkit.Dirty(arena.MakeSliceUninit[byte](a, 40_000, 40_000))
		a.Reset()
		b, c := a.AllocBytes(n), arena.MakeSlice[uint16](a, n/4, n/2)
		d := arena.MakeSlice[*int](a, n/16, n/8)
		if len(b) != n || cap(b) != n || !testkit.AllZero(b) {
			t.Fatalf("AllocBytes(%d): length %d, capacity %d, or not zero", n, len(b), cap(b))
		}
		if len(c) != n/4 || cap(c) != n/2 || len(d) != n/16 || cap(d) != n/8 {
			t.Fatalf("MakeSlice: lengths %d and %d, capacities %d and %d at %d", len(c), len(d), cap(c), cap(d), n)
		}
		for _, x := range c[:cap(c)] {
			if x != 0 {
				t.Fatalf("MakeSlice[uint16] of %d is not zero", n/2)
			}
		}
		for i := range d[:cap(d)] {
			if d[:cap(d)][i] != nil {
				t.Fatalf("MakeSlice[*int] of %d is not zero", n/8)
			}
			d[:cap(d)][i] = new(int)
		}
		if want := testkit.Round8(n) + testkit.Round8(n/2*2) + n/8*int(unsafe.Sizeof(uintptr(0))); a.Stats().UsedBytes != want {
			t.Fatalf("%d bytes in use, want %d", a.Stats().UsedBytes, want)
		}
	}
}

// A small newest slice grows in place, and a slice never grows into a later one.
func TestSmallSlicesGrowInPlace(t *testing.T) {
	for name, try := range map[string]func(a *arena.Arena) (grew, grewOver bool){
		"AllocBytes": func(a *arena.Arena) (bool, bool) { return grows(a, func() []byte { return a.AllocBytes(13) }) },
		"MakeSlice": func(a *arena.Arena) (bool, bool) {
			return grows(a, func() []uint32 { return arena.MakeSlice[uint32](a, 3, 3) })
		},
		"MakeSlice, pointers": func(a *arena.Arena) (bool, bool) {
			return grows(a, func() []string { return arena.MakeSlice[string](a, 3, 3) })
		},
		"MakeSliceUninit": func(a *arena.Arena) (bool, bool) {
			return grows(a, func() []byte { return arena.MakeSliceUninit[byte](a, 13, 13) })
		},
	} {
		grew, grewOver := try(arena.NewArena(64<<10, 0))
		if !grew {
			t.Errorf("%s: the newest slice moved", name)
		}
		if grewOver {
			t.Errorf("%s: a slice grew over a newer one", name)
		}
	}
}

// grows appends to a new slice, and to one that is not the newest.
func grows[T any](a *arena.Arena, make func() []T) (inPlace, over bool) {
	var item T
	for range 100 { // the next cycle begins with enough capacity
		make()
	}
	a.Reset()
	make()
	s := make()
	t := arena.Append(a, s, item)
	inPlace = &t[0] == &s[0]
	first := make()
	make()
	t = arena.Append(a, first, item)
	return inPlace, &t[0] == &first[0]
}
