package suite

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

type node24 struct {
	text string
	next *node24
	n    int
}

// An allocator and New allocate from the same memory: using both in turn leaves an arena in the same state as
// using New alone. Separate memory would be missing in statistics and limits.
func TestAllocatorIsTheArenasOwn(t *testing.T) {
	a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
	nodes, flats := arena.AllocatorFor[node24](a), arena.AllocatorFor[flat24](a)
	for cycle := range 5 {
		var last *node24
		for i := range 300 << cycle {
			var p *node24
			if i%3 == 0 {
				p = arena.New[node24](a)
			} else {
				p = nodes.New()
				flats.New().a = 1
				arena.New[flat24](b)
			}
			if *p != (node24{}) {
				t.Fatalf("cycle %d, object %d is not zero: %+v", cycle, i, p)
			}
			*p = node24{"x", last, i}
			last = p
			arena.New[node24](b)
			if i%64 == 0 && a.Stats() != b.Stats() {
				t.Fatalf("cycle %d, object %d: %+v, with New alone %+v", cycle, i, a.Stats(), b.Stats())
			}
		}
		for i := 300<<cycle - 1; i >= 0; i, last = i-1, last.next {
			if last.n != i || last.text != "x" {
				t.Fatalf("cycle %d: object %d is %+v", cycle, i, last)
			}
		}
		a.Reset()
		b.Reset()
		if a.Stats() != b.Stats() {
			t.Fatalf("after cycle %d: %+v, with New alone %+v", cycle, a.Stats(), b.Stats())
		}
	}
}

// Values allocated in either way do not overlap, and the newest slice does not grow over an allocator's
// object.
func TestAllocatorAndAppend(t *testing.T) {
	a := arena.NewArena(4096, 0)
	texts := arena.AllocatorFor[string](a)
	s := arena.Append(a, nil, "a")
	p := texts.New()
	*p = "mine"
	for range 10 {
		s = arena.Append(a, s, "b")
	}
	q := texts.New()
	if *p != "mine" || *q != "" {
		t.Errorf("%q and %q", *p, *q)
	}
	for i := range cap(s) {
		if at := &s[:cap(s)][i]; at == p || at == q {
			t.Errorf("element %d of the slice is an object of the handle", i)
		}
	}
}

// AllocatorFor works for every kind of T and for a nil arena.
func TestAllocatorForEveryKind(t *testing.T) {
	type large [9000]string
	a := arena.NewArena(1024, 0)
	for range 3 {
		for name, err := range map[string]error{
			"int":             allocatorWorks(a, 7),
			"string":          allocatorWorks(a, "x"),
			"interface":       allocatorWorks(a, errors.New("x")),
			"pointer":         allocatorWorks(a, &name7),
			"no size":         allocatorWorks(a, struct{}{}),
			"flat, large":     allocatorWorks(a, [3000]int{1}),
			"pointers, large": allocatorWorks(a, large{"x"}),
			"array of none":   allocatorWorks(a, [0]*int{}),
			"heap, pointers":  allocatorWorks(nil, "x"),
			"heap, flat":      allocatorWorks(nil, 7),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		a.Reset()
	}
}

var name7 = 7

func allocatorWorks[T comparable](a *arena.Arena, v T) error {
	l, before := arena.AllocatorFor[T](a), a.Stats().UsedBytes
	var zero T
	var last *T
	for range 20 {
		p := l.New()
		if p == nil || *p != zero {
			return errors.New("not a zero T")
		}
		if *p = v; last != nil && unsafe.Sizeof(v) != 0 && (last == p || *last != v) {
			return errors.New("two objects are one")
		}
		last = p
	}
	size := (int(unsafe.Sizeof(v)) + 7) &^ 7
	if unsafe.Sizeof(v)%8 != 0 && a.Stats().UsedBytes-before == 20*int(unsafe.Sizeof(v)) {
		size = int(unsafe.Sizeof(v)) // with pointers, on 32 bits
	}
	if used := a.Stats().UsedBytes - before; a != nil && used != 20*size {
		return errors.New("the arena counts other bytes than were handed out")
	}
	return nil
}

// After Rewind an allocator returns the freed memory again, zeroed. Earlier values stay.
func TestAllocatorAndMarks(t *testing.T) {
	a := arena.NewArena(1024, 0)
	l := arena.AllocatorFor[node24](a)
	kept := l.New()
	kept.text = "kept"
	used := a.Stats().UsedBytes
	for round := range 20 {
		m := a.Mark()
		for i := range 10 * round {
			p := l.New()
			if *p != (node24{}) {
				t.Fatalf("round %d, object %d is not zero: %+v", round, i, p)
			}
			*p = node24{"taken back", kept, 1}
		}
		a.Rewind(m)
		if a.Stats().UsedBytes != used || kept.text != "kept" {
			t.Fatalf("round %d: %d bytes in use instead of %d, %+v", round, a.Stats().UsedBytes, used, kept)
		}
	}
}

// A limit applies to an allocator, to the byte.
func TestAllocatorAndLimit(t *testing.T) {
	a := arena.NewArena(1024, 0)
	a.SetLimit(8 << 10)
	l := arena.AllocatorFor[node24](a)
	count := func() (n int) {
		defer func() {
			if _, ok := recover().(*arena.LimitError); !ok {
				t.Error("no LimitError")
			}
		}()
		for {
			l.New()
			n++
		}
	}
	if n := count(); n < 100 || n*int(unsafe.Sizeof(node24{})) > 8<<10 || a.Stats().RetainedBytes > 8<<10 {
		t.Errorf("%d objects, %+v", n, a.Stats())
	}
	a.Reset()
	if l.New(); a.Stats().UsedBytes != int(unsafe.Sizeof(node24{})) {
		t.Errorf("after Reset: %+v", a.Stats())
	}
}

// An allocator that is used after Release gets memory that counts for the arena and is not shared. Otherwise
// the pool's statistics would be wrong permanently.
func TestAllocatorAfterRelease(t *testing.T) {
	testkit.NeedsReuse(t)
	pool := arena.NewArenaPool(1024, 0)
	pool.SetLimit(0, 64<<10)
	a := pool.Get()
	old, oldFlat := arena.AllocatorFor[node24](a), arena.AllocatorFor[flat24](a)
	old.New().n = 1
	for round := range 50 {
		a.Release()
		if st := a.Stats(); st.RetainedBytes != 0 || st.Types != 0 {
			t.Fatalf("after Release: %+v", st)
		}
		fresh := arena.AllocatorFor[node24](a)
		seen := map[*node24]bool{}
		for i := range 100 {
			from := old
			if i%2 == 1 {
				from = fresh
			}
			p := from.New()
			if seen[p] || *p != (node24{}) {
				t.Fatalf("round %d, object %d was handed out before: %+v", round, i, p)
			}
			seen[p] = true
			p.text = "x"
			oldFlat.New().a = 1
		}
		if want := 100 * int(unsafe.Sizeof(node24{})+unsafe.Sizeof(flat24{})); a.Stats().UsedBytes != want {
			t.Fatalf("round %d: %d bytes in use, want %d", round, a.Stats().UsedBytes, want)
		}
	}
	a.Release()
	pool.Put(a)
	if st := pool.Stats(); st.InUseBytes != 0 || st.RetainedBytes != 0 {
		t.Errorf("the pool counts %+v", st)
	}
}

// An allocator of an arena that was put back and taken again acts like a pointer to that arena.
func TestAllocatorAfterPut(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race {
		t.Skip("pools lose arenas at random under the race detector")
	}
	pool := arena.NewArenaPool(1024, 0)
	a := pool.Get()
	stale := arena.AllocatorFor[node24](a)
	stale.New().n = 1
	pool.Put(a)
	b := pool.Get()
	if a != b {
		t.Skip("the pool let the arena go")
	}
	mine := arena.AllocatorFor[node24](b)
	seen := map[*node24]bool{}
	for i := range 1000 {
		from := mine
		if i%3 == 0 {
			from = stale
		}
		p := from.New()
		if seen[p] || *p != (node24{}) {
			t.Fatalf("object %d was handed out before: %+v", i, p)
		}
		seen[p] = true
		p.n = i + 1
	}
	if want := 1000 * int(unsafe.Sizeof(node24{})); b.Stats().UsedBytes != want {
		t.Errorf("%d bytes in use, want %d", b.Stats().UsedBytes, want)
	}
}

// The collector sees pointers in an allocator's objects, and a pointer to an object keeps it.
func TestGCAllocator(t *testing.T) {
	var held []*allKinds
	func() {
		a := arena.NewArena(1024, 0)
		l := arena.AllocatorFor[allKinds](a)
		for i := range uint64(200) {
			x := l.New()
			x.set(i)
			held = append(held, x)
		}
	}()
	testkit.Collect(3)
	for i, x := range held {
		if err := x.check(uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// Checked builds report an allocator that is used too late, for types with and without pointers, and the call
// that ended it.
func TestCheckedAllocator(t *testing.T) {
	if !check.On {
		t.Skip("needs the checks")
	}
	a := arena.NewArena(1024, 0)
	nodes, flats := arena.AllocatorFor[node24](a), arena.AllocatorFor[int](a)
	a.Reset()
	nodes.New()
	flats.New()
	a.Rewind(a.Mark())
	nodes.New()
	a.Release()
	late := "arena was released since AllocatorFor"
	testkit.WantPanic(t, func() { nodes.New() }, "Allocator.New", "node24", late)
	testkit.WantPanic(t, func() { flats.New() }, "Allocator.New", "int", late)
	arena.AllocatorFor[node24](a).New() // the arena is usable

	pool := arena.NewArenaPool(1024, 0)
	b := pool.Get()
	nodes, flats = arena.AllocatorFor[node24](b), arena.AllocatorFor[int](b)
	nodes.New()
	pool.Put(b)
	pool.Get()
	late = "arena was put back in its pool"
	testkit.WantPanic(t, func() { nodes.New() }, "Allocator.New", late)
	testkit.WantPanic(t, func() { flats.New() }, "Allocator.New", late)
	testkit.WantPanic(t, func() { arena.AllocatorFor[node24](b) }, "AllocatorFor", late)
	if st := pool.Stats(); st.Gets != 2 || st.Puts != 1 {
		t.Errorf("%+v", st)
	}
}
