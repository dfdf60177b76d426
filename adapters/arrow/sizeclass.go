package arenaarrow

import (
	"slices"

	"github.com/ebbpool/arena"
)

// A sizeClass cuts buffers from blocks, in order.
type sizeClass struct {
	block  []byte   // aligned
	newest int      // offset of the newest buffer, -1 if unknown
	next   int      // offset of the next buffer
	full   [][]byte // blocks that may contain live buffers
	empty  [][]byte // blocks without live buffers
}

// roundUp returns n rounded up to a multiple of alignment.
func roundUp(n int) int { return (n + alignment - 1) &^ (alignment - 1) }

// take returns size bytes with arbitrary content.
func (c *sizeClass) take(a *arena.Arena, size int) []byte {
	if size > len(c.block)-c.next {
		c.change(a, size)
	}
	c.newest = c.next
	c.next = min(roundUp(c.newest+size), len(c.block))
	return c.block[c.newest : c.newest+size : c.newest+size]
}

// change continues with a block that has room for at least twice size bytes.
func (c *sizeClass) change(a *arena.Arena, size int) {
	var next []byte
	for i, b := range c.empty {
		if len(b) >= size {
			next = b
			c.empty = slices.Delete(c.empty, i, i+1)
			break
		}
	}
	if next == nil {
		n := max(min(2*len(c.block), largest), smallest, 2*size)
		next = aligned(arena.MakeSliceUninit[byte](a, n+alignment, n+alignment))
	}
	if c.block != nil {
		c.full = append(c.full, c.block)
	}
	c.block, c.next = next, 0
}

// isNewest reports whether b is the newest buffer of the block.
func (c *sizeClass) isNewest(b []byte) bool {
	return c.newest >= 0 && c.newest < len(c.block) && &b[:1][0] == &c.block[c.newest]
}

// extend increases the length of b to size and reports whether it could.
func (c *sizeClass) extend(b *[]byte, size int) bool {
	if !c.isNewest(*b) || size > len(c.block)-c.newest {
		return false
	}
	*b = c.block[c.newest : c.newest+size : c.newest+size]
	c.next = min(roundUp(c.newest+size), len(c.block))
	return true
}

// giveBack frees the memory of b if it is the newest buffer.
func (c *sizeClass) giveBack(b []byte) {
	if c.isNewest(b) {
		c.next, c.newest = c.newest, -1
	}
}

// restart frees all buffers.
func (c *sizeClass) restart() {
	c.next, c.newest = 0, -1
	c.empty = append(c.empty, c.full...)
	c.full = c.full[:0]
}
