package machine

import (
	"slices"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// GrowSlice returns s with length n, which is beyond its capacity: in place, or as a new slice. The caller must write
// the first n elements of a new slice.
//
//go:norace
func GrowSlice[T any](r *Region, s []T, n int) []T {
	if r.onHeap(0) {
		return growHeap(r, s, n, grownCap(xunsafe.SizeOf[T](), n, cap(s)))
	}
	data, c := r.grow(allocatorOf[T](r), xunsafe.SizeOf[T](), xunsafe.DataOf(s), cap(s), n, 0)
	return SliceAt[T](data, 0, n, c)
}

// grow is GrowSlice for a slice of c elements of size bytes. It returns the slice's address and capacity. The capacity
// is at least expected, unless expected is more than twice c and a large part of the remaining limit.
//
//go:norace
func (r *Region) grow(al *Allocator, size uintptr, data xunsafe.Pointer, c, n, expected int) (xunsafe.Pointer, int) {
	if expected/2 > c && uintptr(expected) > al.ops.quota.Left()/share/size {
		expected = 0
	}
	wanted := max(grownCap(size, n, c), expected)
	if more := al.extend(size, data, c, n, wanted, true); more != 0 {
		return data, more
	}
	if twice := 2 * uintptr(c); expected == 0 && twice <= MaxAlloc/size {
		wanted = max(wanted, int(twice))
	}
	if al.ops.quota != nil {
		wanted = al.capNearLimit(n, wanted, size)
	}
	m := move{from: data, bytes: uintptr(c) * size, pinned: r.newestMark(al)}
	base, off := al.moveSlice(m, uintptr(n)*size, uintptr(wanted)*size)
	return xunsafe.Add(base, off), wanted
}

// grownCap returns the new capacity of a slice whose capacity old is too small for n elements. It follows the runtime's
// rule, but returns at least 64 bytes.
func grownCap(size uintptr, n, old int) int {
	const threshold = 256
	c := max(old, 32/int(min(size, 32)))
	if c < threshold {
		c *= 2
	} else {
		c += (c + 3*threshold) / 4
	}
	if uint(c) > uint(MaxAlloc/size) {
		return n
	}
	return max(c, n)
}

// smallestBytes is the minimum capacity of a slice that GrowBytes returns.
const smallestBytes = 64

// GrowBytes is GrowSlice for bytes of which only the first n are ever visible. The rest may be dirty. Capacities
// double, because growth by a quarter would leave old copies of four times the length.
//
//go:norace
func GrowBytes(r *Region, s []byte, n int) []byte {
	return GrowBytesTo(r, s, n, max(n, smallestBytes, 2*min(cap(s), MaxAlloc/2)))
}

// GrowBytesTo is GrowBytes with a capacity of wanted bytes, at least n, unless a limit is near.
//
//go:norace
func GrowBytesTo(r *Region, s []byte, n, wanted int) []byte {
	if r.onHeap(0) {
		return growHeap(r, s, n, wanted)
	}
	al := allocatorOf[byte](r)
	if c := al.extend(1, xunsafe.DataOf(s), cap(s), n, wanted, false); c != 0 {
		return SliceAt[byte](xunsafe.DataOf(s), 0, n, c)
	}
	if al.ops.quota != nil {
		wanted = al.capNearLimit(n, wanted, 1)
	}
	m := move{from: xunsafe.DataOf(s), bytes: uintptr(cap(s)), pinned: r.newestMark(al)}
	base, off := al.moveSlice(m, uintptr(wanted), uintptr(wanted))
	al.chunk.watch.GiveUnwritten(base, off, off+uintptr(wanted))
	return SliceAt[byte](base, off, n, wanted)
}

// StretchBytes returns s with n more bytes, which may be dirty, if s is the newest slice, has no capacity beyond its
// length, and enough free memory follows it. Otherwise it returns nil.
//
//go:norace
func StretchBytes(r *Region, s []byte, n int) []byte {
	if len(s) != cap(s) || r.onHeap(0) {
		return nil // the following bytes may belong to another part of the same slice
	}
	n += len(s)
	c := allocatorOf[byte](r).extend(1, xunsafe.DataOf(s), cap(s), n, n, false)
	if c == 0 {
		return nil
	}
	return SliceAt[byte](xunsafe.DataOf(s), 0, n, c)
}

// TrimBytes cuts the capacity of s to its length. It takes the rest back if s is the newest slice and no mark was taken since.
//
//go:norace
func TrimBytes(r *Region, s []byte) []byte {
	if r.onHeap(0) {
		return s[:len(s):len(s)]
	}
	r.trimSlice(allocatorOf[byte](r), 1, xunsafe.DataOf(s), cap(s), len(s))
	return s[:len(s):len(s)]
}

// TrimUnseen is TrimBytes for a slice whose rest only the caller has seen. If cycles are isolated, the next cycle may
// reuse the rest.
func TrimUnseen(r *Region, s []byte) []byte {
	if r.onHeap(0) {
		return TrimBytes(r, s)
	}
	al := allocatorOf[byte](r)
	was := al.chunk
	s = TrimBytes(r, s)
	if al.retention.isolates && al.Lo < was.Lo {
		clearNoscan(al.Base, al.Lo, was.Lo)
		al.clean = was.clean
	}
	return s
}

// trimSlice takes back all but the first n of the c elements of size bytes at data, if they are the newest slice of al and no
// mark was taken since.
//
//go:norace
func (r *Region) trimSlice(al *Allocator, size uintptr, data xunsafe.Pointer, c, n int) {
	if check.Watched {
		defer al.enter().Leave()
	}
	if n == c {
		return // the address behind s may be another object of the heap
	}
	from, ok := al.newest(size, data, c)
	if p := r.newestMark(al); !ok || p.chunk == xunsafe.Number(al.Base) && p.lo > from {
		return // Rewind to the mark must find the slice
	}
	was, end := al.Lo, from+uintptr(n)*size
	if al.ops.zeroes {
		al.ops.clear(al.Base, end, was)
	}
	al.chunk.fold()
	al.Lo, al.tip = RoundUp(end, al.retention.unit), end
	al.trim(from, end, was)
}

// move describes a slice that can't grow in place.
type move struct {
	from   xunsafe.Pointer // its memory
	bytes  uintptr         // its capacity
	pinned position        // the allocator's position at the arena's newest mark
}

// moveSlice reserves size bytes for a slice that moves. The caller writes the first need bytes. The rest is zero.
//
// A slice that is large compared with the allocator's chunks gets a chunk of its own, with all of it as capacity. When
// the slice outgrows the chunk, the chunk is left to the collector at once: it has no other values, and the collector
// keeps it while the program has the old slice. So the arena holds at most twice the size of one long slice, not four
// times.
//
//go:norace
func (al *Allocator) moveSlice(m move, need, size uintptr) (xunsafe.Pointer, uintptr) {
	c, off := al.reserveMoved(m, size)
	al.clearReserved(c, off+need, off+size)
	base := c.Base
	al.releaseMoved(m)
	return base, off
}

// reserveMoved reserves size bytes for a slice that moves.
//
//go:norace
func (al *Allocator) reserveMoved(m move, size uintptr) (*chunk, uintptr) {
	redzone := al.watch.Redzone()
	taken := RoundUp(size, al.retention.unit)
	if al.Hi-al.Lo >= redzone+taken || al.Base == nil || al.used() == 0 {
		return al.reserveSlice(size)
	}
	if al.nextFree(redzone+taken) < 0 {
		// A slice that has grown so far usually keeps growing, and would leave each smaller chunk to the collector.
		if c := al.takeCached(taken, 2*taken, 2*taken, 8*taken); c.Base != nil {
			al.setCurrent(c)
			return al.reserveSlice(size)
		}
	}
	if m.isAlone(&al.chunk, al) {
		// The current chunk moves with the slice. A long slice does not mean that the type has other values.
		if al.nextFree(redzone+taken) < 0 && al.retention.leaps && al.retention.target == 0 {
			al.setCurrent(al.newChunk(redzone+taken, redzone+taken))
		} else {
			al.grow(redzone + taken)
		}
		return al.reserveSlice(size)
	}
	if al.nextFree(redzone+taken) >= 0 || taken < ownChunkLeast || taken < al.nextSize()/ownChunkPart {
		return al.reserveSlice(size)
	}
	c := al.newChunk(redzone+taken, 0)
	off := al.takeLow(&c, redzone, size, taken)
	return al.addFull(c), off
}

// ownChunkLeast is the size in bytes of the smallest chunk for one slice. For smaller chunks, the record and the
// allocation would cost much of the savings.
const ownChunkLeast = 1 << 10

// A slice gets its own chunk if it has at least 1/ownChunkPart of the size of the next chunk. With 4, some of four
// slices that grow in turn would share chunks, in which their old copies stay: 4.5 bytes for each byte in use instead
// of 2.
const ownChunkPart = 16

// lookBack is the number of newest full chunks in which releaseMoved looks for the old chunk. A slice that keeps
// growing is in one of them.
const lookBack = 32

// releaseMoved leaves the old chunk of a slice to the collector if it has no other values and no mark needs it. Checked
// builds keep it until the cycle ends, to find late uses of the old slice.
//
//go:norace
func (al *Allocator) releaseMoved(m move) {
	if check.On || m.bytes < ownChunkLeast/2 || m.bytes <= al.cap/4 && al.caches() && al.pooled() {
		return
	}
	for i := len(al.full) - 1; i >= max(m.pinned.full, len(al.full)-lookBack); i-- {
		c := &al.full[i]
		if !m.isAlone(c, al) {
			continue
		}
		if xunsafe.Number(c.Base) != m.pinned.chunk {
			al.fullUsed -= c.used()
			al.ops.quota.release(c.size(), 1)
			al.full = slices.Delete(al.full, i, i+1)
		}
		break
	}
}

// isAlone reports whether the slice is the only value in c, a chunk of al.
//
//go:norace
func (m *move) isAlone(c *chunk, al *Allocator) bool {
	return c.Base == m.from && c.Hi == c.cap && c.Lo == RoundUp(m.bytes, al.retention.unit) && c.Lo != 0
}

// extend grows the slice at data, of capacity have, in place if it is the newest slice: to at most wanted and at least least
// elements of size bytes. It returns the new capacity, or 0 if the slice can't grow in place. The new memory is zero if zero is set.
//
//go:norace
func (al *Allocator) extend(size uintptr, data xunsafe.Pointer, have, least, wanted int, zero bool) int {
	if check.Watched {
		defer al.enter().Leave()
	}
	from, ok := al.newest(size, data, have)
	if !ok {
		return 0
	}
	end := from + uintptr(have)*size
	c := min(uintptr(wanted), (al.Hi-from)/size)
	newLo := RoundUp(from+c*size, al.retention.unit)
	if c < uintptr(least) || newLo > al.Hi {
		return 0
	}
	al.give(&al.chunk, from, newLo)
	if !al.ops.zeroes && zero {
		// The padding behind s was not handed out, so it may be dirty.
		clearNoscan(al.Base, end, al.Lo)
		al.chunk.clearDirty(al.Lo, newLo)
	}
	al.Lo = newLo
	al.tip = from + c*size
	al.chunk.watch.TakeTail(al.Base, al.tip, newLo)
	return int(c)
}

// newest reports whether the end of the slice at data, of capacity c, can move, and returns its offset in the current
// chunk. The slice must end exactly at the end of the newest slice, and nothing may have been allocated since. A slice
// whose capacity was cut ends earlier.
//
//go:norace
func (al *Allocator) newest(size uintptr, data xunsafe.Pointer, c int) (from uintptr, ok bool) {
	from = xunsafe.Offset(al.Base, data)
	end := from + uintptr(c)*size
	return from, c != 0 && from < al.Lo && end == al.tip && RoundUp(end, al.retention.unit) == al.Lo
}

// capNearLimit returns the capacity of a slice of n elements of size bytes that Append moves. It is wanted, but at most
// half of the remaining limit, because the old copy may stay and also counts. If half is less than n, it returns n and
// half of the rest. With n alone, the slice would move at each append. Idle chunks count as remaining capacity.
func (al *Allocator) capNearLimit(n, wanted int, size uintptr) int {
	q, here := al.ops.quota, al.Hi-al.Lo
	if q.Left() == noLimit || uintptr(wanted)*size <= here {
		return wanted
	}
	left := q.leaves(q.idle(nil))
	most := left / 2
	if need := uintptr(n) * size; most < need && need < left {
		most = need + (left-need)/2
	}
	return max(n, min(wanted, int(max(most, here)/size)))
}
