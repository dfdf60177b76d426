package arena

import (
	"os"
	"sync/atomic"
)

// disabled is whether pools hand out nil arenas.
var disabled atomic.Bool

func init() { disabled.Store(os.Getenv("EBBPOOL") == "off") }

// SetEnabled turns all pools of the program off or on again, at any time. While they
// are off, Get returns nil: a nil arena's values are on the heap, where the collector
// frees each when nothing refers to it, no limit counts them, and no statistics. So a
// fault in production is told to be one of arenas or not, without another build.
//
// Arenas that are out stay what they are until their Put; idle ones wait. Arenas of
// NewArena are not pools', and stay, too.
//
// A program whose environment has EBBPOOL=off starts with all pools off.
func SetEnabled(on bool) { disabled.Store(!on) }
