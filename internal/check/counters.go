//go:build !race

package check

import "sync/atomic"

// Counters that arenas of a pool share: with -race, the race detector does not take them for an order between
// the goroutines that use the pool.
type (
	Uintptr = atomic.Uintptr
	Uint64  = atomic.Uint64
	Int64   = atomic.Int64
	Bool    = atomic.Bool
)
