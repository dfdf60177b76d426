package arena

import (
	"os"
	"strconv"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// modes are settings of all pools of the program.
var modes atomic.Uint32

const (
	off           = 1 << iota // SetEnabled(false)
	isolate                   // SetIsolation(true)
	unknownLayout             // the runtime's layout is not the one that the library knows
)

func init() {
	switch value := os.Getenv("EBBPOOL"); value {
	case "":
	case "off":
		modes.Store(off)
	case "isolated":
		modes.Store(isolate)
	default:
		os.Stderr.WriteString("arena: unknown value of EBBPOOL: " + strconv.Quote(value) + " (known: off, isolated)\n")
	}
	setMode(unknownLayout, !machine.LayoutOK)
}

func setMode(mode uint32, on bool) {
	if on {
		modes.Or(mode)
	} else {
		modes.And(^mode)
	}
}

// SetEnabled disables all pools of the program, or enables them again, at any time. While
// they are disabled, the arenas that Get returns take each value from the Go heap, where
// the collector frees it when nothing refers to it. Limits, statistics and leak counts go on
// working; they count the bytes of all values since the last Reset or Put, also of values that
// the collector has freed. This makes it possible to check whether arenas cause a production
// problem without rebuilding.
//
// Arenas that are in use stay what they are until their Put, and idle ones wait. Arenas of
// NewArena belong to no pool and are not affected.
//
// A program whose environment has EBBPOOL=off starts with all pools disabled.
func SetEnabled(on bool) { setMode(off, !on) }

// SetIsolation has all pools of the program isolate requests, like
// [ArenaPool.SetIsolation], or follow their own settings again. It may be called at any time,
// for example while looking for code that keeps memory of another request. It takes effect for
// each arena at its next Get.
//
// A program whose environment has EBBPOOL=isolated starts so.
func SetIsolation(on bool) { setMode(isolate, on) }

// mode returns PoolStats.Mode.
func (p *ArenaPool) mode() string {
	c, mode := p.config.Load(), modes.Load()
	switch {
	case mode&(off|unknownLayout) != 0:
		return "heap"
	case c != nil && c.isolates || mode&isolate != 0:
		return "isolated"
	}
	return "plain"
}

// beginHeap returns a new arena in heap mode. It is used for one request: a Map or Buffer that
// outlives that by Escape goes on with it.
func (p *ArenaPool) beginHeap() *Arena {
	a := p.newArena()
	a.region.BeginHeap()
	st := a.owner.stats
	st.kind = onHeap
	st.Take()
	if check.On {
		a.region.Watch.Begin()
	}
	return a
}

// endHeap is Put for an arena in heap mode.
func (p *ArenaPool) endHeap(a *Arena) {
	p.empty(a)
	p.undoConfig(a)
	p.leave(a.owner.stats)
}
