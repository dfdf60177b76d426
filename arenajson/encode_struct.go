package arenajson

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// structure writes a struct as an object.
func (e *encoder) structure(w xunsafe.Pointer, n *node, p xunsafe.Pointer) xunsafe.Pointer {
	from := e.written(w)
members:
	for m := n.members[e.html]; m != nil; m = m.next {
		q := p
		switch m.check {
		case checkWord:
			if *xunsafe.Cast[uintptr](xunsafe.Add(q, m.word)) == 0 {
				continue
			}
		case checkAll:
			for _, h := range m.hops {
				if q = *xunsafe.Cast[xunsafe.Pointer](xunsafe.Add(q, h.offset)); q == nil {
					continue members
				}
			}
			if leftOut(m.empty, m, xunsafe.Add(q, m.offset)) || leftOut(m.zero, m, xunsafe.Add(q, m.offset)) {
				continue
			}
		}
		q = xunsafe.Add(q, m.offset)
		w = e.room(w, m.room)
		putPiece(w, &m.begin)
		if m.length > piece {
			putPieces(xunsafe.Add(w, piece), m.rest)
		}
		w = xunsafe.Add(w, m.length)
		switch m.op {
		case opString:
			w = e.string(w, *xunsafe.Cast[string](q))
		case opInt64:
			w = putInt(w, *xunsafe.Cast[int64](q))
		case opBool:
			w = putBool(w, *xunsafe.Cast[bool](q))
		case opStruct:
			w = e.structure(w, m.node, q)
		case opFloat64:
			w = putFloat64(w, *xunsafe.Cast[float64](q), m.node, q)
		case opAny:
			w = e.any(w, *xunsafe.Cast[any](q))
		case opSlice:
			w = e.slice(w, m.node, q)
		default:
			w = e.value(w, m.node, q)
		}
	}
	w = e.room(w, 2)
	begun := e.back(from)
	if begun == w {
		w = xunsafe.Add(w, 1)
	}
	put8(begun, '{') // in place of the first comma
	return put8(w, '}')
}

// leftOut reports whether the member at p is left out by o.
func leftOut(o omission, m *encMember, p xunsafe.Pointer) bool {
	switch o {
	case omitNever:
		return false
	case omitAlways:
		return true
	case omitLen:
		return len(*xunsafe.Cast[string](p)) == 0
	case omitMap:
		return len(*xunsafe.Cast[map[string]struct{}](p)) == 0
	case omitPointer:
		return *xunsafe.Cast[xunsafe.Pointer](p) == nil
	case omitZero1:
		return *xunsafe.Cast[uint8](p) == 0
	case omitZero2:
		return *xunsafe.Cast[uint16](p) == 0
	case omitZero4:
		return *xunsafe.Cast[uint32](p) == 0
	case omitZero8:
		return *xunsafe.Cast[uint64](p) == 0
	case omitFloat32:
		return *xunsafe.Cast[float32](p) == 0
	case omitFloat64:
		return *xunsafe.Cast[float64](p) == 0
	case omitMethod:
		return saysZero(m.node.typ, p)
	}
	return xunsafe.Value(m.node.typ, p).IsZero()
}

// saysZero asks the t at p, or what it points to, whether it is zero. Nil is.
func saysZero(t reflect.Type, p xunsafe.Pointer) bool {
	v := xunsafe.Value(t, p)
	switch t.Kind() {
	case reflect.Interface:
		if v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
			return true
		}
	case reflect.Pointer:
		if v.IsNil() {
			return true
		}
	default:
		return v.Addr().Interface().(zeroer).IsZero()
	}
	if z, ok := v.Interface().(zeroer); ok {
		return z.IsZero()
	}
	return v.Addr().Interface().(zeroer).IsZero()
}
