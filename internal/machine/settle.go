package machine

import "slices"

// A lane keeps several chunks from one life to the next, and those that Rewind
// takes back. They wait in kept, empty, the smallest one first: small lives
// stay in small chunks, and large values find room.

// nextKept returns which kept chunk comes next, for a value of need bytes: the
// smallest one for small values, the largest one for others, which may grow
// there. It returns -1 where need doesn't fit.
//
//go:norace
func (l *Lane) nextKept(need uintptr) int {
	last := len(l.kept) - 1
	if last >= 0 && need <= l.kept[0].cap/8 {
		return 0
	}
	if last >= 0 && l.kept[last].cap < need {
		return -1
	}
	return last
}

// tightKept returns the smallest kept chunk that size bytes fit in, if they
// fill half of it, else -1.
//
//go:norace
func (l *Lane) tightKept(size uintptr) int {
	for i := range l.kept {
		if n := l.kept[i].cap; n >= size {
			if n/2 > size {
				break
			}
			return i
		}
	}
	return -1
}

// takeKept takes a kept chunk.
//
//go:norace
func (l *Lane) takeKept(i int) chunk {
	c := l.kept[i]
	l.kept = slices.Delete(l.kept, i, i+1)
	return c
}

// setAside empties a chunk and keeps it.
func (l *Lane) setAside(c chunk) {
	c.takeBack(l.ops, 0, c.cap)
	i := len(l.kept)
	for i > 0 && l.kept[i-1].cap > c.cap {
		i--
	}
	l.kept = slices.Insert(l.kept, i, c)
}

// keptBytes is the size of the kept chunks.
//
//go:norace
func (l *Lane) keptBytes() uintptr {
	n := uintptr(0)
	for i := range l.kept {
		n += l.kept[i].cap
	}
	return n
}

// dropKept gives the kept chunks to the collector.
func (l *Lane) dropKept() {
	l.ops.meter.give(l.keptBytes(), len(l.kept))
	l.kept = nil
}

// settle chooses which of its chunks a lane keeps, limit bytes at most, and
// empties them. They are chosen in the order in which the life came to them,
// so that what was kept before stays. Several chunks of join bytes together,
// or less, give way to one that the next life makes.
func (l *Lane) settle(limit, join uintptr) {
	all := l.older
	if l.Base != nil {
		all = append(all, l.chunk)
	}
	all = append(all, l.kept...)
	clear(l.kept)
	l.chunk, l.kept, l.sunk = chunk{}, l.kept[:0], 0

	target := min(l.fit.want, limit)
	most := min(max(target+max(target/2, l.fit.smallest), notWorthIt), limit)
	stay, sum := 0, uintptr(0)
	for i := range all {
		if c := &all[i]; (sum < target || c.cap <= notWorthIt) && c.cap <= most-sum {
			sum += c.cap
			all[stay], all[i] = all[i], all[stay]
			stay++
		}
	}
	if stay > 1 && target <= join {
		stay = 0
	}
	for _, c := range all[:stay] {
		l.setAside(c)
	}
	if over := len(l.kept) - mostChunks; over > 0 {
		for _, c := range l.kept[:over] {
			l.ops.meter.give(c.cap, 1)
		}
		l.kept = slices.Delete(l.kept, 0, over)
	}
	for _, c := range all[stay:] {
		l.ops.meter.give(c.cap, 1)
	}
	clear(all) // holds on to nothing
	if l.older = all[:0]; stay <= 1 || cap(all) > mostListed {
		l.older = nil
	}
	if len(l.kept) > 0 {
		l.chunk = l.takeKept(0)
	}
	if len(l.kept) == 0 {
		l.kept = nil
	}
}
