//go:build (race || asan) && !arenacheck

package arena

// run is a run of pages.
type run struct{}

// What only the tag arenacheck does: here, nothing.

func newLaneWatch[T any]() laneWatch { return laneWatch{} }

func catchFaults()                                    {}
func explain(e any) any                               { return e }
func (l *lane) fillZone(c *chunk, at, n uintptr)      {}
func (l *lane) makeChecked(n uintptr) (pointer, *run) { return l.ops.make(n), nil }
func (c *chunk) giveUnwritten(from, to uintptr)       {}
func (c *chunk) noteGiven(l *lane, from, to uintptr)  {}
func (c *chunk) noteTail(from, to uintptr)            {}
func (l *lane) checkZones(c *chunk)                   {}
func (l *lane) keepLists(c *chunk)                    {}
func (l *lane) protect(c *chunk)                      {}
func (p *FixedPool[T]) checkSlot(i uintptr)           {}
func (p *FixedPool[T]) fillSlots(from, to uintptr)    {}
