package machine

import (
	"math"
	"math/bits"

	"github.com/ebbpool/arena/internal/check"
)

// Isolated cycles. Memory is never reused: at the end of a cycle nothing is taken back, and the next cycle continues in
// the same chunk, behind the memory in use. Full chunks are left to the collector, which frees them when nothing refers
// to them.
//
//	            from              Lo         Hi     cap   lost
//	+-----------+-----------------+----------+------+-------+
//	|  earlier  |  this cycle's   |  free    |  its | earl. |
//	+-----------+-----------------+----------+------+-------+
//
// So a stale reference still refers to the value that it referred to before. In memory with pointers it finds zeros,
// because the values would keep other objects alive as long as the chunk is in use. A rewind makes memory of its own
// cycle available again, but the next cycle continues behind all memory that the chunk has ever handed out.

// Isolate makes the region, from which nothing is in use, isolate its cycles. If s is nil, it stops that. The region's
// memory is left to the collector, because earlier cycles may have left references. In checked builds, which never
// reuse memory, Isolate does nothing.
func (r *Region) Isolate(s *Detached) {
	if check.On {
		return
	}
	if len(r.Types.allocators) != 0 || r.Noscan.Base != nil || r.maps != nil {
		r.Release()
	}
	r.detached = s
	r.Noscan.retention.isolates = s != nil
}

// endIsolated is Empty for an isolated region.
func (r *Region) endIsolated() (used uintptr) {
	noscan, allocators := &r.Noscan, r.Types.active()
	ceiling := r.MaxRetained / uintptr(len(allocators)+1)
	used = noscan.UserBytes()
	ok := noscan.isolate(ceiling)
	held := noscan.HeldBytes()
	most, busiest := uintptr(0), r.Types.Busiest
	for i := 0; i < len(allocators); {
		al := allocators[i]
		n := al.UserBytes()
		if n > most {
			most, busiest = n, al
		}
		used += n
		idle := al.isIdle()
		ok = al.isolate(ceiling) && ok
		switch {
		case !idle:
			al.retention.idle = 0
		case al.retention.idle < Window:
			al.retention.idle++
		default:
			al.Drop()
			r.deactivate(al)
			allocators = allocators[:len(allocators)-1]
			continue
		}
		held += al.HeldBytes()
		i++
	}
	if busiest != r.Types.Busiest {
		r.Types.Busiest = busiest
	}
	if !ok {
		r.Entered()
	}
	if r.maps != nil {
		used += r.maps.endCycle(0)
	}
	r.highWater = max(r.highWater, used)
	r.resets++
	r.marks.clear(max(r.MaxRetained/8, marksRetained))
	if held > r.MaxRetained {
		r.dropOver(ceiling)
	}
	if check.Tag {
		r.check()
	}
	return used
}

// dropOver drops all chunks of allocators that hold more than bytes.
func (r *Region) dropOver(bytes uintptr) {
	for _, al := range append([]*Allocator{&r.Noscan}, r.Types.active()...) {
		if al.HeldBytes() > bytes {
			al.Drop()
		}
	}
}

const (
	// leastCycles is the number of cycles that a chunk should last. Ten allocators with such chunks make one chunk in
	// four cycles, and an idle arena holds the memory of 40 to 80 cycles.
	leastCycles = 40
	// A chunk that lasted mostCycles was too large.
	mostCycles = 16 * leastCycles
	// heapHeader is the number of bytes that the heap adds to most objects with pointers. With it, a power of two
	// would be in the next size class.
	heapHeader = 8
)

// isolatedSize returns the size of the next chunk: a power of two, including its header.
func (r *retention) isolatedSize() uintptr {
	n := r.planned
	switch {
	case n == 0 && r.cold:
		n = power(min(r.start, max(coldStart, r.start/coldPart)))
	case n == 0:
		n = power(r.start)
	case r.lasted < leastCycles/8:
		n += 3 // it lasted less than an eighth of leastCycles
	case r.lasted < leastCycles:
		n++
	case r.lasted > mostCycles:
		n--
	}
	n = min(n, power(r.largest))
	if r.ceiling != 0 {
		n = min(n, r.ceiling)
	}
	return max(1<<(n%bits.UintSize), min(r.start, startBytes)+heapHeader) - heapHeader
}

// power returns the exponent of the largest power of two that is at most n.
func power(n uintptr) uint8 { return uint8(bits.Len(uint(n)) - 1) }

// plan records that a chunk of that size is made next.
func (r *retention) plan(bytes uintptr) { r.planned, r.lasted = power(bytes+heapHeader), 0 }

// isolate ends the allocator's cycle. Later chunks have at most ceiling bytes. It returns false if another goroutine
// used the allocator meanwhile.
func (al *Allocator) isolate(ceiling uintptr) (ok bool) {
	r := &al.retention
	r.ceiling, r.top = power(max(ceiling, 2)), 0
	if r.lasted < mostCycles+1 {
		r.lasted++
	}
	al.tip = 0
	if len(al.full)+len(al.free) != 0 {
		al.dropFull()
	}
	if al.Base == nil {
		return true
	}
	if ok = al.Lo >= al.begin(); !ok || !al.chunk.isolate(al.ops) {
		al.ops.quota.release(al.size(), 1)
		al.chunk = chunk{}
	}
	return ok
}

// dropFull drops all chunks except the current one.
func (al *Allocator) dropFull() {
	al.dropFree()
	if len(al.full) == 0 {
		return
	}
	bytes := uintptr(0)
	for i := range al.full {
		bytes += al.full[i].size()
	}
	al.ops.quota.release(bytes, len(al.full))
	clear(al.full)
	if al.full, al.fullUsed = al.full[:0], 0; cap(al.full) > mostListed {
		al.full = nil
	}
}

// isolate makes the next cycle begin behind all memory that was handed out. It returns false if no memory is left.
func (c *chunk) isolate(ops *allocatorOps) bool {
	begin := c.begin()
	if c.Lo == begin && c.Hi == c.cap && c.clean <= begin && c.cleanEnd == c.cap {
		return true // this cycle did not use the chunk
	}
	if c.size() > math.MaxUint32 {
		return false
	}
	if ops.zeroes && c.Lo > begin {
		ops.clear(c.Base, begin, c.Lo)
	}
	c.fold()
	if c.cleanEnd < c.cap {
		end := c.cleanEnd &^ (NoscanAlign - 1)
		c.lost += uint32(c.cap - end)
		c.cap, c.cleanEnd = end, end
	}
	if c.clean >= c.cap {
		return false
	}
	c.from, c.Lo, c.Hi = uint32(c.clean), c.clean, c.cap
	return true
}
