package suite

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

func checksOn() bool { return check.On }

// Values are copied, whatever the memory contained before.
func TestValues(t *testing.T) {
	a := arena.NewArena(256, 0)
	for cycle := range 3 {
		for _, a := range []*arena.Arena{a, nil} {
			for i := range 50 {
				testkit.Dirty(a.AllocBytes(i))
				if got, want := arena.NewOf(a, flat24{1, 2, 3}), (flat24{1, 2, 3}); *got != want {
					t.Fatalf("cycle %d: NewOf is %v", cycle, *got)
				}
				if got := arena.NewOf(a, textPair{"x", testkit.HeapText(uint64(i))}); *got != (textPair{"x", testkit.HeapText(uint64(i))}) {
					t.Fatalf("cycle %d: NewOf is %v", cycle, *got)
				}
				if got := arena.NewOf[any](a, i); *got != any(i) {
					t.Fatalf("cycle %d: NewOf is %v", cycle, *got)
				}
				arena.NewOf(a, struct{}{})
				big := [300]uint64{0: 1, 299: uint64(i)}
				if got := arena.NewOf(a, big); *got != big {
					t.Fatalf("cycle %d: NewOf of 2,400 bytes differs", cycle)
				}
				s := arena.SliceOf(a, "a", testkit.HeapText(uint64(i)))
				if !slices.Equal(s, []string{"a", testkit.HeapText(uint64(i))}) || cap(s) != 2 {
					t.Fatalf("cycle %d: SliceOf is %v, capacity %d", cycle, s, cap(s))
				}
				c := arena.CloneSlice(a, s[:1])
				c = append(c, "not in s")
				c[0] = "nor this"
				if s[0] != "a" || s[1] == "not in s" {
					t.Fatalf("cycle %d: the clone is the slice, which is %v now", cycle, s)
				}
				b := arena.CloneSlice(a, []byte("bytes")[:i%6])
				if string(b) != "bytes"[:i%6] || b == nil || cap(b) != len(b) {
					t.Fatalf("cycle %d: CloneSlice is %q, capacity %d, nil %t", cycle, b, cap(b), b == nil)
				}
				if got := arena.Collect(a, slices.Values(s)); !slices.Equal(got, s) || &got[0] == &s[0] {
					t.Fatalf("cycle %d: Collect is %v", cycle, got)
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

// SliceOf copies a slice argument, also on the heap.
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

// boxed checks BoxOf(a, v), which allocates from a if takes is true.
func boxed[T any](t *testing.T, a *arena.Arena, v T, takes bool) {
	t.Helper()
	for _, a := range []*arena.Arena{a, nil} {
		before := a.Stats().UsedBytes
		got, want := arena.BoxOf(a, v), any(v)
		if took := a.Stats().UsedBytes != before; took != (takes && a != nil && machine.LayoutOK) {
			t.Errorf("%T: it takes memory: %v", want, took)
		}
		f, same := got.(func())
		if g, ok := want.(func()); !ok && !reflect.DeepEqual(got, want) || reflect.TypeOf(got) != reflect.TypeOf(want) || fmt.Sprint(got) != fmt.Sprint(want) || (f == nil) != (g == nil) || same != ok {
			t.Errorf("%T: %v in place of %v", want, got, want)
		}
		if k := reflect.TypeFor[T](); k.Comparable() && (got != want || map[any]int{want: 1}[got] != 1) {
			t.Errorf("%T: %v is not %v", want, got, want)
		}
		if _, ok := got.(T); ok != (want != nil) {
			t.Errorf("%T: no %v", got, reflect.TypeFor[T]())
		}
	}
}

type label string

func (l label) String() string { return "<" + string(l) + ">" }

// BoxOf equals the conversion to any, for types of every kind. Values whose conversion does not allocate must
// not be copied to the arena: the interface would hold the address of a copy of the pointer.
func TestBoxOf(t *testing.T) {
	a := arena.NewArena(256, 0)
	n, s := 7, testkit.HeapText(3)
	for range 3 {
		boxed(t, a, 7, true)
		boxed(t, a, int16(-300), true)
		boxed(t, a, 1.5, true)
		boxed(t, a, complex64(1+2i), true)
		boxed(t, a, uintptr(9), true)
		boxed(t, a, s, true)
		boxed(t, a, "", true)
		boxed(t, a, label(s), true)
		boxed(t, a, fmt.Stringer(label(s)), false)
		boxed(t, a, []string{s}, true)
		boxed(t, a, []byte(nil), true)
		boxed(t, a, time.Unix(1, 2).UTC(), true)
		boxed(t, a, flat24{1, 2, 3}, true)
		boxed(t, a, textPair{s, s}, true)
		boxed(t, a, [2]*int{&n, nil}, true)
		boxed(t, a, struct {
			a any
			b *int
		}{7, &n}, true)
		boxed(t, a, struct{ e error }{context.Canceled}, true)
		boxed(t, a, [1]any{7}, true)
		boxed(t, a, [400]int{399: 1}, true)
		boxed(t, a, [400]string{399: s}, true)
		boxed(t, a, true, false)
		boxed(t, a, byte(200), false)
		boxed(t, a, int8(-1), false)
		boxed(t, a, [1]bool{true}, false)
		boxed(t, a, struct{}{}, false)
		boxed(t, a, [0]int{}, false)
		boxed(t, a, &n, false)
		boxed(t, a, unsafe.Pointer(&n), false)
		boxed(t, a, map[string]int{s: 1}, false)
		boxed(t, a, make(chan int), false)
		boxed(t, a, func() {}, false)
		boxed(t, a, (func())(nil), false)
		boxed(t, a, (*int)(nil), false)
		boxed(t, a, [1]*int{&n}, false)
		boxed(t, a, struct{ p *int }{&n}, false)
		boxed(t, a, struct {
			_ struct{}
			p *int
		}{p: &n}, false)
		boxed(t, a, error(nil), false)
		boxed(t, a, context.Canceled, false)
		boxed(t, a, any(nil), false)
		boxed(t, a, any(n), false)
		boxed[any](t, a, label(s), false)
		a.Reset()
	}
}

// The collector sees arena memory that is only reachable through an interface.
func TestBoxOfIsSeen(t *testing.T) {
	var boxes []any
	for i := range uint64(1000) {
		a := arena.NewArena(256, 0)
		boxes = append(boxes, arena.BoxOf(a, textPair{testkit.HeapText(i), testkit.HeapText(i + 1)}), arena.BoxOf(a, i))
	}
	runtime.GC()
	for i := range uint64(1000) {
		testkit.HeapText(i)
		if boxes[2*i] != any(textPair{testkit.HeapText(i), testkit.HeapText(i + 1)}) || boxes[2*i+1] != any(i) {
			t.Fatal("box ", i, " has become ", boxes[2*i], boxes[2*i+1])
		}
	}
}

// NewOf allocates like New, at the same address.
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

// NewOf replaces a composite literal: its parts are evaluated in source order.
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

// Values made by NewOf keep everything alive to which they refer.
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
