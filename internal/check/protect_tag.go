//go:build arenacheck

package check

import (
	"reflect"

	"github.com/ebbpool/arena/internal/guard"
)

// With the tag arenacheck, memory that was taken back becomes unusable without a sanitizer; see package
// guard. Redzones between values without pointers are filled with FreeByte and verified when memory is taken
// back. Uninitialized memory is also filled with FreeByte. If pages cannot be protected, pointer-free memory
// that was taken back is filled with DeadByte.
const (
	FreeByte = 0xFC // not allocated
	DeadByte = 0xDE // taken back
)

// faults reports whether a stale access to pointer-free memory faults. AddressSanitizer's report is more
// informative.
const faults = !ASan

// run is the mapping that contains a chunk's pages.
type run = guard.Run

// tailRedzone is the number of bytes after each pointer-free chunk that serve as a redzone for its last
// value. They are not part of the chunk.
const tailRedzone = noscanRedzone

// makeChecked allocates the memory of a chunk of n bytes, and returns its mapping, if it has one.
func (al *Allocator) makeChecked(n uintptr, make func(uintptr) Pointer) (base Pointer, r *run) {
	if !al.noscan || ASan {
		return make(n), nil
	}
	if faults && guard.HavePages() {
		base, r = guard.TakePages(n + tailRedzone)
	} else {
		base = makeWords(roundUp(n+tailRedzone, 8))
	}
	fill(base, n, n+tailRedzone, freeFill)
	return base, r
}

// protect makes a chunk's memory unusable.
func (c *Chunk) protect(al *Allocator, r Extent) {
	switch {
	case al.fillDead != nil:
		al.fillDead(r.Base, 0, r.Lo, deadPointer(al.of.cycle))
	case al.noscan && !ASan && !c.run.Protect(r.Base, r.Size+tailRedzone, al.of.cycle):
		fill(r.Base, 0, r.Size, deadFill)
	}
}

// deadPointer returns the value of all dead pointers of the cycle, without an order for the race detector.
//
//go:norace
func deadPointer(e *guard.Cycle) Pointer {
	if e == nil {
		e = new(guard.Cycle) // the arena was made while the checks were off
	}
	RaceBlind()
	defer RaceSee()
	return e.DeadPointer()
}

// deadFiller returns a function that fills memory of a type with pointers with dead values.
func deadFiller(t reflect.Type) func(base Pointer, from, to uintptr, dead Pointer) {
	return guard.DeadFiller(t)
}
