package machine

import "reflect"

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
		x := new(typedLane)
		l = newTypedLane[T](r, &x.bareLane, x.few[:0])
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
		l = newReflectLane(r, nil, nil, t)
		r.addToSide(t.Reflect, l)
	}
	return r.use(l)
}

func (r *Region) addToSide(t reflect.Type, l *Lane) {
	r.side.types[t] = l
	r.Types.list(l)
	r.Types.enlist()
}
