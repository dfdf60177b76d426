package suite

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// A slice that grows alone must not leave its old copies in the arena. With them the arena would hold four
// times the size of the slice, and the next request would take more.
func TestGrownSliceHoldsLittle(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, chunk := range []int{64, 1000, 4 << 10, 64 << 10, 2 << 20} {
		t.Run(fmt.Sprint(chunk), func(t *testing.T) {
			grownHoldsLittle(t, chunk, func(i int) int { return i })
			grownHoldsLittle(t, chunk, func(i int) byte { return byte(i) })
			grownHoldsLittle(t, chunk, func(i int) [3]byte { return [3]byte{byte(i), byte(i >> 8), 1} })
			grownHoldsLittle(t, chunk, func(i int) *int { return &sinkNumbers[i%len(sinkNumbers)] })
			grownHoldsLittle(t, chunk, func(i int) string { return "constant"[:i%8] })
		})
	}
}

var sinkNumbers [64]int

func grownHoldsLittle[T comparable](t *testing.T, chunk int, value func(int) T) {
	t.Helper()
	size := int(unsafe.Sizeof(*new(T)))
	n := testkit.Rounds(1_600_000, 1_600_000) / size
	a := arena.NewArena(chunk, 64<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s []T
	at := 0
	for i := range n {
		if s = arena.Append(a, s, value(i)); cap(s) == at {
			continue
		}
		at = cap(s)
		st := a.Stats()
		limit := len(s)*size*22/10 + 1024
		if len(s)*size < chunk {
			limit = max(limit, chunk+9<<10) // not at its final size yet
		}
		if st.RetainedBytes > limit {
			t.Fatalf("%T: the arena holds %d bytes in %d chunks for a slice of %d", *new(T), st.RetainedBytes, st.Chunks, len(s)*size)
		}
		if st.UsedBytes > st.RetainedBytes || st.UsedBytes < cap(s)*size {
			t.Fatalf("%T: %+v for a capacity of %d bytes", *new(T), st, cap(s)*size)
		}
	}
	runtime.ReadMemStats(&after)
	// Twice the size of the last chunk, which is less than twice the slice.
	if taken := int(after.TotalAlloc - before.TotalAlloc); taken > 4*n*size+2*chunk+64<<10 {
		t.Errorf("%T: %d bytes were taken from the heap for a slice of %d", *new(T), taken, n*size)
	}
	for i, x := range s {
		if x != value(i) {
			t.Fatalf("%T: element %d is %v", *new(T), i, x)
		}
	}
	// Later requests reuse the memory of this one. The minimum over several runs excludes allocations of the
	// runtime.
	a.Reset()
	if testing.AllocsPerRun(5, func() {
		a.Reset()
		s = nil
		for i := range n {
			s = arena.Append(a, s, value(i))
		}
	}) != 0 && !check.Race && !check.ASan {
		t.Errorf("%T: a cycle like the last one takes memory from the heap", *new(T))
	}
}

// Slices that grow in turn cannot all end their chunk. With separate chunks they still leave little memory
// behind; without them, twice as much would be held.
func TestSlicesGrownByTurnsHoldLittle(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, chunk := range []int{1000, 4 << 10, 64 << 10} {
		a := arena.NewArena(chunk, 0)
		var s [4][]int
		for i := range 200_000 {
			for k := range s {
				s[k] = arena.Append(a, s[k], i)
			}
			if i%1000 != 999 || 32*i < 8*chunk {
				continue
			}
			if st := a.Stats(); st.RetainedBytes > 32*i*24/10 {
				t.Fatalf("chunk size %d, four slices of %d: %+v", chunk, 8*i, st)
			}
		}
	}
}

// The old copies of a slice remain valid, although the arena has dropped them.
func TestLeftCopiesStay(t *testing.T) {
	a := arena.NewArena(256, 0)
	var s []*int
	var f []int
	var old [][]*int
	var oldFlat [][]int
	for i := range 20_000 {
		p := new(int)
		*p = i
		was, wasFlat := s, f
		s, f = arena.Append(a, s, p), arena.Append(a, f, i)
		if len(was) > 0 && &was[0] != &s[0] {
			old = append(old, was)
		}
		if len(wasFlat) > 0 && &wasFlat[0] != &f[0] {
			oldFlat = append(oldFlat, wasFlat)
		}
	}
	if len(old) < 5 || len(oldFlat) < 5 {
		t.Fatalf("only %d and %d moves", len(old), len(oldFlat))
	}
	testkit.Collect(2)
	for range 100 { // allocations that must not overlap the old copies
		arena.MakeSlice[int](a, 500, 500)[0] = -1
		arena.MakeSlice[*int](a, 500, 500)[0] = new(int)
	}
	for _, was := range old {
		for i, p := range was {
			if *p != i {
				t.Fatalf("element %d of a copy of %d is %d", i, len(was), *p)
			}
		}
	}
	for _, was := range oldFlat {
		for i, x := range was {
			if x != i {
				t.Fatalf("element %d of a copy of %d is %d", i, len(was), x)
			}
		}
	}
}

// After Rewind, slices from before the mark belong to the arena again. So the chunk of a slice that has moved
// since the mark must not be dropped: statistics would be wrong, or Rewind would return to a missing chunk.
func TestGrownSliceAndMarks(t *testing.T) {
	grow := func(a *arena.Arena, s []int, n int) []int {
		for len(s) < n {
			s = arena.Append(a, s, len(s))
		}
		return s
	}
	for _, chunk := range []int{256, 4 << 10, 64 << 10} {
		for _, first := range []int{10, 1000, 3000, 40_000} {
			for _, other := range []bool{false, true} {
				a := arena.NewArena(chunk, 0)
				s := grow(a, nil, first)
				if other {
					*arena.New[int](a) = -1
				}
				p := arena.Append(a, []*int(nil), new(int))
				m, st := a.Mark(), a.Stats()
				for round := range 4 {
					x := grow(a, s, first*(round+2))
					x = grow(a, x, 10*first)
					p2 := p
					for range 300 {
						p2 = arena.Append(a, p2, new(int))
					}
					inner := a.Mark()
					used := a.Stats().UsedBytes
					y := grow(a, x, 50*first)
					if a.Rewind(inner); a.Stats().UsedBytes != used {
						t.Fatalf("chunk %d, %d ints, round %d: %d bytes used, %d at the inner mark", chunk, first, round, a.Stats().UsedBytes, used)
					}
					for i := range x {
						if x[i] != i {
							t.Fatalf("element %d is %d", i, x[i])
						}
					}
					_ = y
					a.Rewind(m)
					if got := a.Stats().UsedBytes; got != st.UsedBytes {
						t.Fatalf("chunk %d, %d ints, round %d: %d bytes used, %d at the mark", chunk, first, round, got, st.UsedBytes)
					}
					// New allocations must not overlap s.
					for _, b := range arena.MakeSlice[int](a, first, first) {
						if b != 0 {
							t.Fatal("memory is not zero")
						}
					}
					for i := range s {
						if s[i] != i {
							t.Fatalf("chunk %d, %d ints, round %d: element %d is %d after the rewind", chunk, first, round, i, s[i])
						}
					}
					if *p[0] != 0 {
						t.Fatal("a pointer has changed")
					}
					a.Rewind(m)
				}
			}
		}
	}
}

// A slice that moves out of a chunk must not drop the strings at its other end.
func TestGrownSliceBesideTexts(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1000, 0)
	s := arena.MakeSlice[byte](a, 600, 600)
	text := a.AllocBytesToString(make([]byte, 400)) // fills the chunk
	used := a.Stats().UsedBytes
	moved := arena.Append(a, s, 1)
	if got, want := a.Stats().UsedBytes, used+testkit.Round8(cap(moved)); got != want {
		t.Errorf("%d bytes used, want %d", got, want)
	}
	if strings.Trim(text, "\x00") != "" {
		t.Error("the text was overwritten")
	}
	// The moved slice is alone in its chunk.
	used = a.Stats().UsedBytes - testkit.Round8(cap(moved))
	again := arena.Append(a, moved[:cap(moved)], 2)
	if got, want := a.Stats().UsedBytes, used+testkit.Round8(cap(again)); got != want {
		t.Errorf("%d bytes used, want %d: the copy was not left", got, want)
	}
}

// A slice with a chunk of its own may end at the same offset as part of a value in the current chunk. That
// part must not grow over the rest of the value.
func TestAppendBesideLargeSlice(t *testing.T) {
	for name, large := range map[string]func(a *arena.Arena, n int){
		"made":  func(a *arena.Arena, n int) { arena.MakeSlice[byte](a, n, n) },
		"moved": func(a *arena.Arena, n int) { arena.Append(a, make([]byte, 1), make([]byte, n-1)...) },
	} {
		for _, chunk := range []int{1000, 16 << 10} {
			for cut := 1; cut < 8; cut++ {
				a := arena.NewArena(chunk, 0)
				n := chunk*6/10/8*8 + 8
				b := a.AllocBytes(n)
				for i := range b {
					b[i] = byte(i)
				}
				part := b[: n-cut : n-cut]
				large(a, n-cut)
				x := arena.Append(a, part, 'X', 'Y')
				for i := range b {
					if b[i] != byte(i) {
						t.Fatalf("%s, chunk %d, %d bytes cut: byte %d of %d was overwritten", name, chunk, cut, i, n)
					}
				}
				if len(x) != n-cut+2 || x[n-cut] != 'X' || &x[0] == &b[0] {
					t.Fatalf("%s, chunk %d, %d bytes cut: %d bytes, %q", name, chunk, cut, len(x), x[n-cut])
				}
			}
		}
	}
}

// The first chunks of an arena are small, so that a new arena for a small request wastes little. A request
// that needs the full chunk size reaches it with the third chunk.
func TestColdArenaBeginsSmall(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, c := range []struct{ chunk, bytes, chunks, held int }{
		{64 << 10, 100, 1, 1 << 10},
		{64 << 10, 1000, 1, 1 << 10}, // 1024 are then in use
		{64 << 10, 3000, 2, 9 << 10},
		{64 << 10, 60_000, 3, 73 << 10},
		{4 << 10, 100, 1, 1 << 10},
		{4 << 10, 3000, 2, 5 << 10},
		{1000, 100, 1, 1000},
		{1 << 20, 100, 1, 16 << 10},
		{1<<20 + 1, 100, 1, 1<<20 + 8},
	} {
		a := arena.NewArena(c.chunk, 0)
		for a.Stats().UsedBytes < c.bytes {
			a.AllocBytes(8)
		}
		if st := a.Stats(); st.Chunks != c.chunks || st.RetainedBytes != c.held || st.Oversize != 0 {
			t.Errorf("chunk size %d, %d bytes used: %+v, want %d chunks of %d bytes", c.chunk, c.bytes, st, c.chunks, c.held)
		}
		a.Release()
		a.AllocBytes(min(c.bytes, 100))
		if st := a.Stats(); st.RetainedBytes > max(1<<10, c.chunk/64) && c.chunk <= 1<<20 {
			t.Errorf("chunk size %d, after Release: %+v", c.chunk, st)
		}
		// A value larger than the small first chunk is not a large value.
		a = arena.NewArena(c.chunk, 0)
		a.AllocBytes(c.bytes)
		if st := a.Stats(); st.Chunks != 1 || st.RetainedBytes > max(c.chunk, 1<<10)+8 || st.Oversize != 0 {
			t.Errorf("chunk size %d, one value of %d bytes: %+v", c.chunk, c.bytes, st)
		}
		a = arena.NewArena(c.chunk, 0)
		a.AllocBytes(8)
		a.AllocBytes(c.chunk / 5)
		if st := a.Stats(); st.Oversize != 0 || st.Chunks > 2 {
			t.Errorf("chunk size %d, a small value and one of a fifth: %+v", c.chunk, st)
		}
	}
}

// The allocations of a cold request are the arena, the table with the first allocator, an allocator for each
// further type, and chunks; nothing per record. The test runs in a process of its own, because a larger table
// that an earlier arena needed would be allocated at once.
func TestColdRequestTakesLittle(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Tag || check.Race || check.ASan {
		t.Skip("arenas are larger, or instrumentation allocates")
	}
	if !machine.LayoutOK {
		t.Skip("allocators are found through a map")
	}
	if os.Getenv("EBBPOOL_CHILD") == "" && runtime.GOARCH != "wasm" {
		c := testkit.Self(t.Context(), t, "-test.run=^TestColdRequestTakesLittle$")
		c.Env = append(os.Environ(), "EBBPOOL_CHILD=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	type node struct{ left, right *node }
	type name struct{ text string }
	var kept *arena.Arena
	requests := []struct {
		name          string
		f             func(a *arena.Arena)
		mallocs, size int
	}{
		{"nothing", func(a *arena.Arena) {}, 1, 640},
		{"flat", func(a *arena.Arena) { arena.New[int](a); a.AllocString("text") }, 2, 640 + 1<<10},
		{"one type", func(a *arena.Arena) { arena.New[node](a) }, 3, 640 + 640 + 512},
		{"two types", func(a *arena.Arena) { arena.New[node](a); arena.New[name](a) }, 5, 640 + 640 + 512 + 384 + 512},
		{"two types and text", func(a *arena.Arena) {
			for range 5 {
				arena.New[node](a)
				arena.New[name](a).text = a.AllocString("text")
				*arena.New[int](a) = 1
			}
		}, 6, 640 + 640 + 512 + 384 + 512 + 1<<10},
	}
	for _, r := range requests {
		var taken []int
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			kept = arena.NewArena(64<<10, 0)
			r.f(kept)
			runtime.ReadMemStats(&after)
			taken = append(taken, int(after.TotalAlloc-before.TotalAlloc))
		}
		if got := int(testing.AllocsPerRun(100, func() { r.f(arena.NewArena(64<<10, 0)) })); got > r.mallocs {
			t.Errorf("%s: %d allocations, want at most %d", r.name, got, r.mallocs)
		}
		if got := slices.Min(taken); got > r.size {
			t.Errorf("%s: %d bytes, want at most %d", r.name, got, r.size)
		}
	}
	runtime.KeepAlive(kept)
}
