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
	cycle *guard.Cycle  // the current cycle, or the last one
	last  *guard.Cycle  // the last cycle that ended
	owner atomic.Uint64 // number of the goroutine in the arena, or 0
	depth int           // nesting of Enter

	cleanup runtime.Cleanup // for an arena of a pool

	releases uint64 // number of releases, each of which invalidates all handles
}

// record records the caller of the function that called Begin or Ended. Builds with -race omit it unless the
// tag is set, because race reports contain stacks.
func record(s *guard.Stack) {
	if !Race || Tag {
		s.Record(1)
	}
}

// Guard sets the cleanup that tells a pool that its arena was collected; Unguard stops it.
func (t *Tracker) Guard(c runtime.Cleanup) { t.cleanup = c }
func (t *Tracker) Unguard()                { t.cleanup.Stop() }

// Begin starts a cycle.
//
//go:norace
func (t *Tracker) Begin() {
	t.cycle = new(guard.Cycle)
	record(&t.cycle.Began)
}

// Ended records how a cycle ended. The next one begins.
//
//go:norace
func (t *Tracker) Ended(how string) {
	t.cycle.How = how
	record(&t.cycle.Ended)
	t.last = t.cycle
}

// History describes where the current or last cycle began, and where memory was last taken back.
func (t *Tracker) History() string {
	if Race {
		return "" // reading it could race
	}
	if t.last != nil {
		return t.last.History()
	}
	return t.cycle.History()
}

// Watched reports whether Enter is called. With the race detector it is always called, because it represents
// accesses that the detector does not see.
var Watched = On || Race

// Enter is called at the beginning of every function that changes the arena, and Leave at its end. Calls nest.
// does is the name of the function for panics; if it is empty, the name is taken from the stack. Enter is visible to
// the race detector, so that its reports contain the functions that called it.
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
	// Under the race detector this would order the goroutines and hide races.
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

// Leave ends a call of Enter or Occupy.
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
