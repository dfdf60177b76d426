package machine

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Holding is a chunk of a region: all addresses in it are the region's.
type Holding struct {
	Start, End uintptr // its addresses, as numbers
	Base       xunsafe.Pointer
	Size       uintptr   // of the type with pointers that alone lies there; 0: anything without pointers
	Key        *TypeDesc // that type; nil where descriptors are not read
	memory     laneMemory
}

// Type is the type of which Size is the size.
func (h *Holding) Type() reflect.Type { return h.memory.typ() }

// Clone returns a copy on the heap of n bytes at offset off, which are handed out:
// whole values where Size is not 0, else an object without pointers, aligned as
// the original is.
func (h *Holding) Clone(off, n uintptr) xunsafe.Pointer { return h.memory.clone(h.Base, off, n) }
