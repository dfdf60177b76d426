package arenajson

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Decoding programs. How a type is decoded is determined once, by reflection, and never changes afterwards.
// fill chooses the operation of a type; the fields of a struct are at the end. encode_program.go has the
// counterpart; "Compiled types" in internal/machine/doc.go has the terms of both.

// decOp is the operation that decodes a value.
type decOp uint8

const (
	readNothing decOp = iota // no JSON value fits: channels, functions, maps with keys of other types
	readBool
	readInt // signed or not
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
	readIface    // other interfaces
	readMap      // builtin maps
	readArenaMap // *arena.Map
	readNoMap    // an arena.Map with keys of other types, or not behind a pointer
	readJSON     // json.Unmarshaler
	readText     // encoding.TextUnmarshaler
	readStandard // delegated to encoding/json
	readFunc     // an UnmarshalFunc
	readQuoted   // a number in a string, for StringifyNumbers
)

// keyOp is the operation that decodes the key of a map.
type keyOp uint8

const (
	noKey   keyOp = iota
	keyText       // UnmarshalText
	keyJSON       // UnmarshalJSON, which takes precedence
	keyString
	keyInt
	keyUint
)

// A decProgram decodes values of one type.
type decProgram struct {
	op decOp
	typed
	mem *machine.Type

	mode   *mode
	custom *funcOption // of a readFunc
	elem   *decProgram // of slices, arrays, pointers, maps; of a readQuoted the number
	key    *decProgram // of maps
	keys   keyOp
	shape  shape            // of the values of a builtin map with strings as keys
	maps   *machine.MapType // of builtin maps
	maker  hooks.MapMaker   // of an arena.Map
	pairs  sync.Pool        // of *pair, for maps
	fails  atomic.Uint32    // see mayFail
	length int              // of arrays
	most   uint64           // of integers: the maximum
	signed uint64           // of integers: 1 if signed
	fields *decFields       // of structs

	// calls is set if the program calls methods, which must see valid documents only. It is valid in programs
	// that decProgramOf returns.
	calls bool
	asked bool // calls is valid; guarded by decLock
}

// decKey identifies a program. encoding/json calls the methods of a variable only if its type has a name, and
// the methods of a pointer's element only if the pointer type has none. If it is built on v2, it always does.
type decKey struct {
	typ     reflect.Type
	methods bool
}

var decLock sync.Mutex // guards the compiling of types

// decProgramOf returns the program for the element of pointer type t.
func (m *mode) decProgramOf(t reflect.Type) *decProgram {
	if known, ok := m.decPrograms.Load(t); ok {
		return known.(*decProgram)
	}
	decLock.Lock()
	defer decLock.Unlock()
	if known, ok := m.decPrograms.Load(t); ok {
		return known.(*decProgram) // which other goroutines use
	}
	p := m.compileDecElem(t)
	if !p.asked {
		p.asked = true // pointer types with names may share p, which is in use then
		p.calls = p.has(map[*decProgram]bool{}, (*decProgram).callsMethod)
	}
	m.decPrograms.Store(t, p)
	return p
}

// has reports whether what returns true for p or a program that p uses.
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

// callsMethod reports whether p calls a method or an UnmarshalFunc.
func (p *decProgram) callsMethod() bool {
	return p.op == readJSON || p.op == readText || p.op == readStandard || p.op == readFunc || p.keys == keyText || p.keys == keyJSON
}

// mayStop reports whether p, or a field of its struct, may end decoding with an error that keeps the decoded
// values: an error of a method, a time, a json.Number, or a field with ,string.
func (p *decProgram) mayStop() bool {
	if p.callsMethod() || p.op == readTime || p.op == readNumber {
		return true
	}
	return p.fields != nil && slices.ContainsFunc(p.fields.all, func(f decField) bool { return f.quoted })
}

// mayFail reports whether p or a program that it uses may stop. It is computed on first use, because programs of
// recursive types are incomplete while they are compiled.
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

// compileDec returns the program for a variable of type t, which is incomplete if t refers to itself. decLock is
// held.
func (m *mode) compileDec(t reflect.Type) *decProgram {
	return m.compileDecKey(decKey{t, onV2 || t.Name() != ""})
}

// compileDecElem is compileDec for the element of pointer type t.
func (m *mode) compileDecElem(t reflect.Type) *decProgram {
	return m.compileDecKey(decKey{t.Elem(), onV2 || t.Name() == ""})
}

func (m *mode) compileDecKey(k decKey) *decProgram {
	if p := m.decCompiled[k]; p != nil {
		return p
	}
	if m.decCompiled == nil {
		m.decCompiled = map[decKey]*decProgram{}
	}
	p := &decProgram{mode: m, typed: typedOf(k.typ), mem: machine.TypeOf(k.typ)}
	m.decCompiled[k] = p
	p.fill(k.methods)
	if m.flags&stringifyNumbers != 0 && (p.op == readInt || p.op == readFloat32 || p.op == readFloat64 || p.op == readNumber) {
		p.op, p.elem = readQuoted, plainMode.compileDecKey(k)
	}
	return p
}

// ownMethods returns the operation for values of t that methods of *t decode, readNothing if there are none.
func ownMethods(t reflect.Type) decOp {
	switch pointer := reflect.PointerTo(t); {
	case t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer:
	case standardReads(t):
		return readStandard
	case pointer.Implements(jsonUnmarshaler):
		return readJSON
	case pointer.Implements(textUnmarshaler):
		return readText
	}
	return readNothing
}

// fill completes p. methods is the field of its decKey.
func (p *decProgram) fill(methods bool) {
	t := p.typ
	if p.custom = p.mode.reader(t); p.custom != nil {
		p.op = readFunc
		return
	}
	if t == reflect.TypeFor[json.Number]() {
		p.op = readNumber
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
		if p.op = ownMethods(t); p.op != readNothing {
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
		p.elem = p.mode.compileDec(t.Elem())
		p.op = readSlice
		if t.Elem().Kind() == reflect.Uint8 {
			p.op = readBytes
		}
	case reflect.Array:
		p.elem, p.length = p.mode.compileDec(t.Elem()), t.Len()
		p.op = readArray
	case reflect.Pointer:
		if maker, ok := hooks.MakerOf(t); ok {
			if p.op = readNoMap; p.setMap(maker.Key(), maker.Value()) {
				p.op, p.maker = readArenaMap, maker
			}
		} else if !isEndless(t) {
			p.op, p.elem = readPointer, p.mode.compileDecElem(t)
		}
	case reflect.Struct:
		if _, ok := hooks.MakerOf(reflect.PointerTo(t)); ok {
			p.op = readNoMap
			return
		}
		if standardStruct(t) {
			p.delegate()
			return
		}
		p.op = readStruct
		p.fields = newDecFields(p.mode, t)
	case reflect.Interface:
		if p.op = readIface; t.NumMethod() == 0 {
			p.op = readAny
		}
	case reflect.Map:
		if standardMap(t) {
			p.delegate()
			return
		}
		if p.setMap(t.Key(), t.Elem()) {
			p.op, p.maps = readMap, machine.MapTypeOf(t)
			if p.keys == keyString {
				p.shape = shapeOf(t.Elem())
			}
		}
	}
}

// delegate leaves the type to encoding/json, unless that would drop the members of an arena.Map.
func (p *decProgram) delegate() {
	if p.op = readStandard; leadsToMap(p.typ) {
		p.op = readNothing
	}
}

// setMap sets the programs of a map's keys and values, and reports whether such keys can be decoded.
func (p *decProgram) setMap(key, value reflect.Type) bool {
	if p.keys = keyOpOf(key); p.keys == noKey {
		return false
	}
	p.key, p.elem = p.mode.compileDec(key), p.mode.compileDec(value)
	return true
}

// isEndless reports whether pointer type t points to pointers only, as type P *P does.
func isEndless(t reflect.Type) bool {
	for seen := map[reflect.Type]bool{}; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			return true
		}
		seen[t] = true
	}
	return false
}

// keyOpOf returns the operation for keys of type t.
func keyOpOf(t reflect.Type) keyOp {
	switch by := ownMethods(t); {
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

// decFields are the fields of a struct, and hash tables to find them by name.
type decFields struct {
	all []decField // in the struct's order

	// table has the fields by name, with linear probing. Its size is a power of two, and at most half of its
	// slots are used. A slot is 0, or one more than an index of all.
	table []uint16
	shift uint8

	// Names that differ only in case have the same folded name. uppers is a table like the other one, for
	// folded names in ASCII.
	folded map[string]int
	uppers []uint16
}

// A decField decodes a field of a struct.
type decField struct {
	// The name in quotes, for comparisons with a document: word has the first eight bytes, of which mask
	// selects the name's; of a longer name, second has the next eight, tail the last eight, and middle the rest.
	word, mask   uint64
	second, tail uint64
	length       int

	prog   *decProgram
	offset uintptr
	op     decOp // prog's, if plain is set
	quoted bool
	plain  bool // not quoted, and without embedded pointers before it

	name   string
	upper  string // the folded name
	middle string
	hops   []*decProgram // of the structs that the embedded pointers before it point to
	via    []hop

	path []string // in errors: the names of embedded structs, and its own
}

// newDecFields returns the fields of struct type t.
func newDecFields(in *mode, t reflect.Type) *decFields {
	m := &decFields{folded: map[string]int{}}
	for _, f := range fieldsOf(t) {
		quoted := f.quoted && !standardIgnoresQuotes(f.typ) && (in.flags&stringifyNumbers == 0 || !isNumeric(f.typ))
		x := decField{name: f.name, prog: in.compileDec(f.typ), via: f.hops, offset: f.offset, quoted: quoted, plain: !quoted && len(f.hops) == 0}
		for _, h := range f.hops {
			x.hops = append(x.hops, in.compileDec(h.typ))
		}
		for k := range f.index[:len(f.index)-1] {
			x.path = append(x.path, t.FieldByIndex(f.index[:k+1]).Name)
		}
		x.path = append(x.path, f.name)
		if x.plain {
			x.op = x.prog.op // other programs may be incomplete
		}
		x.setBegin()
		x.upper = string(appendFolded(nil, f.name))
		m.all = append(m.all, x)
		// The first of equal folded names wins; on v2 the least nested one.
		if at := m.folded[x.upper]; at == 0 || onV2 && len(x.path) < len(m.all[at-1].path) {
			m.folded[x.upper] = len(m.all)
		}
	}
	size := 1 << bits.Len(uint(2*len(m.all)))
	m.table, m.shift = make([]uint16, size), uint8(64-bits.Len(uint(size-1)))
	m.uppers = make([]uint16, size)
	for i := range m.all {
		m.insert(m.table, m.all[i].name, i+1)
	}
	for upper, i := range m.folded {
		m.insert(m.uppers, upper, i)
	}
	return m
}

// insert stores i for name in the first free slot of table.
func (m *decFields) insert(table []uint16, name string, i int) {
	at := m.place(name)
	for table[at] != 0 {
		at = (at + 1) % len(table)
	}
	table[at] = uint16(i)
}

// isNumeric reports whether StringifyNumbers applies to variables of type t.
func isNumeric(t reflect.Type) bool {
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Float64 || t == numberType
}

// setBegin sets the parts of the name in quotes.
func (f *decField) setBegin() {
	s := `"` + f.name + `"`
	f.length = len(s)
	f.word, f.mask = firstWord(s)
	if len(s) > 8 {
		f.tail = xunsafe.Text64(s, len(s)-8)
	}
	if len(s) > 16 {
		f.second = xunsafe.Text64(s, 8)
	}
	if len(s) > 24 {
		f.middle = s[16 : len(s)-8]
	}
}

// firstWord returns the first eight bytes of s, and a mask of the bytes that s has.
func firstWord(s string) (word, mask uint64) {
	for i := range min(len(s), 8) {
		word |= uint64(s[i]) << (8 * i)
		mask |= 0xff << (8 * i)
	}
	return word, mask
}

// place returns the first slot for name.
func (m *decFields) place(name string) int {
	w := uint64(len(name))
	if len(name) >= 8 {
		w += xunsafe.Text64(name, 0) ^ xunsafe.Text64(name, len(name)-8)<<1
	} else {
		first, _ := firstWord(name)
		w += first
	}
	return int(w * 0x9e3779b97f4a7c15 >> m.shift)
}

// find returns the index of the field for name, -1 if there is none. Unless exact is set, a field whose name
// differs only in case also matches.
func (m *decFields) find(name string, exact bool) int {
	for at := m.place(name); ; at = (at + 1) % len(m.table) {
		i := int(m.table[at]) - 1
		if i < 0 {
			break
		}
		if m.all[i].name == name {
			return i
		}
	}
	if exact || len(m.all) == 0 {
		return -1
	}
	var buf [64]byte
	if len(name) > len(buf) || !upperASCII(&buf, name) {
		return m.folded[string(appendFolded(buf[:0], name))] - 1
	}
	upper := xunsafe.ViewString(buf[:len(name)])
	for at := m.place(upper); ; at = (at + 1) % len(m.uppers) {
		i := int(m.uppers[at]) - 1
		if i < 0 || m.all[i].upper == upper {
			return i
		}
	}
}

// upperASCII sets b to name in upper case, and reports whether name is in ASCII. The folded name is the same,
// because no rune that differs from an ASCII letter only in case is below its upper case.
func upperASCII(b *[64]byte, name string) bool {
	const ones = 0x0101010101010101
	i := 0
	for ; i+8 <= len(name); i += 8 {
		w := xunsafe.Text64(name, i)
		if w&(0x80*ones) != 0 {
			return false
		}
		lower := (w + (0x80-'a')*ones) &^ (w + (0x7f-'z')*ones) & (0x80 * ones)
		binary.LittleEndian.PutUint64(b[i:], w-lower>>2)
	}
	for ; i < len(name); i++ {
		c := name[i]
		if c >= 0x80 {
			return false
		}
		if c-'a' < 26 {
			c -= 'a' - 'A'
		}
		b[i] = c
	}
	return true
}

// appendFolded appends the folded name to b: each rune is replaced by the least one that differs from it only in
// case, as in encoding/json.
func appendFolded(b []byte, name string) []byte {
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		i += size
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				r = next
				break
			}
			r = next
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}
