package arenajson

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// An encoder writes one document. Each arena has one, which keeps its scratch memory between calls; encoders
// without an arena are pooled.
//
// Each type has an encProgram (encode_program.go); value is the switch over its operations. Structs and
// slices handle the usual operations of their fields and elements themselves. Strings and methods are in
// encode_text.go, numbers in encode_number.go, and maps in encode_map.go.
//
// A function takes the address w of the next byte and returns the address after its text. It first reserves
// memory for its text. An error is a panic with a failure, which marshal recovers.
type encoder struct {
	mode  *mode // never nil while busy
	flags optionFlags
	html  int // index of encProgram.fields: 1 if HTML is escaped
	marks marks
	short int // number of short blocks in the current string; see runes

	arena  *arena.Arena    // nil for the heap
	region *machine.Region // of arena
	out    []byte          // the buffer, with length 0
	end    uintptr         // address of the last slack bytes of out
	text   []byte          // the buffer kept for the heap, with length 0
	length int             // of the last document

	doc []byte // the document of Compact and Indent

	busy   bool // in use
	pooled bool // from encoders, not of an arena

	depth   int                // of open pointers, maps and slices
	seen    map[visit]struct{} // open ones below maxDepth
	words   []*xunsafe.Pointer // memory for dynamic
	held    int                // number of words in use
	last    *encProgram        // program of lastFor
	lastFor reflect.Type
	strings []entry[string]
	anys    []entry[any]
	order   []uint64 // see sorted
	inner   []byte   // scratch for texts that are encoded twice
}

// A visit is an open pointer, map or slice.
type visit struct {
	typ reflect.Type // nil unless a pointer
	at  xunsafe.Pointer
	len int // of a slice, or -1
}

// maxDepth is the nesting depth at which the encoder begins to look for cycles, as in encoding/json.
const maxDepth = 1000

// reserve provides slack bytes more than requested. A function may write one byte, a comma or a colon, beyond
// its reservation, and w never points past the end of the buffer, where the collector would take it for a
// pointer to another object.
const (
	slack       = 16
	numberBytes = 32 // the longest number in quotes, and the words written past its end
)

// A failure is the panic value for an error.
type failure struct{ err error }

// reserve returns w, or its counterpart in a larger buffer, with n free bytes after it.
func (e *encoder) reserve(w xunsafe.Pointer, n int) xunsafe.Pointer {
	if n > int(e.end-xunsafe.Number(w)) {
		return e.grow(w, n)
	}
	return w
}

//go:noinline
func (e *encoder) grow(w xunsafe.Pointer, n int) xunsafe.Pointer {
	written := e.written(w)
	if e.arena != nil {
		e.more(written, written+n+slack)
	} else {
		bigger := make([]byte, max(2*cap(e.out), written+n+slack, 1024))
		copy(bigger, e.out[:written])
		e.out = bigger[:0]
	}
	e.setLimit()
	return e.back(written)
}

// setLimit sets end for out.
func (e *encoder) setLimit() {
	e.end = xunsafe.Number(xunsafe.DataOf(e.out)) + uintptr(max(cap(e.out)-slack, 0))
}

// written returns the number of bytes before w.
func (e *encoder) written(w xunsafe.Pointer) int {
	return int(xunsafe.Offset(xunsafe.DataOf(e.out), w))
}

// back returns the address after the first written bytes.
func (e *encoder) back(written int) xunsafe.Pointer {
	return xunsafe.Add(xunsafe.DataOf(e.out), uintptr(written))
}

// value encodes the value at p.
func (e *encoder) value(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	switch prog.op {
	case writeQuoted:
		return e.quoted(w, prog, p)
	case writeString:
		return e.string(w, *xunsafe.Cast[string](p))
	case writeStruct:
		return e.structure(w, prog, p)
	case writeSlice:
		return e.slice(w, prog, p)
	case writeInt64:
		return putInt(e.reserve(w, numberBytes), *xunsafe.Cast[int64](p))
	case writeFloat64:
		return putFloat64(e.reserve(w, numberBytes), *xunsafe.Cast[float64](p), prog, p)
	case writePointer:
		q := *xunsafe.Cast[xunsafe.Pointer](p)
		if q == nil {
			return e.null(w)
		}
		e.enter(prog, prog.typ, q, -1)
		w = e.value(w, prog.elem, q)
		e.leave(prog.typ, q, -1)
		return w
	case writeAny:
		return e.any(w, *xunsafe.Cast[any](p))
	case writeArray:
		return e.elements(w, prog.elem, p, prog.length)
	case writeMap:
		return e.builtinMap(w, prog, p)
	case writeTextMap:
		return stringMap(e, &e.strings, w, prog, p)
	case writeAnyMap:
		return stringMap(e, &e.anys, w, prog, p)
	case writeArenaMap:
		return e.arenaMap(w, prog, p)
	case writeBytes:
		return e.bytes(w, prog, *xunsafe.Cast[[]byte](p))
	case writeTime:
		return e.time(w, prog, p)
	case writeIface:
		if *xunsafe.Cast[xunsafe.Pointer](p) == nil {
			return e.null(w)
		}
		if onV2 && prog.holdsNil(p) {
			return e.standard(w, prog, p)
		}
		return e.dynamic(w, prog.at(p).Elem().Interface())
	case writeJSON:
		return e.marshaler(w, prog, p)
	case writeText:
		return e.textMarshaler(w, prog, p)
	case writeAppended:
		return e.textAppender(w, prog, p)
	case writeStandard:
		return e.standard(w, prog, p)
	case writeFunc:
		return e.custom(w, prog, p)
	case writeDynamic:
		x := *xunsafe.Cast[any](p)
		if x == nil {
			return e.null(w)
		}
		return e.dynamic(w, x)
	case writeNothing:
		panic(failure{&json.UnsupportedTypeError{Type: prog.typ}})
	case writeNumber:
		s := mustBeNumber(*xunsafe.Cast[string](p))
		return putText(e.reserve(w, len(s)), s)
	}
	return basic(e.reserve(w, numberBytes), prog.op, p, prog)
}

// basic encodes a bool or a number into reserved memory.
func basic(w xunsafe.Pointer, o encOp, p xunsafe.Pointer, prog *encProgram) xunsafe.Pointer {
	switch o {
	case writeBool:
		return putBool(w, *xunsafe.Cast[bool](p))
	case writeInt8:
		return putInt(w, int64(*xunsafe.Cast[int8](p)))
	case writeInt16:
		return putInt(w, int64(*xunsafe.Cast[int16](p)))
	case writeInt32:
		return putInt(w, int64(*xunsafe.Cast[int32](p)))
	case writeInt64:
		return putInt(w, *xunsafe.Cast[int64](p))
	case writeUint8:
		return putUint(w, uint64(*xunsafe.Cast[uint8](p)))
	case writeUint16:
		return putUint(w, uint64(*xunsafe.Cast[uint16](p)))
	case writeUint32:
		return putUint(w, uint64(*xunsafe.Cast[uint32](p)))
	case writeUint64:
		return putUint(w, *xunsafe.Cast[uint64](p))
	case writeFloat32:
		return putFloat32(w, *xunsafe.Cast[float32](p), prog, p)
	case writeFloat64:
		return putFloat64(w, *xunsafe.Cast[float64](p), prog, p)
	}
	panic("arenajson: no such operation")
}

// quoted encodes a value with the option ,string.
func (e *encoder) quoted(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	switch prog.inner {
	case writeString:
		from := e.written(w)
		to := e.written(e.string(w, *xunsafe.Cast[string](p)))
		e.inner = append(e.inner[:0], e.out[from:to]...)
		marks := e.marks
		e.marks = plainMarks // its content is already escaped
		w = e.string(e.back(from), xunsafe.ViewString(e.inner))
		e.marks = marks
		return w
	case writeNumber:
		s := mustBeNumber(*xunsafe.Cast[string](p))
		w = putText(put8(e.reserve(w, len(s)+2), '"'), s)
	default:
		if prog.isNonFinite(p) {
			return e.null(w)
		}
		w = basic(put8(e.reserve(w, numberBytes), '"'), prog.inner, p, prog)
	}
	return put8(w, '"')
}

func (e *encoder) null(w xunsafe.Pointer) xunsafe.Pointer { return putText(e.reserve(w, 4), "null") }

// nilValue encodes a nil slice or map: null, or empty if the mode has option.
func (e *encoder) nilValue(w xunsafe.Pointer, m *mode, option optionFlags, empty string) xunsafe.Pointer {
	if m.flags&option == 0 {
		return e.null(w)
	}
	return putText(e.reserve(w, len(empty)), empty)
}

// enter counts a pointer, map or slice that is being encoded, and reports a cycle if the depth exceeds
// maxDepth.
func (e *encoder) enter(prog *encProgram, t reflect.Type, at xunsafe.Pointer, length int) {
	if e.depth++; e.depth > maxDepth {
		e.see(prog, visit{t, at, length})
	}
}

func (e *encoder) see(prog *encProgram, v visit) {
	if _, ok := e.seen[v]; ok {
		var value reflect.Value
		switch prog.typ.Kind() {
		case reflect.Pointer, reflect.Map:
			value = prog.at(xunsafe.PointerTo(&v.at))
		default:
			s := reflect.New(prog.typ)
			*xunsafe.Cast[machine.Slice](s.UnsafePointer()) = machine.Slice{Data: v.at, Len: v.len, Cap: v.len}
			value = s.Elem()
		}
		panic(failure{&json.UnsupportedValueError{Value: value, Str: fmt.Sprintf("encountered a cycle via %s", prog.typ)}})
	}
	if e.seen == nil {
		e.seen = map[visit]struct{}{}
	}
	e.seen[v] = struct{}{}
}

// leave undoes enter.
func (e *encoder) leave(t reflect.Type, at xunsafe.Pointer, length int) {
	if e.depth > maxDepth {
		delete(e.seen, visit{t, at, length})
	}
	e.depth--
}

func (e *encoder) slice(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	s := *xunsafe.Cast[[]struct{}](p)
	at := xunsafe.DataOf(s)
	if at == nil {
		return e.nilValue(w, prog.mode, nilSliceAsEmpty, "[]")
	}
	e.enter(prog, nil, at, len(s))
	w = e.elements(w, prog.elem, at, len(s))
	e.leave(nil, at, len(s))
	return w
}

// elements encodes the length values from p on as an array.
func (e *encoder) elements(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer, length int) xunsafe.Pointer {
	w = put8(e.reserve(w, 2), '[')
	if length == 0 {
		return put8(w, ']')
	}
	for {
		// The usual operations, without a call of value.
		switch prog.op {
		case writeString:
			w = e.string(w, *xunsafe.Cast[string](p))
		case writeStruct:
			w = e.structure(w, prog, p)
		case writeInt64:
			w = putInt(e.reserve(w, numberBytes), *xunsafe.Cast[int64](p))
		case writeFloat64:
			w = putFloat64(e.reserve(w, numberBytes), *xunsafe.Cast[float64](p), prog, p)
		case writeArray:
			w = e.elements(w, prog.elem, p, prog.length)
		default:
			w = e.value(w, prog, p)
		}
		if length--; length == 0 {
			break
		}
		w = put8(w, ',')
		p = xunsafe.Add(p, prog.size)
	}
	return put8(e.reserve(w, 1), ']')
}

func (e *encoder) bytes(w xunsafe.Pointer, prog *encProgram, s []byte) xunsafe.Pointer {
	if s == nil {
		return e.nilValue(w, prog.mode, nilSliceAsEmpty, `""`)
	}
	n := base64.StdEncoding.EncodedLen(len(s))
	return put8(putBase64(put8(e.reserve(w, n+2), '"'), s), '"')
}

// any encodes the value in x.
func (e *encoder) any(w xunsafe.Pointer, x any) xunsafe.Pointer {
	switch x := x.(type) {
	case nil:
		return e.null(w)
	case string:
		return e.string(w, x)
	case bool:
		return putBool(e.reserve(w, numberBytes), x)
	case int:
		return putInt(e.reserve(w, numberBytes), int64(x))
	case float64:
		if x-x == 0 { // finite
			return putFloat64(e.reserve(w, numberBytes), x, nil, nil)
		}
	}
	return e.dynamic(w, x)
}

// programOf returns the program of t. It caches the last one.
func (e *encoder) programOf(t reflect.Type) *encProgram {
	if t != e.lastFor {
		e.last, e.lastFor = e.mode.encProgramOf(t), t
	}
	return e.last
}

// dynamic encodes the value in x, which is not nil.
func (e *encoder) dynamic(w xunsafe.Pointer, x any) xunsafe.Pointer {
	t := reflect.TypeOf(x)
	prog := e.programOf(t)
	if viaReflect {
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(x))
		return e.value(w, prog, p.UnsafePointer())
	}
	word := xunsafe.WordsOf(&x).Data
	if !prog.direct {
		return e.value(w, prog, word)
	}
	// The word is the value. value needs its address, and a local variable would escape to the heap on each
	// call.
	if e.held == len(e.words) {
		e.words = append(e.words, new(xunsafe.Pointer))
	}
	held := e.words[e.held]
	*held = word
	e.held++
	w = e.value(w, prog, xunsafe.PointerTo(held))
	e.held--
	*held = nil
	return w
}

// structure encodes a struct. Each field begins with a comma; the first one is replaced by the brace.
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
	put8(begun, '{') // replaces the first comma
	return put8(w, '}')
}

// leftOut reports whether rule o omits the field at p.
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
	case omitByte:
		return *xunsafe.Cast[uint8](p) == 0
	case omitInt:
		return allZero(p, f.prog.size)
	case omitFloat:
		return f.prog.at(p).Float() == 0
	case omitMethod:
		return saysZero(f.prog, p)
	}
	return f.prog.at(p).IsZero()
}

// saysZero reports whether IsZero returns true for the value at p. Nil pointers and interfaces are zero.
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
