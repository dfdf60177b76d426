package machine

import (
	"reflect"
	"sync"
)

// LayoutOK says that the assumptions about type descriptors in unsafe.go hold
// in this program. Where they don't, arenas look types up in a sideTable.
var LayoutOK = Portable || checkLayout()

// readable says that the assumptions A5 and A6 of unsafe.go hold. Where they
// don't, what New takes for a descriptor could be any address.
var readable = Portable || sliceHolds() && leadsTo[byte]() && leadsTo[string]() && leadsTo[any]() &&
	leadsTo[[3]uint16]() && leadsTo[*int]() && leadsTo[struct{ x float64 }]()

func mustBeReadable() {
	if !readable {
		panic("arena: this toolchain's slices or type descriptors are not as this package knows them; build with -tags arenaportable")
	}
}

// leadsTo reports whether KeyOf finds T's descriptor, which is what a reflect.Type
// points to. It looks into nothing that it has not compared.
func leadsTo[T any]() bool {
	return PointerTo(KeyOf((*T)(nil))) == reflect.ValueOf(reflect.TypeFor[T]()).UnsafePointer()
}

// checkLayout compares what unsafe.go reads from the descriptors of a few
// types with what package reflect says of them.
func checkLayout() bool {
	type mixed struct {
		a int32
		s string
		b [5]byte
	}
	return layoutHolds[byte]() && layoutHolds[int64]() && layoutHolds[[3]uint16]() &&
		layoutHolds[struct{ x, y float64 }]() && layoutHolds[complex128]() &&
		layoutHolds[string]() && layoutHolds[*int]() && layoutHolds[any]() &&
		layoutHolds[error]() && layoutHolds[[]byte]() && layoutHolds[map[int]int]() &&
		layoutHolds[func()]() && layoutHolds[chan int]() && layoutHolds[mixed]() &&
		layoutHolds[[4]mixed]() &&
		KeyOf((*mixed)(nil)) == KeyOf((*mixed)(nil)) && KeyOf((*int32)(nil)) != KeyOf((*uint32)(nil))
}

func layoutHolds[T any]() bool {
	t := reflect.TypeFor[T]()
	d := KeyOf((*T)(nil))
	return readable && leadsTo[T]() && boxes(t, new(T)) && d.size == t.Size() && uintptr(d.PtrBytes) <= d.size && (d.PtrBytes != 0) == reflectPointers(t)
}

// boxes reports whether A7 holds for t, the type that x points to.
func boxes[T any](t reflect.Type, x *T) bool {
	v := boxed(wordOf(reflect.TypeFor[*T]()), PointerTo(x))
	s := boxed(wordOf(reflect.TypeFor[[]T]()), PointerTo(&Slice{PointerTo(x), 0, 1}))
	return wordOf(t) == reflect.ValueOf(t).UnsafePointer() && v.Type() == reflect.TypeFor[*T]() && v.Interface() == any(x) &&
		s.Type() == reflect.TypeFor[[]T]() && s.Len() == 0 && s.Cap() == 1 && s.UnsafePointer() == PointerTo(x)
}

// reflectPointers is what ptrBytes != 0 says, by package reflect.
func reflectPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && reflectPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if reflectPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Bool, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return false
	}
	return true // also any kind that a later version of the language brings
}

// CanPoint reports whether values of t can hold a Pointer.
func CanPoint(t reflect.Type) bool { return reflectPointers(t) }

// pointerful remembers reflectPointers by type.
var pointerful sync.Map // of reflect.Type to bool

// HoldsPointers reports whether a T can hold a Pointer.
func HoldsPointers[T any]() bool {
	if !Portable && LayoutOK {
		return KeyOf((*T)(nil)).PtrBytes != 0
	}
	t := reflect.TypeFor[T]()
	if known, ok := pointerful.Load(t); ok {
		return known.(bool)
	}
	has := reflectPointers(t)
	pointerful.Store(t, has)
	return has
}

// sideTable is how an arena finds lanes where descriptors can't be read: a
// map by reflect.Type. It is slow, and needs nothing but what the language
// says. The lanes of types with pointers are listed in the arena's TypeTable
// too, where everything but the look-up finds them.
type sideTable struct {
	flat  Lane
	types map[reflect.Type]*Lane
}

func newSideTable(chunkSize uintptr) *sideTable {
	t := &sideTable{types: map[reflect.Type]*Lane{}}
	t.flat.initFlat(chunkSize)
	return t
}

func sideLaneOf[T any](r *Region) *Lane {
	if !HoldsPointers[T]() {
		return &r.side.flat
	}
	t := reflect.TypeFor[T]()
	l := r.side.types[t]
	if l == nil {
		l = newTypedLane[T](r, new(typedLane))
		r.addToSide(t, l)
	}
	return r.use(l)
}

// sideLaneOfType is sideLaneOf where the type is known at run time.
func sideLaneOfType(r *Region, t *Type) *Lane {
	if !t.Pointers {
		return &r.side.flat
	}
	l := r.side.types[t.Reflect]
	if l == nil {
		l = newReflectLane(r, nil, t)
		r.addToSide(t.Reflect, l)
	}
	return r.use(l)
}

func (r *Region) addToSide(t reflect.Type, l *Lane) {
	r.side.types[t] = l
	r.Types.lanes = append(r.Types.lanes, l)
	r.Types.enlist()
}
