//go:build gc && go1.28 && !go1.29

package machine

// This toolchain is one release newer than the newest on which the suite has run. The check at start-up decides whether
// arenas are in heap mode.
const (
	Tested   = false
	HeapOnly = false
)
