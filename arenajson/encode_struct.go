package arenajson

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// structure writes a struct as an object.
func (e *encoder) structure(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	from := e.written(w)
fields:
	for f := prog.fields[e.html]; f != nil; f = f.next {
		q := p
		switch f.check {
		case checkWord:
			if *xunsafe.Cast[uintptr](xunsafe.Add(q, f.word)) == 0 {
				continue
			}
		case checkAll:
			for _, h := range f.hops {
				if q = *xunsafe.Cast[xunsafe.Pointer](xunsafe.Add(q, h.offset)); q == nil {
					continue fields
				}
			}
			if leftOut(f.empty, f, xunsafe.Add(q, f.offset)) || leftOut(f.zero, f, xunsafe.Add(q, f.offset)) {
				continue
			}
		}
		q = xunsafe.Add(q, f.offset)
		w = e.reserve(w, f.most)
		putPiece(w, &f.begin)
		if f.length > piece {
			putPieces(xunsafe.Add(w, piece), f.rest)
		}
		w = xunsafe.Add(w, f.length)
		switch f.op {
		case writeString:
			w = e.string(w, *xunsafe.Cast[string](q))
		case writeInt64:
			w = putInt(w, *xunsafe.Cast[int64](q))
		case writeBool:
			w = putBool(w, *xunsafe.Cast[bool](q))
		case writeStruct:
			w = e.structure(w, f.prog, q)
		case writeFloat64:
			w = putFloat64(w, *xunsafe.Cast[float64](q), f.prog, q)
		case writeAny:
			w = e.any(w, *xunsafe.Cast[any](q))
		case writeSlice:
			w = e.slice(w, f.prog, q)
		default:
			w = e.value(w, f.prog, q)
		}
	}
	w = e.reserve(w, 2)
	begun := e.back(from)
	if begun == w {
		w = xunsafe.Add(w, 1)
	}
	put8(begun, '{') // in place of the first comma
	return put8(w, '}')
}

// leftOut reports whether the field at p is left out by o.
func leftOut(o omission, f *encField, p xunsafe.Pointer) bool {
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
		return saysZero(f.prog, p)
	}
	return f.prog.at(p).IsZero()
}

// saysZero asks the value at p, or what it points to, whether it is zero. Nil is.
func saysZero(prog *encProgram, p xunsafe.Pointer) bool {
	v := prog.at(p)
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
			return true
		}
	case reflect.Pointer:
		if v.IsNil() {
			return true
		}
	default:
		return prog.address(p).(zeroer).IsZero()
	}
	if z, ok := v.Interface().(zeroer); ok {
		return z.IsZero()
	}
	return prog.address(p).(zeroer).IsZero()
}
