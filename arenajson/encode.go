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

// encoder is the state of one Marshal at a time. Each arena that something is
// marshaled in has one, which keeps its memory for sorting; a pool has those of the
// heap.
type encoder struct {
	mode  *mode // never nil while busy
	flags optionFlags
	html  int // 1 if HTML is escaped: which of a member's prefixes is written
	marks marks
	short int // how often blocks of the string ended soon: see runes

	arena  *arena.Arena    // where the text is built; nil for the heap
	region *machine.Region // the arena's
	out    []byte          // the memory for the text, with a length of 0
	end    uintptr         // where out ends, but for slack bytes
	text   []byte          // the memory that is kept on the heap, with a length of 0
	length int             // of what was written last

	doc []byte // what Compact and Indent write

	busy   bool // some Marshal uses it
	pooled bool // it is of the pool, and not an arena's

	depth   int                // of pointers, maps and slices
	seen    map[visit]struct{} // those beyond maxDepth that are being written
	words   []*xunsafe.Pointer // see dynamic
	held    int                // how many of words are taken
	last    *encProgram        // of the last interface that was looked into
	lastFor reflect.Type
	strings []entry[string]
	anys    []entry[any]
	order   []uint64 // of the members of maps: see sorted
	inner   []byte   // of a string in a string, and of a document that HTML escapes
}

// visit is a pointer, map or slice that is being written.
type visit struct {
	typ reflect.Type // nil for what is no pointer
	at  xunsafe.Pointer
	len int // of a slice, -1 otherwise
}

// maxDepth is how deep values may nest before somebody looks whether one contains
// itself.
const maxDepth = 1000

// What is reserved at once. Whoever writes reserves bytes first, and there is
// slack beyond what he gets: one byte, a comma or a colon, may follow unasked. So
// where the next byte goes is always in the memory, and not behind it, where the
// collector would take it for another object.
const (
	slack       = 16
	numberBytes = 32 // for the longest number, in quotes, and what is written behind it
)

// failure is the panic value of a value that can't be written, up to Marshal.
type failure struct{ err error }

// reserve returns where the next byte goes, w or in larger memory, with n bytes free there.
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

// setLimit notes where the memory ends.
func (e *encoder) setLimit() {
	e.end = xunsafe.Number(xunsafe.DataOf(e.out)) + uintptr(max(cap(e.out)-slack, 0))
}

// written is how many bytes were written before w.
func (e *encoder) written(w xunsafe.Pointer) int {
	return int(xunsafe.Offset(xunsafe.DataOf(e.out), w))
}

// back is where the text is so many bytes long.
func (e *encoder) back(written int) xunsafe.Pointer {
	return xunsafe.Add(xunsafe.DataOf(e.out), uintptr(written))
}

// value writes the value at p as prog says.
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

// basic writes a bool or a number, for which bytes are reserved.
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

// quoted writes what has ,string.
func (e *encoder) quoted(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	switch prog.inner {
	case writeString:
		from := e.written(w)
		to := e.written(e.string(w, *xunsafe.Cast[string](p)))
		e.inner = append(e.inner[:0], e.out[from:to]...)
		marks := e.marks
		e.marks = plainMarks // what it holds is escaped already
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

// nothing writes a nil slice or map: empty if the mode has that option, else null.
func (e *encoder) nothing(w xunsafe.Pointer, m *mode, option optionFlags, empty string) xunsafe.Pointer {
	if m.flags&option == 0 {
		return e.null(w)
	}
	return putText(e.reserve(w, len(empty)), empty)
}

// enter notes that what at points to is being written, if it nests deep.
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

// leave takes back what enter noted.
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
		return e.nothing(w, prog.mode, nilSliceAsEmpty, "[]")
	}
	e.enter(prog, nil, at, len(s))
	w = e.elements(w, prog.elem, at, len(s))
	e.leave(nil, at, len(s))
	return w
}

// elements writes the n values from p on, as an array.
func (e *encoder) elements(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer, length int) xunsafe.Pointer {
	w = put8(e.reserve(w, 2), '[')
	if length == 0 {
		return put8(w, ']')
	}
	for {
		// What is usual in long slices goes without a call of value.
		switch prog.op {
		case writeString:
			w = e.string(w, *xunsafe.Cast[string](p))
		case writeStruct:
			w = e.structure(w, prog, p)
		case writeInt64:
			w = e.reserve(w, numberBytes)
			i := *xunsafe.Cast[int64](p)
			if i < 0 {
				w = put8(w, '-')
				i = -i
			}
			w = putUint(w, uint64(i))
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
		return e.nothing(w, prog.mode, nilSliceAsEmpty, `""`)
	}
	n := base64.StdEncoding.EncodedLen(len(s))
	return put8(putBase64(put8(e.reserve(w, n+2), '"'), s), '"')
}

// any writes what is in an interface.
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
		if x-x == 0 { // no error to be made of it
			return putFloat64(e.reserve(w, numberBytes), x, nil, nil)
		}
	}
	return e.dynamic(w, x)
}

// programOf is programOf, which the last type need not ask.
func (e *encoder) programOf(t reflect.Type) *encProgram {
	if t != e.lastFor {
		e.last, e.lastFor = e.mode.encProgramOf(t), t
	}
	return e.last
}

// dynamic writes what is in x, which is not nil.
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
	// The word is the value: it needs an address. A local variable's would be one
	// on the heap each time.
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
