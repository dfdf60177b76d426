package arena

import (
	"iter"
	"time"

	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// PoolStats describes a pool at one moment.
type PoolStats struct {
	Gets      uint64 // calls of Get
	Puts      uint64 // arenas put back; Gets - Puts - Leaked - Abandoned are out
	Misses    uint64 // Gets that found no arena and made one
	Leaked    uint64 // arenas that were collected without a Put
	Guarded   uint64 // Gets that returned a guarded arena, see SetMisuseSampling; no Misses
	Abandoned uint64 // arenas of requests that had ended while another goroutine might go on with them: left to the collector, see package arenahttp
	Arenas    int    // arenas that exist, out, idle or not yet noticed to be collected
	Mode      string // what Get returns now: arenas of kind "plain", "isolated" or "heap"; see SetIsolation and SetEnabled
	ChunkSize int    // bytes that a new arena starts with for values without pointers; in a KeyedPool, the first one of a key

	Keys        int    // of a KeyedPool: keys that have memory of their own
	EvictedKeys uint64 // keys whose memory went to the collector, because there were more than SetMaxKeys allows

	// Bytes of chunks, used or not, with those of the arenas' forks: those of forks that
	// have ended, too, which wait for the next ones. Records don't count, see NewArena.
	InUseBytes    int // of the arenas that are out, and of those abandoned until they are collected; what the total of a limit bounds
	RetainedBytes int // of those that lie idle, and SpareBytes; what SetMaxIdleBytes bounds over collections
	SpareBytes    int // of chunks that no arena has: the pool keeps them for the next large requests
	HighWater     int // the most that all of them had together, out and idle, in the last two to four minutes; in a longer time, if Stats was not called for two
	LargestArena  int // the most that one had with its forks, since the pool was made. A limit of three times that refuses no such cycle; below it, slices that grow by Append are refused first

	// Bounds in bytes; 0 is none for a limit, and nothing for what is kept.
	LimitPerArena, LimitTotal int // as SetLimit or SetLimitsFromEnvironment has set them
	MaxIdleBytes              int // as SetMaxIdleBytes has set it
	MaxRetained               int // of each idle arena, as NewArenaPool has it

	// UsedAtPut has the bytes that arenas and their forks had handed out when they were put
	// back: what a chunk size and a limit should suit. Chunks have more.
	UsedAtPut UsedBytes

	// Requests that the pool does not serve. If most are, handlers ask the wrong context for their
	// arena, or none; see docs/adapters.md for routers.
	Unused  uint64 // arenas that were put back without an allocation since Get, or their last Reset
	NoArena uint64 // requests of packages arenahttp and arenafasthttp that never asked for their arena, so they are no Gets

	// Numbers of all arenas and their forks, since the pool was made.
	Forks          uint64 // forks handed out
	Oversize       uint64 // chunks made larger than planned, or beside the current one, for one large value
	Dropped        uint64 // chunks that arenas let go of: at Put what doesn't fit maxRetained or the next cycle, and by other methods
	DroppedBytes   uint64 // of these chunks
	Refused        uint64 // allocations that panicked with a *LimitError
	RefusedByTotal uint64 // of those, by the total of all arenas; the others by the limit of one

	// UsedLate counts arenas that were used after their Put, or by another goroutine
	// during it, of those with SetIsolation, as far as that was seen.
	UsedLate uint64
}

// UsedBytes is a histogram of the bytes that arenas had handed out at Put.
type UsedBytes struct {
	// Counts[i] counts arenas with at most 256<<i bytes, and more than Counts[i-1] counts;
	// the last one counts all with more than 64 MB.
	Counts [machine.UsedClasses]uint64
	Bytes  uint64 // of all of them together
}

// Buckets returns the histogram as metrics have it: upper bounds in bytes, 256, 512 and so
// on to 64 MB, each with the number of arenas that had at most so many.
func (u UsedBytes) Buckets() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		n := uint64(0)
		for i, count := range u.Counts[:len(u.Counts)-1] {
			if n += count; !yield(256<<i, n) {
				return
			}
		}
	}
}

// Count returns the number of arenas that were counted.
func (u UsedBytes) Count() (n uint64) {
	for _, count := range u.Counts {
		n += count
	}
	return n
}

func init() {
	hooks.NoArena = func(pool any) {
		if p := pool.(*ArenaPool).settings(); p != nil {
			p.noArena.Add(1)
		}
	}
}

// addUsed adds the counts of an account.
func (s *PoolStats) addUsed(u *machine.Used) {
	u.AddTo(&s.UsedAtPut.Counts, &s.UsedAtPut.Bytes, &s.Unused)
}

// highWater is when a pool's high-water mark last began anew, and what it was before.
type highWater struct {
	began  time.Time
	before uintptr
}

// lately returns the high-water mark of this period and the last, of which now is the
// latest. The pool is locked.
func (h *highWater) lately(s *machine.PoolStats, now time.Time) uintptr {
	if now.Sub(h.began) >= lately {
		h.before, h.began = s.TakeHighWater(), now
	}
	return max(h.before, s.Counts().HighWater)
}

// Stats returns the pool's statistics. It is safe at any time and costs a
// look at every arena of the pool; nothing is counted for it on the way of
// Get and Put but three numbers of each arena's own. A nil pool's are zero.
func (p *ArenaPool) Stats() PoolStats {
	if p == nil {
		return PoolStats{}
	}
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.gone
	if p.keys == nil {
		p.addArenas(&s)
	} else {
		p.keys.addStats(&s)
	}
	counts := p.stats.Counts()
	s.HighWater, s.LargestArena = int(p.highWater.lately(p.stats, time.Now())), int(counts.Largest)
	s.LimitTotal, s.MaxIdleBytes, s.MaxRetained = int(counts.Total), int(p.retained.limit), int(p.maxRetained)
	if c := p.config.Load(); c != nil {
		s.LimitPerArena = int(c.perArena)
	}
	s.Oversize, s.Dropped = counts.Oversize, counts.Dropped
	s.Refused, s.RefusedByTotal = counts.Refused, counts.ByTotal
	s.Abandoned, s.DroppedBytes = counts.Abandoned, counts.DroppedBytes
	s.UsedLate = p.isolated.Late()
	s.NoArena = p.noArena.Load()
	s.SpareBytes = int(p.stats.Cached())
	s.RetainedBytes += s.SpareBytes
	s.Mode = p.mode()
	s.ChunkSize = int(p.chunkSize)
	if hint := p.sizeHint.Size(); hint != 0 {
		s.ChunkSize = int(min(hint, p.maxRetained))
	}
	return s
}

// addArenas adds the statistics of p's arenas. p is locked.
func (p *ArenaPool) addArenas(s *PoolStats) {
	for st := range p.allStats.all {
		turns := st.Generation.Load()
		s.Gets += (turns + 1) / 2
		s.Puts += turns / 2
		s.Forks += st.Forks()
		s.addUsed(&st.used)
		if held := int(st.Held()); turns%2 == 1 {
			s.InUseBytes += held
		} else {
			s.RetainedBytes += held
		}
	}
	s.Arenas += p.allStats.len
}
