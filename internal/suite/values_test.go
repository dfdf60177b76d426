package suite

import (
	"context"
	"slices"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

func checksOn() bool { return check.On }

// What is made of values is a copy, whatever the memory held before.
func TestValues(t *testing.T) {
	a := arena.NewArena(256, 0)
	for epoch := range 3 {
		for _, a := range []*arena.Arena{a, nil} {
			for i := range 50 {
				testkit.Dirty(a.AllocBytes(i))
				if got, want := arena.NewOf(a, flat24{1, 2, 3}), (flat24{1, 2, 3}); *got != want {
					t.Fatalf("epoch %d: NewOf is %v", epoch, *got)
				}
				if got := arena.NewOf(a, textPair{"x", testkit.HeapText(uint64(i))}); *got != (textPair{"x", testkit.HeapText(uint64(i))}) {
					t.Fatalf("epoch %d: NewOf is %v", epoch, *got)
				}
				if got := arena.NewOf[any](a, i); *got != any(i) {
					t.Fatalf("epoch %d: NewOf is %v", epoch, *got)
				}
				arena.NewOf(a, struct{}{})
				big := [300]uint64{0: 1, 299: uint64(i)}
				if got := arena.NewOf(a, big); *got != big {
					t.Fatalf("epoch %d: NewOf of 2,400 bytes differs", epoch)
				}
				s := arena.SliceOf(a, "a", testkit.HeapText(uint64(i)))
				if !slices.Equal(s, []string{"a", testkit.HeapText(uint64(i))}) || cap(s) != 2 {
					t.Fatalf("epoch %d: SliceOf is %v, capacity %d", epoch, s, cap(s))
				}
				c := arena.CloneSlice(a, s[:1])
				c = append(c, "not in s")
				c[0] = "nor this"
				if s[0] != "a" || s[1] == "not in s" {
					t.Fatalf("epoch %d: the clone is the slice, which is %v now", epoch, s)
				}
				b := arena.CloneSlice(a, []byte("bytes")[:i%6])
				if string(b) != "bytes"[:i%6] || b == nil || cap(b) != len(b) {
					t.Fatalf("epoch %d: CloneSlice is %q, capacity %d, nil %t", epoch, b, cap(b), b == nil)
				}
				if got := arena.Collect(a, slices.Values(s)); !slices.Equal(got, s) || &got[0] == &s[0] {
					t.Fatalf("epoch %d: Collect is %v", epoch, got)
				}
			}
			if arena.CloneSlice[int](a, nil) != nil || arena.CloneSlice(a, []int{}) == nil {
				t.Error("nil does not stay nil, or empty not empty")
			}
			if s := arena.SliceOf[string](a); s == nil || len(s) != 0 {
				t.Error("SliceOf nothing is nil")
			}
			if s := arena.Collect(a, slices.Values([]string(nil))); s != nil {
				t.Error("Collect of nothing is not nil")
			}
		}
		a.Reset()
	}
}

// SliceOf is a copy also where it is given a slice: on the heap, too.
func TestSliceOfCopies(t *testing.T) {
	for _, a := range []*arena.Arena{arena.NewArena(256, 0), nil} {
		s := []int{1, 2}
		arena.SliceOf(a, s...)[0] = 9
		arena.CloneSlice(a, s)[0] = 9
		if s[0] != 1 {
			t.Error("the slice itself")
		}
	}
}

// NewOf takes what New takes, in the same place.
func TestNewOfUse(t *testing.T) {
	a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	for range 100 {
		arena.New[byte](a)
		arena.NewOf(b, byte(1))
		arena.New[[3]uint16](a)
		arena.NewOf(b, [3]uint16{1})
		arena.New[textPair](a)
		arena.NewOf(b, textPair{})
		if a.Stats().UsedBytes != b.Stats().UsedBytes {
			t.Fatalf("New uses %d bytes, NewOf %d", a.Stats().UsedBytes, b.Stats().UsedBytes)
		}
	}
	if p := arena.NewOf(b, uint64(1)); uintptr(unsafe.Pointer(p))%8 != 0 {
		t.Error("it is not aligned")
	}
}

// NewOf stands where a literal stood: its parts are evaluated in the order in
// which the source has them.
func TestNewOfOrder(t *testing.T) {
	a := arena.NewArena(4096, 0)
	var order []int
	next := func(n int) int { order = append(order, n); return n }
	type node struct {
		a    int
		l, r *node
		b    int
	}
	arena.NewOf(a, node{next(1), arena.NewOf(a, node{a: next(2), b: next(3)}), arena.NewOf(a, node{a: next(4)}), next(5)})
	if !slices.IsSorted(order) || len(order) != 5 {
		t.Errorf("evaluated in the order %v", order)
	}
}

// What NewOf has made keeps what it leads to alive.
func TestValuesAreVisible(t *testing.T) {
	a := arena.NewArena(256, 0)
	var pairs []*textPair
	for i := range uint64(100) {
		pairs = arena.Append(a, pairs, arena.NewOf(a, textPair{testkit.HeapText(i), testkit.HeapText(i + 1)}))
	}
	texts := arena.Collect(a, func(yield func(string) bool) {
		for i := range uint64(100) {
			if !yield(testkit.HeapText(i)) {
				return
			}
		}
	})
	clones := arena.CloneSlice(a, texts)
	testkit.Collect(3)
	for i, p := range pairs {
		if want := testkit.HeapText(uint64(i)); p.a != want || texts[i] != want || clones[i] != want {
			t.Fatalf("%q, %q, %q, want %q", p.a, texts[i], clones[i], want)
		}
	}
}

func TestContext(t *testing.T) {
	ctx := context.Background()
	if arena.FromContext(ctx) != nil {
		t.Error("an arena from nowhere")
	}
	a, b := arena.NewArena(256, 0), arena.NewArena(256, 0)
	outer := arena.NewContext(ctx, a)
	inner, cancel := context.WithCancel(arena.NewContext(outer, b))
	defer cancel()
	if arena.FromContext(outer) != a || arena.FromContext(inner) != b || arena.FromContext(arena.NewContext(outer, nil)) != nil {
		t.Error("not the innermost arena")
	}
}
