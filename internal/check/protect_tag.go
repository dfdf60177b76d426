//go:build arenacheck

package check

import (
	"reflect"

	"github.com/ebbpool/arena/internal/guard"
)

// With the tag arenacheck, memory that was taken back is made unusable without the help
// of a sanitizer, see package guard. What lies between values without pointers is filled
// with FreeByte, and looked at when it is taken back. What is handed out as it is, is
// filled with it, too. Where pages can't be protected, memory without pointers that was
// taken back is filled with DeadByte.
const (
	FreeByte = 0xFC // never handed out
	DeadByte = 0xDE // given back
)

// faults says that a stale access to memory without pointers faults. Where
// AddressSanitizer watches it, its report says more.
const faults = !ASan

// run is the mapping that a chunk's pages are of.
type run = guard.Run

// tailRedzone is how many bytes lie behind each chunk without pointers, as a redzone
// for its last value: noscanRedzone, and no part of the chunk.
const tailRedzone = noscanRedzone

// makeChecked makes the memory of a chunk of n bytes, and says which run it is
// of, if it is.
func (al *Allocator) makeChecked(n uintptr, make func(uintptr) Pointer) (base Pointer, r *run) {
	if al.typed || ASan {
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
	case !al.typed && !ASan && !c.run.Protect(r.Base, r.Size+tailRedzone, al.of.cycle):
		fill(r.Base, 0, r.Size, deadFill)
	}
}

// deadPointer returns the value of all dead pointers of the cycle. The race detector
// learns nothing from it.
//
//go:norace
func deadPointer(e *guard.Cycle) Pointer {
	if e == nil {
		e = new(guard.Cycle) // it was made while the checks were off
	}
	RaceBlind()
	defer RaceSee()
	return e.DeadPointer()
}

// deadFiller returns what fills memory of a type that has pointers with dead values.
func deadFiller(t reflect.Type) func(base Pointer, from, to uintptr, dead Pointer) {
	return guard.DeadFiller(t)
}
