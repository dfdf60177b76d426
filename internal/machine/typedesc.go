package machine

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// TypeDesc is the beginning of a type descriptor (assumption A2). PtrBytes is an
// int because the compiler, where it knows the type, puts the constant in place
// of the load of an int, but not of a uintptr.
type TypeDesc struct {
	size     uintptr
	PtrBytes int
}

// Bits returns the descriptor's address as a number, for hashing.
func (t *TypeDesc) Bits() uintptr { return uintptr(unsafe.Pointer(t)) }

// pointerDesc is the descriptor of a pointer type (assumption A5): what all
// descriptors have, and then the one that we are after.
type pointerDesc struct {
	size, ptrBytes uintptr
	hash           uint32
	flags          [4]uint8
	equal, gcData  xunsafe.Pointer
	name, pointer  int32
	elem           *TypeDesc
}

// KeyOf returns the descriptor of the type that v, a pointer, points to. Called
// as KeyOf((*T)(nil)) it inlines to two loads. (An interface that holds a T
// itself would save one of them. But where the call is not inlined, as under the
// race detector, each such T is a zero value of its size among the program's
// data; and a T that is an interface would be replaced by its dynamic type.)
//
// SAFETY: reads the first word of an interface value, which A1 says is the
// descriptor, and the word in it that A5 says is the other one. Descriptors are
// never freed while a value or an instantiation of the type exists.
//
//go:nocheckptr
func KeyOf(v any) *TypeDesc {
	return (*(**pointerDesc)(unsafe.Pointer(&v))).elem
}

// wordOf is the second word of t: the address of its descriptor, if t is package
// reflect's.
func wordOf(t reflect.Type) xunsafe.Pointer { return xunsafe.WordsOf(&t).Data }

// descriptorOf returns what a reflect.Type of package reflect points to: what leadsTo
// says, by means that need no assumption.
//
// SAFETY: descriptors are never freed while there is such a reflect.Type; a Type
// keeps it.
func descriptorOf(t reflect.Type) *TypeDesc {
	return xunsafe.Cast[TypeDesc](reflect.ValueOf(t).UnsafePointer())
}

// boxed is the reflect.Value of what an interface with such words holds: of the
// pointer p to a T where desc is the descriptor of *T, of the slice at p where it
// is one of slices (assumptions A1 and A7). It is what reflect.NewAt makes, without
// its look for the descriptor.
//
// SAFETY: the interface lives only as long as ValueOf takes; desc is the
// descriptor of what p is, or points to.
func boxed(desc, p xunsafe.Pointer) reflect.Value {
	w := [2]xunsafe.Pointer{desc, p}
	return reflect.ValueOf(*(*any)(unsafe.Pointer(&w)))
}

// Box returns the interface that holds the T at p, without a copy of it.
//
// SAFETY: the caller knows that LayoutOK, that an interface which holds a T leads to it in
// memory (assumption A7), and that nobody writes to the T any more.
func Box[T any](p *T) (x any) {
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: xunsafe.PointerTo(KeyOf((*T)(nil))), Data: xunsafe.PointerTo(p)}
	return x
}
