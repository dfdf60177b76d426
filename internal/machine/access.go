package machine

import (
	"reflect"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// arena has package arena's Arena and no other type, which this package can't name.
type arena[A any] interface {
	*A
	AllocString(string) string
	Reset()
	Release()
}

// RegionOf returns the region of an *arena.Arena, which is not nil: its first field.
func RegionOf[A any, P arena[A]](a P) *Region {
	return xunsafe.Cast[Region](xunsafe.PointerTo((*A)(a)))
}

// Enter is how the other packages of this module come from an *arena.Arena, which is not
// nil, to its region, at the beginning of a function, which does names. It panics, in
// builds with checks, where the arena is not the caller's, and Leave has to follow.
func Enter[A any, P arena[A]](a P, does string) *Region {
	r := RegionOf(a)
	r.Enter(does)
	r.Prepare()
	return r
}

// Enter is the beginning of every function that changes the region, where the checks for
// misuse or the race detector watch.
func (r *Region) Enter(does string) {
	if check.Watched {
		r.Watch.Enter(does)
		r.Noscan.ops.mustBeInUse(does, &r.Watch)
	}
}

// Leave is the end of what Enter began. A function leaves before it calls a program's
// own, which may use the arena, and enters again afterwards.
func (r *Region) Leave() {
	if check.Watched {
		r.Watch.Leave()
	}
}

// Abandon takes the place of Put for an *arena.Arena of a pool that is out, where another
// goroutine may go on with it beyond the end of its request: it is left to the collector,
// and counts as abandoned, not as leaked. It changes nothing that the arena's user
// changes, and does nothing for nil. It panics as Put does if the arena was put.
//
//go:norace
func Abandon[A any, P arena[A]](a P) {
	if a != nil {
		RegionOf(a).abandon()
	}
}

//go:norace
func (r *Region) abandon() {
	ops := r.Noscan.ops // nil: the region was detached; without a quota: and used after that
	if ops == nil || ops.quota == nil || ops.quota.pool == nil || !ops.quota.arena.inUse() {
		panic("arena: ArenaPool.Put: the arena was put twice; after Put it belongs to the pool" + r.Watch.History())
	}
	q := ops.quota
	if q.arena.abandoned.CompareAndSwap(false, true) {
		q.pool.abandoned.Add(1)
		q.pool.left.Add(1)
	}
}

// HoldsText reports whether s has bytes in one of the region's chunks: the current one, a
// full one, or a free one. The region is the caller's; forks are others', which may be at
// work, and are not looked at (see ForksInUse). It costs two comparisons a chunk.
//
//go:norace
func (r *Region) HoldsText(s string) bool {
	return s != "" && r.Noscan.holds(xunsafe.Number(xunsafe.TextOf(s)))
}

// HoldsSlice is HoldsText for the elements of s themselves. They can lie in the allocator of any
// type with pointers: an array in a struct is one.
//
//go:norace
func (r *Region) HoldsSlice(s []string) bool {
	if len(s) == 0 {
		return false
	}
	at := xunsafe.Number(xunsafe.DataOf(s))
	for _, al := range r.Types.active() {
		if al.holds(at) {
			return true
		}
	}
	return false
}

// ForksInUse reports whether the region's cycle has forks, in which a value may lie that
// came to the region's goroutine. Where they have it, and what lies there, is known
// to their own goroutines alone.
func (r *Region) ForksInUse() bool {
	q := r.Noscan.ops.quota
	return q != nil && q.forksInUse != 0
}

//go:norace
func (al *Allocator) holds(at uintptr) bool {
	if al.chunk.holds(at) {
		return true
	}
	for i := range al.full {
		if al.full[i].holds(at) {
			return true
		}
	}
	for i := range al.free {
		if al.free[i].holds(at) {
			return true
		}
	}
	return false
}

//go:norace
func (c *chunk) holds(at uintptr) bool { return at-xunsafe.Number(c.Base) < c.cap }

// What a region is asked by who copies values out of it.

// Holdings appends the region's chunks to list, in no order: those in use, those
// that are full and those that are kept, into which only stale pointers lead. Those of
// inactive allocators, from which the last cycles had nothing, are left out.
func (r *Region) Holdings(list []Holding) []Holding {
	list = r.Noscan.holdings(list, 0)
	for _, al := range r.Types.active() {
		list = al.holdings(list, al.align())
	}
	return list
}

// Holding is a chunk of a region: all addresses in it are the region's.
type Holding struct {
	Start, End uintptr // its addresses, as numbers
	Base       xunsafe.Pointer
	Size       uintptr   // of the type with pointers that alone lies there; 0: anything without pointers
	Key        *TypeDesc // that type; nil where descriptors are not read
	memory     memoryOps
}

// Type is the type of which Size is the size.
func (h *Holding) Type() reflect.Type { return h.memory.typ() }

// Clone returns a copy on the heap of n bytes at offset off, which are handed out:
// whole values where Size is not 0, else an object without pointers, aligned as
// the original is.
func (h *Holding) Clone(off, n uintptr) xunsafe.Pointer { return h.memory.clone(h.Base, off, n) }

//go:norace
func (al *Allocator) holdings(list []Holding, size uintptr) []Holding {
	if al.Base != nil {
		list = append(list, al.holding(&al.chunk, size))
	}
	for i := range al.full {
		list = append(list, al.holding(&al.full[i], size))
	}
	for i := range al.free {
		list = append(list, al.holding(&al.free[i], size))
	}
	return list
}

//go:norace
func (al *Allocator) holding(c *chunk, size uintptr) Holding {
	base := xunsafe.Add(c.Base, c.begin())
	start := xunsafe.Number(base)
	return Holding{start, start + c.cap - c.begin(), base, size, al.Key, al.ops.memoryOps}
}
