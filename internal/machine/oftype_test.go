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
		s = GrowSliceOfType(&r, x, s, s.Cap+1, 0)
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
	s = GrowSliceOfType(&r, x, TrimSliceOfType(&r, x, s), 2, 0)
	for i, v := range unsafe.Slice((*uint64)(s.Data), 6) {
		if v != 0 {
			t.Errorf("word %d is %d", i, v)
		}
	}
}
