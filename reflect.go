package arena

import (
	"reflect"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// NewType is New where the type is known at run time only, for decoders and others
// that work with package reflect: it returns a Value of kind Pointer to a zero t in
// a, as reflect.New returns one on the heap, which it is called for if a is nil.
//
// The memory is that of New[T]: each type has one kind of memory, whichever function
// meets it first. The first call with a type makes a record of it, which lives as
// long as the program does, as those that package reflect makes; the others take
// nothing from the heap that New would not. A nil t panics.
func NewType(a *Arena, t reflect.Type) reflect.Value {
	x := machine.KnownType(t)
	if x == nil || a == nil || check.Watched {
		return newTypeSlow(a, t)
	}
	return x.Value(machine.NewOfType(&a.region, x))
}

// newTypeSlow is NewType without an arena, with checks, and for a type that was not
// met lately.
//
//go:noinline
func newTypeSlow(a *Arena, t reflect.Type) reflect.Value {
	if t == nil {
		panic("arena: NewType: the reflect.Type is nil; pass that of the value to allocate")
	}
	x := machine.TypeOf(t)
	if a == nil {
		return reflect.New(t)
	}
	if check.Watched {
		a.enter("NewType")
		defer a.leave()
	}
	return x.PointerValue(machine.NewOfType(&a.region, x))
}

// MakeSliceType is MakeSlice where the type is known at run time only: it returns a
// Value of kind Slice, of len elements of type t, zero up to its capacity, in a, or
// on the heap if a is nil. t is the type of the elements, as T is in MakeSlice[T];
// reflect.MakeSlice is given that of the slice.
//
// The elements lie where those of MakeSlice[T] do. The Value's own three words lie
// in a, too, where a []T that New makes would, and count as one more type there; it is
// no variable, and can't be set.
// A nil t, negative lengths, a cap below len and sizes that no allocation can have
// panic and change nothing.
func MakeSliceType(a *Arena, t reflect.Type, len, cap int) reflect.Value {
	x := machine.KnownType(t)
	if x == nil {
		if t == nil {
			panic("arena: MakeSliceType: the reflect.Type is nil; pass that of the elements")
		}
		x = machine.TypeOf(t)
	}
	if uint(len) > uint(cap) || cap < 0 || cap > x.Most() {
		panicSizes("MakeSliceType["+t.String()+"]", x.Size, len, cap)
	}
	if a == nil {
		return reflect.MakeSlice(reflect.SliceOf(t), len, cap)
	}
	if check.Watched {
		a.enter("MakeSliceType")
		defer a.leave()
	}
	return machine.SliceValue(&a.region, x, machine.MakeSliceOfType(&a.region, x, len, cap))
}

// Packages of this module that allocate for a type that they know at run time work
// on the region itself.
func init() {
	machine.Enter = func(x any, does string) *machine.Region {
		a := x.(*Arena)
		if check.Watched {
			a.enter(does)
		}
		return &a.region
	}
}
