//go:build race

package check

import "sync/atomic"

// Uintptr, Uint64, Int64 and Bool are the types of package sync/atomic for counters shared by the arenas of a
// pool. Common counters would order all goroutines that use the pool, and hide from the race detector that
// one of them reads memory taken back by another.
type (
	Uintptr struct{ x atomic.Uintptr }
	Uint64  struct{ x atomic.Uint64 }
	Int64   struct{ x atomic.Int64 }
	Bool    struct{ x atomic.Bool }
)

func blind[T any](f func() T) T {
	RaceBlind()
	defer RaceSee()
	return f()
}

func (c *Uintptr) Load() uintptr          { return blind(c.x.Load) }
func (c *Uintptr) Store(n uintptr)        { RaceBlind(); c.x.Store(n); RaceSee() }
func (c *Uintptr) Add(n uintptr) uintptr  { return blind(func() uintptr { return c.x.Add(n) }) }
func (c *Uintptr) Swap(n uintptr) uintptr { return blind(func() uintptr { return c.x.Swap(n) }) }
func (c *Uintptr) CompareAndSwap(old, new uintptr) bool {
	return blind(func() bool { return c.x.CompareAndSwap(old, new) })
}

func (c *Uint64) Load() uint64        { return blind(c.x.Load) }
func (c *Uint64) Store(n uint64)      { RaceBlind(); c.x.Store(n); RaceSee() }
func (c *Uint64) Add(n uint64) uint64 { return blind(func() uint64 { return c.x.Add(n) }) }

func (c *Int64) Load() int64       { return blind(c.x.Load) }
func (c *Int64) Add(n int64) int64 { return blind(func() int64 { return c.x.Add(n) }) }

func (c *Bool) Load() bool   { return blind(c.x.Load) }
func (c *Bool) Store(b bool) { RaceBlind(); c.x.Store(b); RaceSee() }
func (c *Bool) CompareAndSwap(old, new bool) bool {
	return blind(func() bool { return c.x.CompareAndSwap(old, new) })
}
