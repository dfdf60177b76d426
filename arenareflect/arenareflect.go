// Package arenareflect makes values in arenas whose types are known at run time only, for
// decoders and others that work with package reflect:
//
//	p := arenareflect.New(a, t)                     // as reflect.New(t), in a
//	s := arenareflect.MakeSlice(a, sliceType, 0, 8) // as reflect.MakeSlice
//
// A nil arena stands for the heap. A type has one kind of memory in an arena, whichever
// function meets it first: what New returns here is what arena.New[T] would.
//
// The first call with a type makes a record of it, which lives as long as the program
// does, as those that package reflect makes; the others take nothing from the heap that
// arena.New and arena.MakeSlice would not.
package arenareflect

import (
	"reflect"
	"strconv"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// New returns a Value of kind Pointer to a zero t in a, as reflect.New returns one on the
// heap, which it is called for if a is nil. A nil t panics.
func New(a *arena.Arena, t reflect.Type) reflect.Value {
	x := machine.KnownType(t)
	if x == nil || a == nil || check.Watched {
		return newSlow(a, t)
	}
	return x.Value(machine.NewOfType(machine.RegionOf(a), x))
}

// newSlow is New without an arena, with checks, and for a type that was not met lately.
//
//go:noinline
func newSlow(a *arena.Arena, t reflect.Type) reflect.Value {
	if t == nil {
		panic("arenareflect: New: the reflect.Type is nil; pass that of the value to allocate")
	}
	x := machine.TypeOf(t)
	if a == nil {
		return reflect.New(t)
	}
	r := machine.Enter(a, "arenareflect.New")
	defer r.Leave()
	return x.PointerValue(machine.NewOfType(r, x))
}

// MakeSlice returns a Value of kind Slice and of type t, which is that of a slice: len
// elements, zero up to its capacity, in a, or on the heap if a is nil.
//
// The elements lie where those of arena.MakeSlice do. The Value's own three words lie in
// a, too, where a slice that arena.New makes would, and count as one more type there; it is
// no variable, and can't be set.
// A t that is nil or no slice's, negative lengths, a cap below len and sizes that no
// allocation can have panic and change nothing.
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
	what := "nil"
	if t != nil {
		what = "that of a " + t.String()
	}
	panic("arenareflect: MakeSlice: the reflect.Type is " + what + "; pass that of a slice, as to reflect.MakeSlice")
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
