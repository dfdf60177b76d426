package machine

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// SomeOfType gives zero values that nobody else has, as many as it says, whatever is free in
// the allocator's chunk. Without the look at that the last of them would lie beyond the
// chunk.
func TestSomeOfType(t *testing.T) {
	type node struct {
		next *node
		n    [3]uint64
	}
	x := TypeOf(reflect.TypeFor[node]())
	var r Region
	r.Init(1<<10, 1<<20)
	random := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		var all []*node
		for range 200 {
			want := 1 + random.IntN(40)
			p, got := SomeOfType(&r, x, want)
			if got < 1 || got > want {
				t.Fatalf("%d of %d values", got, want)
			}
			for i := range got {
				v := (*node)(unsafe.Add(p, uintptr(i)*x.Size))
				if *v != (node{}) {
					t.Fatalf("a value is not zero: %v", *v)
				}
				v.n[0], v.n[2] = uint64(len(all)), uint64(len(all))
				if len(all) > 0 {
					v.next = all[len(all)-1]
				}
				all = append(all, v)
			}
		}
		for i, v := range all {
			if v.n != [3]uint64{uint64(i), 0, uint64(i)} || i > 0 && v.next != all[i-1] {
				t.Fatalf("value %d has become %v", i, *v)
			}
		}
		r.Empty()
	}
}

// A slice grows in place where nothing lies behind it, up to the chunk's end, and where an
// object of its type does it moves: or the two would share memory.
func TestGrowSliceOfTypeInPlace(t *testing.T) {
	x := TypeOf(reflect.TypeFor[*int]())
	if x.key == nil || !LayoutOK {
		t.Skip("there is no fast path")
	}
	var r Region
	r.Init(1<<10, 1<<20)
	random := rand.New(rand.NewPCG(2, 2))
	NewOfType(&r, x)
	var s Slice
	in := 0
	for range 3000 {
		last := s
		behind := random.IntN(4) == 0 && s.Cap > 0
		if behind {
			NewOfType(&r, x)
		}
		s = GrowSliceOfType(&r, x, s, s.Cap+1)
		if al := r.Types.Lookup(x.key); al.Lo > al.Hi || al.tip > al.Lo {
			t.Fatalf("the allocator is at %d, its newest slice ends at %d, of %d", al.Lo, al.tip, al.Hi)
		}
		if s.Data == last.Data {
			if in++; behind {
				t.Fatal("the slice has grown over an object")
			}
		}
		if random.IntN(5) == 0 || s.Cap > 500 {
			s = Slice{}
		}
	}
	if in < 100 && !check.On {
		t.Errorf("%d times in place", in)
	}
}

// A table that is made as the last one was has a slot for each type, too, and no type takes
// a search for one. The first arena of a program makes the search, as all did before.
func TestTablesLikeOthers(t *testing.T) {
	keys := fakeTypes(14, rand.New(rand.NewPCG(9, 9)))
	fill := func() TypeTable {
		table := newTypeTable()
		for _, k := range keys {
			table.add(fakeLane(k))
		}
		return table
	}
	first := fill()
	if n := first.mask/slotSize + 1; n > mostFound {
		t.Skipf("%d slots for 14 types", n)
	}
	second := fill()
	if second.mask != first.mask || second.factor != first.factor {
		t.Errorf("the second table has %d slots and factor %#x, the first %d and %#x", second.mask/slotSize+1, second.factor, first.mask/slotSize+1, first.factor)
	}
	for _, k := range keys {
		if second.At(k).Key != k {
			t.Error("two types share a slot")
		}
	}
	// What suits others may not suit these: then there is a search as before.
	for seed := range uint64(20) {
		other := newTypeTable()
		for _, k := range fakeTypes(12, rand.New(rand.NewPCG(seed, 0))) {
			other.add(fakeLane(k))
		}
		for _, al := range other.allocators {
			if other.At(al.Key) != al {
				t.Fatal("two types share a slot of a table that was made like another")
			}
		}
	}
}

// A slice without capacity may stand where the next one begins: one that was trimmed to nothing
// does. What it grows into is zero all the same; else it has what was written there before.
func TestGrownFromNothingIsZero(t *testing.T) {
	x := TypeOf(reflect.TypeFor[[3]uint64]())
	var r Region
	r.Init(1<<10, 1<<20)
	s := MakeSliceOfType(&r, x, 2, 2)
	unsafe.Slice((*uint64)(s.Data), 6)[4] = 7
	unsafe.Slice((*uint64)(s.Data), 6)[1] = 7
	s.Len = 0
	s = GrowSliceOfType(&r, x, TrimSliceOfType(&r, x, s), 2)
	for i, v := range unsafe.Slice((*uint64)(s.Data), 6) {
		if v != 0 {
			t.Errorf("word %d is %d", i, v)
		}
	}
}
