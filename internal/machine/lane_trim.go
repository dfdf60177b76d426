package machine

import (
	"slices"

	"github.com/ebbpool/arena/internal/check"
)

// A lane retains several chunks from one epoch to the next, and those that Rewind
// empties. They wait in its free list, the smallest one first: small epochs stay in
// small chunks, and large values find a chunk that is large enough.

// nextFree returns the index of the free chunk that comes next, for a value of need
// bytes: the smallest one for small values, the largest one for others, which may grow
// there. It returns -1 where need doesn't fit.
//
//go:norace
func (l *Lane) nextFree(need uintptr) int {
	last := len(l.free) - 1
	if last >= 0 && need <= l.free[0].room()/8 {
		return 0
	}
	if last >= 0 && l.free[last].room() < need {
		return -1
	}
	return last
}

// bestFit returns the smallest free chunk that size bytes fit in, if they
// fill half of it, else -1.
//
//go:norace
func (l *Lane) bestFit(size uintptr) int {
	for i := range l.free {
		if n := l.free[i].room(); n >= size {
			if n/2 > size {
				break
			}
			return i
		}
	}
	return -1
}

// takeFree takes chunk i off the free list.
//
//go:norace
func (l *Lane) takeFree(i int) chunk {
	c := l.free[i]
	l.free = slices.Delete(l.free, i, i+1)
	return c
}

// addFree empties a chunk and puts it on the free list.
func (l *Lane) addFree(c chunk) {
	l.takeBack(&c, c.begin(), c.cap)
	i := len(l.free)
	for i > 0 && l.free[i-1].room() > c.room() {
		i--
	}
	l.free = slices.Insert(l.free, i, c)
}

// freeBytes returns the size of the free chunks in bytes.
//
//go:norace
func (l *Lane) freeBytes() uintptr {
	n := uintptr(0)
	for i := range l.free {
		n += l.free[i].size()
	}
	return n
}

// dropFree gives the free chunks to the collector.
func (l *Lane) dropFree() {
	l.ops.quota.give(l.freeBytes(), len(l.free))
	l.free = nil
}

// trim chooses which of its chunks a lane retains, limit bytes at most, and
// empties them. They are chosen in the order in which the epoch came to them,
// so that those retained before stay. Several chunks of join bytes together,
// or less, give way to one that the next epoch makes; so do chunks that two
// epochs, lately, needed with another one that would make them far too large.
func (l *Lane) trim(limit, join uintptr) {
	target := min(l.retention.want, limit)
	most := min(max(target+max(target/2, l.retention.smallest), notWorthIt), limit)
	if len(l.older) == 0 && len(l.free) == 0 {
		l.trimOne(target != 0, most, join)
		return
	}
	was := l.older
	all := append(was, l.chunk)
	came := len(all) // to so many the epoch came
	all = append(all, l.free...)
	clear(l.free)
	l.chunk, l.free, l.olderUsed = chunk{}, l.free[:0], 0

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
	useful := join != joinedAtFirst // first epochs make too large ones
	switch misfit = misfit && !enough; {
	case stay > 1 && target <= join:
		stay, useful = 0, false // the next epoch makes one of target bytes
	case misfit && l.retention.misfit != 0:
		stay, l.retention.misfit, l.retention.whole = 0, 0, true
	case misfit:
		l.retention.misfit = recent
	}
	for _, c := range all[:stay] {
		l.addFree(c)
	}
	over := max(0, len(l.free)-mostChunks)
	for _, c := range l.free[:over] {
		l.leaveChunk(c, true)
	}
	l.free = slices.Delete(l.free, 0, over)
	for _, c := range all[stay:] {
		if c.Base != nil {
			l.leaveChunk(c, useful)
		}
	}
	clear(was) // lists hold on to nothing
	clear(all)
	l.older = all[:0]
	if len(l.free) > 0 {
		l.chunk = l.takeFree(0)
	}
	if len(l.free) == 0 && l.retention.shared == 0 {
		l.free, l.older = nil, nil
	} else if cap(all) > mostListed {
		l.older = nil
	}
}

// trimOne is trim for a lane with one chunk or none.
func (l *Lane) trimOne(needed bool, most, join uintptr) {
	switch {
	case l.Base == nil:
	case l.cap <= most && (needed || l.cap <= notWorthIt):
		l.takeBack(&l.chunk, 0, l.cap)
	default:
		l.leaveChunk(l.chunk, join != joinedAtFirst)
		l.chunk = chunk{}
	}
}

// empty ends the epoch of the lane: everything handed out is taken back, and
// the chunks that the next epoch will need stay. limit is the most bytes that it
// may keep. It returns how many it has kept.
func (l *Lane) empty(limit uintptr) (held uintptr) {
	if check.On && l.usedBytes() != 0 {
		// Memory that is never used again finds every stale use.
		l.recordUse(limit)
		l.Drop()
		return 0
	}
	l.tip = 0
	if held = l.cap; len(l.free) != 0 {
		held += l.freeBytes()
	}
	if used := l.used(); len(l.older) != 0 || held > limit || !l.retention.seen(used) {
		l.endEpoch(limit)
		held = l.HeldBytes()
	} else if used != 0 { // takeBack, without a call for what has no pointers
		if l.ops.zeroes && l.Lo != 0 {
			if clearsPointers && l.Lo <= clearPiece {
				clearPointers(l.Base, 0, l.Lo)
			} else {
				l.ops.clear(l.Base, 0, l.Lo)
			}
		}
		l.chunk.fold()
		l.Lo, l.Hi = 0, l.cap
	}
	if check.Tag {
		l.check()
	}
	return held
}

// isUsual reports whether the epoch, which used so many bytes of the current chunk of
// this lane of a type with pointers, was like most: emptyUsual may end it then.
//
//go:norace
func (l *Lane) isUsual(used, limit uintptr) bool {
	r := l.laneRecord
	return clearsPointers && !check.Watched && used-1 < r.retention.want && r.retention.want <= spareLeast && l.cap <= limit &&
		r.retention.top == 0 && r.retention.epochs != Window-1 && len(r.older)|len(r.free)|int(r.retention.idle) == 0
}

// emptyUsual is empty for such an epoch, and looks at nothing else.
func (l *Lane) emptyUsual(used uintptr) {
	r := &l.laneRecord.retention
	r.peak = max(r.peak, used)
	r.epochs++
	r.beyond[1], r.beyond[0] = r.beyond[0], 0
	l.tip = 0
	clearPointers(l.Base, 0, l.Lo)
	l.clean = max(l.clean, l.Lo)
	l.Lo = 0
	if check.Tag {
		l.check()
	}
}

// endEpoch is empty where there may be something to choose.
func (l *Lane) endEpoch(limit uintptr) {
	l.retention.share(l.shares(), limit)
	look, join := l.retention.endEpoch(l.needBytes(), limit)
	if l.retention.shared != 0 && l.retention.epochs == 0 && !l.Typed() {
		l.ops.quota.stats.tick()
	}
	if look || len(l.older) > 0 || l.cap+l.freeBytes() > limit {
		l.trim(limit, join)
	} else if l.Base != nil {
		l.takeBack(&l.chunk, 0, l.cap)
	}
}

// Drop gives every chunk to the collector.
func (l *Lane) Drop() {
	if check.On {
		l.quarantineFrom(0)
	}
	l.ops.quota.give(l.HeldBytes(), l.Chunks())
	clear(l.older)
	l.chunk, l.free, l.older, l.olderUsed, l.tip = chunk{}, nil, nil, 0, 0
}

// Expect has the next epoch of a lane that knows nothing yet begin with a chunk of
// that many bytes. Up to twice its chunk size the lane comes to them by itself.
func (l *Lane) Expect(bytes uintptr) {
	if bytes > 2*l.retention.start {
		l.retention.want = bytes
	}
}

// commonSize is the size in bytes that no lane must exceed for the lanes' chunks to
// fit into limit bytes together, beside others of so many bytes. Small lanes keep what
// they have.
func commonSize(lanes []*Lane, others, limit uintptr) uintptr {
	// The largest one under which everything fits, by bisection.
	low, high := uintptr(0), limit
	for low < high {
		size := high - (high-low)/2
		sum := others
		for _, l := range lanes {
			sum += min(l.HeldBytes(), size)
		}
		if sum <= limit {
			low = size
		} else {
			high = size - 1
		}
	}
	return low
}

// cut makes the chunks of each lane, all of which were emptied, fit into size bytes. A
// sixteenth of that is left to those that are growing, or the large ones would be cut
// again for each small step.
func cut(lanes []*Lane, size uintptr) {
	for _, l := range lanes {
		if l.HeldBytes() > size {
			l.retention.want = size - size/16
			l.trim(size, 0)
		}
	}
}
