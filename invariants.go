package arena

// check panics unless what the lane says of itself holds together: what every
// other function takes for granted. It is called only where invariants is on.
func (l *lane) check() {
	l.chunk.check()
	l.chunk.checkRoom(l.ops)
	l.spare.check()
	l.spare.checkRoom(l.ops)
	must(l.spare.used() == 0, "the spare chunk is in use")
	must(l.spare.base == nil || l.spare.base != l.base, "the spare chunk is the current one")
	must(l.tip <= l.lo, "the newest slice ends beyond what is handed out")
	var sunk uintptr
	for i := range l.older {
		c := &l.older[i]
		c.check()
		if i == len(l.older)-1 {
			// The others were looked at before, and nothing is taken from them
			// until they are current again. A life of many chunks would spend
			// its time in reading them all for each new one.
			c.checkRoom(l.ops)
		}
		must(c.base != nil && c.base != l.base && c.base != l.spare.base, "an older chunk is in use twice")
		sunk += c.used()
	}
	must(l.sunk == sunk, "the count of the older chunks is wrong")
}

func (c *chunk) check() {
	must((c.base == nil) == (c.cap == 0), "a chunk has memory and no size, or a size and no memory")
	must(c.lo <= c.hi && c.hi <= c.cap, "a chunk's ends are out of order")
	must(c.clean <= c.cleanEnd && c.cleanEnd <= c.cap, "a chunk's clean range is out of order")
}

// checkRoom panics unless the chunk's room is zero where it counts as that.
func (c *chunk) checkRoom(ops *laneOps) {
	if c.base == nil {
		return
	}
	// Room that New hands out as it is must be zero; elsewhere, the part that
	// counts as clean.
	from, to := max(c.lo, c.clean), min(c.hi, c.cleanEnd)
	if ops.clear != nil {
		from, to = c.lo, c.hi
	}
	if from < to && !isZero(c.base, from, to) {
		panic("arena: memory that was never handed out was written, " + itoa(int(c.hi-c.lo)) +
			" bytes of room in a chunk of " + itoa(int(c.cap)) + ": something wrote beyond the end of its value")
	}
}

func must(holds bool, what string) {
	if !holds {
		panic("arena: internal error: " + what)
	}
}
