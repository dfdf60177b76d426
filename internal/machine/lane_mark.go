package machine

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// position is where a lane stood when a mark was taken.
type position struct {
	chunk  uintptr // the current chunk's address, as a number: a mark keeps no memory alive
	lo, hi uintptr
	older  int
}

func (l *Lane) position() position {
	if l.used() == 0 {
		// An empty chunk may give way to a larger one: don't insist on it.
		return position{older: len(l.older)}
	}
	return position{chunk: xunsafe.Number(l.Base), lo: l.Lo, hi: l.Hi, older: len(l.older)}
}

// rewind takes back everything handed out since p.
func (l *Lane) rewind(p position) {
	l.tip = 0
	if check.On {
		l.retention.sawNeed(l.usedBytes())
		l.quarantineFrom(p.older)
		return
	}
	if l.Base == nil || l.position() == p {
		return
	}
	l.retention.sawNeed(l.needBytes())
	if xunsafe.Number(l.Base) == p.chunk {
		l.takeBack(&l.chunk, p.lo, p.hi)
		for _, c := range l.older[p.older:] {
			l.addFree(c)
		}
	} else {
		was := l.chunk
		later := l.older[p.older:]
		if p.chunk == 0 {
			// The chunk was empty then; the one that is here now will do.
			l.takeBack(&l.chunk, l.begin(), l.cap)
		}
		for _, c := range later {
			if xunsafe.Number(c.Base) == p.chunk {
				l.chunk = c
				l.takeBack(&l.chunk, p.lo, p.hi)
			} else {
				l.addFree(c)
			}
		}
		if l.Base != was.Base {
			l.addFree(was)
		}
	}
	clear(l.older[p.older:])
	l.older = l.older[:p.older]
	l.olderUsed = 0
	for i := range l.older {
		l.olderUsed += l.older[i].used()
	}
	if check.Tag {
		l.check()
	}
}
