// Package door has what the packages of this module share with package arena, and
// programs are not to see.
package door

import (
	"reflect"

	"github.com/ebbpool/arena/internal/machine"
)

// ContextKey is what a context finds its arena by.
type ContextKey struct{}

// Abandon leaves an arena to the collector, an *arena.Arena that is out of the pool, an
// *arena.ArenaPool: somebody may use it for longer than its request lasts. It counts as
// abandoned, and not as leaked. Package arena sets it when it starts.
var Abandon func(pool, arena any)

// LineEnd is the arenajson.Option that has Marshal write a line end behind the document, as
// encoding/json's Encoder does.
const LineEnd = 255

// MapMaker makes arena maps of one type for those who know the type at run time.
type MapMaker interface {
	Key() reflect.Type
	Value() reflect.Type
	// Make returns an empty map in the arena, an *arena.Arena.
	Make(arena any) machine.Pointer
	// Entry enters a zero value for the key, in place of what was there, and returns
	// where it is until the next Entry.
	Entry(m, key machine.Pointer) machine.Pointer
}

// MakerOf returns the MapMaker of t if that is an *arena.Map. Package arena sets it
// when it starts.
var MakerOf func(t reflect.Type) (MapMaker, bool)
