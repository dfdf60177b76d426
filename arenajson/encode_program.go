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

// Encoding programs. How a type is encoded is determined once, by reflection. fill chooses the operation
// of a type. decode_program.go has the counterpart.
//
// encOp is the operation that encodes a value.
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
	writeAny    // the empty interface
	writeIface  // other interfaces
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
	writeAppended // an encoding.TextAppender, on v2
	writeStandard // delegated to encoding/json
	writeQuoted   // with ,string; see encProgram.inner
	writeFunc     // a MarshalFunc
	writeDynamic  // writeAny of modes other than plainMode
)

// An encProgram encodes values of one type. It is immutable once it is in use.
type encProgram struct {
	op    encOp
	inner encOp // of writeQuoted: the operation inside the quotes
	// self is set if the type itself has the method of writeJSON or writeText, and may be nil. Otherwise a
	// pointer to it has the method.
	self bool
	// addressable is set if methods of a pointer to the value may be called.
	addressable bool
	// direct is set if an interface holds such a value itself, not its address.
	direct bool
	typed
	elem *encProgram // of pointers, slices, arrays and maps

	fields  [2]*encField // of structs: the first field, without and with names escaped for HTML
	length  int          // of arrays
	key     encOp        // of maps: writeString, writeText, writeAppended or an integer's
	keyType reflect.Type // of maps
	layout  mapLayout    // of an arena.Map
	custom  *funcOption  // of a writeFunc
	mode    *mode
	scratch *sync.Pool // of maps: *mapScratch
	shape   atomic.Pointer[mapWriter]
}

// An encField encodes a field of a struct. Its prefix is a comma, the name in quotes and a colon, padded to
// whole pieces.
type encField struct {
	next   *encField // nil for the last one
	op     encOp     // prog's
	check  omissionCheck
	empty  omission // for ,omitempty
	zero   omission // for ,omitzero
	offset uintptr
	most   int         // bytes of the prefix and any number
	begin  [piece]byte // the first piece of the prefix
	length uintptr     // of the prefix, without padding
	word   uintptr     // for checkWord: its offset
	prog   *encProgram
	rest   string // the other pieces of the prefix
	hops   []hop
}

// An omission is a rule for leaving out a field.
type omission uint8

const (
	omitNever   omission = iota
	omitAlways           // an array without elements
	omitLen              // a string or slice of length 0
	omitMap              // a map of length 0
	omitPointer          // a nil pointer, interface, map or slice
	omitByte             // a zero bool or integer of one byte
	omitInt              // another zero integer
	omitFloat            // a zero float, also a negative one
	omitReflect          // zero according to package reflect
	omitMethod           // zero according to the IsZero method
)

// An omissionCheck says how a field's omissions are checked.
type omissionCheck uint8

const (
	checkNever omissionCheck = iota
	checkWord                // a zero word omits the field
	checkAll                 // hops and both omissions
)

type encKey struct {
	typ         reflect.Type
	addressable bool
	quoted      bool
}

var encLock sync.Mutex // guards the compiling of types

// encProgramOf returns the program for values of type t.
func (m *mode) encProgramOf(t reflect.Type) *encProgram {
	if n, ok := m.encPrograms.Load(t); ok {
		return n.(*encProgram)
	}
	encLock.Lock()
	defer encLock.Unlock()
	// The programs of a recursive type are used before they are complete, but only under this lock.
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

// zeroer is the interface of ,omitzero.
type zeroer interface{ IsZero() bool }

// compileEnc returns the program for k. It may be incomplete if k refers to itself. encLock is held.
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
		// ,string also applies to the targets of pointers, and not to values with methods.
		prog.op, prog.inner = writeQuoted, prog.op
	}
	return prog
}

// fill completes prog. As in encoding/json, methods of *T are called only if the T is addressable, which
// values in maps and interfaces are not.
func (prog *encProgram) fill(k encKey) {
	t := k.typ
	kind := t.Kind()
	viaPointer := kind != reflect.Pointer && kind != reflect.Interface
	has := func(method reflect.Type) bool {
		if onV2 && !viaPointer {
			return false // v2 first follows pointers and interfaces
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
		// Slices of bytes with methods are not base64.
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
			prog.delegate()
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
			prog.delegate()
			break
		}
		prog.op = writeStruct
		prog.structOf(k)
	}
}

// delegate leaves the type to encoding/json, unless that would drop the members of an arena.Map.
func (prog *encProgram) delegate() {
	if prog.op = writeStandard; leadsToMap(prog.typ) {
		prog.op = writeNothing
	}
}

// isMarshaler reports whether t or *t has a method that encodes it.
func isMarshaler(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) || p.Implements(textMarshalerType) || onV2 && p.Implements(textAppenderType) || standardWrites(t)
}

// sizeStep returns the index of an integer's size among 1, 2, 4 and 8.
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

// isDirect reports whether an interface holds a t itself. Only then the data word of a zero t is nil.
func isDirect(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return !viaReflect && t.Kind() != reflect.Interface && xunsafe.WordsOf(&zero).Data == nil
}

// structOf sets the fields of a struct.
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

// setCheck chooses the check for f's omissions.
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
		f.word += bits.UintSize / 8 // the length of a string or slice
	case o == omitPointer:
	case o == omitInt && f.prog.size == bits.UintSize/8:
	default:
		f.check = checkAll
	}
}

// omissionIfEmpty returns the omission for ,omitempty and type t.
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

// omissionIfZero returns the omission for ,omitzero and type t.
func omissionIfZero(t reflect.Type) omission {
	if t.Implements(zeroType) || reflect.PointerTo(t).Implements(zeroType) {
		return omitMethod
	}
	return omissionOfZero(t)
}

// omissionOfZero returns the omission of zero values of type t, without methods.
func omissionOfZero(t reflect.Type) omission {
	switch k := t.Kind(); k {
	case reflect.String:
		return omitLen
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		return omitPointer
	case reflect.Float32, reflect.Float64:
		return omitFloat
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return omitByte
	default:
		if reflect.Int <= k && k <= reflect.Uintptr {
			return omitInt
		}
	}
	return omitReflect
}

// mapOf sets the programs of a map's keys and values, or writeNothing if such keys can't be encoded.
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
