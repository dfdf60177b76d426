//go:build gc && !go1.28

package machine

// Tested is true if the whole suite has run on this toolchain, so all assumptions hold. If HeapOnly is true, all arenas are
// in heap mode.
const (
	Tested   = true
	HeapOnly = false
)
