//go:build arenacheck || race || asan

package check

import (
	"runtime"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/goroutine"
	"github.com/ebbpool/arena/internal/guard"
)

// Tracker records the use of an arena.
type Tracker struct {
	cycle *guard.Cycle  // what goes on, or did last
	last  *guard.Cycle  // the last one that ended
	owner atomic.Uint64 // number of the goroutine that is in the arena, 0 if none is
	depth int           // calls of Enter that have not left

	cleanup runtime.Cleanup // of an arena from a pool

	releases uint64 // each ends the use of all handles
}

// record notes the caller of the function that called Begin or Ended. The race
// detector's builds leave it out unless the tag asks for it: its reports have
// stacks of their own.
func record(s *guard.Stack) {
	if !Race || Tag {
		s.Record(1)
	}
}

// Guard notes the cleanup that tells an arena's pool of its end, Unguard stops
// it.
func (t *Tracker) Guard(c runtime.Cleanup) { t.cleanup = c }
func (t *Tracker) Unguard()                { t.cleanup.Stop() }

// Begin starts a cycle.
//
//go:norace
func (t *Tracker) Begin() {
	t.cycle = new(guard.Cycle)
	record(&t.cycle.Began)
}

// Ended notes that a cycle ended, and how; the next one begins.
//
//go:norace
func (t *Tracker) Ended(how string) {
	t.cycle.How = how
	record(&t.cycle.Ended)
	t.last = t.cycle
}

// History says where the cycle began that is going on, or was the last, and
// where memory was last taken back.
func (t *Tracker) History() string {
	if Race {
		return "" // what has to be read may be what another goroutine writes
	}
	if t.last != nil {
		return t.last.History()
	}
	return t.cycle.History()
}

// Watched says that enter is called. For the race detector it is in all builds:
// it stands there for what the detector does not see.
var Watched = On || Race

// Enter is the beginning of every function that changes the arena, Leave its end. Calls nest. does is the name
// of the function for panics; if it is empty, the name is that of the function in the stack that the program
// has called. Enter is in the race detector's sight, so that its reports have the functions that called it.
func (t *Tracker) Enter(does string) {
	RaceUse(t)
	if On {
		t.Occupy(does)
	}
}

// Occupy is Enter without the race detector.
//
//go:norace
func (t *Tracker) Occupy(does string) {
	catchFaults()
	// Under the race detector this would be an order between the goroutines,
	// and hide from it what it finds by itself.
	if !Race {
		self := goroutine.Self()
		if t.owner.Load() != self && !t.owner.CompareAndSwap(0, self) {
			panic("arena: " + t.Name(does) + ": another goroutine is using the arena" + t.History())
		}
		t.depth++
	}
	if t.cycle != nil && t.cycle.How != "" {
		t.cycle = &guard.Cycle{Began: t.cycle.Began}
	}
}

// Leave is the end of what Enter or Occupy began.
func (t *Tracker) Leave() {
	if Race {
		return
	}
	if t.depth--; t.depth == 0 {
		t.owner.Store(0)
	}
}

// Name returns does, or else the name of the function that the program has called.
func (t *Tracker) Name(does string) string {
	if does == "" {
		does = guard.Called()
	}
	return does
}
