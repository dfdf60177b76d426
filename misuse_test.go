package arena

import (
	"strings"
	"testing"
)

// The documented exception to the promise of zeros: a write through a stale
// pointer, to memory of a type with pointers or of a slab, shows up in a later
// New of that type. If this test fails, the documents promise too little; if
// more than the T at that very place were reached, they'd promise too much.
func TestStaleWritesReachOnlyTheSameType(t *testing.T) {
	needsReuse(t)
	a := NewArena(4096, 0)
	stalePtr, staleFlat := New[textPair](a), New[uint64](a)
	a.Reset()
	stalePtr.a, *staleFlat = "stale", 7
	if x := New[textPair](a); x != stalePtr || x.a != "stale" || x.b != "" {
		t.Errorf("the T with pointers holds %+v", *x)
	}
	if x := New[uint64](a); x != staleFlat || *x != 0 {
		t.Errorf("the T without pointers holds %d: New should have cleared it", *x)
	}

	s := NewSlab[uint64](1000)
	var stale []*uint64
	for range 200 {
		stale = append(stale, s.New())
	}
	s.Reset()
	s.New()
	*stale[50] = 7
	for i := 1; i < 200; i++ {
		if x := s.New(); *x != 0 && x != stale[50] {
			t.Errorf("object %d holds %d", i, *x)
		}
	}
}

// A pool that was not made must say so, every time: the first panic may not
// leave it locked.
func TestZeroPoolSaysSo(t *testing.T) {
	var p ArenaPool
	for range 2 {
		wantPanic(t, func() { p.Get() }, "zero ArenaPool", "NewArenaPool")
	}
	wantPanic(t, func() { New[int](new(Arena)) }, "NewArena")
	wantPanic(t, func() { new(Arena).AllocString("x") }, "NewArena")
}

// The message must name the pool that the program has.
func TestMisuseNamesThePool(t *testing.T) {
	for want, f := range map[string]func(){
		"arena: FixedPool[int].Deallocate":     func() { NewFixedPool[int](1).Deallocate(nil) },
		"arena: SyncFixedPool[int].Deallocate": func() { NewSyncFixedPool[int](1).Deallocate(nil) },
	} {
		func() {
			defer func() {
				if e, ok := recover().(*MisuseError); !ok || !strings.HasPrefix(e.Error(), want) {
					t.Errorf("%v does not begin with %s", e, want)
				}
			}()
			f()
		}()
	}
}

// A life with a million marks must not be paid for in all later ones.
func TestMarksAreNotRetained(t *testing.T) {
	needsReuse(t)
	a := NewArena(4096, 40960)
	for range 100_000 {
		a.Mark()
		New[byte](a)
	}
	a.Reset()
	if n := uintptr(cap(a.marks.positions)) * sizeOf[position](); n > max(a.maxRetained/8, marksKept) {
		t.Errorf("%d bytes of marks are kept", n)
	}
	for range 10 {
		a.Mark()
		New[byte](a)
	}
	a.Reset()
	if cap(a.marks.positions) == 0 {
		t.Error("a usual life's marks are not kept")
	}
}
