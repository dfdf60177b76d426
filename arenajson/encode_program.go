package arenajson

import (
	"encoding"
	"encoding/json"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// op is how a value is written.
type op uint8

const (
	opUnsupported op = iota
	opBool
	opInt8
	opInt16
	opInt32
	opInt64
	opUint8
	opUint16
	opUint32
	opUint64
	opFloat32
	opFloat64
	opString
	opNumber // json.Number
	opTime   // time.Time
	opBytes  // []byte, in base64
	opAny    // an interface without methods
	opFace   // one with methods
	opPointer
	opSlice
	opArray
	opStruct
	opMap
	opStringMap // map[string]string
	opAnyMap    // map[string]any
	opArenaMap  // *arena.Map
	opMarshal   // a json.Marshaler
	opText      // an encoding.TextMarshaler
	opQuoted    // what has ,string: see node.inner
)

// node is the program for values of one type. It never changes once it is used.
type node struct {
	op    op
	inner op // of opQuoted: what is in quotes
	// self says that the type has the method of an opMarshal or opText itself, and
	// may be nil; otherwise a pointer to it has.
	self bool
	// direct says that an interface holds such a value itself, not its address.
	direct bool
	typ    reflect.Type
	size   uintptr
	elem   *node // of a pointer, slice, array or map

	members [2]*encMember // of a struct: the first one, and with names escaped for HTML
	length  int           // of an array
	key     op            // of a map: opString, opText or an integer's
	keyType reflect.Type  // of a map
	layout  mapLayout     // of an arena.Map
	scratch *sync.Pool    // of *mapScratch, of a map
}

// encMember is a member of a struct, with what writing it takes. The name is a comma,
// the name in quotes and a colon, filled up to pieces.
type encMember struct {
	next   *encMember // nil for the last one
	op     op         // what its node does
	check  omissionCheck
	empty  omission // by ,omitempty
	zero   omission // by ,omitzero
	offset uintptr
	room   int         // for the name and any number
	begin  [piece]byte // the first piece of the name
	length uintptr     // of the name, without what fills it up
	word   uintptr     // for checkWord: where that is
	node   *node
	rest   string // the other pieces of the name
	hops   []hop
}

// omission is what a member is left out by.
type omission uint8

const (
	omitNever   omission = iota
	omitAlways           // an array of no elements
	omitLen              // a string or slice of length 0
	omitMap              // a map of length 0
	omitPointer          // a nil pointer, interface, map or slice
	omitZero1            // an integer or bool of so many bytes that is 0
	omitZero2
	omitZero4
	omitZero8
	omitFloat32
	omitFloat64
	omitReflect // what reflect says is zero
	omitMethod  // what its method says is zero
)

// omissionCheck is how it is found whether a member is left out.
type omissionCheck uint8

const (
	checkNever omissionCheck = iota
	checkWord                // it is where a word is 0
	checkAll                 // by all of its hops and omissions
)

type programKey struct {
	typ         reflect.Type
	addressable bool
	quoted      bool
}

var (
	programs  sync.Map // from reflect.Type to *node, for values that are not addressable
	compiling sync.Mutex
	compiled  = map[programKey]*node{} // guarded by compiling
)

// programOf returns how values of type t are written.
func programOf(t reflect.Type) *node {
	if n, ok := programs.Load(t); ok {
		return n.(*node)
	}
	compiling.Lock()
	defer compiling.Unlock()
	// A node is filled in after it is in the table, for types that contain
	// themselves. Who waits for the lock meanwhile sees all of them filled in.
	n := compile(programKey{typ: t})
	programs.Store(t, n)
	return n
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	zeroType          = reflect.TypeFor[zeroer]()
	numberType        = reflect.TypeFor[json.Number]()
	timeType          = reflect.TypeFor[time.Time]()
)

// zeroer is what ,omitzero asks.
type zeroer interface{ IsZero() bool }

// compile returns the node of a type and fills in what it needs.
func compile(k programKey) *node {
	if n, ok := compiled[k]; ok {
		return n
	}
	n := &node{typ: k.typ, size: k.typ.Size(), direct: isDirect(k.typ)}
	compiled[k] = n
	n.fill(k)
	if k.quoted && opBool <= n.op && n.op <= opNumber {
		// What is pointed to has ,string, and what has methods ignores it.
		n.op, n.inner = opQuoted, n.op
	}
	return n
}

// fill says what n does. Whether a value is addressable decides
// whether methods of its pointer are called, as encoding/json does it: not for what
// lies in a map or an interface.
func (n *node) fill(k programKey) {
	t := k.typ
	kind := t.Kind()
	viaPointer := kind != reflect.Pointer && kind != reflect.Interface
	has := func(method reflect.Type) bool {
		if t.Implements(method) {
			n.self = !viaPointer
			return true
		}
		return k.addressable && viaPointer && reflect.PointerTo(t).Implements(method)
	}
	switch {
	case t == timeType:
		n.op = opTime
		return
	case has(marshalerType):
		n.op = opMarshal
		return
	case has(textMarshalerType):
		n.op = opText
		return
	case t == numberType:
		n.op = opNumber
		return
	}

	switch kind {
	case reflect.Bool:
		n.op = opBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.op = opInt8 + sizeStep(n.size)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.op = opUint8 + sizeStep(n.size)
	case reflect.Float32:
		n.op = opFloat32
	case reflect.Float64:
		n.op = opFloat64
	case reflect.String:
		n.op = opString
	case reflect.Interface:
		if n.op = opAny; t.NumMethod() != 0 {
			n.op = opFace
		}
	case reflect.Pointer:
		if layout, ok := arenaMapLayout(t); ok {
			n.op, n.layout = opArenaMap, layout
			n.mapOf(layout.key, layout.value)
			break
		}
		n.op = opPointer
		n.elem = compile(programKey{t.Elem(), true, k.quoted})
	case reflect.Slice:
		// Bytes that are more than numbers to themselves are none in base64.
		if e := t.Elem(); e.Kind() == reflect.Uint8 && !reflect.PointerTo(e).Implements(marshalerType) && !reflect.PointerTo(e).Implements(textMarshalerType) {
			n.op = opBytes
			break
		}
		n.op = opSlice
		n.elem = compile(programKey{typ: t.Elem(), addressable: true})
	case reflect.Array:
		n.op, n.length = opArray, t.Len()
		n.elem = compile(programKey{typ: t.Elem(), addressable: k.addressable})
	case reflect.Map:
		n.op = opMap
		n.mapOf(t.Key(), t.Elem())
		if n.op == opMap && n.key == opString {
			switch t.Elem() {
			case reflect.TypeFor[string]():
				n.op = opStringMap
			case reflect.TypeFor[any]():
				n.op = opAnyMap
			}
		}
	case reflect.Struct:
		n.op = opStruct
		n.structOf(k)
	}
}

// sizeStep is which of the four sizes of an integer size is.
func sizeStep(size uintptr) op {
	switch size {
	case 1:
		return 0
	case 2:
		return 1
	case 4:
		return 2
	}
	return 3
}

// isDirect reports whether an interface holds a t itself: a zero one is nil then,
// and has an address otherwise.
func isDirect(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return !viaReflect && t.Kind() != reflect.Interface && xunsafe.WordsOf(&zero).Data == nil
}

// viaReflect says that nothing is known about what an interface looks like inside.
var viaReflect = machine.Portable || !machine.LayoutOK

// structOf makes n the node of a struct.
func (n *node) structOf(k programKey) {
	fields := fieldsOf(k.typ)
	for html := range n.members {
		at := &n.members[html]
		for _, f := range fields {
			name := "," + f.plain
			if html != 0 {
				name = "," + f.escaped
			}
			m := &encMember{hops: f.hops, offset: f.offset, length: uintptr(len(name))}
			name += strings.Repeat(" ", -len(name)&(piece-1))
			copy(m.begin[:], name)
			m.rest = name[piece:]
			m.room = len(name) + numberRoom
			m.node = compile(programKey{f.typ, k.addressable || len(f.hops) > 0, f.quoted})
			m.op = m.node.op
			if f.omitEmpty {
				m.empty = omissionIfEmpty(f.typ)
			}
			if f.omitZero {
				m.zero = omissionIfZero(f.typ)
			}
			m.setCheck()
			*at, at = m, &m.next
		}
		if !slices.ContainsFunc(fields, func(f field) bool { return f.plain != f.escaped }) {
			n.members[1] = n.members[0]
			return
		}
	}
}

// setCheck says how m is checked.
func (m *encMember) setCheck() {
	o := m.empty
	switch {
	case len(m.hops) == 0 && m.empty == omitNever && m.zero == omitNever:
		return
	case len(m.hops) > 0 || m.empty != omitNever && m.zero != omitNever:
		m.check = checkAll
		return
	case o == omitNever:
		o = m.zero
	}
	m.check, m.word = checkWord, m.offset
	switch {
	case o == omitLen:
		m.word += bits.UintSize / 8 // behind the address of a string and a slice
	case o == omitPointer:
	case o == omitZero8 && bits.UintSize == 64, o == omitZero4 && bits.UintSize == 32:
	default:
		m.check = checkAll
	}
}

// omissionIfEmpty is what ,omitempty means for values of type t.
func omissionIfEmpty(t reflect.Type) omission {
	switch t.Kind() {
	case reflect.String, reflect.Slice:
		return omitLen
	case reflect.Map:
		return omitMap
	case reflect.Array:
		if t.Len() == 0 {
			return omitAlways
		}
		return omitNever
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return omitNever
	}
	return omissionOfZero(t)
}

// omissionIfZero is what ,omitzero means for values of type t.
func omissionIfZero(t reflect.Type) omission {
	if t.Implements(zeroType) || reflect.PointerTo(t).Implements(zeroType) {
		return omitMethod
	}
	return omissionOfZero(t)
}

// omissionOfZero is how values of type t that are zero are told.
func omissionOfZero(t reflect.Type) omission {
	switch k := t.Kind(); k {
	case reflect.String:
		return omitLen
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		return omitPointer
	case reflect.Float32:
		return omitFloat32
	case reflect.Float64:
		return omitFloat64
	case reflect.Array, reflect.Struct:
		return omitReflect
	default:
		if reflect.Bool <= k && k <= reflect.Uintptr {
			return omitZero1 + omission(sizeStep(t.Size()))
		}
	}
	return omitReflect
}

// mapOf makes n the node of a map, or leaves it that of what can't be written.
func (n *node) mapOf(key, value reflect.Type) {
	n.keyType = key
	switch k := key.Kind(); {
	case k == reflect.String:
		n.key = opString
	case key.Implements(textMarshalerType):
		n.key = opText
	case reflect.Int <= k && k <= reflect.Int64:
		n.key = opInt8 + sizeStep(key.Size())
	case reflect.Uint <= k && k <= reflect.Uintptr:
		n.key = opUint8 + sizeStep(key.Size())
	default:
		n.op = opUnsupported
		return
	}
	n.elem = compile(programKey{typ: value})
	n.scratch = &sync.Pool{New: func() any { return newMapScratch(n) }}
}
