package machine

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// fakeTypes returns type descriptors for look-ups. Only their addresses matter; like the linker's they are at
// least a word apart.
func fakeTypes(n int, r *rand.Rand) []*TypeDesc {
	space := make([]TypeDesc, 8*n)
	var keys []*TypeDesc
	for _, i := range r.Perm(len(space))[:n] {
		keys = append(keys, &space[i])
	}
	return keys
}

// tableOf returns a table to which allocators may be added.
func tableOf() TypeTable {
	t := newTypeTable()
	t.firstAllocator()
	return t
}

// fakeLane returns an allocator for look-ups.
func fakeLane(key *TypeDesc) *Allocator { return &Allocator{Key: key, ops: new(allocatorOps)} }

// Every type finds its own allocator, for any order and number of types, and a type that was not added finds
// none. Without the comparison of keys, a T could be allocated in another type's memory.
func TestTypeTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 8, 9, 10, 50, 120, 1000, 5000} {
		table := tableOf()
		keys := fakeTypes(n+1, r)
		stranger := keys[n]
		allocators := map[*TypeDesc]*Allocator{}
		for i, k := range keys[:n] {
			if table.find(k) != nil {
				t.Fatalf("%d types: a type is found before it was added", n)
			}
			al := fakeLane(k)
			allocators[k] = al
			table.add(al)
			if i < 200 || i == n-1 {
				for k, al := range allocators {
					if table.find(k) != al {
						t.Fatalf("%d types: after %d, a type finds another allocator", n, i)
					}
				}
			}
		}
		if table.find(stranger) != nil || len(table.allocators) != n {
			t.Errorf("%d types: a stranger is found, or %d allocators", n, len(table.allocators))
		}
		for _, al := range vacantSlots {
			if al != vacant {
				t.Fatal("the table that all empty arenas share was written to")
			}
		}
	}
}

// Ten types, and as many as a request of a large program has, do not share slots, because the slow path
// handles shared slots.
func TestTypesDontShareSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{10, 30, 60} {
		for range 20 {
			table := tableOf()
			keys := fakeTypes(n, r)
			for _, k := range keys {
				table.add(fakeLane(k))
			}
			for _, k := range keys {
				if table.At(k).Key != k {
					t.Fatalf("%d types: one has no slot, in a table of %d", n, table.mask/slotSize+1)
				}
			}
		}
	}
}

// A table has at most as many slots as the square of its types, also if some addresses differ only in low
// bits and others in high ones. Half of that is exceeded in one of 10,000 tables.
func TestTypeTableIsSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	space := make([]TypeDesc, 1<<16)
	for _, n := range []int{4, 12, 40} {
		for range 100 {
			table := tableOf()
			at := map[int]bool{}
			for len(at) < n {
				i := r.IntN(len(space))
				at[i], at[i^1], at[i^1<<15] = true, true, true
			}
			for i := range at {
				table.add(fakeLane(&space[i]))
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

// Of hundreds of types nearly all have their own slot, and the others are close to it.
func TestManyTypesAreFoundNearTheirSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{200, 800, 3000, 10_000} {
		table := tableOf()
		keys := fakeTypes(n, r)
		for _, k := range keys {
			table.add(fakeLane(k))
		}
		sum, most := 0, 0
		slots := table.mask/slotSize + 1
		for at := range slots {
			al := *slotAt(table.slots, at*slotSize)
			if al == vacant {
				continue
			}
			away := int((at - table.offset(al.Key)/slotSize) & (slots - 1))
			sum += away
			most = max(most, away)
		}
		if sum > 2*n || most > 100 || slots > uintptr(max(maxSlots, 8*n)) {
			t.Errorf("%d types in %d slots are %d from theirs together, one %d", n, slots, sum, most)
		}
		// Types that share a slot replace each other in it.
		for _, k := range keys {
			if table.find(k).Key != k || table.At(k).Key != k {
				t.Fatal("a type that was found has not got its slot")
			}
		}
	}
}

// The search for a type without an allocator ends at the first free slot. Over a table of thousands, a full
// search would cost microseconds for each new type.
func TestSearchesEndAtFreeSlots(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	table := tableOf()
	keys := fakeTypes(1000, r)
	for _, k := range keys[:800] {
		table.add(fakeLane(k))
	}
	tried := 0
	for _, k := range keys[800:] {
		home := table.offset(k)
		second, third := slotAt(table.slots, (home+slotSize)&table.mask), slotAt(table.slots, (home+2*slotSize)&table.mask)
		if *slotAt(table.slots, home) == vacant || *second != vacant || *third != vacant {
			continue
		}
		tried++
		*third = fakeLane(k)
		if table.find(k) != nil {
			t.Fatal("a search went on behind a free slot")
		}
		*third = vacant
	}
	if tried == 0 {
		t.Error("no type could be tried")
	}
}
