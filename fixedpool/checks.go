package fixedpool

import (
	"strconv"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// The checks for misuse. Plain builds do not call these functions.

// lockSlots makes all slots inaccessible until they are allocated.
func (p *Pool[T]) lockSlots() {
	p.fillSlots(0, p.count)
	check.Poison(p.base, 0, p.count*xunsafe.SizeOf[T]())
}

// openNext makes the slot of the next Allocate accessible. It panics, and changes nothing, if the slot was
// written while it was free.
func (p *Pool[T]) openNext() {
	i := p.fresh
	if n := len(p.free); n > 0 {
		i = uintptr(p.free[n-1])
	} else if i >= p.count {
		return
	}
	size := xunsafe.SizeOf[T]()
	if !check.IsFree(p.base, i*size, i*size+size, p.pointers) {
		panic("fixedpool: " + p.name() + ".Allocate: slot " + strconv.Itoa(int(i)) + " was written after it was given back")
	}
	check.Unpoison(p.base, i*size, i*size+size)
}

// closeSlot makes slot i inaccessible after Deallocate.
func (p *Pool[T]) closeSlot(i uintptr) {
	size := xunsafe.SizeOf[T]()
	check.RaceWrite(p.base, i*size, i*size+size)
	p.fillSlots(i, i+1)
	check.Poison(p.base, i*size, i*size+size)
}

// fillSlots fills the free slots [from, to).
func (p *Pool[T]) fillSlots(from, to uintptr) {
	if size := xunsafe.SizeOf[T](); !check.Tag || size == 0 {
		return
	} else if p.pointers {
		// Also clear padding, which assigning the zero T may leave unchanged.
		machine.ClearTyped[T](p.base, from*size, to*size)
	} else {
		check.FillFree(p.base, from*size, to*size)
	}
}
