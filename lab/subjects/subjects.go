// Package subjects contains the allocators that the matrix compares, one per file.
package subjects

// Names of subjects with which others are compared.
const (
	Heap     = "heap"
	SyncPool = "sync.Pool"
)
