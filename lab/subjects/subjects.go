// Package subjects holds what the matrix compares: one file per way to get memory.
package subjects

// Names of subjects that others are compared with.
const (
	Heap     = "heap"
	SyncPool = "sync.Pool"
)
