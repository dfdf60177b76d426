package stress

import (
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/lab/results"
)

// recorded is the longest part of a run that a timeline holds.
const recorded = 10 * time.Minute

// timeline counts the requests that were done in each slice of a run. All of
// it is there before the run: counting allocates nothing. A nil one counts
// nothing.
type timeline struct {
	begin time.Time
	done  []atomic.Uint32
}

func newTimeline() *timeline {
	return &timeline{done: make([]atomic.Uint32, recorded/results.SliceLength)}
}

func (t *timeline) start(at time.Time) {
	if t != nil {
		t.begin = at
	}
}

func (t *timeline) count(end time.Time) {
	if t == nil {
		return
	}
	if i := int(end.Sub(t.begin) / results.SliceLength); i < len(t.done) {
		t.done[i].Add(1)
	}
}

// slices returns the slices of the run between two snapshots, with the
// collections that ended in each: the last 256, which the runtime remembers.
func (t *timeline) slices(before, after *snapshot) []results.Slice {
	if t == nil {
		return nil
	}
	all := make([]results.Slice, min(int(after.at.Sub(t.begin)/results.SliceLength)+1, len(t.done)))
	for i := range all {
		all[i].Requests = t.done[i].Load()
	}
	cycles := min(after.mem.NumGC-before.mem.NumGC, uint32(len(after.mem.PauseEnd)))
	for k := range cycles {
		// PauseEnd is a ring, of times on the wall's clock; the runtime's doc
		// gives the newest's place.
		end := time.Unix(0, int64(after.mem.PauseEnd[(after.mem.NumGC-k+255)%256]))
		if i := int(end.Sub(t.begin) / results.SliceLength); i >= 0 && i < len(all) {
			all[i].Collections++
		}
	}
	return all
}
