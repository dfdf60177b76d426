// Package hooks has what package arena shares with the other packages of this
// repository and hides from programs.
package hooks

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// ContextKey is the key of an arena in a context.
type ContextKey struct{}

// Lender is what a context may have in place of an arena, where not all who ask may be led
// to it. Lend returns the *arena.Arena for the goroutine that calls it.
type Lender interface{ Lend() any }

// Abandon leaves an *arena.Arena that is out of an *arena.ArenaPool to the collector,
// as another goroutine may use it beyond the end of its request. It counts as
// abandoned, and not as leaked. Package arena sets the variable when it starts.
var Abandon func(pool, arena any)

// LineEnd is the arenajson.Option with which Marshal writes a newline after the
// document, as encoding/json's Encoder does.
const LineEnd = 255

// MapMaker makes arena maps of one type, for callers that know it only at run time.
type MapMaker interface {
	Key() reflect.Type
	Value() reflect.Type
	// Make returns an empty map in the arena, an *arena.Arena.
	Make(arena any) xunsafe.Pointer
	// Entry sets the key's value to zero, and returns its address, which is valid until
	// the next Entry.
	Entry(m, key xunsafe.Pointer) xunsafe.Pointer
}

// MakerOf returns the MapMaker of t; ok is false unless t is an *arena.Map. Package
// arena sets the variable when it starts.
var MakerOf func(t reflect.Type) (MapMaker, bool)
