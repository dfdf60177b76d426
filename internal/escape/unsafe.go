package escape

// Reads and writes of words at the offsets that compile found. The parts that depend on the layout of
// interfaces and slices rely on assumptions A1, A6 and A7 of package machine; without them, package reflect
// is used.

import (
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Pointer is the address of a value.
type Pointer = xunsafe.Pointer

const wordSize = unsafe.Sizeof(uintptr(0))

// load returns the pointer at p. Functions that only look are marked norace, because in checked builds they
// also read memory that does not belong to the caller.
//
// SAFETY: the type has a pointer at p.
//
//go:norace
func load(p Pointer) Pointer { return *(*Pointer)(p) }

// store writes q to p with a write barrier.
//
// SAFETY: as load.
func store(p, q Pointer) { *(*Pointer)(p) = q }

// loadNumber returns the uintptr at p.
//
// SAFETY: the type has a uintptr at p.
//
//go:norace
func loadNumber(p Pointer) uintptr { return *(*uintptr)(p) }

// textAt returns p as the address of a string.
//
// SAFETY: the type has a string at p.
func textAt(p Pointer) *string { return (*string)(p) }

// boxText returns the address of a new string on the heap with value s.
//
// SAFETY: the string is not shared.
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

// headerAt returns p as the address of a slice header.
//
// SAFETY: the type has a slice at p, and A6 holds.
func headerAt(p Pointer) *header { return (*header)(p) }

// zero is the target of pointers to values of size zero.
var zero struct{}

func zeroBase() Pointer { return Pointer(&zero) }

// hide returns p in a way that escape analysis does not follow, so that *p may stay on the stack.
//
// SAFETY: p is only stored in variables of running functions, which are adjusted when the stack moves.
//
//go:nosplit
//go:nocheckptr
func hide(p Pointer) Pointer {
	x := uintptr(p)
	return *(*Pointer)(Pointer(&x))
}

// keyOf returns the type descriptor of T, for use as a key.
//
// SAFETY: see machine.KeyOf.
func keyOf[T any]() *machine.TypeDesc { return machine.KeyOf((*T)(nil)) }

// keyFor returns the type descriptor of t, for use as a key.
//
// SAFETY: machine.LayoutOK implies that t points to it.
func keyFor(t reflect.Type) *machine.TypeDesc {
	return (*machine.TypeDesc)(reflect.ValueOf(t).UnsafePointer())
}

// bytesAt returns a copy of the n bytes at p, to compare interfaces by their bytes.
//
// SAFETY: the caller passes the size of the value. The copy holds no pointers for the collector.
func bytesAt(p Pointer, n uintptr) string { return string(unsafe.Slice((*byte)(p), n)) }
