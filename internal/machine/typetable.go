package machine

import (
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// TypeTable finds the allocator of a type that has pointers by the address of the
// type's descriptor.
//
// It is a direct-mapped table: the upper half of the descriptor's address times a
// factor picks a slot, and either the allocator there is the type's or it is looked up on the
// slow path. Types don't share slots: when one is added, a factor is searched under
// which all of them have a slot of their own, and where there is none the
// table doubles. So ten types in turn are as fast as one. Of very many types some do
// share one: then one has it, and the others the next ones that are free.
//
// That is multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). The
// address without a factor, shifted right, needs tables of up to maxSlots for a dozen
// types: some addresses differ in their low bits alone, others in high ones.
type TypeTable struct {
	slots  *[minSlots]*Allocator // the first of mask/slotSize+1 slots, none nil
	mask   uintptr               // picks the slot, as an offset in bytes
	factor uintptr

	// Busiest is the allocator that the last cycle took most from. New looks there
	// before it looks into the table: most programs have a type that comes more
	// often than the others.
	Busiest *Allocator

	*allocatorList
}

// allocatorList has what only the slow paths need, see allocatorRecord.
type allocatorList struct {
	allocators []*Allocator // all allocators, those that are active first: see region_rest.go
	activeLen  int          // allocators[:active] are active

	// Of the inactive ones:
	inactiveHeld     uintptr // bytes of all chunks
	inactiveChunks   int
	inactiveOversize uint32
}

const (
	minSlots = 8
	// maxSlots bounds the search: a table of 32 KB on 64 bits, which has a
	// free factor for about 150 types, and for hardly any number beyond mostApart.
	// With more, the table has at least twice as many slots as there are types; those
	// that share one take turns in it.
	maxSlots  = 4096
	mostApart = 200
	// factors is how many of them are tried before the table doubles.
	factors = 32

	slotSize = 4 << (^uintptr(0) >> 63)
	halfWord = 16 << (^uintptr(0) >> 63) // bits
)

// factor is one of a sequence of odd numbers without a pattern: SplitMix64 (Steele, Lea,
// Flood, Fast Splittable Pseudorandom Number Generators, 2014).
func factor(i int) uintptr {
	x := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return uintptr(x^x>>31) | 1
}

// vacant fills the slots that no type has: no key equals its key, and it has
// no free memory.
var vacant = &Allocator{Key: new(TypeDesc)}

// vacantSlots is the table of an arena that has met no type with pointers.
var vacantSlots = [minSlots]*Allocator{vacant, vacant, vacant, vacant, vacant, vacant, vacant, vacant}

func newTypeTable() TypeTable {
	return TypeTable{slots: &vacantSlots, mask: (minSlots - 1) * slotSize, Busiest: vacant, allocatorList: &noAllocators}
}

// noAllocators is the list of a table that is empty, which is never changed.
var noAllocators allocatorList

// firstTypes has what the first types of an arena need, in one allocation: a
// new arena for each request would feel six of them. More than six types hardly ever
// have slots of their own in so small a table, and longer lists would be of the heap's
// next size.
type firstTypes struct {
	slots      [minSlots]*Allocator
	allocators [minSlots - 2]*Allocator
	list       allocatorList
	first      bareAllocator
	few        [3]chunk
}

// newAllocator makes an allocator, which add shall enter once it has its type, and the list of its
// first full chunks.
func (t *TypeTable) newAllocator() (*bareAllocator, []chunk) {
	if x, few := t.firstAllocator(); x != nil {
		return x, few
	}
	x := new(typedAllocator)
	return &x.bareAllocator, x.few[:0]
}

// firstAllocator is newAllocator for the first type, nil for others.
func (t *TypeTable) firstAllocator() (*bareAllocator, []chunk) {
	if t.slots != &vacantSlots {
		return nil, nil
	}
	x := &firstTypes{slots: vacantSlots}
	x.list.allocators = x.allocators[:0]
	t.slots, t.allocatorList = &x.slots, &x.list
	return &x.first, x.few[:0]
}

// At returns the allocator in the slot that key falls into, which is key's or
// another type's.
func (t *TypeTable) At(key *TypeDesc) *Allocator {
	return *slotAt(t.slots, t.offset(key))
}

// offset is that of key's slot, in bytes.
func (t *TypeTable) offset(key *TypeDesc) uintptr { return key.Bits() * t.factor >> halfWord & t.mask }

// Allocator is At, also for the table of a region that was never made: no allocator then.
func (t *TypeTable) Lookup(key *TypeDesc) *Allocator {
	if t.slots == nil {
		return vacant
	}
	return t.At(key)
}

// find returns the allocator of key, nil if there is none.
//
//go:norace
//go:nocheckptr
func (t *TypeTable) find(key *TypeDesc) *Allocator {
	home := slotAt(t.slots, t.offset(key))
	if al := *home; al.Key == key {
		return al
	}
	// No slot is free between that of a type and the one where its allocator is, and so it
	// stays when allocators in between change places.
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

// add enters a new allocator. It changes nothing if memory runs out on the way.
func (t *TypeTable) add(al *Allocator) {
	t.enter(al)
	t.enlist()
	if t.Busiest == vacant {
		t.Busiest = al
	}
}

// enter makes al the last one of all allocators, which is found by its key.
func (t *TypeTable) enter(al *Allocator) {
	slots := int(t.mask/slotSize) + 1
	if t.slots != &vacantSlots && (t.At(al.Key) == vacant || slots >= maxSlots && len(t.allocators) >= mostApart && 2*len(t.allocators) < slots) {
		t.list(al)
		t.put(al)
		return
	}
	t.list(al)
	if next := t.likeOthers(); next.slots != nil {
		*t = next
		return
	}
	for n := slots; ; n *= 2 {
		next := TypeTable{mask: uintptr(n-1) * slotSize, Busiest: t.Busiest, allocatorList: t.allocatorList}
		i, ok := next.separate()
		if !ok && (n < maxSlots || n < 2*len(t.allocators)) {
			continue
		}
		if n == slots && t.slots != &vacantSlots {
			next.slots = t.slots
		}
		next.fill(n)
		*t = next
		found.Store(uint64(n)<<8 | uint64(i))
		return
	}
}

// list makes al the last one of all allocators.
func (t *TypeTable) list(al *Allocator) {
	if t.allocatorList == &noAllocators {
		t.allocatorList = new(allocatorList)
	}
	t.allocators = append(t.allocators, al)
}

// found is the size, above, and the number of the factor, the lowest byte, of the table that was made
// last. New arenas meet the same types mostly: what one has found out by a search, which
// takes as long as many allocations, holds for the next.
var found check.Uint64

// mostFound is the largest table that an arena is given because others needed it.
const mostFound = 64

// likeOthers is the table for these allocators that is made as the last one was, without slots
// if types would share one there.
func (t *TypeTable) likeOthers() TypeTable {
	f := found.Load()
	n := int(f >> 8)
	if n <= int(t.mask/slotSize)+1 || n > mostFound {
		return TypeTable{}
	}
	next := TypeTable{mask: uintptr(n-1) * slotSize, factor: factor(int(f & 0xff)), Busiest: t.Busiest, allocatorList: t.allocatorList}
	var taken uint64 // a bit for each slot
	for _, al := range t.allocators {
		bit := uint64(1) << (next.offset(al.Key) / slotSize)
		if taken&bit != 0 {
			return TypeTable{}
		}
		taken |= bit
	}
	next.fill(n)
	return next
}

// separate looks for a factor under which every type has its own slot, and takes the last
// one if there is none.
func (t *TypeTable) separate() (i int, ok bool) {
	if len(t.allocators) > mostApart {
		t.factor = factor(0)
		return 0, false
	}
	var taken [maxSlots / 64]uint64
	for i = range factors {
		t.factor = factor(i)
		clear(taken[:(t.mask/slotSize)/64+1])
		ok = true
		for _, al := range t.allocators {
			n := t.offset(al.Key) / slotSize
			if ok = taken[n/64]&(1<<(n%64)) == 0; !ok {
				break
			}
			taken[n/64] |= 1 << (n % 64)
		}
		if ok {
			break
		}
	}
	return i, ok
}

// fill enters all allocators in n slots, new ones if there are none.
func (t *TypeTable) fill(n int) {
	if t.slots == nil {
		// SAFETY: no pointer is forged: Go checks that n is minSlots at least.
		t.slots = (*[minSlots]*Allocator)(make([]*Allocator, n))
	}
	for i := range uintptr(n) {
		*slotAt(t.slots, i*slotSize) = vacant
	}
	for _, al := range t.allocators {
		t.put(al)
	}
}

// put enters al in its slot, or the next one that is free.
func (t *TypeTable) put(al *Allocator) {
	at := t.offset(al.Key)
	for *slotAt(t.slots, at) != vacant {
		at = (at + slotSize) & t.mask
	}
	*slotAt(t.slots, at) = al
}

// check panics unless what the table says of its allocators holds together.
func (t *TypeTable) check() {
	held, chunks, oversize := uintptr(0), 0, uint32(0)
	for i, al := range t.allocators {
		must(int(al.ops.index) == i, "an allocator is not where it says")
		if i < t.activeLen {
			continue
		}
		must(al.Lo == 0 && al.Hi == 0 && len(al.full)|len(al.free) == 0, "an inactive allocator has free memory, or is in use")
		must(al.size() <= smallKept, "an inactive allocator keeps a large chunk")
		held, chunks, oversize = held+al.HeldBytes(), chunks+al.Chunks(), oversize+al.retention.oversize
	}
	must(held == t.inactiveHeld && chunks == t.inactiveChunks && oversize == t.inactiveOversize, "the count of the inactive allocators is wrong")
}

// inUse returns the active allocators. New ones come at the end, and until the cycle ends none goes.
func (t *TypeTable) active() []*Allocator { return t.allocators[:t.activeLen] }

// enlist makes the last one of all allocators, which is new, the last active one.
func (t *TypeTable) enlist() {
	i := len(t.allocators) - 1
	t.allocators[i].ops.index = uint32(i)
	t.swap(i, t.activeLen)
	t.activeLen++
}

func (t *allocatorList) swap(i, j int) {
	a, b := t.allocators[i], t.allocators[j]
	t.allocators[i], t.allocators[j] = b, a
	a.ops.index, b.ops.index = uint32(j), uint32(i)
}

// slotAt returns the slot of a lookup table at byte offset off.
//
// SAFETY: off is below the table's size in bytes and a multiple of a
// pointer's size: TypeTable masks it so.
func slotAt(slots *[minSlots]*Allocator, off uintptr) **Allocator {
	return (**Allocator)(unsafe.Add(unsafe.Pointer(slots), off))
}

// use returns al, which was found, as an active allocator.
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
	t.inactiveOversize -= al.retention.oversize
	t.swap(int(al.ops.index), t.activeLen)
	t.activeLen++
	al.retention.wasInactive = al.ops.since != uint32(r.resets) // the last cycle did not use it
	al.retention.idle = 0
	al.Lo, al.Hi = al.begin(), al.cap
	return al
}

// rest makes al, which is empty and has one chunk at most, inactive.
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
	t.inactiveOversize += al.retention.oversize
	t.activeLen--
	t.swap(int(al.ops.index), t.activeLen)
	al.Lo, al.Hi = 0, 0
	al.ops.since = 0
	if al.retention.wasInactive {
		al.retention.wasInactive = false
		al.ops.since = uint32(r.resets + 1)
	}
}
