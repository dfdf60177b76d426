package arenaarrow

import (
	"slices"

	"github.com/ebbpool/arena"
)

// A lane cuts buffers from blocks, in order.
type lane struct {
	block  []byte   // aligned
	newest int      // offset of the newest buffer, -1 if unknown
	next   int      // offset of the next buffer
	full   [][]byte // blocks that may contain live buffers
	empty  [][]byte // blocks without live buffers
}

// roundUp returns n rounded up to a multiple of alignment.
func roundUp(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// take returns size bytes with arbitrary content.
func (l *lane) take(a *arena.Arena, size int) []byte {
	if size > len(l.block)-l.next {
		l.change(a, size)
	}
	l.newest = l.next
	l.next = min(roundUp(l.newest+size), len(l.block))
	return l.block[l.newest : l.newest+size : l.newest+size]
}

// change continues with a block that has room for at least twice size bytes.
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

// extend increases the length of b to size and reports whether it could.
func (l *lane) extend(b *[]byte, size int) bool {
	if !l.isNewest(*b) || size > len(l.block)-l.newest {
		return false
	}
	*b = l.block[l.newest : l.newest+size : l.newest+size]
	l.next = min(roundUp(l.newest+size), len(l.block))
	return true
}

// giveBack frees the memory of b if it is the newest buffer.
func (l *lane) giveBack(b []byte) {
	if l.isNewest(b) {
		l.next, l.newest = l.newest, -1
	}
}

// restart frees all buffers.
func (l *lane) restart() {
	l.next, l.newest = 0, -1
	l.empty = append(l.empty, l.full...)
	l.full = l.full[:0]
}
