package machine

import "github.com/ebbpool/arena/internal/check"

// A lane without pointers that knows nothing yet of what its epochs need begins
// with less than the chunk size that was asked for: an arena that is made for
// one small request, and then dropped, would pay for 64 KB to use one. It
// begins with coldStart, or a coldPart of the chunk size, and takes coldStep
// times as much with each new chunk, so that the third one has the full size;
// what comes before is an eighth more.
const (
	coldStart = 1 << 10
	coldPart  = 64
	coldStep  = 8
)

// isCold reports whether the lane has still to come to its chunk size.
//
//go:norace
func (l *Lane) isCold() bool {
	return l.retention.cold && l.retention.target == 0 && l.HeldBytes() < l.retention.start && !l.retention.isolates
}

// coldSize is the size of a cold lane's next chunk, which must have room for
// need bytes.
//
//go:norace
func (l *Lane) coldSize(need uintptr) uintptr {
	return min(l.retention.start, max(coldStart, l.retention.start/coldPart, coldStep*max(l.HeldBytes(), need)))
}

// grow makes a chunk with room for need bytes the current one. If make panics, the
// lane is as it was.
//
//go:norace
func (l *Lane) grow(need uintptr) {
	var next chunk
	if i := l.nextFree(need); i >= 0 {
		next = l.takeFree(i)
	} else if l.isCold() {
		next = l.newChunk(need, l.coldSize(need))
	} else {
		size := l.nextSize()
		next = l.newChunk(need, size)
		l.retention.plan(size)
	}
	l.goOnWith(next)
}

// goOnWith makes next the lane's current chunk.
//
//go:norace
func (l *Lane) goOnWith(next chunk) {
	if l.Base != nil {
		if l.used() == 0 {
			l.addFree(l.chunk)
		} else {
			l.retire(l.chunk)
		}
	}
	l.chunk = next
	l.tip = 0
	if check.Tag {
		l.check()
	}
}

// newChunk makes an empty chunk of want bytes, or need where that is more. A
// limit can make it smaller, but for need; if that is too much it panics, and
// the lane is as it was. want is 0 for a chunk beside the current one.
//
//go:norace
func (l *Lane) newChunk(need, want uintptr) chunk {
	large := need > want && !l.plannedFor(need)
	if want != 0 && l.Base == nil {
		want = l.firstSize(want)
	}
	need = RoundUp(need, l.align())
	n := max(need, min(want, MaxAlloc)/l.align()*l.align())
	m := l.ops.quota
	least, most := n/4, 2*n
	if l.Base == nil { // a chunk to be kept
		least, most = n-n/9, n+n/3
		if n > joinedAtOnce && !l.retention.joined {
			least = n / 8
		}
	}
	c, granted := l.takeCached(need, least, n-n/8, most, want == 0)
	if c.Base != nil {
		return c
	}
	if granted != 0 {
		n = granted
	} else if m != nil {
		n = m.grant(need, n, l.align(), l.kept(want == 0))
	}
	c = chunk{Hi: n, cap: n, cleanEnd: n}
	if m != nil {
		// make may panic: the runtime refuses sizes that it can't even try.
		defer func() {
			if c.Base == nil {
				m.cancel(n)
				return
			}
			m.commit(n, large)
		}()
	}
	if check.On {
		c.Base = c.watch.Make(&l.watch, n, l.ops.make)
	} else {
		c.Base = l.ops.make(n)
	}
	l.retention.made()
	if large {
		l.retention.oversize++
	}
	return c
}

// nextSize is how large the next chunk of this epoch should be.
//
//go:norace
func (l *Lane) nextSize() uintptr {
	if l.retention.isolates {
		return l.retention.isolatedSize()
	}
	if l.Base == nil || l.isCold() {
		return l.retention.first()
	}
	if !check.On {
		return l.retention.next(l.HeldBytes(), l.home.MaxRetained)
	}
	// Nothing was kept: doubling what the epoch has, and enough to get where it
	// has been before a rewind.
	used := l.usedBytes()
	size := min(max(used, l.retention.smallest), l.retention.largest)
	if l.retention.top > used {
		size = max(size, fitted(l.retention.top))
	}
	return size
}

// retire lists a chunk that no more is taken from, and returns where it is
// listed.
//
//go:norace
func (l *Lane) retire(c chunk) *chunk {
	if len(l.older) == cap(l.older) && cap(l.older) < fewListed {
		list := append(make([]chunk, 0, fewListed), l.older...) // for most epochs, in one allocation
		clear(l.older)                                          // it lies in the lane, and holds on to nothing
		l.older = list
	}
	l.older = append(l.older, c)
	l.olderUsed += c.used()
	return &l.older[len(l.older)-1]
}

// wantsOwnChunk reports whether a piece that the current chunk has no room for
// gets a chunk of its own while the current one goes on: if that still has a
// quarter of its capacity, and the piece fills half of a free chunk, or is large,
// so that few such chunks come together.
//
//go:norace
func (l *Lane) wantsOwnChunk(size uintptr) bool {
	free := l.Hi - l.Lo
	if free == 0 || free < l.cap/4 {
		return false
	}
	if l.nextFree(size) >= 0 {
		return l.bestFit(size) >= 0
	}
	return size > max(l.nextSize(), l.HeldBytes()/4)/4 && (l.used() != 0 || l.ops.quota.Left() >= size)
}

// ownChunk is the chunk for a piece that wants its own.
//
//go:norace
func (l *Lane) ownChunk(need uintptr) chunk {
	if i := l.bestFit(need); i >= 0 {
		return l.takeFree(i)
	}
	return l.newChunk(need, 0)
}
