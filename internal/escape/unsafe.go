package escape

// How the words of values are read and written, at places that their types name, as
// compile found them; what of that depends on how the runtime lays out interfaces and
// slices is assumptions A1, A6 and A7 of package machine, and layout.go has the way
// without.

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Pointer is the address of a value.
type Pointer = xunsafe.Pointer

const wordSize = unsafe.Sizeof(uintptr(0))

// load returns the pointer at p. What only looks has norace: in checked builds it
// looks at memory that is not the caller's.
//
// SAFETY: a type has a pointer there.
//
//go:norace
func load(p Pointer) Pointer { return *(*Pointer)(p) }

// store writes q to p, with the write barrier that it needs.
//
// SAFETY: as load.
func store(p, q Pointer) { *(*Pointer)(p) = q }

// loadNumber returns the uintptr at p.
//
// SAFETY: a type has one there.
//
//go:norace
func loadNumber(p Pointer) uintptr { return *(*uintptr)(p) }

// textAt is p as the address of a string.
//
// SAFETY: a type has one there.
func textAt(p Pointer) *string { return (*string)(p) }

// boxText returns a string with the value s on the heap.
//
// SAFETY: it is new.
func boxText(s string) Pointer {
	p := new(string)
	*p = s
	return Pointer(p)
}

// header is the header of a slice (assumption A6).
type header struct {
	data     Pointer
	len, cap int
}

// headerAt is p as the address of a slice's words.
//
// SAFETY: a type has a slice there, and A6 holds.
func headerAt(p Pointer) *header { return (*header)(p) }

// zero is the place that pointers to values of no size point to.
var zero struct{}

func zeroBase() Pointer { return Pointer(&zero) }

// hide returns p such that the compiler doesn't see where it goes. So what it
// points to may stay on the stack.
//
// SAFETY: for as long as p is only in variables of functions that are running: if
// the stack moves, these move with it.
//
//go:nosplit
//go:nocheckptr
func hide(p Pointer) Pointer {
	x := uintptr(p)
	return *(*Pointer)(Pointer(&x))
}

// keyOf is the descriptor that a T is known by, for looking things up.
//
// SAFETY: see machine.KeyOf.
func keyOf[T any]() *machine.TypeDesc { return machine.KeyOf((*T)(nil)) }

// keyFor is keyOf for a type that is known as a reflect.Type.
//
// SAFETY: machine.LayoutOK says that it points to this.
func keyFor(t reflect.Type) *machine.TypeDesc {
	return (*machine.TypeDesc)(reflect.ValueOf(t).UnsafePointer())
}

// bytesAt is a copy of the n bytes at p, whatever they are: two interfaces with the
// same bytes hold the same.
//
// SAFETY: there are so many; only compared, they keep nothing alive.
func bytesAt(p Pointer, n uintptr) string { return string(unsafe.Slice((*byte)(p), n)) }
