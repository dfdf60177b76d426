package machine

import (
	"math"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Mark is a position in the current cycle: its index on the stack of marks, and its serial number, which is unique.
type Mark struct {
	serial uint64
	depth  int
}

// Mark returns a mark at the current position, which is the newest mark if nothing was allocated since.
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
	s.positions = append(s.positions, r.noscanPosition())
	for _, al := range r.Types.active() {
		s.positions = append(s.positions, al.position())
	}
	return Mark{s.serial, len(s.entries) - 1}
}

// isAt reports whether nothing was allocated since the newest mark.
func (r *Region) isAt(newest markEntry) bool {
	p := r.marks.positions[newest.first:]
	if r.noscanPosition() != p[0] {
		return false
	}
	for i, al := range r.Types.active() {
		if at := al.position(); i+1 < len(p) && at != p[i+1] || i+1 >= len(p) && at != (position{}) {
			return false
		}
	}
	return r.maps.isAt(newest.maps, newest.loose)
}

// IsStale reports whether m does not belong to the current cycle.
func (r *Region) IsStale(m Mark) bool {
	s := &r.marks
	return m.depth >= len(s.entries) || s.entries[m.depth].serial != m.serial
}

// CheckFrom is CheckFree for the memory that Rewind takes back.
func (r *Region) CheckFrom(m Mark) {
	s := &r.marks
	r.Noscan.checkFrom(s.positions[s.entries[m.depth].first].full)
}

// Rewind takes back everything handed out since m, which is not stale.
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
		r.Noscan.rewind(positions[0])
	}
	for i, al := range r.Types.active() {
		var p position // new types had no memory
		if i+1 < len(positions) {
			p = positions[i+1]
		}
		al.rewind(p)
	}
	r.maps.rewind(at.maps, maps, at.loose)
	s.entries = s.entries[:m.depth+1]
	s.positions = s.positions[:at.first+len(positions)]
	if check.Tag {
		r.check()
	}
}

// position returns the allocator's current position.
func (al *Allocator) position() position {
	if al.used() == 0 {
		// Any empty chunk will do, because a larger one may replace it.
		return position{full: len(al.full)}
	}
	return position{chunk: xunsafe.Number(al.Base), lo: al.Lo, hi: al.Hi, full: len(al.full)}
}

// rewind takes back everything handed out since p.
func (al *Allocator) rewind(p position) {
	al.tip = 0
	if check.On {
		al.retention.sawNeed(al.usedBytes())
		al.quarantineFrom(p.full)
		return
	}
	if al.Base == nil || al.position() == p {
		return
	}
	al.retention.sawNeed(al.needBytes())
	if xunsafe.Number(al.Base) == p.chunk {
		al.takeBack(&al.chunk, p.lo, p.hi)
		for _, c := range al.full[p.full:] {
			al.addFree(c)
		}
	} else {
		was := al.chunk
		later := al.full[p.full:]
		if p.chunk == 0 {
			// The chunk was empty then. Any chunk will do.
			al.takeBack(&al.chunk, al.begin(), al.cap)
		}
		for _, c := range later {
			if xunsafe.Number(c.Base) == p.chunk {
				al.chunk = c
				al.takeBack(&al.chunk, p.lo, p.hi)
			} else {
				al.addFree(c)
			}
		}
		if al.Base != was.Base {
			al.addFree(was)
		}
	}
	clear(al.full[p.full:])
	al.full = al.full[:p.full]
	al.fullUsed = 0
	for i := range al.full {
		al.fullUsed += al.full[i].used()
	}
}

// Seal makes later allocations begin in chunks of their own, so that Rewind takes back whole chunks. Checked builds
// call it.
func (r *Region) Seal() {
	r.each((*Allocator).seal)
}

// newestMark returns al's position at the newest mark that is not stale.
//
//go:norace
func (r *Region) newestMark(al *Allocator) position {
	n := len(r.marks.entries)
	if n == 0 {
		return position{}
	}
	at := r.marks.positions[r.marks.entries[n-1].first:]
	if al == &r.Noscan {
		return at[0]
	}
	if i := int(al.ops.index); i+1 < len(at) {
		return at[i+1]
	}
	return position{} // the allocator is newer than the mark
}
