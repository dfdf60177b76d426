package arenajson

import "reflect"

// structure writes a struct as an object.
func (e *encoder) structure(b []byte, n *node, p pointer) []byte {
	next := byte('{')
	html := e.html
members:
	for i := range n.members {
		m := &n.members[i]
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
		b = e.room(b, m.room)
		putPieces(b, m.prefix[html])
		at := len(b)
		b = b[:at+m.length[html]]
		b[at] = next
		next = ','
		switch m.op {
		case opString:
			b = e.string(b, *as[string](q))
		case opInt64:
			b = appendInt(b, *as[int64](q))
		case opBool:
			b = appendBool(b, *as[bool](q))
		case opStruct:
			b = e.structure(b, m.node, q)
		case opFloat64:
			b = appendFloat64(b, *as[float64](q), m.node, q)
		case opAny:
			b = e.any(b, *as[any](q))
		default:
			b = e.value(b, m.node, q)
		}
	}
	if b = e.room(b, 2+slack); next == '{' {
		return append(b, "{}"...)
	}
	return append(b, '}')
}

// leftOut says whether the member at p is left out by o.
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
