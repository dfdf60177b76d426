package machine

import "reflect"

// What a region is asked by who copies values out of it.

// Holding is a chunk of a region: all addresses in it are the region's.
type Holding struct {
	Start, End uintptr // its addresses, as numbers
	Base       Pointer
	Size       uintptr   // of the type with pointers that alone lies there; 0: anything without pointers
	Key        *TypeDesc // that type; nil where descriptors are not read
	memory     laneMemory
}

// Holdings appends the region's chunks to list, in no order: those in use, those
// that are full and those that are kept, into which only stale pointers lead. Those of
// parked lanes, from which the last epochs had nothing, are left out.
func (r *Region) Holdings(list []Holding) []Holding {
	list = r.FlatLane().holdings(list, 0)
	for _, l := range r.Types.inUse() {
		list = l.holdings(list, l.align)
	}
	return list
}

// Type is the type of which Size is the size.
func (h *Holding) Type() reflect.Type { return h.memory.typ() }

// Clone returns a copy on the heap of n bytes at offset off, which are handed out:
// whole values where Size is not 0, else an object without pointers, aligned as
// the original is.
func (h *Holding) Clone(off, n uintptr) Pointer { return h.memory.clone(h.Base, off, n) }
