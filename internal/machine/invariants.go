package machine

import "strconv"

// check panics unless what the lane says of itself holds together: what every
// other function takes for granted. It is called only with the tag arenacheck.
func (l *Lane) check() {
	l.chunk.check()
	l.chunk.checkFree(l.ops)
	for i := range l.free {
		c := &l.free[i]
		c.check()
		if i == 0 {
			c.checkFree(l.ops) // the others when it is their turn
		}
		must(c.Base != nil && c.used() == 0, "a free chunk is in use")
		must(c.Base != l.Base, "a free chunk is the current one")
		must(i == 0 || l.free[i-1].cap <= c.cap, "free chunks are out of order")
	}
	must(!l.Typed() || (l.Hi-l.Lo)%l.align == 0, "the room is not made of whole values: a handle would not meet its end")
	must(l.tip <= l.Lo, "the newest slice ends beyond what is handed out")
	var olderUsed uintptr
	for i := range l.older {
		c := &l.older[i]
		c.check()
		if i == len(l.older)-1 {
			// The others were looked at before, and nothing is taken from them
			// until they are current again. An epoch of many chunks would spend
			// its time in reading them all for each new one.
			c.checkFree(l.ops)
		}
		must(c.Base != nil && c.Base != l.Base, "an older chunk is in use twice")
		olderUsed += c.used()
	}
	must(l.olderUsed == olderUsed, "the count of the older chunks is wrong")
}

func (c *chunk) check() {
	must((c.Base == nil) == (c.cap == 0), "a chunk has memory and no size, or a size and no memory")
	must(c.Lo <= c.Hi && c.Hi <= c.cap, "a chunk's ends are out of order")
	must(c.clean <= c.cleanEnd && c.cleanEnd <= c.cap, "a chunk's clean range is out of order")
}

// checkFree panics unless the chunk's free memory is zero where the lane relies on it.
func (c *chunk) checkFree(ops *laneOps) {
	if c.Base == nil {
		return
	}
	// Room that New hands out as it is must be zero; elsewhere, the part that
	// counts as clean.
	from, to := max(c.Lo, c.clean), min(c.Hi, c.cleanEnd)
	if ops.zeroes {
		from, to = c.Lo, c.Hi
	}
	if from < to && !isZero(c.Base, from, to) {
		panic("arena: memory that was never handed out was written, " + strconv.Itoa(int(c.Hi-c.Lo)) +
			" bytes of room in a chunk of " + strconv.Itoa(int(c.cap)) + ": something wrote beyond the end of its value")
	}
}

func must(holds bool, what string) {
	if !holds {
		panic("arena: internal error: " + what)
	}
}

// check panics unless what the table says of its lanes holds together.
func (t *TypeTable) check() {
	p := t.parked
	if p == nil {
		p = &parking{first: len(t.lanes)}
	}
	held, chunks, oversize := uintptr(0), 0, uint32(0)
	for i, l := range t.lanes {
		must(int(l.ops.index) == i, "a lane is not where it says")
		if i < p.first {
			continue
		}
		must(l.Lo == 0 && l.Hi == 0 && len(l.older) == 0, "a parked lane has room, or is in use")
		must(l.HeldBytes() <= p.most, "a parked lane has more than any does")
		must(l.ops.next != nil || l.retention.want == 0 && l.HeldBytes() <= notWorthIt && len(l.free) == 0, "nobody looks after a parked lane")
		held, chunks, oversize = held+l.HeldBytes(), chunks+l.Chunks(), oversize+l.retention.oversize
	}
	must(held == p.held && chunks == p.chunks && oversize == p.oversize, "the count of the parked lanes is wrong")
}
