package machine

import (
	"sync"

	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Guarded is the memory of a region of one cycle that is made unusable when the cycle
// ends: see package guard. Checked builds do so with every cycle, by package check.
type Guarded struct {
	Cycle *guard.Cycle // of an arena and its forks

	mu    sync.Mutex // other goroutines may use the region too late
	pages []guardedPages
	ended bool
}

// guardedPages is a chunk without pointers.
type guardedPages struct {
	base xunsafe.Pointer
	size uintptr
	run  *guard.Run
}

// MostGuarded bounds the bytes of all guarded chunks without pointers, those that the
// collector has still to find unused among them. A cycle that needs more has the rest in
// ordinary chunks.
const MostGuarded = 16 << 20

// guardedMemory is the memory of the allocator without pointers of a guarded region.
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

// Protect makes the chunks without pointers inaccessible, and has each later use of the
// region be reported.
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

// used reports an allocation from a region whose guarded cycle has ended. What it hands
// out is nobody else's.
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

// Guard has r, which has a Quota and no memory, be guarded by g.
func (r *Region) Guard(g *Guarded) {
	q := r.Noscan.ops.quota
	q.onGrant = g.used
	q.noscan.memoryOps = guardedMemory{Guarded: g}
}

// Guarded returns what guards the region, nil for nothing.
func (r *Region) Guarded() *Guarded {
	if ops := r.Noscan.ops; ops != nil {
		if m, ok := ops.memoryOps.(guardedMemory); ok {
			return m.Guarded
		}
	}
	return nil
}

// GuardedCycle returns the cycle of an *arena.Arena that is guarded, nil for others.
func GuardedCycle[A any, P arena[A]](a P) *guard.Cycle {
	if a != nil && guard.Sampled.Load() {
		if g := RegionOf(a).Guarded(); g != nil {
			return g.Cycle
		}
	}
	return nil
}

// Poison ends the cycle of a guarded region, as one of e: what has pointers is filled with
// dead values, and the region is released. What has none is protected by Protect, when all
// forks are poisoned.
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
