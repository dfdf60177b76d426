package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Stats describes an arena or a slab at one moment. Sizes are in bytes.
type Stats struct {
	// UsedBytes is what was handed out since it was last emptied: sizes of values and
	// capacities of slices, rounded up to 8 bytes for those without pointers, and the
	// lengths of strings. Memory that a slice has left by Append counts, too, unless the
	// collector has it already.
	UsedBytes int

	RetainedBytes int    // in the chunks that it holds now, used or not
	HighWater     int    // the most UsedBytes has been, as seen by Reset, Release, Rewind and Stats
	Chunks        int    // chunks that it holds now
	Types         int    // types with pointers that it has met since it was made or released
	Resets        uint64 // how often it was emptied, by Reset, Release or Put
	Oversize      uint64 // chunks ever made larger than planned, or beside the current one, for one large value or slice that moved
}

// Stats returns the arena's statistics. Like every method it is for the
// goroutine that owns the arena, so what its forks have is not in it: each of them
// has its own: to set a limit by, which holds for all of them, look at the pool's
// LargestArena. It costs a look at the chunks of each type that this epoch, or one of
// the three before, has used.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	check.RaceLook(&a.region.Watch)
	return statsOf(a.region.Numbers())
}

func statsOf(n machine.Numbers) Stats {
	return Stats{
		UsedBytes:     int(n.Used),
		RetainedBytes: int(n.Held),
		HighWater:     int(n.HighWater),
		Chunks:        n.Chunks,
		Types:         n.Types,
		Resets:        n.Resets,
		Oversize:      uint64(n.Oversize),
	}
}

// PoolStats describes a pool at one moment.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked - Abandoned are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
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
	s.Arenas = p.accounts.len
	s.ChunkSize = int(p.chunkSize)
	if hint := p.sizeHint.Size(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}
