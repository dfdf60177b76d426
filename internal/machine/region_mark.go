package machine

import (
	"math"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// marksRetained is the size in bytes of the marks that a region may always retain,
// about ten marks of ten types.
const marksRetained = 4 << 10

// Mark is a place in the epoch of a region: where it stands on the stack of
// marks, and its number, which no other mark has.
type Mark struct {
	serial uint64
	depth  int
}

// markStack holds what the marks of a region's current epoch remember: for
// each mark the positions of all lanes that there were.
type markStack struct {
	entries   []markEntry
	positions []position
	serial    uint64 // of the newest mark; never goes back
}

type markEntry struct {
	serial uint64
	first  int     // its positions are positions[first:next entry's first]
	maps   int     // where the positions of its maps begin
	loose  uintptr // bytes of maps that are not kept
}

// clear makes all marks stale. It retains at most limit bytes of positions for the
// next ones.
func (s *markStack) clear(limit uintptr) {
	if uintptr(cap(s.positions))*xunsafe.SizeOf[position]() > limit {
		s.release()
		return
	}
	s.entries = s.entries[:0]
	s.positions = s.positions[:0]
}

// release also gives up the memory.
func (s *markStack) release() { s.entries, s.positions = nil, nil }

// Mark returns a mark at the region's current state; the newest one again where
// nothing was allocated since.
func (r *Region) Mark() Mark {
	if check.On {
		r.Seal()
	}
	s := &r.marks
	if n := len(s.entries); n > 0 && r.isAt(s.entries[n-1]) {
		return Mark{s.entries[n-1].serial, n - 1}
	}
	s.serial++
	s.entries = append(s.entries, markEntry{s.serial, len(s.positions), r.maps.mark(), r.maps.looseBytes()})
	s.positions = append(s.positions, r.flatPosition())
	for _, l := range r.Types.inUse() {
		s.positions = append(s.positions, l.position())
	}
	return Mark{s.serial, len(s.entries) - 1}
}

// flatPosition is where the lane without pointers stands. In heap mode, where it has nothing,
// it is what was counted for values.
func (r *Region) flatPosition() position {
	if r.heap {
		return position{lo: r.others - r.maps.looseBytes()}
	}
	return r.FlatLane().position()
}

// isAt reports whether the region is where the newest mark was taken.
func (r *Region) isAt(newest markEntry) bool {
	p := r.marks.positions[newest.first:]
	if r.flatPosition() != p[0] {
		return false
	}
	for i, l := range r.Types.inUse() {
		if at := l.position(); i+1 < len(p) && at != p[i+1] || i+1 >= len(p) && at != (position{}) {
			return false
		}
	}
	return r.maps.isAt(newest.maps, newest.loose)
}

// IsStale reports whether m is no mark of the region's present epoch any more.
func (r *Region) IsStale(m Mark) bool {
	s := &r.marks
	return m.depth >= len(s.entries) || s.entries[m.depth].serial != m.serial
}

// CheckFrom is CheckFree for what Rewind will take back.
func (r *Region) CheckFrom(m Mark) {
	s := &r.marks
	r.FlatLane().checkFrom(s.positions[s.entries[m.depth].first].older)
}

// Rewind takes back everything that was handed out since m, which is not stale.
func (r *Region) Rewind(m Mark) {
	s := &r.marks
	at := s.entries[m.depth]
	positions, maps := s.positions[at.first:], math.MaxInt
	r.highWater = max(r.highWater, r.UsedBytes())
	if m.depth+1 < len(s.entries) {
		next := s.entries[m.depth+1]
		positions, maps = positions[:next.first-at.first], next.maps
	}
	if r.heap {
		r.rewindHeap(positions[0].lo)
	} else {
		r.FlatLane().rewind(positions[0])
	}
	for i, l := range r.Types.inUse() {
		var p position // a type that came later had nothing
		if i+1 < len(positions) {
			p = positions[i+1]
		}
		l.rewind(p)
	}
	r.maps.rewind(r, at.maps, maps, at.loose)
	s.entries = s.entries[:m.depth+1]
	s.positions = s.positions[:at.first+len(positions)]
}
