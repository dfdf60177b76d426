package arena

import (
	"os"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// modes are settings of all pools of the program: off, isolated.
var modes atomic.Uint32

const (
	off     = 1 << iota // hand out nil arenas
	isolate             // isolate requests
)

func init() {
	switch os.Getenv("EBBPOOL") {
	case "off":
		modes.Store(off)
	case "isolated":
		modes.Store(isolate)
	}
}

func setMode(mode uint32, on bool) {
	if on {
		modes.Or(mode)
	} else {
		modes.And(^mode)
	}
}

// SetEnabled turns all pools of the program off or on again, at any time. While they
// are off, Get returns nil: a nil arena's values are on the heap, where the collector
// frees each when nothing refers to it, no limit counts them, and no statistics. So a
// fault in production is told to be one of arenas or not, without another build.
//
// Arenas that are out stay what they are until their Put; idle ones wait. Arenas of
// NewArena are not pools', and stay, too.
//
// A program whose environment has EBBPOOL=off starts with all pools off.
func SetEnabled(on bool) { setMode(off, !on) }

// SetIsolation has all pools of the program isolate requests, as their own SetIsolation
// does, or do again what each was told; at any time: for the hour in which it is found
// out who keeps what of another's request. An arena that is out isolates from its next
// Get on.
//
// A program whose environment has EBBPOOL=isolated starts so.
func SetIsolation(on bool) { setMode(isolate, on) }

// getInMode is Get where there is no pool, and in a mode of all pools.
//
//go:noinline
func (p *ArenaPool) getInMode() *Arena {
	if p == nil || modes.Load()&off != 0 {
		return nil
	}
	x, _ := p.arenas.Get().(*idleArena)
	if x == nil {
		x = p.miss()
	}
	a := x.takeOut()
	a.owner.account.Take()
	if check.On {
		a.region.Watch.Begin()
	}
	c := p.controls.Load()
	if c == nil {
		c = new(controls)
	}
	return c.started(p, a, 1)
}
