package machine

import (
	"reflect"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// arena is the constraint of *arena.Arena, which this package can't name.
type arena[A any] interface {
	*A
	AllocString(string) string
	Reset()
	Release()
}

// RegionOf returns the region of an *arena.Arena, its first field. a is not nil.
func RegionOf[A any, P arena[A]](a P) *Region {
	return xunsafe.Cast[Region](xunsafe.PointerTo((*A)(a)))
}

// Enter returns the region of an *arena.Arena that is not nil. Other packages of this module call it at the beginning
// of a function that allocates. In checked builds it panics if the caller may not use the arena. does is the name of
// the function. A call of Leave must follow.
func Enter[A any, P arena[A]](a P, does string) *Region {
	r := RegionOf(a)
	r.Enter(does)
	r.Prepare()
	return r
}

// Enter is the beginning of a function that changes the region.
func (r *Region) Enter(does string) {
	if check.Watched {
		r.Watch.Enter(does)
		r.Noscan.ops.mustBeInUse(does, &r.Watch)
	}
}

// Leave ends a call that Enter began. A function leaves before it calls a function of the program, which may use the
// arena, and enters again afterwards.
func (r *Region) Leave() {
	if check.Watched {
		r.Watch.Leave()
	}
}

// Abandon replaces Put for an *arena.Arena that another goroutine may use beyond the end of its request. The arena is
// left to the collector, and counts as abandoned, not as leaked. Abandon writes no field that the other goroutine uses.
// It does nothing if a is nil, and panics like Put if the arena was put.
//
//go:norace
func Abandon[A any, P arena[A]](a P) {
	if a != nil {
		RegionOf(a).abandon()
	}
}

//go:norace
func (r *Region) abandon() {
	ops := r.Noscan.ops // nil in a detached region; its quota is nil if the region was used since
	if ops == nil || ops.quota == nil || ops.quota.pool == nil || !ops.quota.arena.inUse() {
		panic("arena: ArenaPool.Put: arena was put twice" + r.Watch.History())
	}
	q := ops.quota
	if q.arena.Abandoned.CompareAndSwap(false, true) {
		q.pool.abandoned.Add(1)
		q.pool.Left.Add(1)
	}
}

// Holds reports whether p points into one of the region's chunks, including full and free ones. It does not search
// forks, which other goroutines may be using; see ForksInUse.
//
//go:norace
func (r *Region) Holds(p xunsafe.Pointer) bool {
	at := xunsafe.Number(p)
	if r.Noscan.holds(at) {
		return true
	}
	for _, al := range r.Types.active() {
		if al.holds(at) {
			return true
		}
	}
	return false
}

// ForksInUse reports whether the region has forks in this cycle. The region's goroutine may hold values of a fork, but
// only the fork's goroutine may search the fork.
func (r *Region) ForksInUse() bool {
	q := r.Noscan.ops.quota
	return q != nil && q.ForksInUse != 0
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

// The rest of this file is for package escape, which copies values out of a region.

// Holdings appends the region's chunks to list, in no particular order. Chunks of inactive allocators are omitted.
func (r *Region) Holdings(list []Holding) []Holding {
	list = r.Noscan.holdings(list, 0)
	for _, al := range r.Types.active() {
		list = al.holdings(list, al.retention.unit)
	}
	return list
}

// Holding is a chunk of a region.
type Holding struct {
	Start, End uintptr // its addresses, as numbers
	Base       xunsafe.Pointer
	Size       uintptr   // of the chunk's type; 0 for a noscan chunk
	Key        *TypeDesc // the chunk's type; nil if it is unknown
	memory     memoryOps
}

// Type returns the type whose size is Size.
func (h *Holding) Type() reflect.Type { return h.memory.typ() }

// Clone returns a copy on the heap of the n bytes at offset off. If Size is not 0, they are whole values. Otherwise they
// are a noscan object, and the copy has the same alignment.
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
