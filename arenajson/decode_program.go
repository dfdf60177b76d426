package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// decOp is the operation that reads a value of some type.
type decOp uint8

const (
	readNothing decOp = iota // what no value of JSON fits: channels, functions, maps with keys of other types
	readBool
	readInt // of either kind
	readFloat32
	readFloat64
	readString
	readNumber // json.Number
	readRaw    // json.RawMessage
	readTime   // time.Time
	readBytes  // from base64, or an array of numbers
	readSlice
	readArray
	readPointer
	readStruct
	readAny      // the empty interface
	readIface    // other interfaces: only through the pointer that one holds
	readAnyMap   // map[string]any
	readTextMap  // map[string]string
	readMap      // other builtin maps, whose keys have a keyOp
	readArenaMap // *arena.Map with such keys
	readNoMap    // an arena.Map that can't be read: with other keys, or not behind a pointer
	readJSON     // json.Unmarshaler
	readText     // encoding.TextUnmarshaler
	readStandard // what is left to encoding/json
)

// keyOp is how a map's keys are made of names.
type keyOp uint8

const (
	noKey   keyOp = iota // they can't be
	keyText              // by their method UnmarshalText
	keyJSON              // by their method UnmarshalJSON, which goes before the other
	keyString
	keyInt
	keyUint
)

// decProgram is how values of one type are read. It never changes once it is used.
type decProgram struct {
	op decOp
	typed
	mem *machine.Type

	elem   *decProgram // of slices, arrays, pointers, maps
	key    *decProgram // of maps
	keys   keyOp
	pairs  sync.Pool        // of *pair, of maps
	maps   *machine.MapType // of builtin maps
	shape  shape            // of the values of builtin maps with strings as keys
	fails  atomic.Uint32    // see mayFail
	length int              // of arrays
	most   uint64           // of integers: the largest
	signed uint64           // 1 where one less than -most is, too
	fields *decFields
	maker  hooks.MapMaker // of arena maps

	// calls says, of what a caller asks to decode, that somewhere in it are methods of
	// the caller's, which are to be called for valid documents only.
	calls bool
	asked bool // calls is filled in; under the lock
}

// decKey names a program. Values of one type may be read by their methods or without:
// encoding/json looks for those of a variable only where its type has a name, and
// behind a pointer only where that type has none. One that is built on v2 always does.
type decKey struct {
	typ     reflect.Type
	methods bool
}

var (
	decPrograms sync.Map // from the reflect.Type of a pointer to the program of what it leads to
	decLock     sync.Mutex
	decCompiled = map[decKey]*decProgram{} // all, under the lock
)

// decProgramOf returns the program for what a pointer of type t leads to, which a caller asks
// to decode.
func decProgramOf(t reflect.Type) *decProgram {
	if known, ok := decPrograms.Load(t); ok {
		return known.(*decProgram)
	}
	decLock.Lock()
	defer decLock.Unlock()
	if known, ok := decPrograms.Load(t); ok {
		return known.(*decProgram) // which others read by now
	}
	p := compileDecBehind(t)
	if !p.asked {
		p.asked = true // pointer types that have names may share p: others read calls by now
		p.calls = p.has(map[*decProgram]bool{}, (*decProgram).isMethod)
	}
	decPrograms.Store(t, p)
	return p
}

// has reports whether what is true of p or of a program that p leads to.
func (p *decProgram) has(seen map[*decProgram]bool, what func(*decProgram) bool) bool {
	if p == nil || seen[p] {
		return false
	}
	seen[p] = true
	if what(p) || p.elem.has(seen, what) || p.key.has(seen, what) {
		return true
	}
	if p.fields != nil {
		for i := range p.fields.all {
			if p.fields.all[i].prog.has(seen, what) {
				return true
			}
		}
	}
	return false
}

// isMethod reports whether p calls a method of the program.
func (p *decProgram) isMethod() bool {
	return p.op == readJSON || p.op == readText || p.op == readStandard || p.keys == keyText || p.keys == keyJSON
}

// mayStop reports whether p, or a field of its struct, can end the reading with an error that leaves
// what was read so far: one of a method, of a time, a json.Number, or a field with ,string.
func (p *decProgram) mayStop() bool {
	if p.isMethod() || p.op == readTime || p.op == readNumber {
		return true
	}
	return p.fields != nil && slices.ContainsFunc(p.fields.all, func(f decField) bool { return f.quoted })
}

// mayFail reports whether p or a program that it leads to may stop. p is complete.
func (p *decProgram) mayFail() bool {
	const no, yes = 1, 2
	x := p.fails.Load()
	if x == 0 {
		if x = no; p.has(map[*decProgram]bool{}, (*decProgram).mayStop) {
			x = yes
		}
		p.fails.Store(x)
	}
	return x == yes
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// compileDec returns the program for a variable of type t, which may not be filled in yet
// where t leads to itself. The lock is held.
func compileDec(t reflect.Type) *decProgram { return compileDecKey(decKey{t, onV2 || t.Name() != ""}) }

// compileDecBehind is compileDec for what a pointer of type t leads to.
func compileDecBehind(t reflect.Type) *decProgram {
	return compileDecKey(decKey{t.Elem(), onV2 || t.Name() == ""})
}

func compileDecKey(k decKey) *decProgram {
	if p := decCompiled[k]; p != nil {
		return p
	}
	p := &decProgram{typed: typedOf(k.typ), mem: machine.TypeOf(k.typ)}
	decCompiled[k] = p
	p.fill(k.methods)
	return p
}

// ownMethods reports whether values of t are read by methods of *t, and by which.
func ownMethods(t reflect.Type) (decOp, bool) {
	switch pointer := reflect.PointerTo(t); {
	case t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer:
		return 0, false
	case standardReads(t):
		return readStandard, true
	case pointer.Implements(jsonUnmarshaler):
		return readJSON, true
	case pointer.Implements(textUnmarshaler):
		return readText, true
	}
	return 0, false
}

func (p *decProgram) fill(methods bool) {
	t := p.typ
	switch t {
	case reflect.TypeFor[json.Number]():
		p.op = readNumber
		return
	case reflect.TypeFor[map[string]any]():
		p.op = readAnyMap
		p.elem = compileDec(t.Elem())
		return
	case reflect.TypeFor[map[string]string]():
		p.op = readTextMap
		p.elem = compileDec(t.Elem())
		return
	}
	if methods {
		switch t {
		case reflect.TypeFor[json.RawMessage]():
			p.op = readRaw
			return
		case reflect.TypeFor[time.Time]():
			p.op = readTime
			return
		}
		if a, ok := ownMethods(t); ok {
			p.op = a
			return
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		p.op = readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.op, p.most, p.signed = readInt, 1<<(8*p.size-1)-1, 1
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.op, p.most = readInt, 1<<(8*p.size)-1
	case reflect.Float32:
		p.op = readFloat32
	case reflect.Float64:
		p.op = readFloat64
	case reflect.String:
		p.op = readString
	case reflect.Slice:
		p.elem = compileDec(t.Elem())
		p.op = readSlice
		if t.Elem().Kind() == reflect.Uint8 {
			p.op = readBytes
		}
	case reflect.Array:
		p.elem, p.length = compileDec(t.Elem()), t.Len()
		p.op = readArray
	case reflect.Pointer:
		p.fillPointer()
	case reflect.Struct:
		if _, ok := hooks.MakerOf(reflect.PointerTo(t)); ok {
			p.op = readNoMap
			return
		}
		if standardStruct(t) {
			p.leave()
			return
		}
		p.op = readStruct
		p.fields = newDecFields(t)
	case reflect.Interface:
		if p.op = readIface; t.NumMethod() == 0 {
			p.op = readAny
		}
	case reflect.Map:
		if standardMap(t) {
			p.leave()
			return
		}
		if k := keyOpOf(t.Key()); k != noKey {
			p.op, p.keys, p.key, p.elem = readMap, k, compileDec(t.Key()), compileDec(t.Elem())
			switch { // maps of strings are alike, whatever their types are called
			case k == keyString && p.elem.op == readString:
				p.op = readTextMap
			case k == keyString && t.Elem() == faceProgram.typ:
				p.op = readAnyMap
			case k == keyString:
				p.shape = shapeOf(t.Elem())
			}
			p.maps = machine.MapTypeOf(t)
		}
	}
}

// leave leaves the type to encoding/json, unless that would drop what is for an arena.Map.
func (p *decProgram) leave() {
	if p.op = readStandard; leadsToMap(p.typ) {
		p.op = readNothing
	}
}

func (p *decProgram) fillPointer() {
	t := p.typ
	if maker, ok := hooks.MakerOf(t); ok {
		k := keyOpOf(maker.Key())
		if k == noKey {
			p.op = readNoMap
			return
		}
		p.op, p.keys, p.maker = readArenaMap, k, maker
		p.key, p.elem = compileDec(maker.Key()), compileDec(maker.Value())
		return
	}
	if isEndless(t) {
		return // nothing can be read into it
	}
	p.op, p.elem = readPointer, compileDecBehind(t)
}

// isEndless reports whether pointer type t leads to pointers only, as type P *P does.
func isEndless(t reflect.Type) bool {
	for seen := map[reflect.Type]bool{}; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			return true
		}
		seen[t] = true
	}
	return false
}

// keyOpOf says how keys of type t are made of names.
func keyOpOf(t reflect.Type) keyOp {
	switch by, _ := ownMethods(t); {
	case by == readText, onV2 && t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(textUnmarshaler):
		return keyText
	case by == readJSON && reflect.PointerTo(t).Implements(textUnmarshaler):
		return keyJSON
	}
	switch k := t.Kind(); {
	case k == reflect.String:
		return keyString
	case reflect.Int <= k && k <= reflect.Int64:
		return keyInt
	case reflect.Uint <= k && k <= reflect.Uintptr:
		return keyUint
	}
	return noKey
}
