//go:build !gc || go1.29

package machine

// This is another compiler, or a toolchain two releases younger than the last that the suite
// has run on: all arenas are in heap mode.
const (
	Tested   = false
	HeapOnly = true
)
