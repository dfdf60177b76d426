package fixedpool

import (
	"sync"

	"github.com/ebbpool/arena/internal/check"
)

// A SyncPool is a Pool for any number of goroutines, with the same contract, protected by a lock. If the lock
// is contended, use a Pool for each worker.
type SyncPool[T any] struct {
	mu   sync.Mutex
	pool Pool[T]
}

// NewSync returns a pool of capacity slots. It panics like New.
func NewSync[T any](capacity int) *SyncPool[T] {
	p := new(SyncPool[T])
	p.pool.init("NewSync", capacity)
	return p
}

// Allocate returns a zero T, or nil if all slots are in use.
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

// Deallocate frees x. It panics with a *MisuseError, and changes nothing, like Pool.Deallocate.
func (p *SyncPool[T]) Deallocate(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock() // a panic must not leave the pool locked
	p.pool.Deallocate(x)
}

// Owns reports whether x is in use and was allocated from p.
func (p *SyncPool[T]) Owns(x *T) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Owns(x)
}

// Capacity returns the number of slots.
func (p *SyncPool[T]) Capacity() int { return p.pool.Capacity() }

// Used returns the number of slots in use at some moment of the call.
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
