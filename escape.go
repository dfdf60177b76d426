package arena

import (
	"reflect"
	"strings"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/escape"
)

// Escape returns a copy of v that is safe to keep when a is reset or put: everything in a that v refers to is copied to the heap. If a is nil, or
// allocates from the heap (see SetEnabled), Escape returns v itself, so a program must not change the original afterwards if it keeps the result.
//
// a must be the arena of v. In a goroutine that does not own the arena of its request, FromContext returns nil, and Escape would copy nothing.
//
// The copy is deep: strings, slices, targets of pointers, values in interfaces, arrays, structs with their unexported fields, Maps and Buffers,
// which are then on the heap. It has the shape of the original: pointers to one value become pointers to one copy, pointers into the middle of a
// value or slice point into the middle of its copy, overlapping slices overlap, and cycles are kept. Memory that is not reached is not copied: of
// a slice, the elements beyond its length, which is the copy's capacity. Of a value with pointers, all is copied.
//
// Memory of the heap and of other arenas is shared and not examined: a pointer on the heap that leads back into a remains in the copy, and will
// dangle. That includes the elements of a slice that is on the heap. In builds with -race, -asan or the tag arenacheck, Escape searches for such
// pointers, and panics with the path to one, such as v.Order.Items[3].Name. (It skips values that contain a lock or are atomic, and with -race
// builtin maps. All other memory that v leads to must not be changed meanwhile.) Builtin maps are copied if a codec made them in a, or if a key or
// value leads there, and shared otherwise.
//
// Escape panics, with the path, if v leads into a by an unsafe.Pointer, such as that in an atomic.Pointer or a reflect.Value, by a weak.Pointer or
// the value of a unique.Handle, or, on machines with 64 bits of address, by a uintptr. A type defined as weak.Pointer is refused unless it is
// nil. In no build does Escape see variables captured by funcs or values in channels; they are shared.
//
// A copy differs in three ways. Strings of up to 64 bytes have bytes of their own, many in one allocation of at most 128. In a Map whose keys
// contain pointers or interfaces, entries change their places, so the copy of a pointer returned by Ptr does not point into the copied map. Locks
// are copied as they are, locked or not.
//
// Values in a's forks are treated like values in a, so no goroutine may be using them meanwhile. For a fork, its parent is a different arena.
//
// Escape analyzes each type once. A tree of small objects takes up to twice the time of a copy written by hand; values that overlap only in part,
// and builtin maps, take several times that. If T can't lead into an arena, Escape returns v at the cost of a look at its type.
//
// If Escape panics, nothing has changed.
func Escape[T any](a *Arena, v T) T {
	if a == nil {
		return v
	}
	return escapeFrom(a, v)
}

func escapeFrom[T any](a *Arena, v T) T {
	if check.Watched {
		a.region.Enter("Escape")
		defer a.region.Leave()
	}
	return escape.Value(a.memory(), ownTypes, check.On, v)
}

// copied is implemented by types of this package that need a change after Escape has copied them.
type copied interface{ copied() }

// ownTypes says how Escape copies types of this package that refer to their arena, or to memory that a copy does not need.
func ownTypes(t reflect.Type) *escape.Special {
	ownPath := reflect.TypeFor[Arena]().PkgPath()
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), ownPath) {
		return nil
	}
	name, _, generic := strings.Cut(t.Name(), "[")
	switch {
	case t.PkgPath() == ownPath && (name == "Map" && generic || name == "Buffer" && !generic):
		return &escape.Special{Keep: []string{"table", "buf"}, Finish: func(new reflect.Value) { new.Interface().(copied).copied() }}
	case t.PkgPath() == ownPath+"/internal/swiss" && name == "Table":
		return &escape.Special{Keep: []string{"groups"}}
	}
	return nil
}
