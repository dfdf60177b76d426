// Package fixedpool implements pools of a fixed number of values of one type, which are allocated and freed
// one by one, in any order. A pool never grows and allocates nothing after New. Detectable misuse panics.
//
//	orders := fixedpool.New[Order](10_000)
//	o := orders.Allocate() // nil if all slots are in use
//	...
//	orders.Deallocate(o)
//
// Use it for objects that end at different times. Objects that end together, such as those of a request,
// belong in an arena; see package arena.
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

// A Pool allocates and frees values of one type in any order, up to a fixed number. Allocate and Deallocate
// take constant time and do not allocate from the heap. The slot freed last is allocated first.
//
// T may contain pointers: the slots are a []T. Allocate returns a zero T. Slots with pointers are cleared
// when they are freed, so a free slot keeps nothing alive. A pointer to a slot keeps the whole pool alive.
//
// Freeing a value that is not in use panics; see Deallocate. One misuse cannot be detected: freeing a pointer
// again after its slot was allocated again.
//
// A Pool may be used by one goroutine at a time; see SyncPool. It must not be copied. The zero Pool has no
// slots.
type Pool[T any] struct {
	base     xunsafe.Pointer
	count    uintptr // number of slots
	inverse  uintptr // of the odd part of the slots' distance, modulo the word size
	rotation int     // the distance's factors of two
	pointers bool
	sync     bool // part of a SyncPool

	free  []uint32 // freed slots, the last one on top
	fresh uintptr  // slots from here on were never used
	live  []bool   // whether a slot is in use

	misses uint64 // calls of Allocate that returned nil

	_ noCopy
}

// New returns a pool of capacity slots. It allocates all of the pool's memory: for each slot a T and 5 bytes.
// A capacity of 0 is allowed. New panics if capacity is negative or above 1<<32 - 1, or if the size exceeds
// the maximum of the platform.
func New[T any](capacity int) *Pool[T] {
	p := new(Pool[T])
	p.init("New", capacity)
	return p
}

func (p *Pool[T]) init(function string, capacity int) {
	stride := max(xunsafe.SizeOf[T](), 1)
	largest := machine.MaxAlloc / max(stride, 4) // the free list takes 4 bytes per slot
	if capacity < 0 || uint64(capacity) > math.MaxUint32 || uintptr(capacity) > largest {
		panic("fixedpool: " + function + "[" + reflect.TypeFor[T]().String() + "](capacity " + strconv.Itoa(capacity) +
			"): capacity not in [0, " + strconv.Itoa(int(min(uint64(largest), math.MaxUint32))) + "]")
	}
	p.sync = function == "NewSync"
	p.count = uintptr(capacity)
	p.number(stride, bits.TrailingZeros(uint(stride)))
	p.pointers = machine.HoldsPointers[T]()
	if capacity == 0 {
		return
	}
	if xunsafe.SizeOf[T]() == 0 {
		p.base = machine.MakeNoscan(machine.RoundUp(uintptr(capacity), machine.NoscanAlign)) // one byte per slot, so that addresses differ
	} else {
		p.base = machine.MakeTyped[T](uintptr(capacity) * stride)
	}
	p.free = make([]uint32, 0, capacity)
	p.live = make([]bool, capacity)
	if check.On {
		p.lockSlots()
	}
}

// number sets the two numbers with which slotOf divides by stride, which has the given number of factors of
// two. It verifies both numbers, because a wrong one gives a slot to two owners. Go 1.25 and 1.26 on arm
// miscompile one of them: they fold bits.TrailingZeros64 of 4 to 34.
func (p *Pool[T]) number(stride uintptr, twos int) {
	p.rotation, p.inverse = twos, inverse(stride>>twos)
	if odd := stride >> twos; odd<<twos != stride || odd*p.inverse != 1 {
		panic("fixedpool: internal error: slots of " + strconv.Itoa(int(stride)) + " bytes have no " + strconv.Itoa(twos) +
			" factors of two, or the inverse of the rest is not " + strconv.Itoa(int(p.inverse)) +
			"; report it with the version of Go and the platform")
	}
}

// inverse returns the x for which x*odd is 1 modulo the word size. Three bits of the initial value are right,
// and each of Newton's steps doubles their number (Henry S. Warren, Hacker's Delight, 10-16).
func inverse(odd uintptr) uintptr {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// slotOf returns the index of the slot that begins at offset off, or a number that is not below count if
// there is none: for offsets below zero, past the end or inside a slot. So one comparison refuses all of
// these.
//
// The slots' distance is a constant when slotOf is inlined. For a power of two, whose odd part is 1, only a
// rotation by a constant remains.
func slotOf(off, stride, inverse uintptr, rotation int) uintptr {
	if stride&(stride-1) == 0 {
		return off/stride | off*(math.MaxUint/stride+1)
	}
	return uintptr(bits.RotateLeft(uint(off*inverse), -rotation))
}

// Allocate returns a zero T, or nil if all slots are in use. The caller must free it with Deallocate and must
// not use it afterwards.
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
	// Also clear slots with pointers, although Deallocate has cleared them: a write through a stale pointer
	// must not reach the next owner.
	*x = *new(T)
	return x
}

// Deallocate frees x, which must be in use and allocated from p. Otherwise it panics with a *MisuseError and
// changes nothing. This includes nil, foreign pointers, pointers inside a slot, and slots that are free or
// were never allocated.
func (p *Pool[T]) Deallocate(x *T) {
	i := slotOf(xunsafe.Offset(p.base, xunsafe.PointerTo(x)), max(xunsafe.SizeOf[T](), 1), p.inverse, p.rotation)
	live := p.live
	if i >= uintptr(len(live)) || !live[i] {
		panic(p.misuse(x))
	}
	live[i] = false
	n := len(p.free)
	p.free = p.free[:n+1] // has capacity for every slot
	p.free[n] = uint32(i)
	if p.pointers {
		*x = *new(T)
	}
	if check.On {
		p.closeSlot(i)
	}
}

// name returns the pool's type, for messages.
func (p *Pool[T]) name() string {
	if p.sync {
		return "SyncPool"
	}
	return "Pool"
}

// misuse determines the kind of misuse.
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

// Owns reports whether x is in use and was allocated from p.
func (p *Pool[T]) Owns(x *T) bool {
	i := slotOf(xunsafe.Offset(p.base, xunsafe.PointerTo(x)), max(xunsafe.SizeOf[T](), 1), p.inverse, p.rotation)
	return i < p.count && p.live[i]
}

// Capacity returns the number of slots.
func (p *Pool[T]) Capacity() int { return int(p.count) }

// Used returns the number of slots in use.
func (p *Pool[T]) Used() int { return int(p.fresh) - len(p.free) }

// Empty reports whether no slot is in use.
func (p *Pool[T]) Empty() bool { return p.Used() == 0 }

// Full reports whether all slots are in use.
func (p *Pool[T]) Full() bool { return p.Used() == p.Capacity() }

// Stats is a pool's statistics at one moment.
type Stats struct {
	Capacity      int    // slots
	Used          int    // slots in use
	HighWater     int    // maximum of Used so far
	Misses        uint64 // calls of Allocate that found no free slot
	UsedBytes     int    // bytes of the slots in use
	RetainedBytes int    // bytes of the whole pool: for each slot a T and 5 bytes
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

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
