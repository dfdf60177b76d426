package arena

import (
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Stats describes an arena at one moment. Sizes are in bytes.
type Stats struct {
	// UsedBytes counts what was handed out since it was last emptied: sizes of values and
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

// Stats returns the arena's statistics. Only the goroutine that owns the arena may call it. Forks are not included: each has its own. To
// choose a limit, which holds for an arena with its forks, see LargestArena of the pool's statistics. Stats looks at the chunks of each type
// that one of the last four cycles has used.
func (a *Arena) Stats() Stats {
	if a == nil {
		return Stats{}
	}
	check.RaceLook(&a.region.Watch)
	a.region.Prepare()
	return statsOf(a.region.Stats())
}

func statsOf(n machine.Stats) Stats {
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
