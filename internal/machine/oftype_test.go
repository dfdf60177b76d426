package machine

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// SomeOfType returns zeroed values that are not shared, as many as it reports, whatever is free in the
// allocator's chunk. The last of them must not exceed the chunk.
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

// A slice grows in place up to the chunk's end if nothing is allocated behind it, and otherwise moves.
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

// A table made with the factor of an earlier table also has a slot for each type, and needs no search for a
// factor. Only the first arena of a program searches.
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
	// A factor that suits other types may not suit these; then there is a search.
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

// A slice without capacity may have the address of the next allocation, like one that was trimmed to nothing.
// Memory into which it grows must still be zero.
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
