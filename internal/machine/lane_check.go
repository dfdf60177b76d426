package machine

// check panics unless what the lane says of itself holds together: what every
// other function takes for granted. It is called only with the tag arenacheck.
func (l *Lane) check() {
	l.chunk.check()
	l.chunk.checkFree(l.ops.zeroes)
	for i := range l.free {
		c := &l.free[i]
		c.check()
		if i == 0 {
			c.checkFree(l.ops.zeroes) // the others when it is their turn
		}
		must(c.Base != nil && c.used() == 0, "a free chunk is in use")
		must(c.Base != l.Base, "a free chunk is the current one")
		must(i == 0 || l.free[i-1].room() <= c.room(), "free chunks are out of order")
	}
	must(!l.Typed() || (l.Hi-l.Lo)%l.align() == 0, "the free memory is not made of whole values: a handle would not meet its end")
	must(l.tip <= l.Lo, "the newest slice ends beyond what is handed out")
	var olderUsed uintptr
	for i := range l.older {
		c := &l.older[i]
		c.check()
		if i == len(l.older)-1 {
			// The others were looked at before, and nothing is taken from them
			// until they are current again. An epoch of many chunks would spend
			// its time in reading them all for each new one.
			c.checkFree(l.ops.zeroes)
		}
		must(c.Base != nil && c.Base != l.Base, "an older chunk is in use twice")
		olderUsed += c.used()
	}
	must(l.olderUsed == olderUsed, "the count of the older chunks is wrong")
}
