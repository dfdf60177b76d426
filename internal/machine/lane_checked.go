package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// How lanes work where the checks for misuse are on: no memory is handed out
// twice, so what a plain build would reuse goes to quarantine. In plain builds
// check.On is a constant, and nothing of this is compiled.

// give notes that [from, to) of the lane's chunk c was handed out.
//
//go:norace
func (l *Lane) give(c *chunk, from, to uintptr) {
	c.clean = max(c.clean, c.watch.Give(&l.watch, c.extent(), from, to))
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

// mostFirst is the most bytes that an epoch's first chunk has if no epoch before
// told what is needed.
const mostFirst = 8 << 10

// firstSize is the size of an epoch's first chunk, for one of n bytes in a plain
// build. Each epoch has a new one here, which costs its size: it fits the last
// epoch, not the largest one.
//
//go:norace
func (l *Lane) firstSize(n uintptr) uintptr {
	if !check.On {
		return n
	}
	if last := l.watch.Last(); last != 0 {
		return min(n, max(last, l.retention.smallest))
	}
	return min(n, mostFirst)
}

// plannedFor reports whether a plain build's first chunk would have room for need
// bytes beside what the epoch has used: what is large then is so for this build
// alone.
//
//go:norace
func (l *Lane) plannedFor(need uintptr) bool {
	return check.On && l.usedBytes()+need <= l.retention.first()
}

// recordUse records the size of the epoch that ends, for the first chunk of the next
// one, and for retention, as in a plain build.
func (l *Lane) recordUse() {
	used := l.usedBytes()
	l.watch.RecordUse(fitted(max(used, l.retention.top)))
	l.retention.learn(max(used, l.retention.top))
	l.retention.top = 0
}

func (l *Lane) seal() {
	l.tip = 0
	if l.Base != nil && l.used() != 0 {
		l.retire(l.chunk)
		l.chunk = chunk{}
	}
}

// quarantineFrom ends the use of all chunks of the lane's epoch from the one on that
// stands at first in older.
//
//go:norace
func (l *Lane) quarantineFrom(first int) {
	for i := range l.older[first:] {
		l.quarantine(&l.older[first+i])
	}
	clear(l.older[first:])
	l.older = l.older[:first]
	l.olderUsed = 0
	for i := range l.older {
		l.olderUsed += l.older[i].used()
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
	var clear func(base xunsafe.Pointer, from, to uintptr)
	if l.ops.zeroes {
		clear = l.ops.clear
	}
	c.watch.Quarantine(&l.watch, c.extent(), clear)
}

// checkFrom panics if a redzone was written in one of the chunks that quarantineFrom
// would take. Callers that free memory call it before they change anything.
//
//go:norace
func (l *Lane) checkFrom(first int) {
	for i := range l.older[first:] {
		c := &l.older[first+i]
		c.watch.Check(&l.watch, c.extent())
	}
	if l.Base != nil {
		l.chunk.watch.Check(&l.watch, l.chunk.extent())
	}
}
