// Package subjects holds what the lab compares: one file per way to get the
// memory of a request. All of them run the same handler, workloads.Handle.
package subjects

import (
	"fmt"
)

// A Subject serves requests. Serve may be called by many goroutines at once.
type Subject interface {
	// Serve appends the answer to dst. Memory of the request is given back
	// before it returns.
	Serve(dst, payload []byte) ([]byte, error)
}

// Names of the subjects, in the order of a round.
const (
	Heap     = "heap"
	SyncPool = "sync.Pool"
	Arena    = "arena"
)

// Names returns all subjects in the order in which a round runs them.
func Names() []string { return []string{Heap, SyncPool, Arena} }

// New makes the subject of that name.
func New(name string) (Subject, error) {
	switch name {
	case Heap:
		return heap{}, nil
	case SyncPool:
		return newSyncPool(), nil
	case Arena:
		return newArenaPool(), nil
	}
	return nil, fmt.Errorf("unknown subject %q; there are %q", name, Names())
}
