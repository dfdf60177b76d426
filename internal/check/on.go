//go:build arenacheck || race || asan

package check

import (
	"os"
	"reflect"
)

// On turns on the checks for misuse: the library then hands out each piece of
// memory once, never to use it again. The collector keeps memory that is
// pointed to, so a stale pointer leads to memory that is nobody else's for as
// long as the pointer exists, and every use of it can be found:
//
//   - by AddressSanitizer, because all of an arena's memory that is not handed
//     out is poisoned, and so is memory that was taken back;
//   - by the race detector, because taking memory back counts as writing it;
//   - by the processor, with the tag arenacheck: see protect_tag.go.
//
// It is a variable for the library's own tests, which also test how memory is
// used again, and for who wants one of these builds without the checks.
var On = os.Getenv("EBBPOOL_CHECKED") != "off"

// Allocator records what the checks remember of an allocator.
type Allocator struct {
	of       *Tracker
	fillDead func(base Pointer, from, to uintptr, dead Pointer) // fills with dead values; nil without pointers
	spare    given                                              // empty lists, for the next chunk
	last     uintptr
	align    uintptr
	noscan   bool // it serves everything without pointers, not one type
	typed    bool // its values have pointers
}

// Chunk records what the checks remember of a chunk.
type Chunk struct {
	redzones uintptr // their bytes
	given            // with arenacheck: the values
	run      *run    // with arenacheck: what it is a part of
}

// given lists what was handed out of a chunk: from its lower end, and from its
// upper end.
type given struct{ objects, strings []span }

// span is a range of offsets of a chunk.
type span struct{ from, to uintptr }

const (
	// noscanRedzone is how many bytes lie between two values without pointers: two
	// of AddressSanitizer's pieces of 8 bytes.
	noscanRedzone = 16
	// maxRedzone is the size in bytes up to which a value of a type with pointers
	// has an unused one before it.
	maxRedzone = 1024
)

// NewNoscanAllocator returns what is remembered of an allocator for everything without
// pointers.
func NewNoscanAllocator(align uintptr) Allocator { return Allocator{align: align, noscan: true} }

// NewAllocator returns what is remembered of an allocator for Ts alone, in steps of align.
func NewAllocator[T any](align uintptr, pointers bool) Allocator {
	return NewAllocatorOf(reflect.TypeFor[T](), align, pointers)
}

// NewAllocatorOf is NewAllocator where the type is known at run time.
func NewAllocatorOf(t reflect.Type, align uintptr, pointers bool) Allocator {
	al := Allocator{align: align, typed: pointers}
	if pointers {
		al.fillDead = deadFiller(t)
	}
	return al
}

// WatchedBy sets the tracker of the allocator's arena, and Tracker returns it.
func (al *Allocator) WatchedBy(t *Tracker) { al.of = t }

//go:norace
func (al *Allocator) Tracker() *Tracker { return al.of }

// Redzone returns the size in bytes of the redzone before a value, which an access
// beyond the end of the value before it hits. Between values with pointers only
// AddressSanitizer would see that.
//
//go:norace
func (al *Allocator) Redzone() uintptr {
	switch {
	case !On || !ASan && !Tag:
		return 0
	case al.noscan:
		return noscanRedzone
	case al.align > maxRedzone || !ASan && al.typed:
		return 0
	}
	return al.align
}

// TextRedzone is Redzone for a string of size bytes: it begins at a multiple of 8, as
// AddressSanitizer needs it.
//
//go:norace
func (al *Allocator) TextRedzone(size uintptr) uintptr {
	redzone := al.Redzone()
	if redzone == 0 {
		return 0
	}
	return redzone + roundUp(size, 8) - size
}

// RecordUse notes how many bytes a cycle that ended needed; Last tells of the last
// one, 0 where there was none.
func (al *Allocator) RecordUse(used uintptr) { al.last = used }

//go:norace
func (al *Allocator) Last() uintptr { return al.last }

// RedzoneBytes returns the size of the redzones among the chunk's used bytes.
//
//go:norace
func (c *Chunk) RedzoneBytes() uintptr { return c.redzones }

// Make makes the memory of a new chunk of size bytes, by the function make where
// nothing special is needed, and inaccessible as far as the build can.
//
//go:norace
func (c *Chunk) Make(al *Allocator, size uintptr, make func(uintptr) Pointer) Pointer {
	var base Pointer
	base, c.run = al.makeChecked(size, make)
	Poison(base, 0, size)
	return base
}

// TakeTail takes back [from, to), the end of what was given last.
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

// Give notes that [from, to) was handed out, and returns up to where the chunk
// is not clean for that.
//
//go:norace
func (c *Chunk) Give(al *Allocator, r Extent, from, to uintptr) (clean uintptr) {
	Unpoison(r.Base, from, to)
	return c.noteGiven(al, r, from, to)
}

// Quarantine makes a chunk's memory inaccessible for good. Clear zeroes memory with
// pointers, nil where there are none.
//
//go:norace
func (c *Chunk) Quarantine(al *Allocator, r Extent, clear func(base Pointer, from, to uintptr)) {
	c.recycleLists(al)
	RaceWrite(r.Base, 0, r.Lo)
	RaceWrite(r.Base, r.Hi, r.Size)
	if clear != nil {
		Unpoison(r.Base, 0, r.Lo)
		clear(r.Base, 0, r.Lo) // nothing is kept alive
	}
	c.protect(al, r)
	Poison(r.Base, 0, r.Size)
}

// roundUp rounds n up to a multiple of align, which need not be a power of
// two.
func roundUp(n, align uintptr) uintptr {
	if r := n % align; r != 0 {
		n += align - r
	}
	return n
}
