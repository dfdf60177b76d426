package arena

import (
	"sync"

	"github.com/ebbpool/arena/internal/check"
)

// SyncFixedPool is a FixedPool for any number of goroutines: the same contract
// behind a lock. A program that would fight for the lock is better off with a
// pool for each worker.
type SyncFixedPool[T any] struct {
	mu   sync.Mutex
	pool FixedPool[T]
}

// NewSyncFixedPool returns a pool of capacity slots, and panics as
// NewFixedPool does.
func NewSyncFixedPool[T any](capacity int) *SyncFixedPool[T] {
	p := new(SyncFixedPool[T])
	p.pool.init("NewSyncFixedPool", capacity)
	return p
}

// Allocate returns a zero T, or nil if all slots are out.
func (p *SyncFixedPool[T]) Allocate() *T {
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
// nothing, as FixedPool.Deallocate does.
func (p *SyncFixedPool[T]) Deallocate(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock() // a panic must not leave the pool locked
	p.pool.Deallocate(x)
}

// Owns says whether x is out.
func (p *SyncFixedPool[T]) Owns(x *T) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Owns(x)
}

// Capacity is the number of slots.
func (p *SyncFixedPool[T]) Capacity() int { return p.pool.Capacity() }

// Used is the number of slots that were out at some moment of the call.
func (p *SyncFixedPool[T]) Used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Used()
}

// Available is Capacity() - Used().
func (p *SyncFixedPool[T]) Available() int { return p.Capacity() - p.Used() }

// Empty says whether Used() == 0.
func (p *SyncFixedPool[T]) Empty() bool { return p.Used() == 0 }

// Full says whether Used() == Capacity().
func (p *SyncFixedPool[T]) Full() bool { return p.Used() == p.Capacity() }

// HighWater is the most slots that were out at one time.
func (p *SyncFixedPool[T]) HighWater() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.HighWater()
}

// Stats returns the pool's statistics.
func (p *SyncFixedPool[T]) Stats() FixedStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pool.Stats()
}
