package arena

// Stats describes an arena or a slab at one moment. Sizes are in bytes.
type Stats struct {
	UsedBytes     int    // handed out since it was last emptied
	RetainedBytes int    // in the chunks that it holds now, used or not
	HighWater     int    // the most UsedBytes has been, as seen by Reset, Release, Rewind and Stats
	Chunks        int    // chunks that it holds now
	Types         int    // types with pointers that it has met since it was made or released
	Resets        uint64 // how often it was emptied, by Reset, Release or Put
	Oversize      uint64 // chunks ever made larger than planned, or beside the current one, for one large value
}

// Stats returns the arena's statistics. Like every method it is for the
// goroutine that owns the arena. It costs a look at every chunk.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	raceLook(&a.watch)
	flat := a.flatLane()
	s := Stats{
		UsedBytes:     a.UsedBytes(),
		RetainedBytes: int(flat.heldBytes()),
		Chunks:        flat.chunks(),
		Types:         len(a.types.lanes),
		Resets:        a.resets,
		Oversize:      uint64(a.oversizeChunks()),
	}
	for _, l := range a.types.lanes {
		s.RetainedBytes += int(l.heldBytes())
		s.Chunks += l.chunks()
	}
	a.highWater = max(a.highWater, uintptr(s.UsedBytes))
	s.HighWater = int(a.highWater)
	return s
}

// oversizeChunks adds up what the lanes count.
func (a *Arena) oversizeChunks() uint32 {
	n := a.flatLane().fit.oversize
	for _, l := range a.types.lanes {
		n += l.fit.oversize
	}
	return n
}
