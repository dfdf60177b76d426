package arena

import (
	"reflect"
	"strings"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/escape"
)

// Escape returns v with everything in a that it leads to copied to the heap, so that
// it is safe to keep when a is reset or put back. If a is nil it returns v.
//
// The copy is deep: strings, slices, what pointers point to and interfaces hold,
// arrays, structs with their unexported fields, Maps and Buffers, which are on the
// heap then, as those of a nil arena. It has the shape of the original: two pointers to one
// value lead to one copy, those into the middle of a value or of a slice lead
// into the middle of the copy, slices that overlap do so in the copy, and cycles are
// kept, however long they are. What is not reached is not copied: of a slice the
// elements beyond its length, which is the copy's capacity; but of a pointer
// into a value with pointers, all of that value.
//
// Memory of the heap and of other arenas is shared, and not looked into: a pointer
// of the heap that leads back into a is still there in the copy, and will dangle.
// That goes for the elements of a slice that is on the heap, too. In builds with
// -race, -asan or the tag arenacheck Escape looks for these, and panics with the
// path to one, as v.Order.Items[3].Name. (It leaves out there what has a lock, or is
// atomic, and with -race builtin maps: who holds no lock must not look. All
// other memory that v leads to must not be changed meanwhile.) Builtin maps alone
// are copied if a codec made them in a, or a key or a value leads there, and shared if not.
//
// Escape panics, with the path, if v leads into a by an unsafe.Pointer, such as that in an
// atomic.Pointer or a reflect.Value, by a weak.Pointer or the value of a unique.Handle, or, on
// machines with 64 bits of address, by a uintptr. It does not see variables that funcs have
// captured and values in chans, in any build, and shares them.
//
// Three things differ in a copy. Strings of up to 64 bytes have each its own bytes, many in
// one allocation of at most 128. In a Map
// whose keys have pointers or interfaces, entries have other places, so that a pointer that
// Ptr returned leads to a copy of the value that is not the map's. And a lock is
// copied as it is, locked or not.
//
// What lies in a's forks is as what lies in a, so nobody may be working with them
// meanwhile. What a fork was forked from is another arena to it.
//
// What has to be looked at in a T is found out once for each type. A tree of small
// objects takes up to twice the time of a copy written by hand; values that overlap
// only in part, and builtin maps, take several times that. A T that leads to
// nothing is v itself, at the cost of a look at its type.
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
		a.enter("Escape")
		defer a.leave()
	}
	return escape.Value(a.memory(), ownTypes, check.On, v)
}

// copied is called on a value of this package's types after Escape has copied it.
type copied interface{ copied() }

// ownTypes says how Escape copies types of this package that lead to their arena,
// or to memory that a copy has no use for.
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
