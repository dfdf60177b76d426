package arenaarrow

import (
	"slices"

	"github.com/ebbpool/arena"
)

// A lane cuts buffers from blocks, one after the other.
type lane struct {
	block  []byte   // the first byte of each block is aligned
	newest int      // where the newest buffer begins, -1 for none that is known
	next   int      // where the next one begins
	full   [][]byte // blocks that may have live buffers
	empty  [][]byte // and those that have none
}

// roundUp is n rounded up to a multiple of alignment.
func roundUp(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// take returns size bytes, with anything in them.
func (l *lane) take(a *arena.Arena, size int) []byte {
	if size > len(l.block)-l.next {
		l.change(a, size)
	}
	l.newest = l.next
	l.next = min(roundUp(l.newest+size), len(l.block))
	return l.block[l.newest : l.newest+size : l.newest+size]
}

// change goes on in another block, with room for size bytes and for as many again.
func (l *lane) change(a *arena.Arena, size int) {
	var next []byte
	for i, b := range l.empty {
		if len(b) >= size {
			next = b
			l.empty = slices.Delete(l.empty, i, i+1)
			break
		}
	}
	if next == nil {
		n := max(min(2*len(l.block), largest), smallest, 2*size)
		next = aligned(arena.MakeSliceUninit[byte](a, n+alignment, n+alignment))
	}
	if l.block != nil {
		l.full = append(l.full, l.block)
	}
	l.block, l.next = next, 0
}

// isNewest reports whether b is the newest buffer of the block.
func (l *lane) isNewest(b []byte) bool {
	return l.newest >= 0 && l.newest < len(l.block) && &b[:1][0] == &l.block[l.newest]
}

// extend makes b size bytes long, and reports whether it could.
func (l *lane) extend(b *[]byte, size int) bool {
	if !l.isNewest(*b) || size > len(l.block)-l.newest {
		return false
	}
	*b = l.block[l.newest : l.newest+size : l.newest+size]
	l.next = min(roundUp(l.newest+size), len(l.block))
	return true
}

// giveBack takes the memory of b back, if it is the newest.
func (l *lane) giveBack(b []byte) {
	if l.isNewest(b) {
		l.next, l.newest = l.newest, -1
	}
}

// restart takes all buffers back.
func (l *lane) restart() {
	l.next, l.newest = 0, -1
	l.empty = append(l.empty, l.full...)
	l.full = l.full[:0]
}
