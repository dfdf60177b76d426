package machine

import (
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
	data, c := r.grow(laneOf[T](r), xunsafe.SizeOf[T](), xunsafe.DataOf(s), cap(s), n, 0)
	return SliceAt[T](data, 0, n, c)
}

// grow is GrowSlice for the slice at data, with room for c elements of size
// bytes, of l. It returns where the slice is now and its capacity. That is at least
// expected, if that is not 0: unless it is more than twice c, and much of what the limits
// leave.
//
//go:norace
func (r *Region) grow(l *Lane, size uintptr, data xunsafe.Pointer, c, n, expected int) (xunsafe.Pointer, int) {
	if expected/2 > c && uintptr(expected) > l.ops.quota.Left()/share/size {
		expected = 0
	}
	wanted := max(grownCap(size, n, c), expected)
	if more := l.extend(size, data, c, n, wanted, true); more != 0 {
		return data, more
	}
	if twice := 2 * uintptr(c); expected == 0 && twice <= MaxAlloc/size {
		wanted = max(wanted, int(twice))
	}
	if l.ops.quota != nil {
		wanted = l.capNearLimit(n, wanted, size)
	}
	m := move{from: data, bytes: uintptr(c) * size, pinned: r.newestMark(l)}
	base, off := l.moveSlice(m, uintptr(n)*size, uintptr(wanted)*size)
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
	l := laneOf[byte](r)
	if c := l.extend(1, xunsafe.DataOf(s), cap(s), n, wanted, false); c != 0 {
		return SliceAt[byte](xunsafe.DataOf(s), 0, n, c)
	}
	if l.ops.quota != nil {
		wanted = l.capNearLimit(n, wanted, 1)
	}
	m := move{from: xunsafe.DataOf(s), bytes: uintptr(cap(s)), pinned: r.newestMark(l)}
	base, off := l.moveSlice(m, uintptr(wanted), uintptr(wanted))
	if check.On {
		l.chunk.watch.GiveUnwritten(base, off, off+uintptr(wanted))
	}
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
	c := laneOf[byte](r).extend(1, xunsafe.DataOf(s), cap(s), n, n, false)
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
	r.trimSlice(laneOf[byte](r), 1, xunsafe.DataOf(s), cap(s), len(s))
	return s[:len(s):len(s)]
}

// TrimUnseen is TrimBytes where nobody but its caller ever had a slice that reaches beyond
// the length of s: where epochs are isolated, the next one begins right behind s.
func TrimUnseen(r *Region, s []byte) []byte {
	if r.onHeap(0) {
		return TrimBytes(r, s)
	}
	l := laneOf[byte](r)
	was := l.chunk
	s = TrimBytes(r, s)
	if l.retention.isolates && l.Lo < was.Lo {
		clearFlat(l.Base, l.Lo, was.Lo)
		l.clean = was.clean
	}
	return s
}

// trim takes back what lies beyond the first n of the c elements of size bytes at
// data, if they are the newest slice of l and no mark was taken since.
//
//go:norace
func (r *Region) trimSlice(l *Lane, size uintptr, data xunsafe.Pointer, c, n int) {
	if n == c {
		return // and what lies behind may be another object of the heap, not even to be pointed to
	}
	from, ok := l.newest(size, data, c)
	if p := r.newestMark(l); !ok || p.chunk == xunsafe.Number(l.Base) && p.lo > from {
		return // what a mark would rewind to must stay handed out
	}
	was, end := l.Lo, from+uintptr(n)*size
	if l.ops.zeroes {
		l.ops.clear(l.Base, end, was)
	}
	l.chunk.fold()
	l.Lo, l.tip = RoundUp(end, l.align()), end
	if check.On {
		if !l.ops.zeroes {
			// The checks count on free zeros behind a value and its redzone, which
			// they fill.
			filled := was
			if check.Tag && !check.ASan {
				filled = min(was+l.watch.Redzone(), l.Hi)
			}
			clearFlat(l.Base, end, filled)
		}
		l.give(&l.chunk, from, l.Lo)
		l.chunk.watch.TakeTail(l.Base, end, l.Lo)
		check.Poison(l.Base, l.Lo, was)
	}
}
