//go:build arenacheck || race || asan

package check

import (
	"os"
	"reflect"
)

// On turns on the checks for misuse. The library then never reuses memory. The collector keeps memory alive
// while a pointer to it exists, so a stale pointer refers to memory that nothing else uses, and every use of
// it can be found:
//
//   - by AddressSanitizer, because free memory of an arena is poisoned, including memory that was taken back;
//   - by the race detector, because taking memory back counts as writing it;
//   - by the processor, with the tag arenacheck; see protect_tag.go.
//
// It is a variable for the library's own tests of memory reuse, and for running such a build without the
// checks.
var On = os.Getenv("EBBPOOL_CHECKED") != "off"

// Allocator is the state of the checks for an allocator.
type Allocator struct {
	of       *Tracker
	fillDead func(base Pointer, from, to uintptr, dead Pointer) // fills memory with dead values; nil without pointers
	spare    given                                              // empty lists, for the next chunk
	align    uintptr
	noscan   bool // serves all pointer-free types
}

// Chunk is the state of the checks for a chunk.
type Chunk struct {
	redzones uintptr // total size
	given            // with arenacheck: the allocated values
	run      *run    // with arenacheck: the mapping that contains the chunk
}

// given lists the values allocated from the lower end of a chunk, and strings from its upper end.
type given struct{ objects, strings []span }

// span is a range of offsets of a chunk.
type span struct{ from, to uintptr }

const (
	// noscanRedzone is the number of bytes between two values without pointers: two of AddressSanitizer's
	// units of 8 bytes.
	noscanRedzone = 16
	// maxRedzone is the maximum size in bytes of a value with pointers that is preceded by an unused value.
	maxRedzone = 1024
)

// NewNoscanAllocator returns the state for the allocator of all pointer-free types.
func NewNoscanAllocator(align uintptr) Allocator { return Allocator{align: align, noscan: true} }

// NewAllocator returns the state for the allocator of t, a type with pointers of size bytes.
func NewAllocator(t reflect.Type, size uintptr) Allocator {
	return Allocator{align: size, fillDead: deadFiller(t)}
}

// WatchedBy sets the tracker of the allocator's arena, and Tracker returns it.
func (al *Allocator) WatchedBy(t *Tracker) { al.of = t }

//go:norace
func (al *Allocator) Tracker() *Tracker { return al.of }

// Redzone returns the size in bytes of the redzone before a value, which an access past the end of the
// previous value hits. Between values with pointers, only AddressSanitizer detects that.
//
//go:norace
func (al *Allocator) Redzone() uintptr {
	switch {
	case !On || !ASan && !Tag:
		return 0
	case al.noscan:
		return noscanRedzone
	case al.align > maxRedzone || !ASan:
		return 0
	}
	return al.align
}

// TextRedzone is Redzone for a string of size bytes. It begins at a multiple of 8, as AddressSanitizer
// requires.
//
//go:norace
func (al *Allocator) TextRedzone(size uintptr) uintptr {
	redzone := al.Redzone()
	if redzone == 0 {
		return 0
	}
	return redzone + roundUp(size, 8) - size
}

// RedzoneBytes returns the size of the redzones among the chunk's used bytes.
//
//go:norace
func (c *Chunk) RedzoneBytes() uintptr { return c.redzones }

// Make allocates the memory of a new chunk of size bytes, with the function make unless the checks need
// special memory, and makes it inaccessible if the build can.
//
//go:norace
func (c *Chunk) Make(al *Allocator, size uintptr, make func(uintptr) Pointer) Pointer {
	var base Pointer
	base, c.run = al.makeChecked(size, make)
	Poison(base, 0, size)
	return base
}

// TakeTail frees [from, to), the end of the newest value.
func (c *Chunk) TakeTail(base Pointer, from, to uintptr) {
	Poison(base, from, to)
	c.noteTail(base, from, to)
}

// AddRedzone makes the n bytes at offset at a redzone.
//
//go:norace
func (c *Chunk) AddRedzone(al *Allocator, base Pointer, at, n uintptr) {
	c.redzones += n
	al.fillRedzone(base, at, n)
}

// Give records the allocation of [from, to), and returns the offset up to which the chunk is not zero because
// of it.
//
//go:norace
func (c *Chunk) Give(al *Allocator, r Extent, from, to uintptr) (clean uintptr) {
	Unpoison(r.Base, from, to)
	return c.noteGiven(al, r, from, to)
}

// Quarantine makes a chunk's memory permanently inaccessible. clear zeroes memory with pointers; it is nil
// for types without.
//
//go:norace
func (c *Chunk) Quarantine(al *Allocator, r Extent, clear func(base Pointer, from, to uintptr)) {
	c.recycleLists(al)
	RaceWrite(r.Base, 0, r.Lo)
	RaceWrite(r.Base, r.Hi, r.Size)
	if clear != nil {
		Unpoison(r.Base, 0, r.Lo)
		clear(r.Base, 0, r.Lo) // so that nothing is kept alive
	}
	c.protect(al, r)
	Poison(r.Base, 0, r.Size)
}

// roundUp rounds n up to a multiple of align, which need not be a power of two.
func roundUp(n, align uintptr) uintptr {
	if r := n % align; r != 0 {
		n += align - r
	}
	return n
}
