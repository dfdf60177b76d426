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
	l.ops.quota.give(l.keptBytes(), len(l.kept))
	l.kept = nil
}

// trim chooses which of its chunks a lane retains, limit bytes at most, and
// empties them. They are chosen in the order in which the life came to them,
// so that what was kept before stays. Several chunks of join bytes together,
// or less, give way to one that the next life makes; so do chunks that two
// lives, lately, needed with another one that would make them far too large.
func (l *Lane) trim(limit, join uintptr) {
	target := min(l.fit.want, limit)
	most := min(max(target+max(target/2, l.fit.smallest), notWorthIt), limit)
	if len(l.older) == 0 && len(l.kept) == 0 {
		l.trimOne(target != 0, most)
		return
	}
	was := l.older
	all := append(was, l.chunk)
	came := len(all) // to so many the life came
	all = append(all, l.kept...)
	clear(l.kept)
	l.chunk, l.kept, l.sunk = chunk{}, l.kept[:0], 0

	stay, sum := 0, uintptr(0)
	misfit, enough := false, target == 0
	for i := range all {
		switch c := &all[i]; {
		case sum >= target && c.cap > notWorthIt:
		case c.cap > most-sum:
			misfit = misfit || i < came && c.cap <= target
		default:
			sum += c.cap
			if i < came {
				enough = sum >= target
			}
			all[stay], all[i] = all[i], all[stay]
			stay++
		}
	}
	switch misfit = misfit && !enough; {
	case stay > 1 && target <= join:
		stay = 0 // the next life makes one of target bytes
	case misfit && l.fit.misfit != 0:
		stay, l.fit.misfit, l.fit.whole = 0, 0, true
	case misfit:
		l.fit.misfit = recent
	}
	for _, c := range all[:stay] {
		l.setAside(c)
	}
	over := max(0, len(l.kept)-mostChunks)
	for _, c := range l.kept[:over] {
		l.ops.quota.give(c.cap, 1)
	}
	l.kept = slices.Delete(l.kept, 0, over)
	for _, c := range all[stay:] {
		l.ops.quota.give(c.cap, 1)
	}
	clear(was) // lists hold on to nothing
	clear(all)
	l.older = all[:0]
	if len(l.kept) > 0 {
		l.chunk = l.takeKept(0)
	}
	if len(l.kept) == 0 {
		l.kept, l.older = nil, nil
	} else if cap(all) > mostListed {
		l.older = nil
	}
}

// trimOne is trim for a lane with one chunk or none.
func (l *Lane) trimOne(needed bool, most uintptr) {
	switch {
	case l.Base == nil:
	case l.cap <= most && (needed || l.cap <= notWorthIt):
		l.chunk.takeBack(l.ops, 0, l.cap)
	default:
		l.ops.quota.give(l.cap, 1)
		l.chunk = chunk{}
	}
}
