package swiss

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// The sets of a control word equal those computed byte by byte.
func TestControlWord(t *testing.T) {
	some := []byte{empty, deleted, full, full | 1, full | 2, full | 0x7e, full | 0x7f}
	for range 200_000 {
		var c ctrl
		var b [slots]byte
		for i := range b {
			b[i] = some[rand.IntN(len(some))]
			c = c.with(uint(i), ctrl(b[i]))
		}
		tag := ctrl(some[2+rand.IntN(len(some)-2)])
		match, free, taken, anyEmpty := ctrl(0), ctrl(0), ctrl(0), false
		for i, x := range b {
			if c.at(uint(i)) != ctrl(x) {
				t.Fatalf("%x: slot %d is %x, want %x", c, i, c.at(uint(i)), x)
			}
			bit := ctrl(0x80) << (8 * i)
			if ctrl(x) == tag {
				match |= bit
			}
			if x < full {
				free |= bit
			} else {
				taken |= bit
			}
			anyEmpty = anyEmpty || x == empty
		}
		if c.free() != free || c.taken() != taken || c.hasEmpty() != anyEmpty {
			t.Fatalf("%x: free %x, taken %x, hasEmpty %t", c, c.free(), c.taken(), c.hasEmpty())
		}
		got := c.match(tag)
		if match&^got != 0 || got&^taken != 0 || (got == 0) != (match == 0) {
			t.Fatalf("%x: match(%x) is %x, want %x", c, tag, got, match)
		}
		if got != 0 && got.first() != uint(bits.TrailingZeros64(uint64(match))/8) {
			t.Fatalf("%x: first of %x", c, got)
		}
	}
}

// A search ends whatever the groups contain: using a stale table whose memory holds other data must not hang.
func TestSearchEnds(t *testing.T) {
	for _, n := range []int{1, 2, 16} {
		for _, junk := range []ctrl{0, ^ctrl(0), ones, tops, ones * 0x83, 0x0180ff01e2818001} {
			tab := build([]int{1, 2, 3})
			tab.Move(make([]Group[int, int], n), nil, false)
			for i := range tab.groups {
				tab.groups[i].ctrl = junk
			}
			for k := range 300 {
				tab.Get(k)
				tab.Find(k)
				tab.Slot(k)
				tab.Delete(k)
			}
			tab.Walk(func(int, int) bool { return true })
			tab.growthLeft = 8 * n
			tab.Slot(1000)
		}
	}
}

// GroupsFor returns capacity for the requested entries, and less than four times as much.
func TestGroupsFor(t *testing.T) {
	for n := range 5000 {
		g := GroupsFor(n)
		if g&(g-1) != 0 || capacityOf(g) < n || g > 1 && capacityOf(g/2) >= n {
			t.Fatalf("%d groups for %d entries", g, n)
		}
	}
	if g := GroupsFor(int(^uint(0) >> 1)); g <= 0 || g < maxEntries {
		t.Errorf("%d groups for all that there is", g)
	}
}

// A table grows fourfold while it is small: growing to 1,000 entries then reinserts a third of the entries
// that doubling does, which is most of the cost of growth. From 256 groups on it doubles, so that large
// tables do not stay three quarters empty.
func TestGrowth(t *testing.T) {
	tab := new(Table[int, int])
	var sizes []int
	for i := range 10_000 {
		for tab.Slot(i) == nil {
			n := tab.Wants()
			sizes = append(sizes, n)
			tab.Move(make([]Group[int, int], n), nil, false)
		}
	}
	if want := []int{1, 4, 16, 64, 256, 512, 1024, 2048}; !slices.Equal(sizes, want) {
		t.Errorf("the table had %v groups, not %v", sizes, want)
	}
}

// A table with as many insertions as deletions alternates between two sets of groups, and moves rarely enough
// that the operations between two moves pay for a move.
func TestMovesMakeUpForTheirCost(t *testing.T) {
	tab := new(Table[int, int])
	moves, moved := 0, 0
	const entries, live = 100_000, 70
	for i := range entries {
		for tab.Slot(i) == nil {
			n := tab.Wants()
			groups := tab.Spare(n)
			if groups == nil {
				groups = make([]Group[int, int], n)
			}
			tab.Move(groups, nil, false)
			moves++
			moved += tab.Len()
		}
		if i >= live {
			tab.Delete(i - live)
		}
	}
	if moved > 6*entries || moves == 0 || len(tab.groups) > 32 {
		t.Errorf("%d entries were moved %d times, in %d moves of %d groups", entries, moved, moves, len(tab.groups))
	}
}

// Reusing a deleted slot takes no capacity, so a full table accepts a deleted key again without a move.
func TestDeletedSlotsAreFree(t *testing.T) {
	for _, n := range []int{8, 14, 28, 224} {
		tab := build(make([]int, 0))
		tab.Move(make([]Group[int, int], GroupsFor(n)), nil, false)
		for i := range n {
			*tab.Slot(i) = i
		}
		if tab.Slot(n) != nil {
			t.Fatalf("there is room for more than %d entries", n)
		}
		for i := range n {
			if !tab.Delete(i) || tab.Slot(i) == nil {
				t.Fatalf("%d entries: a move for entry %d, which was deleted", n, i)
			}
		}
	}
}

// A table that moves to its spare groups during a walk has no spare groups left, because the walk needs the
// former ones. If it kept them, the next move would be from the groups to themselves and lose every entry.
func TestSpareGroupsAreTakenOnce(t *testing.T) {
	const n, entries = 4, 20
	tab := new(Table[int, int])
	move := func(old *Old[int, int]) {
		groups := tab.Spare(n)
		if groups == nil {
			groups = make([]Group[int, int], n)
		}
		tab.Move(groups, old, false)
	}
	move(nil)
	for i := range entries {
		*tab.Slot(i) = i
	}
	move(nil)
	if tab.Spare(n) == nil {
		t.Fatal("nothing is spare after a move to as many groups")
	}
	came := 0
	tab.Walk(func(int, int) bool {
		if came++; came == 1 {
			move(new(Old[int, int]))
			if tab.Spare(n) != nil {
				t.Error("groups that are taken are spare")
			}
			move(nil)
		}
		return true
	})
	move(nil)
	if came != entries || tab.Len() != entries {
		t.Errorf("a walk yields %d entries of %d, want %d", came, tab.Len(), entries)
	}
	for i := range entries {
		if v, ok := tab.Get(i); v != i || !ok {
			t.Errorf("entry %d is %d, %t", i, v, ok)
		}
	}
}

// A walk that has ended is no longer counted, however it ended. Otherwise each later move would keep its
// former groups, and whatever they refer to, for a walk that never ends.
func TestWalksThatAreOverDoNotCount(t *testing.T) {
	tab := new(Table[int, int])
	tab.Move(make([]Group[int, int], 1), nil, false)
	*tab.Slot(1) = 1
	walked := func(want bool) {
		t.Helper()
		if tab.Walked() != want {
			t.Errorf("Walked is %t with %d walks", tab.Walked(), tab.walks.Load())
		}
	}
	for _, more := range []bool{true, false} {
		tab.Walk(func(int, int) bool {
			walked(true)
			tab.Walk(func(int, int) bool { return false })
			walked(true)
			return more
		})
		walked(false)
	}
	func() {
		defer func() { recover() }()
		tab.Walk(func(int, int) bool { panic("out of the walk") })
	}()
	walked(false)
}
