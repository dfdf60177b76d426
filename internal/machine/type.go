package machine

import (
	"math"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Type describes a type to functions without a type parameter: for
// codecs, which meet types as reflect.Type. There is one for each type, for as
// long as the program runs, as with the descriptors that package reflect makes. A
// codec asks for it once, with TypeOf, and keeps it.
type Type struct {
	Reflect  reflect.Type
	Size     uintptr // in bytes
	Pointers bool    // a value can hold pointers

	slices  reflect.Type    // of slices of such values
	key     *TypeDesc       // nil where descriptors can't be read
	pointer xunsafe.Pointer // the descriptor of a pointer to such a value

	elem atomic.Pointer[Type] // of a type of slices: that of its elements, from the first Elem on
}

// types are the Types by what a program calls them, which for each is its
// reflect.Type.
var types sync.Map // of reflect.Type to *Type

// met is where Types are looked for first: each in the one place that the
// address of its descriptor picks. Types that fall into the same take turns.
var met [metTypes]atomic.Pointer[Type]

const metTypes = 1 << 12

// metAt is the place of a descriptor in met: descriptors lie within a few
// megabytes, a multiple of 32 bytes apart.
func metAt(key xunsafe.Pointer) *atomic.Pointer[Type] {
	n := xunsafe.Number(key)
	return &met[(n>>5^n>>15)%metTypes]
}

// KnownType returns the Type of t if that is found at once; else it returns nil,
// and TypeOf shall be asked.
func KnownType(t reflect.Type) *Type {
	if NoLayout() {
		return nil
	}
	key := wordOf(t)
	x := metAt(key).Load()
	if x == nil || xunsafe.PointerTo(x.key) != key {
		return nil
	}
	return x
}

// TypeOf returns the Type of t, which is not nil.
func TypeOf(t reflect.Type) *Type {
	if x := KnownType(t); x != nil {
		return x
	}
	known, ok := types.Load(t)
	if !ok {
		// A Type is not made twice: lanes may be found by it.
		known, _ = types.LoadOrStore(t, newType(t))
	}
	x := known.(*Type)
	if x.key != nil {
		metAt(xunsafe.PointerTo(x.key)).Store(x)
	}
	return x
}

func newType(t reflect.Type) *Type {
	if reflect.TypeOf(t) != reflect.TypeOf(reflect.TypeFor[byte]()) {
		panic("arena: a reflect.Type that is not package reflect's but a " + reflect.TypeOf(t).String() + "; pass the one that it stands for")
	}
	x := &Type{Reflect: t, slices: reflect.SliceOf(t), Size: t.Size(), Pointers: t.Size() != 0 && reflectPointers(t)}
	if LayoutOK {
		x.key = descriptorOf(t)
		x.pointer = xunsafe.PointerTo(descriptorOf(reflect.PointerTo(t)))
	}
	return x
}

// Elem returns the Type of the elements of t, a type of slices.
func (t *Type) Elem() *Type {
	elem := t.elem.Load()
	if elem == nil {
		elem = TypeOf(t.Reflect.Elem())
		t.elem.Store(elem)
	}
	return elem
}

// Most is how many elements of the type a slice can have at most.
func (t *Type) Most() int {
	if t.Size == 0 {
		return math.MaxInt
	}
	return int(MaxAlloc / t.Size)
}

// PointerValue is p, which points to a value of the type, for package reflect.
func (t *Type) PointerValue(p xunsafe.Pointer) reflect.Value {
	if t.key == nil {
		return reflect.NewAt(t.Reflect, p)
	}
	return t.Value(p)
}

// Value is PointerValue for what KnownType returned.
func (t *Type) Value(p xunsafe.Pointer) reflect.Value { return boxed(t.pointer, p) }
