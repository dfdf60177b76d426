//go:build !race

package check

import "sync/atomic"

// Counters shared by the arenas of a pool. With -race, the race detector does not treat them as an order
// between the goroutines that use the pool.
type (
	Uintptr = atomic.Uintptr
	Uint64  = atomic.Uint64
	Int64   = atomic.Int64
	Bool    = atomic.Bool
)
