package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Stats describes an arena or a slab at one moment. Sizes are in bytes.
type Stats struct {
	UsedBytes     int    // handed out since it was last emptied
	RetainedBytes int    // in the chunks that it holds now, used or not
	HighWater     int    // the most UsedBytes has been, as seen by Reset, Release, Rewind and Stats
	Chunks        int    // chunks that it holds now
	Types         int    // types with pointers that it has met since it was made or released
	Resets        uint64 // how often it was emptied, by Reset, Release or Put
	Oversize      uint64 // chunks ever made larger than planned, or beside the current one, for one large value or slice that moved
}

// Stats returns the arena's statistics. Like every method it is for the
// goroutine that owns the arena, so what its forks have is not in it: each of them
// has its own. It costs a look at every chunk.
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
	Puts      uint64 // arenas put back; Gets - Puts - Leaked are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
	Arenas    int    // arenas that exist, out, idle or not yet noticed to be collected
	ChunkSize int    // bytes that a new arena starts with for values without pointers

	// Bytes of chunks, used or not, with those of the arenas' forks.
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
		turns := acct.Turns.Load()
		s.Gets += (turns + 1) / 2
		s.Puts += turns / 2
		if held := int(acct.bytes()); turns%2 == 1 {
			s.InUseBytes += held
		} else {
			s.RetainedBytes += held
		}
	}
	counts := p.tally.Counts()
	s.HighWater, s.LargestArena = int(counts.HighWater), int(counts.Largest)
	s.Oversize, s.Dropped, s.Refused = counts.Oversize, counts.Dropped, counts.Refused
	s.Arenas = p.accounts.len
	s.ChunkSize = int(p.chunkSize)
	if hint := p.usual.Size(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}

// FixedStats describes a pool of fixed capacity at one moment.
type FixedStats struct {
	Capacity      int    // slots
	Used          int    // slots that are out
	HighWater     int    // the most slots that were out at one time
	Misses        uint64 // Allocates that found no free slot
	UsedBytes     int    // of the slots that are out
	RetainedBytes int    // of all memory, out or not: a T, 4 bytes and 1 byte for each slot
}

// Stats returns the pool's statistics. It takes constant time.
func (p *FixedPool[T]) Stats() FixedStats {
	slot := max(int(machine.SizeOf[T]()), 1)
	return FixedStats{
		Capacity:      p.Capacity(),
		Used:          p.Used(),
		HighWater:     p.HighWater(),
		Misses:        p.misses,
		UsedBytes:     p.Used() * int(machine.SizeOf[T]()),
		RetainedBytes: p.Capacity() * (slot + 4 + 1),
	}
}
