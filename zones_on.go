//go:build arenacheck

package arena

import (
	"slices"
	"strings"
)

// freeFill and deadFill are what memory is filled with.
var (
	freeFill = strings.Repeat(string([]byte{freeByte}), 32)
	deadFill = strings.Repeat(string([]byte{deadByte}), 32)
)

// fillZone marks what is left out between values without pointers.
//
//go:norace
func (l *lane) fillZone(c *chunk, at, n uintptr) {
	if n != 0 && l.ops.clear == nil && !asanEnabled {
		fill(c.base, at, at+n, freeFill)
	}
}

// giveUnwritten marks memory that is handed out as it is.
func (c *chunk) giveUnwritten(from, to uintptr) { fill(c.base, from, to, freeFill) }

// noteGiven remembers what was handed out: objects upwards, strings downwards.
// What is extended is the newest object. All that lies behind a value is marked,
// up to the next one or for a zone: room of zeros, which the allocator counts on,
// would not show the zero that many a write beyond an end consists of.
//
//go:norace
func (c *chunk) noteGiven(l *lane, from, to uintptr) {
	if l.ops.clear != nil || asanEnabled {
		return
	}
	list, kept := &c.watch.objects, &l.watch.kept.objects
	if from >= c.hi {
		list, kept = &c.watch.strings, &l.watch.kept.strings
	}
	if from < c.hi {
		end := c.zoneBehind(l, to)
		fill(c.base, to, end, freeFill)
		c.clean = max(c.clean, end)
	}
	if n := len(*list); n > 0 && (*list)[n-1].from == from {
		(*list)[n-1].to = to
		return
	}
	if *list == nil {
		*list, *kept = *kept, nil
	}
	*list = append(*list, span{from, to})
}

// zoneBehind is where the zone ends that lies behind the newest object, which
// ends at to: where the next one will begin, if there is room.
//
//go:norace
func (c *chunk) zoneBehind(l *lane, to uintptr) uintptr {
	return min(roundUp(to, l.align)+l.zone(), c.hi)
}

// noteTail notes that the newest object ends at from, not at to.
//
//go:norace
func (c *chunk) noteTail(from, to uintptr) {
	if n := len(c.watch.objects); n > 0 {
		c.watch.objects[n-1].to = from
		fill(c.base, from, to, freeFill)
	}
}

// mostKept bounds the lists that a lane keeps, in spans.
const mostKept = 1 << 10

// keepLists keeps the lists of a chunk that was taken back, for the next one.
func (l *lane) keepLists(c *chunk) {
	if s := c.watch.objects; s != nil && cap(s) <= mostKept {
		l.watch.kept.objects = s[:0]
	}
	if s := c.watch.strings; s != nil && cap(s) <= mostKept {
		l.watch.kept.strings = s[:0]
	}
}

// checkZones panics if something was written beside the values of a chunk
// without pointers.
//
//go:norace
func (l *lane) checkZones(c *chunk) {
	if l.ops.clear != nil || asanEnabled {
		return
	}
	at := uintptr(0)
	for _, s := range c.watch.objects {
		l.checkGap(c, at, s.from, freeByte)
		at = s.to
	}
	if at != 0 {
		end := c.zoneBehind(l, at)
		l.checkGap(c, at, end, freeByte)
		at = end
	}
	l.checkGap(c, at, c.hi, 0)
	at = c.hi
	for _, s := range slices.Backward(c.watch.strings) {
		l.checkGap(c, at, s.from, freeByte)
		at = s.to
	}
	l.checkGap(c, at, c.cap+tailZone, freeByte)
}

// checkGap panics unless [from, to) is as it was made: all bytes are b.
func (l *lane) checkGap(c *chunk, from, to uintptr, b byte) {
	if from >= to || isFilled(c.base, from, to, b) {
		return
	}
	for isFilled(c.base, from, from+1, b) {
		from++
	}
	panic("arena: memory that was never handed out was written, " + c.neighbours(from) +
		": something wrote beyond the end of its value" + l.watch.of.life.history())
}

// neighbours says what lies before offset at.
func (c *chunk) neighbours(at uintptr) string {
	text := "before the first value"
	before := uintptr(0)
	for _, list := range [][]span{c.watch.objects, c.watch.strings} {
		for _, s := range list {
			if s.to <= at && s.to >= before {
				before = s.to
				text = itoa(int(at-s.to)) + " bytes behind the end of a value of " + itoa(int(s.to-s.from)) + " bytes"
			}
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
	if p.pointers {
		// Padding too, which a T that is assigned leaves as it is: it may hold
		// anything, after a copy of a whole value.
		clearTyped[T](p.base, from*sizeOf[T](), to*sizeOf[T]())
		return
	}
	fill(p.base, from*sizeOf[T](), to*sizeOf[T](), deadFill)
}

// checkSlot panics if a free slot was written.
func (p *FixedPool[T]) checkSlot(i uintptr) {
	size := sizeOf[T]()
	if asanEnabled || isFilled(p.base, i*size, i*size+size, p.freeSlotByte()) {
		return
	}
	panic("arena: " + p.name() + ".Allocate: slot " + itoa(int(i)) + " was written after it was given back")
}
