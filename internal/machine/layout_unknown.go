//go:build !gc || go1.29

package machine

// This is another compiler, or a toolchain at least two releases newer than the newest on which the suite has run.
const (
	Tested   = false
	HeapOnly = true
)
