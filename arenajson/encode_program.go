package arenajson

import (
	"encoding"
	"encoding/json"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// encOp is how a value is written.
type encOp uint8

const (
	writeNothing encOp = iota
	writeBool
	writeInt8
	writeInt16
	writeInt32
	writeInt64
	writeUint8
	writeUint16
	writeUint32
	writeUint64
	writeFloat32
	writeFloat64
	writeString
	writeNumber // json.Number
	writeTime   // time.Time
	writeBytes  // []byte, in base64
	writeAny    // an interface without methods
	writeIface  // one with methods
	writePointer
	writeSlice
	writeArray
	writeStruct
	writeMap
	writeTextMap  // map[string]string
	writeAnyMap   // map[string]any
	writeArenaMap // *arena.Map
	writeJSON     // a json.Marshaler
	writeText     // an encoding.TextMarshaler
	writeAppended // an encoding.TextAppender, if encoding/json calls it
	writeStandard // what is left to encoding/json
	writeQuoted   // what has ,string: see encProgram.inner
	writeFunc     // by a MarshalFunc
	writeDynamic  // writeAny in other modes than the plain one
)

// encProgram is how values of one type are written. It never changes once it is used.
type encProgram struct {
	op    encOp
	inner encOp // of writeQuoted: what is in quotes
	// self says that the type has the method of a writeJSON or writeText itself, and
	// may be nil; otherwise a pointer to it has.
	self bool
	// addressable says that methods of a pointer to the value may be called.
	addressable bool
	// direct says that an interface holds such a value itself, not its address.
	direct bool
	typed
	elem *encProgram // of a pointer, slice, array or map

	fields  [2]*encField // of a struct: the first one, and with names escaped for HTML
	length  int          // of an array
	key     encOp        // of a map: writeString, writeText or an integer's
	keyType reflect.Type // of a map
	layout  mapLayout    // of an arena.Map
	custom  *funcOption  // of a writeFunc
	mode    *mode
	scratch *sync.Pool // of *mapScratch, of a map
	shape   atomic.Pointer[mapWriter]
}

// encField is a field of a struct, with what writing it takes. The name is a comma,
// the name in quotes and a colon, filled up to pieces.
type encField struct {
	next   *encField // nil for the last one
	op     encOp     // what its program does
	check  omissionCheck
	empty  omission // by ,omitempty
	zero   omission // by ,omitzero
	offset uintptr
	most   int         // bytes, of the name and any number
	begin  [piece]byte // the first piece of the name
	length uintptr     // of the name, without what fills it up
	word   uintptr     // for checkWord: where that is
	prog   *encProgram
	rest   string // the other pieces of the name
	hops   []hop
}

// omission is the rule by which a field is left out.
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

// omissionCheck is how it is found whether a field is left out.
type omissionCheck uint8

const (
	checkNever omissionCheck = iota
	checkWord                // it is where a word is 0
	checkAll                 // by all of its hops and omissions
)

type encKey struct {
	typ         reflect.Type
	addressable bool
	quoted      bool
}

var encLock sync.Mutex // guards the compiling of types

// encProgramOf returns how values of type t are written.
func (m *mode) encProgramOf(t reflect.Type) *encProgram {
	if n, ok := m.encPrograms.Load(t); ok {
		return n.(*encProgram)
	}
	encLock.Lock()
	defer encLock.Unlock()
	// A program is filled in after it is in the table, for types that contain
	// themselves. Who waits for the lock meanwhile sees all of them filled in.
	prog := m.compileEnc(encKey{typ: t})
	m.encPrograms.Store(t, prog)
	return prog
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textAppenderType  = reflect.TypeFor[encoding.TextAppender]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	zeroType          = reflect.TypeFor[zeroer]()
	numberType        = reflect.TypeFor[json.Number]()
	timeType          = reflect.TypeFor[time.Time]()
)

// zeroer is the interface that ,omitzero asks.
type zeroer interface{ IsZero() bool }

// compileEnc returns the program of a type and fills in what it needs.
func (m *mode) compileEnc(k encKey) *encProgram {
	if prog, ok := m.encCompiled[k]; ok {
		return prog
	}
	if m.encCompiled == nil {
		m.encCompiled = map[encKey]*encProgram{}
	}
	prog := &encProgram{mode: m, typed: typedOf(k.typ), addressable: k.addressable, direct: isDirect(k.typ)}
	m.encCompiled[k] = prog
	prog.fill(k)
	isNumber := writeInt8 <= prog.op && prog.op <= writeFloat64 || prog.op == writeNumber
	if k.quoted && writeBool <= prog.op && prog.op <= writeNumber || isNumber && m.flags&stringifyNumbers != 0 {
		// What is pointed to has ,string, and what has methods ignores it.
		prog.op, prog.inner = writeQuoted, prog.op
	}
	return prog
}

// fill says what prog does. Whether a value is addressable decides
// whether methods of its pointer are called, as encoding/json does it: not for what
// lies in a map or an interface.
func (prog *encProgram) fill(k encKey) {
	t := k.typ
	kind := t.Kind()
	viaPointer := kind != reflect.Pointer && kind != reflect.Interface
	has := func(method reflect.Type) bool {
		if onV2 && !viaPointer {
			return false // it follows pointers and interfaces first
		}
		if t.Implements(method) {
			prog.self = !viaPointer
			return true
		}
		return k.addressable && viaPointer && reflect.PointerTo(t).Implements(method)
	}
	if prog.custom = prog.mode.writer(t); prog.custom != nil {
		prog.op = writeFunc
		return
	}
	switch {
	case t == timeType:
		prog.op = writeTime
		return
	case viaPointer && standardWrites(t):
		prog.op = writeStandard
		return
	case has(marshalerType):
		prog.op = writeJSON
		return
	case onV2 && has(textAppenderType):
		prog.op = writeAppended
		return
	case has(textMarshalerType):
		prog.op = writeText
		return
	case t == numberType:
		prog.op = writeNumber
		return
	}

	switch kind {
	case reflect.Bool:
		prog.op = writeBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		prog.op = writeInt8 + sizeStep(prog.size)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		prog.op = writeUint8 + sizeStep(prog.size)
	case reflect.Float32:
		prog.op = writeFloat32
	case reflect.Float64:
		prog.op = writeFloat64
	case reflect.String:
		prog.op = writeString
	case reflect.Interface:
		switch {
		case t.NumMethod() != 0:
			prog.op = writeIface
		case prog.mode != plainMode:
			prog.op = writeDynamic
		default:
			prog.op = writeAny
		}
	case reflect.Pointer:
		if layout, ok := arenaMapLayout(t); ok {
			prog.op, prog.layout = writeArenaMap, layout
			prog.mapOf(layout.key, layout.value)
			break
		}
		prog.op = writePointer
		prog.elem = prog.mode.compileEnc(encKey{t.Elem(), true, k.quoted})
	case reflect.Slice:
		// Bytes that are more than numbers to themselves are none in base64.
		if e := t.Elem(); e.Kind() == reflect.Uint8 && !isMarshaler(e) {
			prog.op = writeBytes
			break
		}
		prog.op = writeSlice
		prog.elem = prog.mode.compileEnc(encKey{typ: t.Elem(), addressable: true})
	case reflect.Array:
		prog.op, prog.length = writeArray, t.Len()
		prog.elem = prog.mode.compileEnc(encKey{typ: t.Elem(), addressable: k.addressable})
	case reflect.Map:
		if standardMap(t) {
			prog.leave()
			break
		}
		prog.op = writeMap
		prog.mapOf(t.Key(), t.Elem())
		if prog.op == writeMap && prog.key == writeString {
			switch t.Elem() {
			case reflect.TypeFor[string]():
				prog.op = writeTextMap
			case reflect.TypeFor[any]():
				prog.op = writeAnyMap
			}
		}
	case reflect.Struct:
		if standardStruct(t) {
			prog.leave()
			break
		}
		prog.op = writeStruct
		prog.structOf(k)
	}
}

// leave leaves the type to encoding/json, unless that would drop what is in an arena.Map.
func (prog *encProgram) leave() {
	if prog.op = writeStandard; leadsToMap(prog.typ) {
		prog.op = writeNothing
	}
}

// isMarshaler reports whether t or *t has a method by which encoding/json writes it.
func isMarshaler(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) || p.Implements(textMarshalerType) || onV2 && p.Implements(textAppenderType) || standardWrites(t)
}

// sizeStep is which of the four sizes of an integer size is.
func sizeStep(size uintptr) encOp {
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

// structOf makes prog the program of a struct.
func (prog *encProgram) structOf(k encKey) {
	fields := fieldsOf(k.typ)
	for html := range prog.fields {
		at := &prog.fields[html]
		for _, f := range fields {
			name := "," + f.plain
			if html != 0 {
				name = "," + f.escaped
			}
			out := &encField{hops: f.hops, offset: f.offset, length: uintptr(len(name))}
			name += strings.Repeat(" ", -len(name)&(piece-1))
			copy(out.begin[:], name)
			out.rest = name[piece:]
			out.most = len(name) + numberBytes
			out.prog = prog.mode.compileEnc(encKey{f.typ, k.addressable || len(f.hops) > 0, f.quoted})
			out.op = out.prog.op
			if f.omitEmpty {
				out.empty = omissionIfEmpty(f.typ)
			}
			if f.omitZero {
				out.zero = omissionIfZero(f.typ)
			}
			out.setCheck()
			*at, at = out, &out.next
		}
		if !slices.ContainsFunc(fields, func(f field) bool { return f.plain != f.escaped }) {
			prog.fields[1] = prog.fields[0]
			return
		}
	}
}

// setCheck says how f is checked.
func (f *encField) setCheck() {
	o := f.empty
	switch {
	case len(f.hops) == 0 && f.empty == omitNever && f.zero == omitNever:
		return
	case len(f.hops) > 0 || f.empty != omitNever && f.zero != omitNever:
		f.check = checkAll
		return
	case o == omitNever:
		o = f.zero
	}
	f.check, f.word = checkWord, f.offset
	switch {
	case o == omitLen:
		f.word += bits.UintSize / 8 // behind the address of a string and a slice
	case o == omitPointer:
	case o == omitZero8 && bits.UintSize == 64, o == omitZero4 && bits.UintSize == 32:
	default:
		f.check = checkAll
	}
}

// omissionIfEmpty returns what ,omitempty means for values of type t.
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

// omissionIfZero returns what ,omitzero means for values of type t.
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

// mapOf makes prog the program of a map, or leaves it that of what can't be written.
func (prog *encProgram) mapOf(key, value reflect.Type) {
	prog.keyType = key
	switch k := key.Kind(); {
	case k == reflect.String:
		prog.key = writeString
	case onV2 && key.Implements(textAppenderType):
		prog.key = writeAppended
	case key.Implements(textMarshalerType):
		prog.key = writeText
	case reflect.Int <= k && k <= reflect.Int64:
		prog.key = writeInt8 + sizeStep(key.Size())
	case reflect.Uint <= k && k <= reflect.Uintptr:
		prog.key = writeUint8 + sizeStep(key.Size())
	default:
		prog.op = writeNothing
		return
	}
	prog.elem = prog.mode.compileEnc(encKey{typ: value})
	prog.scratch = &sync.Pool{New: func() any { return newMapScratch(prog) }}
}
