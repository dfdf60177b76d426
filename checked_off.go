//go:build !arenacheck && !race && !asan

package arena

import "runtime"

// checked is off: nothing of the checks for misuse is compiled.
const checked = false

// watched is checked, and on with the race detector even so.
const watched = false

// What the checks remember of an arena, a lane, a chunk: here, nothing.
type (
	witness    struct{}
	laneWatch  struct{}
	chunkWatch struct{}
)

func (l *lane) firstSize(n uintptr) uintptr  { return n }
func (l *lane) plannedFor(need uintptr) bool { return false }
func (l *lane) lived(used, limit uintptr)    {}
func (l *lane) forget()                      {}

func newLaneWatch[T any]() laneWatch { return laneWatch{} }

func (a *Arena) enter(does string)          {}
func (a *Arena) seal()                      {}
func (a *Arena) successor() *Arena          { return nil }
func (w *witness) guard(c runtime.Cleanup)  {}
func (w *witness) begin()                   {}
func (w *witness) enter(does string)        {}
func (w *witness) occupy(does string)       {}
func (w *witness) leave()                   {}
func (w *witness) ended(how string)         {}
func (w *witness) history() string          { return "" }
func explain(e any) any                     { return e }
func (l *lane) watchedBy(w *witness)        {}
func (l *lane) zone() uintptr               { return 0 }
func (l *lane) zoneBytes() uintptr          { return 0 }
func (l *lane) buryFrom(first int)          {}
func (l *lane) checkFrom(first int)         {}
func (p *FixedPool[T]) lockSlots()          {}
func (p *FixedPool[T]) openNext()           {}
func (p *FixedPool[T]) closeSlot(i uintptr) {}

func (l *lane) textZone(size uintptr) uintptr { return 0 }

func (c *chunk) give(l *lane, from, to uintptr) {}

func (c *chunk) giveUnwritten(from, to uintptr) {}

func (l *lane) leaveOut(c *chunk, at, n uintptr) {}
func (c *chunk) takeTail(from, to uintptr)       {}
func (l *lane) fillIn(c *chunk)                  {}
