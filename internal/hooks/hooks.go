// Package hooks has what package arena shares with the other packages of this
// repository and hides from programs.
package hooks

import (
	"context"
	"reflect"
	"strings"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// ContextKey is the key of an arena in a context.
type ContextKey struct{}

// Lender stands in a context in place of an arena, where not all who ask may be led
// to it. Lend returns the *arena.Arena for the goroutine that calls it, which asks ctx.
type Lender interface{ Lend(ctx context.Context) any }

// OwnPanic returns v, what a goroutine panics with, as a copy if it is a text: who prints it
// may do so when the arena that it lies in is another request's.
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
			return maker, maker.Map() == t // and not a type that a program has made of a Map
		}
	}
	return nil, false
}
