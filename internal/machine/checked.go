package machine

import "github.com/ebbpool/arena/internal/check"

// How lanes work where the checks for misuse are on: no memory is handed out
// twice, so what a plain build would reuse goes to quarantine. In plain builds
// check.On is a constant, and nothing of this is compiled.

// room is what the checks are told of the chunk.
func (c *chunk) room() check.Room {
	return check.Room{Base: c.Base, Lo: c.Lo, Hi: c.Hi, Size: c.cap}
}

// give notes that [from, to) of the lane's chunk c was handed out.
//
//go:norace
func (l *Lane) give(c *chunk, from, to uintptr) {
	c.clean = max(c.clean, c.watch.Give(&l.watch, c.room(), from, to))
}

// addRedzone makes the n bytes at offset at of one of the lane's chunks a redzone.
//
//go:norace
func (l *Lane) addRedzone(c *chunk, at, n uintptr) {
	if check.On {
		c.watch.AddRedzone(&l.watch, c.Base, at, n)
	}
}

// redzoneBytes returns the size of the redzones among the lane's used bytes.
//
//go:norace
func (l *Lane) redzoneBytes() uintptr {
	if !check.On {
		return 0
	}
	n := l.chunk.watch.RedzoneBytes()
	for i := range l.older {
		n += l.older[i].watch.RedzoneBytes()
	}
	return n
}

// mostFirst is the most bytes that a life's first chunk has if no life before
// told what is needed.
const mostFirst = 8 << 10

// firstSize is the size of a life's first chunk, for one of n bytes in a plain
// build. Each life has a new one here, which costs its size: it fits the last
// life, not the largest one.
//
//go:norace
func (l *Lane) firstSize(n uintptr) uintptr {
	if !check.On {
		return n
	}
	if last := l.watch.Last(); last != 0 {
		return min(n, max(last, l.fit.smallest))
	}
	return min(n, mostFirst)
}

// plannedFor reports whether a plain build's first chunk would have room for need
// bytes beside what the life has used: what is large then is so for this build
// alone.
//
//go:norace
func (l *Lane) plannedFor(need uintptr) bool {
	return check.On && l.usedBytes()+need <= l.fit.first()
}

// lived notes how many bytes the life used that ended, for the next one, and, as
// in a plain build, what to keep for.
func (l *Lane) lived(limit uintptr) {
	used := l.usedBytes()
	l.watch.Lived(fitted(max(used, l.fit.top)))
	l.fit.endLife(used, limit)
}

// Seal has what comes next begin in chunks of its own, so that Rewind takes
// back whole ones.
func (r *Region) Seal() {
	flat := r.FlatLane()
	flat.seal()
	for _, l := range r.Types.inUse() {
		l.seal()
	}
}

func (l *Lane) seal() {
	l.tip = 0
	if l.Base != nil && l.used() != 0 {
		l.retire(l.chunk)
		l.chunk = chunk{}
	}
}

// quarantineFrom ends the use of all chunks of the lane's life from the one on that
// stands at first in older.
//
//go:norace
func (l *Lane) quarantineFrom(first int) {
	for i := range l.older[first:] {
		l.quarantine(&l.older[first+i])
	}
	clear(l.older[first:])
	l.older = l.older[:first]
	l.sunk = 0
	for i := range l.older {
		l.sunk += l.older[i].used()
	}
	if l.Base != nil && l.used() != 0 {
		l.quarantine(&l.chunk)
		l.chunk = chunk{}
	}
}

// quarantine makes a chunk's memory inaccessible for ever.
//
//go:norace
func (l *Lane) quarantine(c *chunk) {
	l.ops.quota.give(c.cap, 1)
	var clear func(base Pointer, from, to uintptr)
	if l.ops.zeroes {
		clear = l.ops.clear
	}
	c.watch.Quarantine(&l.watch, c.room(), clear)
}

// checkFrom panics if a redzone was written in one of the chunks that quarantineFrom
// would take. Callers that free memory call it before they change anything.
//
//go:norace
func (l *Lane) checkFrom(first int) {
	for i := range l.older[first:] {
		c := &l.older[first+i]
		c.watch.Check(&l.watch, c.room())
	}
	if l.Base != nil {
		l.chunk.watch.Check(&l.watch, l.chunk.room())
	}
}
