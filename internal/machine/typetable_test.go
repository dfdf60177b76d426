package machine

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// fakeTypes are descriptors to look up: their addresses are what counts, and
// those are a word apart at least, as the linker's are.
func fakeTypes(n int, r *rand.Rand) []*TypeDesc {
	space := make([]TypeDesc, 8*n)
	var keys []*TypeDesc
	for _, i := range r.Perm(len(space))[:n] {
		keys = append(keys, &space[i])
	}
	return keys
}

// Every type finds its own lane, whatever the order and number of types; a
// type that was not added finds none. Without the comparison of keys a T would
// be put into another type's memory.
func TestTypeTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 8, 9, 10, 50, 120, 1000, 5000} {
		table := newTypeTable()
		keys := fakeTypes(n+1, r)
		stranger := keys[n]
		lanes := map[*TypeDesc]*Lane{}
		for i, k := range keys[:n] {
			if table.find(k) != nil {
				t.Fatalf("%d types: a type is found before it was added", n)
			}
			l := &Lane{Key: k}
			lanes[k] = l
			table.add(l)
			if i < 200 || i == n-1 {
				for k, l := range lanes {
					if table.find(k) != l {
						t.Fatalf("%d types: after %d, a type finds another lane", n, i)
					}
				}
			}
		}
		if table.find(stranger) != nil || len(table.lanes) != n {
			t.Errorf("%d types: a stranger is found, or %d lanes", n, len(table.lanes))
		}
		for _, l := range vacantSlots {
			if l != vacant {
				t.Fatal("the table that all empty arenas share was written to")
			}
		}
	}
}

// Ten types, and as many as a large program's request has, must not share
// slots: the way for a type whose slot another one has is slow.
func TestTypesDontShareSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{10, 30, 60} {
		for range 20 {
			table := newTypeTable()
			keys := fakeTypes(n, r)
			for _, k := range keys {
				table.add(&Lane{Key: k})
			}
			for _, k := range keys {
				if table.At(k).Key != k {
					t.Fatalf("%d types: one has no slot, in a table of %d", n, table.mask/slotSize+1)
				}
			}
		}
	}
}

// A table has room for the square of its types at most, also when some of their addresses
// differ in low bits alone, and others in high ones. (Half of that is exceeded once in
// 10,000 tables.) With a shift in place of the factor a dozen took 32 KB in each arena.
func TestTypeTableIsSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	space := make([]TypeDesc, 1<<16)
	for _, n := range []int{4, 12, 40} {
		for range 100 {
			table := newTypeTable()
			at := map[int]bool{}
			for len(at) < n {
				i := r.IntN(len(space))
				at[i], at[i^1], at[i^1<<15] = true, true, true
			}
			for i := range at {
				table.add(&Lane{Key: &space[i]})
			}
			if slots := int(table.mask/slotSize) + 1; slots > max(32, n*n) {
				t.Fatalf("%d slots for %d types", slots, len(at))
			}
		}
	}
}

func TestSlotSize(t *testing.T) {
	if slotSize != unsafe.Sizeof(vacant) || halfWord != 4*slotSize {
		t.Errorf("slotSize %d, halfWord %d", slotSize, halfWord)
	}
}
