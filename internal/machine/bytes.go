package machine

import "github.com/ebbpool/arena/internal/check"

// smallestBytes is the least capacity that GrowBytes gives.
const smallestBytes = 64

// GrowBytes is GrowSlice for bytes of which only the length is ever shown: what
// lies beyond the n bytes may hold anything. Capacities double, since a quarter
// more would leave four times the length behind as former copies.
//
//go:norace
func GrowBytes(r *Region, s []byte, n int) []byte {
	l := laneOf[byte](r)
	wanted := max(n, smallestBytes, 2*min(cap(s), MaxAlloc/2))
	if c := extend(l, s, n, wanted, false); c != 0 {
		return SliceAt[byte](l.Base, OffsetIn(l.Base, DataOf(s)), n, c)
	}
	if l.ops.meter != nil {
		wanted = l.capNearLimit(n, wanted, 1)
	}
	m := move{from: DataOf(s), bytes: uintptr(cap(s)), pinned: r.newestMark(l)}
	base, off := l.moveSlice(m, uintptr(wanted), uintptr(wanted))
	if check.On {
		l.chunk.watch.GiveUnwritten(base, off, off+uintptr(wanted))
	}
	return SliceAt[byte](base, off, n, wanted)
}

// TrimBytes cuts the capacity of s to its length, and takes back what lay
// beyond if s is the newest slice and no mark was taken since.
//
//go:norace
func TrimBytes(r *Region, s []byte) []byte {
	l := laneOf[byte](r)
	from := OffsetIn(l.Base, DataOf(s))
	end := from + uintptr(len(s))
	if cap(s) == 0 || from >= l.Lo || from+uintptr(cap(s)) != l.tip || RoundUp(l.tip, l.align) != l.Lo || r.markedBeyond(l, from) {
		return s[:len(s):len(s)]
	}
	was := l.Lo
	l.chunk.fold()
	l.Lo, l.tip = RoundUp(end, l.align), end
	if check.On {
		// The checks count on room of zeros behind a value and its zone, which
		// they fill.
		filled := was
		if check.Tag && !check.ASan {
			filled = min(was+l.watch.Zone(), l.Hi)
		}
		clearFlat(l.Base, end, filled)
		l.give(&l.chunk, from, l.Lo)
		l.chunk.watch.TakeTail(l.Base, end, l.Lo)
		check.Poison(l.Base, l.Lo, was)
	}
	return s[:len(s):len(s)]
}

// markedBeyond says whether a mark stands beyond offset at of the flat lane l's
// chunk: what it would rewind to must stay handed out.
func (r *Region) markedBeyond(l *Lane, at uintptr) bool {
	n := len(r.marks.entries)
	if n == 0 {
		return false
	}
	p := r.marks.positions[r.marks.entries[n-1].first]
	return p.chunk == OffsetIn(nil, l.Base) && p.lo > at
}
