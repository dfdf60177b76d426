package arenapgx

// All uses of package unsafe in this package.

import (
	"reflect"
	"unsafe"
)

// pointer points to a value whose type is known only at run time.
type pointer = unsafe.Pointer

// pointerTo returns p without its type.
func pointerTo[T any](p *T) pointer { return unsafe.Pointer(p) }

// field returns the address of the field at offset in the struct at p.
//
// SAFETY: the offset is from the struct's type.
func field(p pointer, offset uintptr) pointer { return unsafe.Add(p, offset) }

// at returns p as a *T.
//
// SAFETY: p points to a T or to a type with underlying type T. pick checks the kind of the type before it
// chooses a function that calls at.
func at[T any](p pointer) *T { return (*T)(p) }

// value returns the value at p, of type t.
func value(t reflect.Type, p pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }
