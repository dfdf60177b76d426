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

// ExplainFaults, deferred, says of a fault in this goroutine which arena the
// memory belonged to, and where that was emptied. It does so in programs that
// are built with the tag arenacheck, where memory that an arena took back is
// made inaccessible if the system can; in others it does nothing, and costs
// nothing.
//
//	defer arena.ExplainFaults()
//
// ArenaPool.Do does it by itself.
func ExplainFaults() {}

func (c *chunk) giveUnwritten(from, to uintptr) {}

func (l *lane) leaveOut(c *chunk, at, n uintptr) {}
func (c *chunk) takeTail(from, to uintptr)       {}
func (l *lane) fillIn(c *chunk)                  {}
