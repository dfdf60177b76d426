//go:build gc && !go1.28

package machine

// Tested says that the whole suite has run on this toolchain: all assumptions hold.
const (
	Tested   = true
	HeapOnly = false
)
