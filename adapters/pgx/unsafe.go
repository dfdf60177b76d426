package arenapgx

// The use of package unsafe in this package.

import (
	"reflect"
	"unsafe"
)

// pointer is where a value lies whose type is known at run time only.
type pointer = unsafe.Pointer

// pointerTo is p without its type. It keeps what p points to alive, as p does.
func pointerTo[T any](p *T) pointer { return unsafe.Pointer(p) }

// field is where the field at offset lies of the struct at p.
//
// SAFETY: callers have the offset from the type of the struct.
func field(p pointer, offset uintptr) pointer { return unsafe.Add(p, offset) }

// at is p as a pointer to a T.
//
// SAFETY: what lies at p is a T, or of a named type that has T underneath: pick looks at
// the kind of the type before it chooses a function that calls this.
func at[T any](p pointer) *T { return (*T)(p) }

// value returns what lies at p, which must be a t, for package reflect.
func value(t reflect.Type, p pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }
