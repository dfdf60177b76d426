//go:build arenacheck || race || asan

package check

// Handle records what the checks remember of a handle to an arena's memory: how often
// the arena had been released when it was made.
type Handle struct{ releases uint64 }

// Handle returns what a handle that is made now remembers.
//
//go:norace
func (t *Tracker) Handle() Handle { return Handle{t.releases} }

// Released ends the use of all handles.
//
//go:norace
func (t *Tracker) Released() { t.releases++ }
