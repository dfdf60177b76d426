package machine

import (
	"sync/atomic"
	"unsafe"

	"github.com/ebbpool/arena/internal/check"
)

// TypeTable finds the lane of a type that has pointers by the address of the
// type's descriptor.
//
// It is a direct-mapped table: the upper half of the descriptor's address times a
// factor picks a slot, and either the lane there is the type's or it is looked up on the
// slow path. Types don't share slots: when one is added, a factor is searched under
// which all of them have a slot of their own, and where there is none the
// table doubles. So ten types in turn are as fast as one. Of very many types some do
// share one: then one has it, and the others the next ones that are free.
//
// That is multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4). The
// address without a factor, shifted right, needs tables of up to maxSlots for a dozen
// types: some addresses differ in their low bits alone, others in high ones.
type TypeTable struct {
	slots  *[minSlots]*Lane // the first of mask/slotSize+1 slots, none nil
	mask   uintptr          // picks the slot, as an offset in bytes
	factor uintptr

	// Busiest is the lane that the last epoch took most from. New looks there
	// before it looks into the table: most programs have a type that comes more
	// often than the others.
	Busiest *Lane

	*laneList
}

// laneList has what only the slow paths need, see laneRecord.
type laneList struct {
	lanes  []*Lane // all lanes, those that are active first: see region_rest.go
	active int     // lanes[:active] are active

	// Of the inactive ones:
	restHeld     uintptr // bytes of all chunks
	restChunks   int
	restOversize uint32
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
var vacant = &Lane{Key: new(TypeDesc)}

// vacantSlots is the table of an arena that has met no type with pointers.
var vacantSlots = [minSlots]*Lane{vacant, vacant, vacant, vacant, vacant, vacant, vacant, vacant}

func newTypeTable() TypeTable {
	return TypeTable{slots: &vacantSlots, mask: (minSlots - 1) * slotSize, Busiest: vacant, laneList: &noLanes}
}

// noLanes is the list of a table that is empty, which is never changed.
var noLanes laneList

// firstTypes has what the first types of an arena need, in one allocation: a
// new arena for each request would feel six of them. More than six types hardly ever
// have slots of their own in so small a table, and longer lists would be of the heap's
// next size.
type firstTypes struct {
	slots [minSlots]*Lane
	lanes [minSlots - 2]*Lane
	list  laneList
	first bareLane
	few   [3]chunk
}

// newLane makes a lane, which add shall enter once it has its type, and the list of its
// first full chunks.
func (t *TypeTable) newLane() (*bareLane, []chunk) {
	if x, few := t.firstLane(); x != nil {
		return x, few
	}
	x := new(typedLane)
	return &x.bareLane, x.few[:0]
}

// firstLane is newLane for the first type, nil for others.
func (t *TypeTable) firstLane() (*bareLane, []chunk) {
	if t.slots != &vacantSlots {
		return nil, nil
	}
	x := &firstTypes{slots: vacantSlots}
	x.list.lanes = x.lanes[:0]
	t.slots, t.laneList = &x.slots, &x.list
	return &x.first, x.few[:0]
}

// At returns the lane in the slot that key falls into, which is key's or
// another type's.
func (t *TypeTable) At(key *TypeDesc) *Lane {
	return *slotAt(t.slots, t.offset(key))
}

// offset is that of key's slot, in bytes.
func (t *TypeTable) offset(key *TypeDesc) uintptr { return key.Bits() * t.factor >> halfWord & t.mask }

// Lane is At, also for the table of a region that was never made: no lane then.
func (t *TypeTable) Lane(key *TypeDesc) *Lane {
	if t.slots == nil {
		return vacant
	}
	return t.At(key)
}

// find returns the lane of key, nil if there is none.
//
//go:norace
//go:nocheckptr
func (t *TypeTable) find(key *TypeDesc) *Lane {
	home := slotAt(t.slots, t.offset(key))
	if l := *home; l.Key == key {
		return l
	}
	// No slot is free between that of a type and the one where its lane is, and so it
	// stays when lanes in between change places.
	for at := uintptr(slotSize); at <= t.mask; at += slotSize {
		slot := slotAt(t.slots, (t.offset(key)+at)&t.mask)
		l := *slot
		if l == vacant {
			break
		}
		if l.Key == key {
			*home, *slot = l, *home
			return l
		}
	}
	return nil
}

// add enters a new lane. It changes nothing if memory runs out on the way.
func (t *TypeTable) add(l *Lane) {
	t.enter(l)
	t.enlist()
	if t.Busiest == vacant {
		t.Busiest = l
	}
}

// enter makes l the last one of all lanes, which is found by its key.
func (t *TypeTable) enter(l *Lane) {
	slots := int(t.mask/slotSize) + 1
	if t.slots != &vacantSlots && (t.At(l.Key) == vacant || slots >= maxSlots && len(t.lanes) >= mostApart && 2*len(t.lanes) < slots) {
		t.list(l)
		t.put(l)
		return
	}
	t.list(l)
	if next := t.likeOthers(); next.slots != nil {
		*t = next
		return
	}
	for n := slots; ; n *= 2 {
		next := TypeTable{mask: uintptr(n-1) * slotSize, Busiest: t.Busiest, laneList: t.laneList}
		i, ok := next.separate()
		if !ok && (n < maxSlots || n < 2*len(t.lanes)) {
			continue
		}
		if n == slots && t.slots != &vacantSlots {
			next.slots = t.slots
		}
		next.fill(n)
		*t = next
		check.RaceBlind() // what one goroutine has found is no order between its values and another's
		found.Store(uint64(n)<<8 | uint64(i))
		check.RaceSee()
		return
	}
}

// list makes l the last one of all lanes.
func (t *TypeTable) list(l *Lane) {
	if t.laneList == &noLanes {
		t.laneList = new(laneList)
	}
	t.lanes = append(t.lanes, l)
}

// found is the size, above, and the number of the factor, the lowest byte, of the table that was made
// last. New arenas meet the same types mostly: what one has found out by a search, which
// takes as long as many allocations, holds for the next.
var found atomic.Uint64

// mostFound is the largest table that an arena is given because others needed it.
const mostFound = 64

// likeOthers is the table for these lanes that is made as the last one was, without slots
// if types would share one there.
func (t *TypeTable) likeOthers() TypeTable {
	check.RaceBlind()
	f := found.Load()
	check.RaceSee()
	n := int(f >> 8)
	if n <= int(t.mask/slotSize)+1 || n > mostFound {
		return TypeTable{}
	}
	next := TypeTable{mask: uintptr(n-1) * slotSize, factor: factor(int(f & 0xff)), Busiest: t.Busiest, laneList: t.laneList}
	var taken uint64 // a bit for each slot
	for _, l := range t.lanes {
		bit := uint64(1) << (next.offset(l.Key) / slotSize)
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
	if len(t.lanes) > mostApart {
		t.factor = factor(0)
		return 0, false
	}
	var taken [maxSlots / 64]uint64
	for i = range factors {
		t.factor = factor(i)
		clear(taken[:(t.mask/slotSize)/64+1])
		ok = true
		for _, l := range t.lanes {
			n := t.offset(l.Key) / slotSize
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

// fill enters all lanes in n slots, new ones if there are none.
func (t *TypeTable) fill(n int) {
	if t.slots == nil {
		// SAFETY: no pointer is forged: Go checks that n is minSlots at least.
		t.slots = (*[minSlots]*Lane)(make([]*Lane, n))
	}
	for i := range uintptr(n) {
		*slotAt(t.slots, i*slotSize) = vacant
	}
	for _, l := range t.lanes {
		t.put(l)
	}
}

// put enters l in its slot, or the next one that is free.
func (t *TypeTable) put(l *Lane) {
	at := t.offset(l.Key)
	for *slotAt(t.slots, at) != vacant {
		at = (at + slotSize) & t.mask
	}
	*slotAt(t.slots, at) = l
}

// check panics unless what the table says of its lanes holds together.
func (t *TypeTable) check() {
	held, chunks, oversize := uintptr(0), 0, uint32(0)
	for i, l := range t.lanes {
		must(int(l.ops.index) == i, "a lane is not where it says")
		if i < t.active {
			continue
		}
		must(l.Lo == 0 && l.Hi == 0 && len(l.older)|len(l.free) == 0, "an inactive lane has free memory, or is in use")
		must(l.size() <= smallKept, "an inactive lane keeps a large chunk")
		held, chunks, oversize = held+l.HeldBytes(), chunks+l.Chunks(), oversize+l.retention.oversize
	}
	must(held == t.restHeld && chunks == t.restChunks && oversize == t.restOversize, "the count of the inactive lanes is wrong")
}

// inUse returns the active lanes. New ones come at the end, and until the cycle ends none goes.
func (t *TypeTable) inUse() []*Lane { return t.lanes[:t.active] }

// enlist makes the last one of all lanes, which is new, the last active one.
func (t *TypeTable) enlist() {
	i := len(t.lanes) - 1
	t.lanes[i].ops.index = uint32(i)
	t.swap(i, t.active)
	t.active++
}

func (t *laneList) swap(i, j int) {
	a, b := t.lanes[i], t.lanes[j]
	t.lanes[i], t.lanes[j] = b, a
	a.ops.index, b.ops.index = uint32(j), uint32(i)
}

// slotAt returns the slot of a lookup table at byte offset off.
//
// SAFETY: off is below the table's size in bytes and a multiple of a
// pointer's size: TypeTable masks it so.
func slotAt(slots *[minSlots]*Lane, off uintptr) **Lane {
	return (**Lane)(unsafe.Add(unsafe.Pointer(slots), off))
}
