package arena

// PoolStats describes a pool at one moment.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
	Arenas    int    // arenas that exist, out, idle or not yet noticed to be collected
	ChunkSize int    // bytes that a new arena starts with for values without pointers

	// Bytes of chunks, used or not.
	InUseBytes    int // of the arenas that are out
	RetainedBytes int // of those that lie idle
	HighWater     int // the most that all of them had together
	LargestArena  int // the most that one had: what a Limit should be well above

	Oversize uint64 // chunks made larger than planned, or beside the current one, for one large value
	Dropped  uint64 // chunks that arenas let go of: at Put what doesn't fit maxRetained or the next life, and by other methods
	Refused  uint64 // allocations that panicked with a *LimitError
}

// Stats returns the pool's statistics. It is safe at any time and costs a
// look at every arena of the pool; nothing is counted for it on the way of
// Get and Put but one number of each arena's own.
func (p *ArenaPool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.gone
	for acct := range p.accounts.all {
		turns := acct.turns.Load()
		s.Gets += (turns + 1) / 2
		s.Puts += turns / 2
		if held := int(acct.held.Load()); turns%2 == 1 {
			s.InUseBytes += held
		} else {
			s.RetainedBytes += held
		}
	}
	s.HighWater = int(p.tally.peak.Load())
	s.LargestArena = int(p.tally.largest.Load())
	s.Oversize = p.tally.oversize.Load()
	s.Dropped = p.tally.dropped.Load()
	s.Refused = p.tally.refused.Load()
	s.Arenas = p.accounts.len
	s.ChunkSize = int(p.chunkSize)
	if hint := p.hint.Load(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}
