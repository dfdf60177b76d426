// Package arenareflect allocates values in arenas whose types are known only at run time, for decoders and
// other users of package reflect:
//
//	p := arenareflect.New(a, t)                     // like reflect.New(t), in a
//	s := arenareflect.MakeSlice(a, sliceType, 0, 8) // like reflect.MakeSlice, in a
//
// A nil arena means the heap. New and arena.New[T] allocate from the same memory of an arena.
//
// The first use of a type allocates a record that lives as long as the program. Later calls make no heap
// allocations that arena.New and arena.MakeSlice would not make.
package arenareflect

import (
	"reflect"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// New returns a Value of kind Pointer to a zeroed t in a. If a is nil, it is reflect.New. It panics if t is
// nil.
func New(a *arena.Arena, t reflect.Type) reflect.Value {
	x := machine.KnownType(t)
	if x == nil || a == nil || check.Watched {
		return newSlow(a, t)
	}
	return x.Value(machine.NewOfType(machine.RegionOf(a), x))
}

// newSlow is the slow path of New: no arena, checks, or a type that was not used recently.
//
//go:noinline
func newSlow(a *arena.Arena, t reflect.Type) reflect.Value {
	if t == nil {
		panic("arenareflect: New: nil type")
	}
	x := machine.TypeOf(t)
	if a == nil {
		return reflect.New(t)
	}
	r := machine.Enter(a, "arenareflect.New")
	defer r.Leave()
	return x.PointerValue(machine.NewOfType(r, x))
}

// MakeSlice returns a Value of the slice type t with the given length and capacity, zeroed, in a, or on the
// heap if a is nil. It panics, and changes nothing, if t is not a slice type, if len is negative or larger
// than cap, or if the size is too large.
//
// The elements are allocated like those of arena.MakeSlice. The Value's slice header is also allocated in a,
// like one from arena.New, so it counts as another type. The Value is not settable.
func MakeSlice(a *arena.Arena, t reflect.Type, len, cap int) reflect.Value {
	if t == nil || t.Kind() != reflect.Slice {
		panicType(t)
	}
	x := machine.KnownType(t)
	if x == nil {
		x = machine.TypeOf(t)
	}
	elem := x.Elem()
	if uint(len) > uint(cap) || cap < 0 || cap > elem.Most() {
		panicSizes(t, len, cap)
	}
	if a == nil {
		return reflect.MakeSlice(t, len, cap)
	}
	r := machine.Enter(a, "arenareflect.MakeSlice")
	defer r.Leave()
	return machine.SliceValue(r, x, machine.MakeSliceOfType(r, elem, len, cap))
}

func panicType(t reflect.Type) {
	if t == nil {
		panic("arenareflect: MakeSlice: nil type")
	}
	panic("arenareflect: MakeSlice(" + t.String() + "): not a slice type")
}

func panicSizes(t reflect.Type, n, c int) {
	text := "arenareflect: MakeSlice(" + t.String() + ", len " + strconv.Itoa(n) + ", cap " + strconv.Itoa(c) + "): "
	switch {
	case n < 0:
		text += "negative length"
	case c < n:
		text += "capacity below length"
	default:
		text += "more than can be allocated at elements of " + strconv.Itoa(int(t.Elem().Size())) + " bytes"
	}
	panic(text)
}
