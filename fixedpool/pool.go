// Package fixedpool has pools of one type and a fixed number of slots, which are
// taken and given back one by one, in any order. Nothing grows, nothing is allocated
// after New, and every misuse that can be seen is reported.
//
//	orders := fixedpool.New[Order](10_000)
//	o := orders.Allocate() // nil if all are out
//	...
//	orders.Deallocate(o)
//
// It is for objects that end one by one. What ends together, with a request, belongs
// in an arena: see package arena.
package fixedpool

import (
	"math"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A Pool hands out and takes back values of one type in any order, up to a number
// that is fixed when it is made. Allocate and Deallocate take constant time and
// allocate nothing; what was freed last is handed out first.
//
// T may hold any pointers: the slots are a []T. Slots are zero when they are
// handed out, and those with pointers are cleared when they are freed, so a
// free slot keeps nothing alive. A pointer to a slot keeps the whole pool's
// memory alive.
//
// Giving back what was not handed out panics, see Deallocate. One mistake
// can't be seen: a pointer that is freed again after its slot was handed out
// once more looks like the new owner's.
//
// A Pool belongs to one goroutine at a time, SyncPool is for many. It must not be
// copied; the zero Pool has no slots.
type Pool[T any] struct {
	base     xunsafe.Pointer
	count    uintptr // slots
	inverse  uintptr // of the odd part of the slots' distance, modulo the word
	rotation int     // the distance's factors of two
	pointers bool
	sync     bool // it is a SyncPool's

	free  []uint32 // freed slots, the last one on top
	fresh uintptr  // slots from here on were never handed out
	live  []bool   // whether a slot is out

	misses uint64 // Allocates that returned nil

	_ noCopy
}

// New returns a pool of capacity slots, all of whose memory, a T, 4
// bytes and 1 byte for each, it takes from the heap at once. 0 is a legal
// capacity. A negative one, one above 1<<32 - 1 and more bytes than can be
// allocated panic.
func New[T any](capacity int) *Pool[T] {
	p := new(Pool[T])
	p.init("New", capacity)
	return p
}

func (p *Pool[T]) init(function string, capacity int) {
	stride := max(xunsafe.SizeOf[T](), 1)
	largest := machine.MaxAlloc / max(stride, 4) // the list of free slots has 4 bytes for each
	if capacity < 0 || uint64(capacity) > math.MaxUint32 || uintptr(capacity) > largest {
		panic("fixedpool: " + function + "[" + reflect.TypeFor[T]().String() + "](capacity " + strconv.Itoa(capacity) +
			"): capacity must be from 0 to " + strconv.Itoa(int(min(uint64(largest), math.MaxUint32))) + " slots")
	}
	p.sync = function == "NewSync"
	p.count = uintptr(capacity)
	p.number(stride, bits.TrailingZeros(uint(stride)))
	p.pointers = machine.HoldsPointers[T]()
	if capacity == 0 {
		return
	}
	if xunsafe.SizeOf[T]() == 0 {
		p.base = machine.MakeNoscan(machine.RoundUp(uintptr(capacity), machine.NoscanAlign)) // a byte for each, so that they differ
	} else {
		p.base = machine.MakeTyped[T](uintptr(capacity) * stride)
	}
	p.free = make([]uint32, 0, capacity)
	p.live = make([]bool, capacity)
	if check.On {
		p.lockSlots()
	}
}

// number sets what slotOf divides by stride with, which has so many factors of
// two. It checks both numbers, which costs nothing beside the pool's memory: a
// wrong one hands a slot to two owners, and compilers have got one wrong: Go 1.25
// and 1.26 on arm make 34 of bits.TrailingZeros64 of a 4 that they fold.
func (p *Pool[T]) number(stride uintptr, twos int) {
	p.rotation, p.inverse = twos, inverse(stride>>twos)
	if odd := stride >> twos; odd<<twos != stride || odd*p.inverse != 1 {
		panic("fixedpool: internal error: slots of " + strconv.Itoa(int(stride)) + " bytes have no " + strconv.Itoa(twos) +
			" factors of two, or the inverse of the rest is not " + strconv.Itoa(int(p.inverse)) +
			"; report it with the version of Go and the platform")
	}
}

// inverse returns the x for which x*odd is 1 modulo the word: three bits are
// right to begin with, and each of Newton's steps doubles them (Henry S.
// Warren, Hacker's Delight, 10-16).
func inverse(odd uintptr) uintptr {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// slotOf returns the number of the slot that begins off bytes behind base, or a
// number that is no slot's: an offset below zero, beyond the end or between
// two beginnings gives one that is not below count, so that one comparison
// finds them all.
//
// The slots' distance is known where this is inlined: for a power of two, whose
// odd part is 1, what is left is one rotation by a constant.
func slotOf(off, stride, inverse uintptr, rotation int) uintptr {
	if stride&(stride-1) == 0 {
		return off/stride | off*(math.MaxUint/stride+1)
	}
	return uintptr(bits.RotateLeft(uint(off*inverse), -rotation))
}

// Allocate returns a zero T, or nil if all slots are out. Whoever gets it
// must give it back with Deallocate and not use it any more then.
func (p *Pool[T]) Allocate() *T {
	if check.On {
		p.openNext()
	}
	var i uintptr
	live := p.live
	if n := len(p.free); n > 0 {
		i = uintptr(p.free[n-1])
		p.free = p.free[:n-1]
	} else if i = p.fresh; i < uintptr(len(live)) {
		p.fresh++
	} else {
		p.misses++
		return nil
	}
	live[i] = true
	x := xunsafe.At[T](p.base, i*max(xunsafe.SizeOf[T](), 1))
	// Also with pointers, although Deallocate cleared it: a write through a
	// stale pointer must not reach the next owner.
	*x = *new(T)
	return x
}

// Deallocate gives x back, which must have come from Allocate of this pool and
// not have been given back since. Anything else panics with a *MisuseError
// and changes nothing: nil, a pointer from elsewhere, one into a slot, one to
// a slot that is free already or was never handed out.
func (p *Pool[T]) Deallocate(x *T) {
	i := slotOf(xunsafe.Offset(p.base, xunsafe.PointerTo(x)), max(xunsafe.SizeOf[T](), 1), p.inverse, p.rotation)
	live := p.live
	if i >= uintptr(len(live)) || !live[i] {
		panic(p.misuse(x))
	}
	live[i] = false
	n := len(p.free)
	p.free = p.free[:n+1] // has room for every slot
	p.free[n] = uint32(i)
	if p.pointers {
		*x = *new(T)
	}
	if check.On {
		p.closeSlot(i)
	}
}

// name is the pool's type, for messages.
func (p *Pool[T]) name() string {
	if p.sync {
		return "SyncPool"
	}
	return "Pool"
}

// misuse finds out what is wrong with x.
//
//go:noinline
func (p *Pool[T]) misuse(x *T) *MisuseError {
	stride := max(xunsafe.SizeOf[T](), 1)
	e := &MisuseError{
		Pool:     p.name() + "[" + reflect.TypeFor[T]().String() + "]",
		Pointer:  xunsafe.Offset(nil, xunsafe.PointerTo(x)),
		Slot:     -1,
		Capacity: p.Capacity(),
	}
	d := xunsafe.Offset(p.base, xunsafe.PointerTo(x))
	switch {
	case x == nil:
		e.Err = ErrNil
		return e
	case d >= p.count*stride:
		e.Err = ErrForeign
		return e
	case d%stride != 0:
		e.Err = ErrInterior
	case d/stride >= p.fresh:
		e.Err = ErrNeverAllocated
	default:
		e.Err = ErrDouble
	}
	e.Slot = int(d / stride)
	return e
}

// Owns reports whether x is a pointer that Allocate returned and that was not
// given back since.
func (p *Pool[T]) Owns(x *T) bool {
	i := slotOf(xunsafe.Offset(p.base, xunsafe.PointerTo(x)), max(xunsafe.SizeOf[T](), 1), p.inverse, p.rotation)
	return i < p.count && p.live[i]
}

// Capacity is the number of slots.
func (p *Pool[T]) Capacity() int { return int(p.count) }

// Used is the number of slots that are out.
func (p *Pool[T]) Used() int { return int(p.fresh) - len(p.free) }

// Empty reports whether no slot is out: Used() == 0.
func (p *Pool[T]) Empty() bool { return p.Used() == 0 }

// Full reports whether no slot is free: Used() == Capacity().
func (p *Pool[T]) Full() bool { return p.Used() == p.Capacity() }

// Stats describes a pool at one moment.
type Stats struct {
	Capacity      int    // slots
	Used          int    // slots that are out
	HighWater     int    // the most slots that were out at one time
	Misses        uint64 // Allocates that found no free slot
	UsedBytes     int    // of the slots that are out
	RetainedBytes int    // of all memory, out or not: a T, 4 bytes and 1 byte for each slot
}

// Stats returns the pool's statistics. It takes constant time.
func (p *Pool[T]) Stats() Stats {
	slot := max(int(xunsafe.SizeOf[T]()), 1)
	return Stats{
		Capacity:      p.Capacity(),
		Used:          p.Used(),
		HighWater:     int(p.fresh),
		Misses:        p.misses,
		UsedBytes:     p.Used() * int(xunsafe.SizeOf[T]()),
		RetainedBytes: p.Capacity() * (slot + 4 + 1),
	}
}

// noCopy has go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
