package arenajson

import "reflect"

// structure writes a struct as an object.
func (e *encoder) structure(w pointer, n *node, p pointer) pointer {
	from := e.written(w)
members:
	for m := n.members[e.html]; m != nil; m = m.next {
		q := p
		switch m.check {
		case checkWord:
			if *as[uintptr](add(q, m.word)) == 0 {
				continue
			}
		case checkAll:
			for _, h := range m.hops {
				if q = *as[pointer](add(q, h.offset)); q == nil {
					continue members
				}
			}
			if leftOut(m.empty, m, add(q, m.offset)) || leftOut(m.zero, m, add(q, m.offset)) {
				continue
			}
		}
		q = add(q, m.offset)
		w = e.room(w, m.room)
		putPiece(w, &m.begin)
		if m.length > piece {
			putPieces(add(w, piece), m.rest)
		}
		w = add(w, m.length)
		switch m.op {
		case opString:
			w = e.string(w, *as[string](q))
		case opInt64:
			w = putInt(w, *as[int64](q))
		case opBool:
			w = putBool(w, *as[bool](q))
		case opStruct:
			w = e.structure(w, m.node, q)
		case opFloat64:
			w = putFloat64(w, *as[float64](q), m.node, q)
		case opAny:
			w = e.any(w, *as[any](q))
		case opSlice:
			w = e.slice(w, m.node, q)
		default:
			w = e.value(w, m.node, q)
		}
	}
	w = e.room(w, 2)
	begun := e.back(from)
	if begun == w {
		w = add(w, 1)
	}
	put8(begun, '{') // in place of the first comma
	return put8(w, '}')
}

// leftOut reports whether the member at p is left out by o.
func leftOut(o omission, m *encMember, p pointer) bool {
	switch o {
	case omitNever:
		return false
	case omitAlways:
		return true
	case omitLen:
		return len(*as[string](p)) == 0
	case omitMap:
		return len(*as[map[string]struct{}](p)) == 0
	case omitPointer:
		return *as[pointer](p) == nil
	case omitZero1:
		return *as[uint8](p) == 0
	case omitZero2:
		return *as[uint16](p) == 0
	case omitZero4:
		return *as[uint32](p) == 0
	case omitZero8:
		return *as[uint64](p) == 0
	case omitFloat32:
		return *as[float32](p) == 0
	case omitFloat64:
		return *as[float64](p) == 0
	case omitMethod:
		return saysZero(m.node.typ, p)
	}
	return valueAt(m.node.typ, p).IsZero()
}

// saysZero asks the t at p, or what it points to, whether it is zero. Nil is.
func saysZero(t reflect.Type, p pointer) bool {
	v := valueAt(t, p)
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
