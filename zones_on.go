//go:build arenacheck

package arena

import (
	"cmp"
	"slices"
)

// fillZone marks what is left out between values without pointers.
func (l *lane) fillZone(c *chunk, at, n uintptr) {
	if n != 0 && l.ops.clear == nil && !asanEnabled {
		fill(c.base, at, at+n, freeByte)
	}
}

// giveUnwritten marks memory that is handed out as it is.
func (c *chunk) giveUnwritten(from, to uintptr) { fill(c.base, from, to, freeByte) }

// noteGiven remembers what was handed out.
func (c *chunk) noteGiven(l *lane, from, to uintptr) {
	if l.ops.clear == nil {
		c.watch.given = append(c.watch.given, span{from, to})
	}
}

// checkZones panics if something was written beside the values of a chunk
// without pointers.
func (l *lane) checkZones(c *chunk) {
	if l.ops.clear != nil || asanEnabled {
		return
	}
	given := c.watch.given
	slices.SortFunc(given, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	at := uintptr(0)
	for _, s := range append(given, span{c.cap, c.cap}) {
		if at < s.from && s.from-at == flatZone && isFilled(c.base, at, s.from, freeByte) {
			at = s.from // as most are
		}
		for ; at < s.from; at++ {
			if at == c.lo && isZero(c.base, c.lo, c.hi) {
				at = c.hi - 1 // room that nobody had
				continue
			}
			// Behind a value there are zeros up to the next multiple of 8.
			if !isFilled(c.base, at, at+1, freeByte) && !isZero(c.base, at, at+1) {
				panic("arena: memory that was never handed out was written, " + neighbours(given, at) +
					": something wrote beyond the end of its value" + l.watch.of.life.history())
			}
		}
		at = max(at, s.to)
	}
}

// neighbours says what lies around offset at.
func neighbours(given []span, at uintptr) string {
	text := "before the first value"
	for _, s := range given {
		if s.to <= at {
			text = itoa(int(at-s.to)) + " bytes behind the end of a value of " + itoa(int(s.to-s.from)) + " bytes"
		}
	}
	return text
}

// freeSlotByte is what free slots are filled with: nothing that would be a
// pointer.
func (p *FixedPool[T]) freeSlotByte() byte {
	if p.pointers {
		return 0
	}
	return deadByte
}

// fillSlots fills slots [from, to), which are free.
func (p *FixedPool[T]) fillSlots(from, to uintptr) {
	if !p.pointers {
		fill(p.base, from*sizeOf[T](), to*sizeOf[T](), deadByte)
	}
}

// checkSlot panics if a free slot was written.
func (p *FixedPool[T]) checkSlot(i uintptr) {
	size := sizeOf[T]()
	if asanEnabled || isFilled(p.base, i*size, i*size+size, p.freeSlotByte()) {
		return
	}
	panic("arena: " + p.name + ".Allocate: slot " + itoa(int(i)) + " was written after it was given back")
}
