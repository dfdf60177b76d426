package suite

import (
	"math"
	"math/bits"
	"slices"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

func dataAddr[T any](s []T) *T { return unsafe.SliceData(s) }

// Repeated appends must grow in place: moving each time would take quadratic time, and the arena cannot reuse
// the old memory before Reset.
func TestAppendInPlace(t *testing.T) {
	testkit.NeedsReuse(t)
	t.Run("uint64", func(t *testing.T) { testAppendInPlace(t, func(i int) uint64 { return uint64(i) }) })
	t.Run("byte", func(t *testing.T) { testAppendInPlace(t, func(i int) byte { return byte(i) }) })
	t.Run("[3]byte", func(t *testing.T) { testAppendInPlace(t, func(i int) [3]byte { return [3]byte{byte(i), 1, 2} }) })
	t.Run("string", func(t *testing.T) { testAppendInPlace(t, func(i int) string { return testkit.HeapText(uint64(i)) }) })
	t.Run("pointers", func(t *testing.T) {
		p := make([]int, 4096)
		testAppendInPlace(t, func(i int) [3]*int { return [3]*int{2: &p[i]} })
	})
}

func testAppendInPlace[T comparable](t *testing.T, value func(int) T) {
	const n = 1000
	size := int(unsafe.Sizeof(*new(T)))
	a := arena.NewArena(4*n*size, 0)
	warm := arena.MakeSlice[T](a, 0, 3*n) // the next request then has a chunk of this size for slices with pointers
	for i := range warm[:cap(warm)] {
		warm[:cap(warm)][i] = value(i)
	}
	a.Reset()
	s := arena.MakeSlice[T](a, 0, 1)
	first := dataAddr(s)
	var want []T
	for i := range n {
		s = arena.Append(a, s, value(i))
		want = append(want, value(i))
		if dataAddr(s) != first {
			t.Fatalf("the slice moved at %d elements", len(s))
		}
		for j, x := range s[len(s):cap(s)] {
			if x != *new(T) {
				t.Fatalf("%d elements: spare element %d is %v", len(s), j, x)
			}
		}
	}
	if !slices.Equal(s, want) {
		t.Error("wrong content")
	}
	used := cap(s) * size
	if size%8 != 0 {
		used = testkit.Round8(used)
	}
	if a.Stats().UsedBytes != used {
		t.Errorf("UsedBytes = %d, want %d for capacity %d", a.Stats().UsedBytes, used, cap(s))
	}
	// After another allocation the slice must move, and its old memory must not change.
	for len(s) < cap(s) {
		s = arena.Append(a, s, value(len(s)))
	}
	next := arena.MakeSlice[T](a, 1, 1)
	moved := arena.Append(a, s, value(1))
	if dataAddr(moved) == first || next[0] != *new(T) {
		t.Error("the slice grew into the one behind it")
	}
	moved[0] = value(77)
	if s[0] == moved[0] {
		t.Error("the moved slice shares memory with the old one")
	}
}

// A slice that grows alone in a new arena moves at most once per doubling. If it is large, it costs at most twice its
// size or the chunk size. In later cycles it does not move more often.
func TestAppendAlone(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, chunk := range []int{1 << 10, 64 << 10, 1 << 20} {
		for n := 10; n <= 1_000_000; n *= 10 {
			growAlone(t, chunk, n, 7)
			growAlone(t, chunk, n, byte(7))
			growAlone(t, chunk, n, "text")
		}
	}
}

func growAlone[T any](t *testing.T, chunk, n int, x T) {
	a := arena.NewArena(chunk, 0)
	size := n * int(unsafe.Sizeof(x))
	most := bits.Len(uint(n))
	for cycle := range 3 {
		var s []T
		moves := -1
		for range n {
			at := dataAddr(s)
			if s = arena.Append(a, s, x); dataAddr(s) != at {
				moves++
			}
		}
		if held := a.Stats().RetainedBytes; moves > most || cycle == 0 && held > max(2*size, chunk)+4<<10 {
			t.Errorf("%d of %T, chunks of %d, cycle %d: %d moves, want at most %d; %d bytes for %d", n, x, chunk, cycle, moves, most, held, size)
		}
		most = moves
		a.Reset()
	}
}

// A slice with a cut capacity ends before elements that it does not own, even if it is the newest slice.
// Growing in place would overwrite live data.
func TestAppendCutCapacity(t *testing.T) {
	a := arena.NewArena(4096, 0)
	s := arena.MakeSlice[int64](a, 10, 10)
	for i := range s {
		s[i] = int64(i)
	}
	cut := s[:3:3]
	x := arena.Append(a, cut, 100, 101)
	if dataAddr(x) == dataAddr(s) || s[3] != 3 || s[4] != 4 || !slices.Equal(x, []int64{0, 1, 2, 100, 101}) {
		t.Errorf("s = %v, x = %v", s, x)
	}
	p := arena.MakeSlice[string](a, 4, 4)
	p[2], p[3] = "c", "d"
	y := arena.Append(a, p[:2:2], "x")
	if p[2] != "c" || !slices.Equal(y, []string{"", "", "x"}) {
		t.Errorf("p = %q, y = %q", p, y)
	}
	// The same with a capacity that ends inside the padding to eight bytes.
	b := a.AllocBytes(8)
	copy(b, "abcdefgh")
	z := arena.Append(a, b[:5:5], []byte("XYZ")...)
	if string(b) != "abcdefgh" || string(z) != "abcdeXYZ" {
		t.Errorf("b = %q, z = %q", b, z)
	}
	// Capacity 0, at the end and at the beginning of the newest slice.
	e := a.AllocBytes(8)
	copy(e, "abcdefgh")
	end, begin := arena.Append(a, e[8:], 'E'), arena.Append(a, e[:0:0], 'B')
	if string(e) != "abcdefgh" || string(end) != "E" || string(begin) != "B" {
		t.Errorf("e = %q, end = %q, begin = %q", e, end, begin)
	}
}

// Within the capacity Append is the builtin. A tail of the newest slice ends at the same address, so it may
// grow.
func TestAppendSubslices(t *testing.T) {
	a := arena.NewArena(4096, 0)
	s := arena.MakeSlice[int](a, 4, 8)
	used := a.Stats().UsedBytes
	x := arena.Append(a, s[:2], 7)
	if dataAddr(x) != dataAddr(s) || cap(x) != 8 || s[2] != 7 || a.Stats().UsedBytes != used {
		t.Errorf("x = %v of %d, s = %v, used %d", x, cap(x), s, a.Stats().UsedBytes-used)
	}
	tail := s[3:8]
	y := arena.Append(a, tail, 1, 2, 3)
	y[0] = 9
	if dataAddr(y) == dataAddr(tail) && s[3] != 9 || len(y) != 8 {
		t.Errorf("y = %v, s = %v", y, s)
	}
	if got := s[:8]; got[2] != 7 || got[7] != 0 {
		t.Errorf("s = %v", got)
	}
	if z := arena.Append(a, s); dataAddr(z) != dataAddr(s) || len(z) != len(s) || cap(z) != cap(s) {
		t.Error("Append of nothing changed the slice")
	}
	if arena.Append[int](a, nil) != nil {
		t.Error("Append of nothing to nil is not nil")
	}
}

// A heap slice may have any address, including one next to a chunk. It moves into the arena, and the original
// stays unchanged.
func TestAppendHeapSlices(t *testing.T) {
	a := arena.NewArena(256, 0)
	for n := range 200 {
		h := make([]uint32, n)
		for i := range h {
			h[i] = uint32(i)
		}
		before := a.Stats().UsedBytes
		s := arena.Append(a, h[:n:n], 1000, 1001)
		if len(s) != n+2 || s[n] != 1000 || !slices.Equal(s[:n], h) {
			t.Fatalf("%d: s = %v", n, s)
		}
		if got, want := a.Stats().UsedBytes-before, testkit.Round8(4*cap(s)); got != want {
			t.Fatalf("%d: used %d bytes, want %d", n, got, want)
		}
		if n > 0 {
			if s[0] = 55; h[0] == 55 {
				t.Fatalf("%d: the heap slice is still in use", n)
			}
		}
		if n%10 == 9 {
			a.Reset()
		}
	}
	// So does a slice from another arena or from an earlier request.
	b := arena.NewArena(256, 0)
	s := arena.Append(a, arena.Append(b, []string{"x"}, "y"), "z")
	if !slices.Equal(s, []string{"x", "y", "z"}) {
		t.Errorf("s = %q", s)
	}
}

// Of two slices that grow in turn, neither stays the newest. Each must move instead of overwriting the other.
func TestAppendInTurn(t *testing.T) {
	a := arena.NewArena(512, 0)
	for cycle := range 4 {
		var x, y []int
		var p, q []*int
		var b []byte
		for i := range 300 {
			x, y = arena.Append(a, x, i), arena.Append(a, y, -i, -i)
			p, q = arena.Append(a, p, &x[0]), arena.Append(a, q, &y[0])
			b = arena.Append(a, b, byte(i))
			if i%50 == 0 {
				*arena.New[int](a), *arena.New[*int](a) = 99, new(int)
				a.AllocString("some text")
			}
		}
		for i := range 300 {
			if x[i] != i || y[2*i] != -i || y[2*i+1] != -i || *p[i] != 0 || *q[i] != 0 || b[i] != byte(i) {
				t.Fatalf("cycle %d: element %d: %d, %d, %d, %v, %v", cycle, i, x[i], y[2*i], b[i], p[i], q[i])
			}
		}
		a.Reset()
	}
}

// Append may be given part of the slice itself. It must read the items before it moves the slice or clears
// new capacity.
func TestAppendItself(t *testing.T) {
	for _, newest := range []bool{true, false} {
		a := arena.NewArena(1<<16, 0)
		testkit.Dirty(a.AllocBytes(1 << 15))
		a.Reset()
		s := arena.MakeSlice[byte](a, 0, 3)
		p := arena.MakeSlice[string](a, 0, 2)
		s, p = arena.Append(a, s, []byte("abc")...), arena.Append(a, p, "x", "y")
		want, wantP := []byte("abc"), []string{"x", "y"}
		for range 7 {
			if !newest {
				*arena.New[uint64](a) = math.MaxUint64
				*arena.New[string](a) = "neighbour"
			}
			s, p = arena.Append(a, s, s...), arena.Append(a, p, p[1:]...)
			want, wantP = append(want, want...), append(wantP, wantP[1:]...)
			s = arena.Append(a, s, s[1:len(s)/2]...)
			want = append(want, want[1:len(want)/2]...)
			if !slices.Equal(s, want) || !slices.Equal(p, wantP) {
				t.Fatalf("newest %t: %q, %q; want %q, %q", newest, s, p, want, wantP)
			}
		}
		// Items that overlap their destination work as with the builtin.
		s = arena.Append(a, s[:1], s[:5]...)
		want = append(want[:1], want[:5]...)
		if !slices.Equal(s, want) {
			t.Errorf("overlapping: %q, want %q", s, want)
		}
	}
}

// Elements of size zero take no memory; their size must not be used as a divisor.
func TestAppendZeroSize(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(64, 0)} {
		var s []struct{}
		for range 100 {
			s = arena.Append(a, s, struct{}{}, struct{}{})
		}
		if len(s) != 200 || a.Stats().UsedBytes != 0 {
			t.Errorf("len %d, used %d", len(s), a.Stats().UsedBytes)
		}
	}
}

// With a nil arena Append is the builtin, except for capacities.
func TestAppendNilArena(t *testing.T) {
	var s []int
	for i := range 100 {
		s = arena.Append(nil, s, i)
	}
	for i, x := range s {
		if x != i {
			t.Fatalf("element %d = %d", i, x)
		}
	}
	if len(s) != 100 {
		t.Errorf("len %d", len(s))
	}
}

// The elements of an array object can be appended to, although no slice was allocated.
func TestAppendToArrayObject(t *testing.T) {
	a := arena.NewArena(1024, 0)
	p := arena.New[[4]uint64](a)
	s := arena.Append(a, p[:], 5)
	*arena.New[uint64](a) = 77
	if !slices.Equal(s, []uint64{0, 0, 0, 0, 5}) {
		t.Errorf("s = %v", s)
	}
	q := arena.New[[2]*int](a)
	q[1] = new(int)
	arena.New[*int](a)
	r := arena.Append(a, q[:], new(int))
	if len(r) != 3 || r[1] != q[1] || dataAddr(r) == &q[0] {
		t.Errorf("r = %v, q = %v", r, q)
	}
	arena.New[[2]*int](a)[0] = new(int)
	if len(r) != 3 || r[0] != nil {
		t.Errorf("r = %v", r)
	}
}

// An object allocated where the newest slice ended before is not that slice. A part of it must not grow over
// the rest.
func TestAppendToPartOfObject(t *testing.T) {
	for name, leave := range map[string]func(a *arena.Arena, m arena.Mark){
		"Rewind":  func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
		"Reset":   func(a *arena.Arena, m arena.Mark) { a.Reset() },
		"Release": func(a *arena.Arena, m arena.Mark) { a.Release() },
		"text":    func(a *arena.Arena, m arena.Mark) { a.AllocString(string(make([]byte, 5000))) },
		"texts": func(a *arena.Arena, m arena.Mark) {
			a.AllocString(string(make([]byte, 800)))
			a.AllocString(string(make([]byte, 300)))
		},
		"large":   func(a *arena.Arena, m arena.Mark) { arena.New[[5000]byte](a) },
		"slice":   func(a *arena.Arena, m arena.Mark) { arena.MakeSlice[byte](a, 5000, 5000) },
		"nothing": func(a *arena.Arena, m arena.Mark) {},
	} {
		a := arena.NewArena(1024, 0)
		m := a.Mark()
		a.AllocBytes(3)
		leave(a, m)
		for range 200 { // in one of these chunks the object has the slice's former offset
			p := arena.New[[8]byte](a)
			copy(p[:], "abcdefgh")
			x := arena.Append(a, p[:3:3], []byte("XYZ")...)
			if string(p[:]) != "abcdefgh" || string(x) != "abcXYZ" {
				t.Fatalf("after %s: %q, %q", name, p[:], x)
			}
		}
	}
}

// After Reset or Rewind older slices are stale. Appending to one is a bug, but must not take memory that is
// in use.
func TestAppendStale(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(1024, 1<<16)
	for range 3 {
		m := a.Mark()
		old := arena.Append(a, arena.MakeSlice[uint64](a, 4, 4), 1)
		oldP := arena.Append(a, arena.MakeSlice[*int](a, 4, 4), nil)
		a.Rewind(m)
		x, y := arena.MakeSlice[uint64](a, 2, 2), arena.MakeSlice[*int](a, 2, 2)
		_, _ = arena.Append(a, old[:cap(old)], 7, 7), arena.Append(a, oldP[:cap(oldP)], new(int))
		z, w := arena.MakeSlice[uint64](a, 2, 2), arena.MakeSlice[*int](a, 2, 2)
		if x[0]|x[1]|z[0]|z[1] != 0 || y[0] != nil || w[0] != nil || y[1] != nil || w[1] != nil {
			t.Errorf("x %v, z %v, y %v, w %v", x, z, y, w)
		}
		a.Reset()
	}
}
