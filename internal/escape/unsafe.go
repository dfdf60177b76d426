package escape

// All unsafe code of this room. It reads and writes the words of values at places
// that their types name, as compile found them; what of that depends on how the
// runtime lays out interfaces and slices is assumptions A1, A6 and A7 of package
// machine, and layout.go has the way without.

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/machine"
)

// Pointer is the address of a value.
type Pointer = unsafe.Pointer

const wordSize = unsafe.Sizeof(uintptr(0))

// number is p as a number, which keeps nothing alive.
func number(p Pointer) uintptr { return uintptr(p) }

// add returns the address off bytes behind p.
//
// SAFETY: it lies in the value that p points to or into.
func add(p Pointer, off uintptr) Pointer { return unsafe.Add(p, off) }

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

// dataOf is where the bytes of s are.
func dataOf(s string) Pointer { return Pointer(unsafe.StringData(s)) }

// text is the n bytes at p as a string.
//
// SAFETY: nothing writes to them, or the original string shared them with who does.
func text(p Pointer, n int) string { return unsafe.String((*byte)(p), n) }

// boxText returns a string with the value s on the heap.
//
// SAFETY: it is new.
func boxText(s string) Pointer {
	p := new(string)
	*p = s
	return Pointer(p)
}

// header is what a slice is made of (assumption A6).
type header struct {
	data     Pointer
	len, cap int
}

// headerAt is p as the address of a slice's words.
//
// SAFETY: a type has a slice there, and A6 holds.
func headerAt(p Pointer) *header { return (*header)(p) }

// valueAt is the value of type t at p.
//
// SAFETY: there is one.
func valueAt(t reflect.Type, p Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// zero is what pointers to values of no size point to.
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
// SAFETY: machine.LayoutOK says that this is what it points to.
func keyFor(t reflect.Type) *machine.TypeDesc {
	return (*machine.TypeDesc)(reflect.ValueOf(t).UnsafePointer())
}

// bytesAt is a copy of the n bytes at p, whatever they are: two interfaces with the
// same bytes hold the same.
//
// SAFETY: there are so many; only compared, they keep nothing alive.
func bytesAt(p Pointer, n uintptr) string { return string(unsafe.Slice((*byte)(p), n)) }

// pointTo is x as a pointer to anything.
func pointTo[T any](x *T) Pointer { return Pointer(x) }
