//go:build arenacheck

package check

import (
	"slices"
	"strconv"
	"strings"
)

// freeFill and deadFill are patterns that fill memory.
var (
	freeFill = strings.Repeat(string([]byte{FreeByte}), 32)
	deadFill = strings.Repeat(string([]byte{DeadByte}), 32)
)

// fillRedzone fills a redzone between values without pointers.
//
//go:norace
func (al *Allocator) fillRedzone(base Pointer, at, n uintptr) {
	if n != 0 && al.noscan && !ASan {
		fill(base, at, at+n, freeFill)
	}
}

// GiveUnwritten fills memory that is allocated without clearing.
func (c *Chunk) GiveUnwritten(base Pointer, from, to uintptr) { fill(base, from, to, freeFill) }

// noteGiven records an allocation: objects upwards, strings downwards. An extension belongs to the newest
// object. It fills the bytes after a value, up to the next one or for a redzone, because free memory is zero
// and would not show a zero written past the end. It returns where the filled memory ends.
//
//go:norace
func (c *Chunk) noteGiven(al *Allocator, r Extent, from, to uintptr) (clean uintptr) {
	if !al.noscan || ASan {
		return 0
	}
	list, spare := &c.objects, &al.spare.objects
	if from >= r.Hi {
		list, spare = &c.strings, &al.spare.strings
	} else {
		clean = al.redzoneBehind(to, r.Hi)
		fill(r.Base, to, clean, freeFill)
	}
	if n := len(*list); n > 0 && (*list)[n-1].from == from {
		(*list)[n-1].to = to
		return clean
	}
	if *list == nil {
		*list, *spare = *spare, nil
	}
	*list = append(*list, span{from, to})
	return clean
}

// redzoneBehind returns the end of the redzone after the newest object, which ends at to: the start of the
// next object, if there is room below hi.
//
//go:norace
func (al *Allocator) redzoneBehind(to, hi uintptr) uintptr {
	return min(roundUp(to, al.align)+al.Redzone(), hi)
}

// noteTail records that the newest object ends at from instead of to.
//
//go:norace
func (c *Chunk) noteTail(base Pointer, from, to uintptr) {
	if n := len(c.objects); n > 0 {
		c.objects[n-1].to = from
		fill(base, from, to, freeFill)
	}
}

// maxSpare limits the lists that an allocator keeps, in spans.
const maxSpare = 1 << 10

// recycleLists keeps the lists of a chunk that was taken back for the next chunk.
func (c *Chunk) recycleLists(al *Allocator) {
	if s := c.objects; s != nil && cap(s) <= maxSpare {
		al.spare.objects = s[:0]
	}
	if s := c.strings; s != nil && cap(s) <= maxSpare {
		al.spare.strings = s[:0]
	}
}

// Check panics if a redzone of a pointer-free chunk was written.
//
//go:norace
func (c *Chunk) Check(al *Allocator, r Extent) {
	if !al.noscan || ASan {
		return
	}
	at := uintptr(0)
	for _, s := range c.objects {
		c.checkGap(al, r.Base, at, s.from, FreeByte)
		at = s.to
	}
	if at != 0 {
		end := al.redzoneBehind(at, r.Hi)
		c.checkGap(al, r.Base, at, end, FreeByte)
		at = end
	}
	c.checkGap(al, r.Base, at, r.Hi, 0)
	at = r.Hi
	for _, s := range slices.Backward(c.strings) {
		c.checkGap(al, r.Base, at, s.from, FreeByte)
		at = s.to
	}
	c.checkGap(al, r.Base, at, r.Size+tailRedzone, FreeByte)
}

// checkGap panics unless all bytes of [from, to) are still b.
func (c *Chunk) checkGap(al *Allocator, base Pointer, from, to uintptr, b byte) {
	if from >= to || IsFilled(base, from, to, b) {
		return
	}
	for IsFilled(base, from, from+1, b) {
		from++
	}
	panic("arena: memory that was never handed out was written, " + c.neighbours(from) +
		": something wrote beyond the end of its value" + al.of.cycle.History())
}

// neighbours describes the values around offset at.
func (c *Chunk) neighbours(at uintptr) string {
	text := "before the first value"
	before := uintptr(0)
	for _, list := range [][]span{c.objects, c.strings} {
		for _, s := range list {
			if s.to <= at && s.to >= before {
				before = s.to
				text = strconv.Itoa(int(at-s.to)) + " bytes behind the end of a value of " + strconv.Itoa(int(s.to-s.from)) + " bytes"
			}
		}
	}
	return text
}

// FillFree fills free memory without pointers.
func FillFree(base Pointer, from, to uintptr) { fill(base, from, to, deadFill) }

// IsFree reports whether the free range [from, to) is unchanged since FillFree or, with pointers, since it
// was cleared.
func IsFree(base Pointer, from, to uintptr, pointers bool) bool {
	if pointers {
		return ASan || IsFilled(base, from, to, 0) // non-zero words could be pointers
	}
	return ASan || IsFilled(base, from, to, DeadByte)
}
