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

// encoder is what one Marshal at a time works with. Each arena that something is
// marshaled in has one, which keeps its room for sorting; a pool has those of the
// heap.
type encoder struct {
	html  int // 1 if HTML is escaped: which of a member's prefixes is written
	marks marks

	arena  *arena.Arena // where the text is built; nil for the heap
	out    []byte       // the room for the text, with a length of 0
	end    uintptr      // where out ends, but for slack bytes
	text   []byte       // the room that is kept on the heap, with a length of 0
	length int          // of what was written last

	doc  []byte // what Compact and Indent write
	line bool   // a line end follows the document

	busy   bool // some Marshal uses it
	pooled bool // it is of the pool, and not an arena's

	depth   int                // of pointers, maps and slices
	seen    map[visit]struct{} // those beyond maxDepth that are being written
	words   []*xunsafe.Pointer // see dynamic
	held    int                // how many of words are taken
	last    *node              // of the last interface that was looked into
	lastFor reflect.Type
	strings []entry[string]
	anys    []entry[any]
	order   []uint64 // of the members of maps: see sorted
	inner   []byte   // of a string in a string, and what is open in a document
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

// Room that is asked for at once. Whoever writes asks for room first, and there is
// slack beyond what he gets: one byte, a comma or a colon, may follow unasked. So
// where the next byte goes is always in the room, and not behind it, where the
// collector would take it for another object.
const (
	slack      = 16
	numberRoom = 32 // for the longest number, in quotes, and what is written behind it
)

// failure is what a value that can't be written panics with, up to Marshal.
type failure struct{ err error }

// room returns where the next byte goes, w or in a larger room, with n bytes there.
func (e *encoder) room(w xunsafe.Pointer, n int) xunsafe.Pointer {
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

// setLimit notes where room ends.
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

// value writes the value at p as n says.
func (e *encoder) value(w xunsafe.Pointer, n *node, p xunsafe.Pointer) xunsafe.Pointer {
	switch n.op {
	case opQuoted:
		return e.quoted(w, n, p)
	case opString:
		return e.string(w, *xunsafe.Cast[string](p))
	case opStruct:
		return e.structure(w, n, p)
	case opSlice:
		return e.slice(w, n, p)
	case opInt64:
		return putInt(e.room(w, numberRoom), *xunsafe.Cast[int64](p))
	case opFloat64:
		return putFloat64(e.room(w, numberRoom), *xunsafe.Cast[float64](p), n, p)
	case opPointer:
		q := *xunsafe.Cast[xunsafe.Pointer](p)
		if q == nil {
			return e.null(w)
		}
		e.enter(n, n.typ, q, -1)
		w = e.value(w, n.elem, q)
		e.leave(n.typ, q, -1)
		return w
	case opAny:
		return e.any(w, *xunsafe.Cast[any](p))
	case opArray:
		return e.elements(w, n.elem, p, n.length)
	case opMap:
		return e.builtinMap(w, n, p)
	case opStringMap:
		return e.stringMap(w, n, p)
	case opAnyMap:
		return e.anyMap(w, n, p)
	case opArenaMap:
		return e.arenaMap(w, n, p)
	case opBytes:
		return e.bytes(w, *xunsafe.Cast[[]byte](p))
	case opTime:
		return e.time(w, n, p)
	case opFace:
		if *xunsafe.Cast[xunsafe.Pointer](p) == nil {
			return e.null(w)
		}
		return e.dynamic(w, xunsafe.Value(n.typ, p).Elem().Interface())
	case opMarshal:
		return e.marshaler(w, n, p)
	case opText:
		return e.textMarshaler(w, n, p)
	case opUnsupported:
		panic(failure{&json.UnsupportedTypeError{Type: n.typ}})
	case opNumber:
		s := mustBeNumber(*xunsafe.Cast[string](p))
		return putText(e.room(w, len(s)), s)
	}
	return basic(e.room(w, numberRoom), n.op, p, n)
}

// basic writes a bool or a number, for which there is room.
func basic(w xunsafe.Pointer, o op, p xunsafe.Pointer, n *node) xunsafe.Pointer {
	switch o {
	case opBool:
		return putBool(w, *xunsafe.Cast[bool](p))
	case opInt8:
		return putInt(w, int64(*xunsafe.Cast[int8](p)))
	case opInt16:
		return putInt(w, int64(*xunsafe.Cast[int16](p)))
	case opInt32:
		return putInt(w, int64(*xunsafe.Cast[int32](p)))
	case opInt64:
		return putInt(w, *xunsafe.Cast[int64](p))
	case opUint8:
		return putUint(w, uint64(*xunsafe.Cast[uint8](p)))
	case opUint16:
		return putUint(w, uint64(*xunsafe.Cast[uint16](p)))
	case opUint32:
		return putUint(w, uint64(*xunsafe.Cast[uint32](p)))
	case opUint64:
		return putUint(w, *xunsafe.Cast[uint64](p))
	case opFloat32:
		return putFloat32(w, *xunsafe.Cast[float32](p), n, p)
	case opFloat64:
		return putFloat64(w, *xunsafe.Cast[float64](p), n, p)
	}
	panic("arenajson: no such operation")
}

// quoted writes what has ,string.
func (e *encoder) quoted(w xunsafe.Pointer, n *node, p xunsafe.Pointer) xunsafe.Pointer {
	switch n.inner {
	case opString:
		from := e.written(w)
		to := e.written(e.string(w, *xunsafe.Cast[string](p)))
		e.inner = append(e.inner[:0], e.out[from:to]...)
		marks := e.marks
		e.marks = plainMarks // what it holds is escaped already
		w = e.string(e.back(from), xunsafe.ViewString(e.inner))
		e.marks = marks
		return w
	case opNumber:
		s := mustBeNumber(*xunsafe.Cast[string](p))
		w = putText(put8(e.room(w, len(s)+2), '"'), s)
	default:
		w = basic(put8(e.room(w, numberRoom), '"'), n.inner, p, n)
	}
	return put8(w, '"')
}

func (e *encoder) null(w xunsafe.Pointer) xunsafe.Pointer { return putText(e.room(w, 4), "null") }

// enter notes that what at points to is being written, if it nests deep.
func (e *encoder) enter(n *node, t reflect.Type, at xunsafe.Pointer, length int) {
	if e.depth++; e.depth > maxDepth {
		e.see(n, visit{t, at, length})
	}
}

func (e *encoder) see(n *node, v visit) {
	if _, ok := e.seen[v]; ok {
		var value reflect.Value
		switch n.typ.Kind() {
		case reflect.Pointer, reflect.Map:
			value = xunsafe.Value(n.typ, xunsafe.PointerTo(&v.at))
		default:
			s := reflect.New(n.typ)
			*xunsafe.Cast[machine.Slice](s.UnsafePointer()) = machine.Slice{Data: v.at, Len: v.len, Cap: v.len}
			value = s.Elem()
		}
		panic(failure{&json.UnsupportedValueError{Value: value, Str: fmt.Sprintf("encountered a cycle via %s", n.typ)}})
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

func (e *encoder) slice(w xunsafe.Pointer, n *node, p xunsafe.Pointer) xunsafe.Pointer {
	s := *xunsafe.Cast[[]struct{}](p)
	at := xunsafe.DataOf(s)
	if at == nil {
		return e.null(w)
	}
	e.enter(n, nil, at, len(s))
	w = e.elements(w, n.elem, at, len(s))
	e.leave(nil, at, len(s))
	return w
}

// elements writes the n values from p on, as an array.
func (e *encoder) elements(w xunsafe.Pointer, n *node, p xunsafe.Pointer, length int) xunsafe.Pointer {
	w = put8(e.room(w, 2), '[')
	if length == 0 {
		return put8(w, ']')
	}
	for {
		// What is usual in long slices goes without a call of value.
		switch n.op {
		case opString:
			w = e.string(w, *xunsafe.Cast[string](p))
		case opStruct:
			w = e.structure(w, n, p)
		case opInt64:
			w = putInt(e.room(w, numberRoom), *xunsafe.Cast[int64](p))
		case opFloat64:
			w = putFloat64(e.room(w, numberRoom), *xunsafe.Cast[float64](p), n, p)
		case opArray:
			w = e.elements(w, n.elem, p, n.length)
		default:
			w = e.value(w, n, p)
		}
		if length--; length == 0 {
			break
		}
		w = put8(w, ',')
		p = xunsafe.Add(p, n.size)
	}
	return put8(e.room(w, 1), ']')
}

func (e *encoder) bytes(w xunsafe.Pointer, s []byte) xunsafe.Pointer {
	if s == nil {
		return e.null(w)
	}
	n := base64.StdEncoding.EncodedLen(len(s))
	w = put8(e.room(w, n+2), '"')
	base64.StdEncoding.Encode(roomAt(w, n)[:n], s)
	return put8(xunsafe.Add(w, uintptr(n)), '"')
}

// any writes what is in an interface.
func (e *encoder) any(w xunsafe.Pointer, x any) xunsafe.Pointer {
	switch x := x.(type) {
	case nil:
		return e.null(w)
	case string:
		return e.string(w, x)
	case bool:
		return putBool(e.room(w, numberRoom), x)
	case int:
		return putInt(e.room(w, numberRoom), int64(x))
	case float64:
		if x-x == 0 { // no error to be made of it
			return putFloat64(e.room(w, numberRoom), x, nil, nil)
		}
	}
	return e.dynamic(w, x)
}

// programOf is programOf, which the last type need not ask.
func (e *encoder) programOf(t reflect.Type) *node {
	if t != e.lastFor {
		e.last, e.lastFor = programOf(t), t
	}
	return e.last
}

// dynamic writes what is in x, which is not nil.
func (e *encoder) dynamic(w xunsafe.Pointer, x any) xunsafe.Pointer {
	t := reflect.TypeOf(x)
	n := e.programOf(t)
	if viaReflect {
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(x))
		return e.value(w, n, p.UnsafePointer())
	}
	word := xunsafe.WordsOf(&x).Data
	if !n.direct {
		return e.value(w, n, word)
	}
	// The word is the value: it needs an address. A local variable's would be one
	// on the heap each time.
	if e.held == len(e.words) {
		e.words = append(e.words, new(xunsafe.Pointer))
	}
	held := e.words[e.held]
	*held = word
	e.held++
	w = e.value(w, n, xunsafe.PointerTo(held))
	e.held--
	*held = nil
	return w
}
