package arena

// Mark remembers how much of an arena was in use, for Rewind.
type Mark struct {
	arena  *Arena
	serial uint64
	depth  int
}

// markStack holds what the marks of an arena's current life remember: for
// each mark the positions of all lanes that there were.
type markStack struct {
	entries   []markEntry
	positions []position
	serial    uint64 // of the newest mark; never goes back
}

type markEntry struct {
	serial uint64
	first  int // its positions are positions[first:next entry's first]
}

// clear makes all marks stale. It keeps the memory of a usual life's marks, at
// most limit bytes of positions.
func (s *markStack) clear(limit uintptr) {
	if uintptr(cap(s.positions))*sizeOf[position]() > limit {
		s.release()
		return
	}
	s.entries = s.entries[:0]
	s.positions = s.positions[:0]
}

// release also gives up the memory.
func (s *markStack) release() { s.entries, s.positions = nil, nil }

// Mark returns a mark at the current state of a: Rewind takes back what is
// allocated from here on. Marks nest. It costs a few words for each type with
// pointers that the arena has met, which are kept until a rewind to an earlier
// mark or a Reset; marking twice in one place costs them once.
func (a *Arena) Mark() Mark {
	if a == nil {
		return Mark{}
	}
	if watched {
		a.enter("Mark")
		defer a.watch.leave()
	}
	if checked {
		a.seal()
	}
	s := &a.marks
	if n := len(s.entries); n > 0 && a.isAt(s.entries[n-1].first) {
		return Mark{a, s.entries[n-1].serial, n - 1}
	}
	s.serial++
	s.entries = append(s.entries, markEntry{s.serial, len(s.positions)})
	s.positions = append(s.positions, a.flatLane().position())
	for _, l := range a.types.lanes {
		s.positions = append(s.positions, l.position())
	}
	return Mark{a, s.serial, len(s.entries) - 1}
}

// isAt says whether the arena is where the newest mark, whose positions begin
// at first, was taken.
func (a *Arena) isAt(first int) bool {
	p := a.marks.positions[first:]
	if a.flatLane().position() != p[0] {
		return false
	}
	for i, l := range a.types.lanes {
		if at := l.position(); i+1 < len(p) && at != p[i+1] || i+1 >= len(p) && at != (position{}) {
			return false
		}
	}
	return true
}

// Rewind takes back everything that was allocated since m was taken, as Reset
// does for the whole arena; it costs the clearing of memory with pointers that
// is taken back. m stays good for further rewinds; marks that were taken after
// m are stale then, but for those taken in the very same place, which are the
// same mark. A stale mark, one from before the last Reset, Release or
// Put included, and a mark of another arena panic and change nothing.
func (a *Arena) Rewind(m Mark) {
	if a != m.arena {
		panic("arena: Rewind: the mark is of another arena; rewind the arena that it was taken from")
	}
	if a == nil {
		return
	}
	if watched {
		a.enter("Rewind")
		defer a.watch.leave()
	}
	s := &a.marks
	if m.depth >= len(s.entries) || s.entries[m.depth].serial != m.serial {
		panic("arena: Rewind: the mark is stale: the arena was reset, released, put in its pool or rewound to an earlier mark since it was taken; take a new one" + a.watch.history())
	}
	positions := s.positions[s.entries[m.depth].first:]
	if checked {
		a.flatLane().checkFrom(positions[0].older)
		a.watch.ended("Rewind")
	}
	a.highWater = max(a.highWater, uintptr(a.UsedBytes()))
	if m.depth+1 < len(s.entries) {
		positions = positions[:s.entries[m.depth+1].first-s.entries[m.depth].first]
	}
	a.flatLane().rewind(positions[0])
	for i, l := range a.types.lanes {
		var p position // a type that came later had nothing
		if i+1 < len(positions) {
			p = positions[i+1]
		}
		l.rewind(p)
	}
	s.entries = s.entries[:m.depth+1]
	s.positions = s.positions[:s.entries[m.depth].first+len(positions)]
}

// position is where a lane stood when a mark was taken.
type position struct {
	chunk  uintptr // the current chunk's address, as a number: a mark keeps no memory alive
	lo, hi uintptr
	older  int
}

func (l *lane) position() position {
	if l.used() == 0 {
		// An empty chunk may give way to a larger one: don't insist on it.
		return position{older: len(l.older)}
	}
	return position{chunk: offsetIn(nil, l.base), lo: l.lo, hi: l.hi, older: len(l.older)}
}

// rewind takes back everything handed out since p.
func (l *lane) rewind(p position) {
	l.tip = 0
	if checked {
		l.fit.sawUse(l.usedBytes())
		l.buryFrom(p.older)
		return
	}
	if l.base == nil || l.position() == p {
		return
	}
	l.fit.sawUse(l.usedBytes())
	if offsetIn(nil, l.base) == p.chunk {
		l.chunk.takeBack(l.ops, p.lo, p.hi)
		for _, c := range l.older[p.older:] {
			l.ops.meter.give(c.cap, 1)
		}
	} else {
		was := l.chunk
		later := l.older[p.older:]
		if p.chunk == 0 {
			// The chunk was empty then; the one that is here now will do.
			l.chunk.takeBack(l.ops, 0, l.cap)
		}
		for _, c := range later {
			if offsetIn(nil, c.base) == p.chunk {
				l.chunk = c
				l.chunk.takeBack(l.ops, p.lo, p.hi)
			} else {
				l.setAside(c)
			}
		}
		if l.base != was.base {
			l.setAside(was)
		}
	}
	clear(l.older[p.older:])
	l.older = l.older[:p.older]
	l.sunk = 0
	for i := range l.older {
		l.sunk += l.older[i].used()
	}
	if invariants {
		l.check()
	}
}
