package machine

import (
	"sync"

	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Guarded is the memory of a region of one epoch that is made unusable when the epoch
// ends: see package guard. Checked builds do so with every epoch, by package check.
type Guarded struct {
	Epoch *guard.Epoch // of an arena and its forks

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
// collector has still to find unused among them. An epoch that needs more has the rest in
// ordinary chunks.
const MostGuarded = 16 << 20

// guardedMemory is the memory of the lane without pointers of a guarded region.
type guardedMemory struct {
	flatMemory
	*Guarded
}

func (m guardedMemory) make(bytes uintptr) xunsafe.Pointer {
	if !guard.HavePages() || bytes > MostGuarded || guard.Bytes() > MostGuarded-bytes {
		return m.flatMemory.make(bytes)
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
	for _, p := range g.pages {
		p.run.Protect(p.base, p.size, g.Epoch)
	}
	g.pages, g.ended = nil, true
}

// used reports an allocation from a region whose guarded epoch has ended. What it hands
// out is nobody else's.
func (g *Guarded) used() {
	g.mu.Lock()
	ended := g.ended
	g.mu.Unlock()
	if ended {
		text := "arena: an allocation from an arena that was put back"
		if how := g.Epoch.How; how != "Put" {
			text = "arena: an allocation from a fork that " + how + " has ended"
		}
		g.Epoch.Found(guard.Find{Epoch: g.Epoch, Text: text + g.Epoch.History()})
	}
}
