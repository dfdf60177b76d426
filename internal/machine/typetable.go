package machine

import "unsafe"

// TypeTable finds the allocator of a type with pointers by the address of the type's descriptor.
//
// It is a direct-mapped table: the upper half of the descriptor's address times a factor selects a slot. If the slot
// has another type's allocator, the slow path searches the next slots. When a type is added, the table searches a
// factor under which no two types share a slot, and doubles if there is none. So ten types in turn are as fast as one.
// Among very many types, some do share a slot. All but one of them are in the next free slots.
//
// This is multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). Without a factor, a dozen types would
// need tables of up to maxSlots, because some addresses differ only in their low bits and others in high bits.
type TypeTable struct {
	slots  *[minSlots]*Allocator // the first of mask/slotSize+1 slots, none of which is nil
	mask   uintptr               // selects the slot, as an offset in bytes
	factor uintptr

	// Busiest is the allocator that handed out the most bytes in the last cycle. New looks there before it looks into
	// the table, because most programs use one type more often than the others.
	Busiest *Allocator

	*allocatorList
}

// allocatorList has the fields that only the slow paths need; see allocatorRecord.
type allocatorList struct {
	allocators []*Allocator // all allocators, the active ones first; see idleCycles
	activeLen  int          // allocators[:activeLen] are active

	// Totals of the inactive allocators.
	inactiveHeld   uintptr // bytes of all chunks
	inactiveChunks int
}

const (
	minSlots = 8
	fewSlots = 32 // minimum number in a table that has grown
	// maxSlots bounds the search: a table of 32 KB on 64 bits, which has a free factor for about 150 types. For more
	// than mostApart types there is hardly ever one, so the table has at least twice as many slots as types, and types
	// that share a slot take turns in it.
	maxSlots  = 4096
	mostApart = 200
	// factors is the number of factors that are tried before the table grows.
	factors = 16

	slotSize = 4 << (^uintptr(0) >> 63)
	halfWord = 16 << (^uintptr(0) >> 63) // bits
)

// factor returns element i of a sequence of odd numbers without a pattern: SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom
// Number Generators, 2014).
func factor(i int) uintptr {
	x := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return uintptr(x^x>>31) | 1
}

// vacant fills free slots. No key equals its key, and it has no free memory.
var vacant = &Allocator{Key: new(TypeDesc)}

// vacantSlots is the table of an arena without types with pointers.
var vacantSlots = [minSlots]*Allocator{vacant, vacant, vacant, vacant, vacant, vacant, vacant, vacant}

func newTypeTable() TypeTable {
	return TypeTable{slots: &vacantSlots, mask: (minSlots - 1) * slotSize, Busiest: vacant, allocatorList: &noAllocators}
}

// noAllocators is the list of an empty table. It never changes.
var noAllocators allocatorList

// firstTypes has the table, the list and the first allocator of an arena, in one allocation. More than six types rarely
// have separate slots in so small a table, and a longer list would be in the heap's next size class.
type firstTypes struct {
	slots      [minSlots]*Allocator
	allocators [minSlots - 2]*Allocator
	list       allocatorList
	first      typedAllocator
}

// firstAllocator returns a zero allocator for the first type, which the caller initializes and passes to add. For other
// types it returns nil.
func (t *TypeTable) firstAllocator() *typedAllocator {
	if t.slots != &vacantSlots {
		return nil
	}
	x := &firstTypes{slots: vacantSlots}
	x.list.allocators = x.allocators[:0]
	t.slots, t.allocatorList = &x.slots, &x.list
	return &x.first
}

// At returns the allocator in key's slot, which may be that of another type.
func (t *TypeTable) At(key *TypeDesc) *Allocator {
	return *slotAt(t.slots, t.offset(key))
}

// offset returns the offset of key's slot in bytes.
func (t *TypeTable) offset(key *TypeDesc) uintptr { return key.Bits() * t.factor >> halfWord & t.mask }

// Lookup is At for regions that may be zero.
func (t *TypeTable) Lookup(key *TypeDesc) *Allocator {
	if t.slots == nil {
		return vacant
	}
	return t.At(key)
}

// find returns the allocator of key, or nil.
//
//go:norace
//go:nocheckptr
func (t *TypeTable) find(key *TypeDesc) *Allocator {
	home := slotAt(t.slots, t.offset(key))
	if al := *home; al.Key == key {
		return al
	}
	// All slots between a type's own slot and the slot of its allocator are taken. They stay taken when allocators
	// change places.
	for at := uintptr(slotSize); at <= t.mask; at += slotSize {
		slot := slotAt(t.slots, (t.offset(key)+at)&t.mask)
		al := *slot
		if al == vacant {
			break
		}
		if al.Key == key {
			*home, *slot = al, *home
			return al
		}
	}
	return nil
}

// add adds a new allocator, which becomes the last active one. firstAllocator was called before.
func (t *TypeTable) add(al *Allocator) {
	n := len(t.allocators)
	t.allocators = append(t.allocators, al)
	al.ops.index = uint32(n)
	t.swap(n, t.activeLen)
	t.activeLen++
	if t.Busiest == vacant {
		t.Busiest = al
	}
	was := t.slotCount()
	if t.At(al.Key) == vacant || was >= maxSlots && n >= mostApart && 2*n < was {
		t.put(al)
		return
	}
	slots := was
	for !t.separate() && (slots < maxSlots || slots < 2*len(t.allocators)) {
		slots = max(2*slots, fewSlots)
		t.mask = uintptr(slots-1) * slotSize
	}
	if slots != was {
		// SAFETY: no pointer is forged. Go checks that slots is at least minSlots.
		t.slots = (*[minSlots]*Allocator)(make([]*Allocator, slots))
	}
	for i := range uintptr(slots) {
		*slotAt(t.slots, i*slotSize) = vacant
	}
	for _, al := range t.allocators {
		t.put(al)
	}
}

func (t *TypeTable) slotCount() int { return int(t.mask/slotSize) + 1 }

// separate searches for a factor under which no two types share a slot. It uses the last one tried if there is none.
func (t *TypeTable) separate() (ok bool) {
	if len(t.allocators) > mostApart {
		t.factor = factor(0)
		return false
	}
	var taken [maxSlots / 64]uint64
	for i := 0; i < factors && !ok; i++ {
		t.factor, ok = factor(i), true
		clear(taken[:(t.slotCount()+63)/64])
		for _, al := range t.allocators {
			n := t.offset(al.Key) / slotSize
			if ok = taken[n/64]&(1<<(n%64)) == 0; !ok {
				break
			}
			taken[n/64] |= 1 << (n % 64)
		}
	}
	return ok
}

// put enters al in its slot, or in the next free slot.
func (t *TypeTable) put(al *Allocator) {
	at := t.offset(al.Key)
	for *slotAt(t.slots, at) != vacant {
		at = (at + slotSize) & t.mask
	}
	*slotAt(t.slots, at) = al
}

// check panics if the table's records are inconsistent.
func (t *TypeTable) check() {
	held, chunks := uintptr(0), 0
	for i, al := range t.allocators {
		must(int(al.ops.index) == i, "an allocator is not where it says")
		if i < t.activeLen {
			continue
		}
		must(al.Lo == 0 && al.Hi == 0 && len(al.full)|len(al.free) == 0, "an inactive allocator has free memory, or is in use")
		must(al.size() <= smallKept, "an inactive allocator keeps a large chunk")
		held, chunks = held+al.HeldBytes(), chunks+al.Chunks()
	}
	must(held == t.inactiveHeld && chunks == t.inactiveChunks, "the count of the inactive allocators is wrong")
}

// active returns the active allocators. New ones are appended, and until the cycle ends none is removed.
func (t *TypeTable) active() []*Allocator { return t.allocators[:t.activeLen] }

func (t *allocatorList) swap(i, j int) {
	a, b := t.allocators[i], t.allocators[j]
	t.allocators[i], t.allocators[j] = b, a
	a.ops.index, b.ops.index = uint32(j), uint32(i)
}

// slotAt returns the slot at byte offset off.
//
// SAFETY: off is below the table's size in bytes and a multiple of a pointer's size, because TypeTable masks it.
func slotAt(slots *[minSlots]*Allocator, off uintptr) **Allocator {
	return (**Allocator)(unsafe.Add(unsafe.Pointer(slots), off))
}

// Inactive allocators. A region gets more and more types, and most of its cycles use few of them. So that a cycle pays
// only for the types that it uses, an allocator that idleCycles cycles did not use becomes inactive: it follows the
// active ones in the list, has no free memory that a fast path would find, and keeps its chunk only if the chunk is
// small. Empty, Mark, Rewind and the statistics visit the active allocators. The slow path of an allocation reactivates
// an allocator.
//
//	allocators     +----+----+----+----+----+----+
//	               | active  | inactive          |
//	               +----+----+----+----+----+----+
//	                         ^ activeLen
//
// If the list had only the allocators of the current cycle, each type would take the slow path once in each cycle.

// activate makes al, which find returned, active, and returns it.
//
//go:norace
func (r *Region) activate(al *Allocator) *Allocator {
	t := r.Types.allocatorList
	if int(al.ops.index) < t.activeLen {
		return al
	}
	t.inactiveHeld -= al.cap
	if al.cap != 0 {
		t.inactiveChunks--
	}
	t.swap(int(al.ops.index), t.activeLen)
	t.activeLen++
	al.retention.wasInactive = al.ops.since != uint32(r.resets) // the last cycle did not use it
	al.retention.idle = 0
	al.Lo, al.Hi = al.begin(), al.cap
	return al
}

// deactivate makes al, which is empty and has at most one chunk, inactive.
func (r *Region) deactivate(al *Allocator) {
	t := r.Types.allocatorList
	if al.size() > smallKept {
		al.releaseChunk(al.chunk, true)
		al.chunk = chunk{}
	}
	t.inactiveHeld += al.cap
	if al.cap != 0 {
		t.inactiveChunks++
	}
	t.activeLen--
	t.swap(int(al.ops.index), t.activeLen)
	al.Lo, al.Hi = 0, 0
	al.ops.since = 0
	if al.retention.wasInactive {
		al.retention.wasInactive = false
		al.ops.since = uint32(r.resets + 1)
	}
}
