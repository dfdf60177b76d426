package machine

import (
	"slices"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// GrowSlice returns s with a length of n, which is beyond its capacity: in
// place, or as a new slice, whose first n elements are to be written.
//
//go:norace
func GrowSlice[T any](r *Region, s []T, n int) []T {
	if r.onHeap(0) {
		return growHeap(r, s, n, grownCap(xunsafe.SizeOf[T](), n, cap(s)))
	}
	data, c := r.grow(allocatorOf[T](r), xunsafe.SizeOf[T](), xunsafe.DataOf(s), cap(s), n, 0)
	return SliceAt[T](data, 0, n, c)
}

// grow is GrowSlice for the slice at data, with room for c elements of size
// bytes, of al. It returns where the slice is now and its capacity. That is at least
// expected, if that is not 0: unless it is more than twice c, and much of what the limits
// leave.
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

// grownCap is the capacity for a slice of n elements of size bytes that outgrew
// old: the runtime's rule, from a first 64 bytes on.
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

// smallestBytes is the least capacity that GrowBytes gives.
const smallestBytes = 64

// GrowBytes is GrowSlice for bytes of which only the length is ever shown: what
// lies beyond the n bytes may hold anything. Capacities double, since a quarter
// more would leave four times the length behind as former copies.
//
//go:norace
func GrowBytes(r *Region, s []byte, n int) []byte {
	return GrowBytesTo(r, s, n, max(n, smallestBytes, 2*min(cap(s), MaxAlloc/2)))
}

// GrowBytesTo is GrowBytes with room for wanted bytes, at least n, unless a limit
// is near.
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

// StretchBytes returns s with n bytes more, which may hold anything and are nobody's, if s is
// the newest slice of r, with no capacity beyond its length, and there is room behind it; else nil.
//
//go:norace
func StretchBytes(r *Region, s []byte, n int) []byte {
	if len(s) != cap(s) || r.onHeap(0) {
		return nil // what follows may be another's part of the same slice
	}
	n += len(s)
	c := allocatorOf[byte](r).extend(1, xunsafe.DataOf(s), cap(s), n, n, false)
	if c == 0 {
		return nil
	}
	return SliceAt[byte](xunsafe.DataOf(s), 0, n, c)
}

// TrimBytes cuts the capacity of s to its length, and takes back what lay
// beyond if s is the newest slice and no mark was taken since.
//
//go:norace
func TrimBytes(r *Region, s []byte) []byte {
	if r.onHeap(0) {
		return s[:len(s):len(s)]
	}
	r.trimSlice(allocatorOf[byte](r), 1, xunsafe.DataOf(s), cap(s), len(s))
	return s[:len(s):len(s)]
}

// TrimUnseen is TrimBytes where nobody but its caller ever had a slice that reaches beyond
// the length of s: where cycles are isolated, the next one begins right behind s.
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

// trim takes back what lies beyond the first n of the c elements of size bytes at
// data, if they are the newest slice of al and no mark was taken since.
//
//go:norace
func (r *Region) trimSlice(al *Allocator, size uintptr, data xunsafe.Pointer, c, n int) {
	if check.Watched {
		defer al.enter().Leave()
	}
	if n == c {
		return // and what lies behind may be another object of the heap, not even to be pointed to
	}
	from, ok := al.newest(size, data, c)
	if p := r.newestMark(al); !ok || p.chunk == xunsafe.Number(al.Base) && p.lo > from {
		return // what a mark would rewind to must stay handed out
	}
	was, end := al.Lo, from+uintptr(n)*size
	if al.ops.zeroes {
		al.ops.clear(al.Base, end, was)
	}
	al.chunk.fold()
	al.Lo, al.tip = RoundUp(end, al.align()), end
	al.trim(from, end, was)
}

// move is the way of a slice that Append can't extend where it is.
type move struct {
	from   xunsafe.Pointer // where it is
	bytes  uintptr         // its capacity there
	pinned position        // what the arena's newest mark needs of the allocator
}

// moveSlice finds a new place for a slice: size bytes, the first need of which
// the caller writes. The others are zero.
//
// A slice that is large beside what the allocator has gets a chunk of its own, all
// of which is its capacity. When it has outgrown that, the collector gets the
// chunk at once: nothing else is in it, and the collector keeps it for as long
// as the program has the old slice. So however long a slice gets, the arena
// holds at most twice of it, where it would hold four times with all that it
// left behind.
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
	taken := RoundUp(size, al.align())
	if al.Hi-al.Lo >= redzone+taken || al.Base == nil || al.used() == 0 {
		return al.reserveSlice(size)
	}
	if al.nextFree(redzone+taken) < 0 {
		// What has grown so far goes on, mostly, and would leave each smaller one to the
		// collector.
		c, granted := al.takeCached(taken, 2*taken, 2*taken, 8*taken, false)
		if c.Base != nil {
			al.setCurrent(c)
			return al.reserveSlice(size)
		}
		if granted != 0 {
			al.ops.quota.cancel(granted) // a smaller one won't do
		}
	}
	if m.isAlone(&al.chunk, al) {
		// The current chunk goes with the slice. That it is long does not say
		// that other values of its type will come.
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

// ownChunkLeast is the least size in bytes of a chunk for one slice that moves:
// below it the chunk's own record, and the allocation, would be a good part of
// what it saves.
const ownChunkLeast = 1 << 10

// ownChunkPart is which part of the allocator's next chunk a slice must have to get a
// chunk of its own. With 4, of four slices that grow by turns some would share
// chunks, in which their old copies stay: 4.5 bytes for each one in use, not 2.
const ownChunkPart = 16

// lookBack is how many of the newest chunks are looked at for the one that a
// slice leaves: a slice that grows all the time is in one of them.
const lookBack = 32

// leave gives the chunk that a slice has left to the collector, if nothing else
// is in it and no mark needs it.
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

// isAlone reports whether the slice is all that is in c, a chunk of al.
//
//go:norace
func (m *move) isAlone(c *chunk, al *Allocator) bool {
	return c.Base == m.from && c.Hi == c.cap && c.Lo == RoundUp(m.bytes, al.align()) && c.Lo != 0
}

// extend lets the slice at data, with room for have elements of size bytes, if it
// is the newest one of the allocator, take the memory behind it: up to wanted elements in
// all, at least least. What it takes is zero if zero says so. It returns the new
// capacity, 0 where the slice can't grow in place.
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
	newLo := RoundUp(from+c*size, al.align())
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

// newest reports whether the slice at data, with room for c elements of size bytes,
// can change where it ends, and returns its offset in the current chunk: it must
// lie there and end exactly where the newest slice ends, and nothing may have been
// allocated since. A slice whose capacity was cut ends before that: its
// neighbour's elements are not ours.
//
//go:norace
func (al *Allocator) newest(size uintptr, data xunsafe.Pointer, c int) (from uintptr, ok bool) {
	from = xunsafe.Offset(al.Base, data)
	end := from + uintptr(c)*size
	return from, c != 0 && from < al.Lo && end == al.tip && RoundUp(end, al.align()) == al.Lo
}

// capNearLimit returns the capacity, in values of size bytes, of a slice of n values
// that Append moves: wanted, but at most half of the limit's remaining capacity, since
// the old copy may stay, and counts. Where that is less than n, half of what remains
// beyond n: with n alone a slice would move for each appended value, as long as two
// copies of it fit. Idle chunks count as remaining capacity.
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
