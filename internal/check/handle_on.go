//go:build arenacheck || race || asan

package check

// Handle is the state of an allocator handle: the number of releases of the arena when it was made.
type Handle struct{ releases uint64 }

// Handle returns the state of a new handle.
//
//go:norace
func (t *Tracker) Handle() Handle { return Handle{t.releases} }

// Released invalidates all handles.
//
//go:norace
func (t *Tracker) Released() { t.releases++ }
