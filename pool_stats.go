package arena

// PoolStats describes a pool at one moment.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked - Abandoned are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
	Guarded   uint64 // Gets that returned a guarded arena, see SetMisuseSampling; no Misses
	Abandoned uint64 // arenas of requests that had ended while another goroutine might go on with them: left to the collector, see package arenahttp
	Arenas    int    // arenas that exist, out, idle or not yet noticed to be collected
	ChunkSize int    // bytes that a new arena starts with for values without pointers

	// Bytes of chunks, used or not, with those of the arenas' forks: those of forks that
	// have ended, too, which wait for the next ones. Records don't count, see NewArena.
	InUseBytes    int // of the arenas that are out, and of those abandoned until they are collected; what the total of a limit bounds
	RetainedBytes int // of those that lie idle; what SetMaxIdleBytes bounds over collections
	HighWater     int // the most that all of them had together, out and idle, since the pool was made
	LargestArena  int // the most that one had with its forks. A limit of three times that refuses no such epoch; below it, slices that grow by Append are refused first

	// Numbers of all arenas and their forks, since the pool was made.
	Oversize uint64 // chunks made larger than planned, or beside the current one, for one large value
	Dropped  uint64 // chunks that arenas let go of: at Put what doesn't fit maxRetained or the next epoch, and by other methods
	Refused  uint64 // allocations that panicked with a *LimitError

	// UsedLate counts arenas that were used after their Put, or by another goroutine
	// during it, of those with SetIsolation, as far as that was seen.
	UsedLate uint64
}

// Stats returns the pool's statistics. It is safe at any time and costs a
// look at every arena of the pool; nothing is counted for it on the way of
// Get and Put but one number of each arena's own. A nil pool's are zero.
func (p *ArenaPool) Stats() PoolStats {
	if p == nil {
		return PoolStats{}
	}
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.gone
	for acct := range p.accounts.all {
		turns := acct.Turns.Load()
		s.Gets += (turns + 1) / 2
		s.Puts += turns / 2
		if held := int(acct.Held()); turns%2 == 1 {
			s.InUseBytes += held
		} else {
			s.RetainedBytes += held
		}
	}
	counts := p.stats.Counts()
	s.HighWater, s.LargestArena = int(counts.HighWater), int(counts.Largest)
	s.Oversize, s.Dropped, s.Refused = counts.Oversize, counts.Dropped, counts.Refused
	s.Abandoned = counts.Abandoned
	s.UsedLate = p.isolated.Late()
	s.Arenas = p.accounts.len
	s.ChunkSize = int(p.chunkSize)
	if hint := p.sizeHint.Size(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}
