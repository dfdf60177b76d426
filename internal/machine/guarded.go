package machine

import (
	"sync"

	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Guarded is the memory of a guarded region. It is used for one cycle, and is inaccessible afterwards; see package
// guard. (Checked builds do this in every cycle, with package check.)
type Guarded struct {
	Cycle *guard.Cycle // of an arena and its forks

	mu    sync.Mutex // other goroutines may use the region after the end of its cycle
	pages []guardedPages
	ended bool
}

// guardedPages is a noscan chunk.
type guardedPages struct {
	base xunsafe.Pointer
	size uintptr
	run  *guard.Run
}

// MostGuarded bounds the size of all guarded noscan chunks of the program, including those that the collector has not
// freed yet. Beyond it, regions get ordinary chunks.
const MostGuarded = 16 << 20

// guardedMemory has the operations of the noscan allocator of a guarded region.
type guardedMemory struct {
	noscanMemory
	*Guarded
}

func (m guardedMemory) make(bytes uintptr) xunsafe.Pointer {
	if !guard.HavePages() || bytes > MostGuarded || guard.Bytes() > MostGuarded-bytes {
		return m.noscanMemory.make(bytes)
	}
	base, run := guard.TakePages(bytes)
	m.mu.Lock()
	m.pages = append(m.pages, guardedPages{base, bytes, run})
	m.mu.Unlock()
	return base
}

// Protect makes the noscan chunks inaccessible. Each later use of the region is reported.
func (g *Guarded) Protect() {
	g.mu.Lock()
	defer g.mu.Unlock()
	memory := make([]guard.Range, len(g.pages))
	for i, p := range g.pages {
		memory[i] = guard.Range{Base: p.base, Size: p.size}
	}
	g.Cycle.Log(memory)
	for _, p := range g.pages {
		p.run.Protect(p.base, p.size, g.Cycle)
	}
	g.pages, g.ended = nil, true
}

// used reports an allocation from a region whose cycle has ended. No other region has the memory of the allocation.
func (g *Guarded) used() {
	g.mu.Lock()
	ended := g.ended
	g.mu.Unlock()
	if ended {
		text := "arena: an allocation from an arena that was put back"
		if how := g.Cycle.How; how != "Put" {
			text = "arena: an allocation from a fork that " + how + " has ended"
		}
		g.Cycle.Found(guard.Find{Cycle: g.Cycle, Text: text + g.Cycle.History()})
	}
}

// Guard makes g guard the region, which has a quota and no memory.
func (r *Region) Guard(g *Guarded) {
	q := r.Noscan.ops.quota
	q.onGrant = g.used
	q.noscan.memoryOps = guardedMemory{Guarded: g}
}

// Guarded returns the argument of Guard, or nil if the region is not guarded.
func (r *Region) Guarded() *Guarded {
	if ops := r.Noscan.ops; ops != nil {
		if m, ok := ops.memoryOps.(guardedMemory); ok {
			return m.Guarded
		}
	}
	return nil
}

// GuardedCycle returns the cycle of an *arena.Arena if it is guarded, else nil.
func GuardedCycle[A any, P arena[A]](a P) *guard.Cycle {
	if a != nil && guard.Sampled.Load() {
		if g := RegionOf(a).Guarded(); g != nil {
			return g.Cycle
		}
	}
	return nil
}

// Poison ends the cycle of a guarded region as one of e. It fills memory with pointers with dead values, and releases the
// region. Protect makes noscan memory inaccessible once all forks are poisoned.
func (r *Region) Poison(e *guard.Cycle) {
	r.Guarded().Cycle = e
	dead := e.DeadPointer()
	for _, al := range r.Types.allocators {
		fill := guard.DeadFiller(al.ops.typ())
		for i := range al.full {
			fill(al.full[i].Base, 0, al.full[i].Lo, dead)
		}
		if al.Base != nil {
			fill(al.Base, 0, al.Lo, dead)
		}
	}
	r.Release()
}
