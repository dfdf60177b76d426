package arenajson

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
)

// encoder is what one Marshal at a time works with. Each arena that something is
// marshaled in has one, which keeps its room for sorting; a pool has those of the
// heap.
type encoder struct {
	html  int // 1 if HTML is escaped: which of a member's prefixes is written
	marks marks

	arena  *arena.Arena // where the text is built; nil for the heap
	grown  []byte       // the room for it in the arena
	text   []byte       // empty: the room for it on the heap
	length int          // of what was written last

	busy   bool // some Marshal uses it
	pooled bool // it is of the pool, and not an arena's

	depth   int                // of pointers, maps and slices
	seen    map[visit]struct{} // those beyond maxDepth that are being written
	words   []*pointer         // see dynamic
	held    int                // how many of words are taken
	last    *node              // of the last interface that was looked into
	lastFor reflect.Type
	strings []stringEntry
	anys    []anyEntry
	compact bytes.Buffer
	inner   []byte
}

// visit is a pointer, map or slice that is being written.
type visit struct {
	typ reflect.Type // nil for what is no pointer
	at  pointer
	len int // of a slice, -1 otherwise
}

// maxDepth is how deep values may nest before somebody looks whether one contains
// itself.
const maxDepth = 1000

// Room that is asked for at once. Whatever is written asks for its own room first
// and for slack beyond, so that a comma, a colon and a bracket need not ask.
const (
	slack      = 16
	numberRoom = 32 + slack // for the longest number, in quotes
)

// failure is what a value that can't be written panics with, up to Marshal.
type failure struct{ err error }

// room returns b with room for n more bytes.
func (e *encoder) room(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return e.grow(b, n)
}

//go:noinline
func (e *encoder) grow(b []byte, n int) []byte {
	if e.arena != nil {
		return e.more(b, n)
	}
	bigger := make([]byte, len(b), max(2*cap(b), len(b)+n, 1024))
	copy(bigger, b)
	return bigger
}

// value writes the value at p as n says.
func (e *encoder) value(b []byte, n *node, p pointer) []byte {
	switch n.op {
	case opQuoted:
		return e.quoted(b, n, p)
	case opString:
		return e.string(b, *as[string](p))
	case opStruct:
		return e.structure(b, n, p)
	case opSlice:
		return e.slice(b, n, p)
	case opInt64:
		return appendInt(e.room(b, numberRoom), *as[int64](p))
	case opFloat64:
		return appendFloat64(e.room(b, numberRoom), *as[float64](p), n, p)
	case opPointer:
		q := *as[pointer](p)
		if q == nil {
			return e.null(b)
		}
		e.enter(n, n.typ, q, -1)
		b = e.value(b, n.elem, q)
		e.leave(n.typ, q, -1)
		return b
	case opAny:
		return e.any(b, *as[any](p))
	case opArray:
		return e.elements(b, n.elem, p, n.length)
	case opMap:
		return e.builtinMap(b, n, p)
	case opStringMap:
		return e.stringMap(b, n, p)
	case opAnyMap:
		return e.anyMap(b, n, p)
	case opArenaMap:
		return e.arenaMap(b, n, p)
	case opBytes:
		return e.bytes(b, *as[[]byte](p))
	case opTime:
		return e.time(b, n, p)
	case opFace:
		if *as[pointer](p) == nil {
			return e.null(b)
		}
		return e.dynamic(b, valueAt(n.typ, p).Elem().Interface())
	case opMarshal:
		return e.marshaler(b, n, p)
	case opText:
		return e.textMarshaler(b, n, p)
	case opUnsupported:
		panic(failure{&json.UnsupportedTypeError{Type: n.typ}})
	case opNumber:
		return append(e.room(b, len(*as[string](p))+1+slack), mustBeNumber(*as[string](p))...)
	}
	return e.basic(e.room(b, numberRoom), n.op, p, n)
}

// basic writes a bool or a number, for which there is room.
func (e *encoder) basic(b []byte, o op, p pointer, n *node) []byte {
	switch o {
	case opBool:
		return appendBool(b, *as[bool](p))
	case opInt8:
		return appendInt(b, int64(*as[int8](p)))
	case opInt16:
		return appendInt(b, int64(*as[int16](p)))
	case opInt32:
		return appendInt(b, int64(*as[int32](p)))
	case opInt64:
		return appendInt(b, *as[int64](p))
	case opUint8:
		return appendUint(b, uint64(*as[uint8](p)))
	case opUint16:
		return appendUint(b, uint64(*as[uint16](p)))
	case opUint32:
		return appendUint(b, uint64(*as[uint32](p)))
	case opUint64:
		return appendUint(b, *as[uint64](p))
	case opFloat32:
		return appendFloat32(b, *as[float32](p), n, p)
	case opFloat64:
		return appendFloat64(b, *as[float64](p), n, p)
	}
	panic("arenajson: no such operation")
}

// quoted writes what has ,string.
func (e *encoder) quoted(b []byte, n *node, p pointer) []byte {
	switch n.inner {
	case opString:
		at := len(b)
		b = e.string(b, *as[string](p))
		e.inner = append(e.inner[:0], b[at:]...)
		marks := e.marks
		e.marks = plainMarks // what it holds is escaped already
		b = e.string(b[:at], viewString(e.inner))
		e.marks = marks
		return b
	case opNumber:
		b = append(e.room(b, len(*as[string](p))+3+slack), '"')
		b = append(b, mustBeNumber(*as[string](p))...)
	default:
		b = e.basic(append(e.room(b, numberRoom), '"'), n.inner, p, n)
	}
	return append(b, '"')
}

func (e *encoder) null(b []byte) []byte { return append(e.room(b, 4+slack), "null"...) }

// enter notes that what at points to is being written, if it nests deep.
func (e *encoder) enter(n *node, t reflect.Type, at pointer, length int) {
	if e.depth++; e.depth > maxDepth {
		e.see(n, visit{t, at, length})
	}
}

func (e *encoder) see(n *node, v visit) {
	if _, ok := e.seen[v]; ok {
		var value reflect.Value
		switch n.typ.Kind() {
		case reflect.Pointer, reflect.Map:
			value = valueAt(n.typ, pointer(&v.at))
		default:
			s := reflect.New(n.typ)
			*as[machine.Slice](s.UnsafePointer()) = machine.Slice{Data: v.at, Len: v.len, Cap: v.len}
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
func (e *encoder) leave(t reflect.Type, at pointer, length int) {
	if e.depth > maxDepth {
		delete(e.seen, visit{t, at, length})
	}
	e.depth--
}

func (e *encoder) slice(b []byte, n *node, p pointer) []byte {
	s := *as[[]struct{}](p)
	at := dataOf(s)
	if at == nil {
		return e.null(b)
	}
	e.enter(n, nil, at, len(s))
	b = e.elements(b, n.elem, at, len(s))
	e.leave(nil, at, len(s))
	return b
}

// elements writes the n values from p on, as an array.
func (e *encoder) elements(b []byte, n *node, p pointer, length int) []byte {
	b = append(e.room(b, 2+slack), '[')
	if length == 0 {
		return append(b, ']')
	}
	for i := 0; ; {
		// What is usual in long slices goes without a call of value.
		switch n.op {
		case opString:
			b = e.string(b, *as[string](p))
		case opStruct:
			b = e.structure(b, n, p)
		case opInt64:
			b = appendInt(e.room(b, numberRoom), *as[int64](p))
		case opFloat64:
			b = appendFloat64(e.room(b, numberRoom), *as[float64](p), n, p)
		default:
			b = e.value(b, n, p)
		}
		if i++; i == length {
			break
		}
		b = append(e.room(b, slack), ',')
		p = add(p, n.size)
	}
	return append(e.room(b, 1+slack), ']')
}

func (e *encoder) bytes(b, s []byte) []byte {
	if s == nil {
		return e.null(b)
	}
	b = append(e.room(b, base64.StdEncoding.EncodedLen(len(s))+2+slack), '"')
	return append(base64.StdEncoding.AppendEncode(b, s), '"')
}

// any writes what is in an interface.
func (e *encoder) any(b []byte, x any) []byte {
	switch x := x.(type) {
	case nil:
		return e.null(b)
	case string:
		return e.string(b, x)
	case bool:
		return appendBool(e.room(b, numberRoom), x)
	case int:
		return appendInt(e.room(b, numberRoom), int64(x))
	}
	return e.dynamic(b, x)
}

// programOf is programOf, which the last type need not ask.
func (e *encoder) programOf(t reflect.Type) *node {
	if t != e.lastFor {
		e.last, e.lastFor = programOf(t), t
	}
	return e.last
}

// dynamic writes what is in x, which is not nil.
func (e *encoder) dynamic(b []byte, x any) []byte {
	t := reflect.TypeOf(x)
	n := e.programOf(t)
	if viaReflect {
		p := reflect.New(t)
		p.Elem().Set(reflect.ValueOf(x))
		return e.value(b, n, p.UnsafePointer())
	}
	word := dataWord(x)
	if !n.direct {
		return e.value(b, n, word)
	}
	// The word is the value: it needs an address. A local variable's would be one
	// on the heap each time.
	if e.held == len(e.words) {
		e.words = append(e.words, new(pointer))
	}
	held := e.words[e.held]
	*held = word
	e.held++
	b = e.value(b, n, pointer(held))
	e.held--
	*held = nil
	return b
}
