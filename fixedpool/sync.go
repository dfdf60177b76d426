package fixedpool

import (
	"sync"

	"github.com/ebbpool/arena/internal/check"
)

// A SyncPool is a Pool for any number of goroutines: the same contract
// behind a lock. A program that would fight for the lock is better off with a
// pool for each worker.
type SyncPool[T any] struct {
	mu   sync.Mutex
	pool Pool[T]
}

// NewSync returns a pool of capacity slots, and panics as
// New does.
func NewSync[T any](capacity int) *SyncPool[T] {
	p := new(SyncPool[T])
	p.pool.init("NewSync", capacity)
	return p
}

// Allocate returns a zero T, or nil if all slots are out.
func (p *SyncPool[T]) Allocate() *T {
	p.mu.Lock()
	if check.On { // it may panic
		defer p.mu.Unlock()
		return p.pool.Allocate()
	}
	x := p.pool.Allocate()
	p.mu.Unlock()
	return x
}

// Deallocate gives x back. Misuse panics with a *MisuseError and changes
// nothing, as Pool.Deallocate does.
func (p *SyncPool[T]) Deallocate(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock() // a panic must not leave the pool locked
	p.pool.Deallocate(x)
}

// Owns reports whether x is out.
func (p *SyncPool[T]) Owns(x *T) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Owns(x)
}

// Capacity is the number of slots.
func (p *SyncPool[T]) Capacity() int { return p.pool.Capacity() }

// Used is the number of slots that were out at some moment of the call.
func (p *SyncPool[T]) Used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Used()
}

// Empty reports whether Used() == 0.
func (p *SyncPool[T]) Empty() bool { return p.Used() == 0 }

// Full reports whether Used() == Capacity().
func (p *SyncPool[T]) Full() bool { return p.Used() == p.Capacity() }

// Stats returns the pool's statistics.
func (p *SyncPool[T]) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Stats()
}
