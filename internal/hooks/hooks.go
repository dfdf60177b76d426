// Package hooks connects package arena with the other packages of this module, without exporting these
// functions to programs.
package hooks

import (
	"context"
	"reflect"
	"strings"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// ContextKey is the key of an arena in a context.
type ContextKey struct{}

// Lender replaces an arena in a context if not every goroutine may use the arena. Lend returns the
// *arena.Arena for the calling goroutine; ctx is the context that it asked.
type Lender interface{ Lend(ctx context.Context) any }

// OwnPanic returns the panic value v, copied if it is a string: it may be in an arena and be printed when the
// arena belongs to another request.
func OwnPanic(v any) any {
	if text, ok := v.(string); ok {
		return strings.Clone(text)
	}
	return v
}

// PoolOf returns the *arena.ArenaPool of a key, nil if keyed, an *arena.KeyedPool[string], is nil. Its Get
// and Put are the KeyedPool's for that key. Package arena sets it.
var PoolOf func(keyed any, key string) any

// NoArena counts a request that never asked for its arena in the statistics of pool, an *arena.ArenaPool,
// which may be nil. Package arena sets it.
var NoArena func(pool any)

// MapMaker makes arena maps of one type, for callers that know it only at run time.
type MapMaker interface {
	Map() reflect.Type // *arena.Map[Key, Value]
	Key() reflect.Type
	Value() reflect.Type
	// Make returns an empty map in the arena, an *arena.Arena.
	Make(arena any) xunsafe.Pointer
	// Entry sets the key's value to zero, and returns its address, which is valid until
	// the next Entry.
	Entry(m, key xunsafe.Pointer) xunsafe.Pointer
}

// MakerOf returns the MapMaker of t; ok is false unless t is an *arena.Map. Every Map has
// a field of no size whose type is its MapMaker.
func MakerOf(t reflect.Type) (maker MapMaker, ok bool) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	for i := range t.Elem().NumField() {
		f := t.Elem().Field(i)
		if f.Type.Size() != 0 || f.Type.Kind() != reflect.Struct {
			continue
		}
		if maker, ok = reflect.Zero(f.Type).Interface().(MapMaker); ok {
			return maker, maker.Map() == t // and not a type derived from a Map
		}
	}
	return nil, false
}
