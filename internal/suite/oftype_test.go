package suite

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/machine"
)

// Operations of a kind whose type is known only at run time.

// newType is newObject by reflection.
func (k *kind[T]) newType(a *arena.Arena) (raw, error) {
	v := arenareflect.New(a, reflect.TypeFor[T]())
	r := raw{v.UnsafePointer(), 1, 1}
	if v.Type() != reflect.TypeFor[*T]() {
		return r, fmt.Errorf("a Value of type %v", v.Type())
	}
	return r, k.fresh(r, 0, 1)
}

// makeSliceType is makeSlice by reflection.
func (k *kind[T]) makeSliceType(a *arena.Arena, n, c int) (raw, error) {
	v := arenareflect.MakeSlice(a, reflect.TypeFor[[]T](), n, c)
	r := raw{v.UnsafePointer(), v.Len(), v.Cap()}
	if v.Type() != reflect.TypeFor[[]T]() || v.Len() != n || v.Cap() != c || v.IsNil() || v.CanSet() {
		return r, fmt.Errorf("a Value of type %v, len %d, cap %d, nil %t, settable %t", v.Type(), v.Len(), v.Cap(), v.IsNil(), v.CanSet())
	}
	return r, k.fresh(r, 0, c)
}

// headerBytes returns the arena memory for the slice header that arenareflect.MakeSlice allocates.
func headerBytes() int {
	if !machine.LayoutOK {
		return 0
	}
	return int(unsafe.Sizeof([]byte(nil)))
}

// appendOfType appends like a codec, which has no type parameter.
func appendOfType[T any](a *arena.Arena, s, items []T) []T {
	n := len(s) + len(items)
	if n <= cap(s) {
		return append(s, items...)
	}
	r := machine.Enter(a, "appendOfType")
	defer r.Leave()
	out := sliceOfType[T](machine.GrowSliceOfType(r, machine.TypeOf(reflect.TypeFor[T]()), machineSlice(s), n, 0))
	copy(out[len(s):], items)
	return out
}

func machineSlice[T any](s []T) machine.Slice {
	return machine.Slice{Data: unsafe.Pointer(unsafe.SliceData(s)), Len: len(s), Cap: cap(s)}
}

func sliceOfType[T any](s machine.Slice) []T { return unsafe.Slice((*T)(s.Data), s.Cap)[:s.Len] }
