package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/ebbpool/arena/internal/door"
	"github.com/ebbpool/arena/internal/machine"
)

// act is what reading a value of some type does.
type act uint8

const (
	readOther act = iota // left to encoding/json, which knows all types
	readBool
	readInt
	readUint
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
	readAnyMap   // map[string]any
	readTextMap  // map[string]string
	readMap      // other builtin maps with keys of strings, integers or TextUnmarshalers
	readArenaMap // *arena.Map with such keys
	readNoMap    // an arena.Map that can't be read: with other keys, or not behind a pointer
	readJSON     // json.Unmarshaler
	readText     // encoding.TextUnmarshaler
)

// plan is how values of one type are read: made once, and then shared.
type plan struct {
	act  act
	typ  reflect.Type
	mem  *machine.Type // of typ
	size uintptr       // of typ, in bytes

	elem   *plan // of slices, arrays, pointers, maps
	key    *plan // of maps
	length int   // of arrays
	object *memberTable
	maker  door.MapMaker // of arena maps

	// What is somewhere in a value of the type, set for what a program asks to decode.
	calls bool // methods of the program, which are to be called for valid documents only
	maps  bool // arena maps, which encoding/json doesn't know
}

var (
	plans     sync.Map // from reflect.Type to *plan, for those that were asked for
	plansLock sync.Mutex
	planned   = map[reflect.Type]*plan{} // all, under the lock
)

// planOf returns the plan for what a program asks to decode.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	plansLock.Lock()
	defer plansLock.Unlock()
	if known, ok := plans.Load(t); ok {
		return known.(*plan) // which others read by now
	}
	p := makePlan(t)
	seen := map[*plan]bool{}
	p.calls = p.has(seen, func(p *plan) bool { return p.act == readOther || p.act == readJSON || p.act == readText })
	clear(seen)
	p.maps = p.has(seen, func(p *plan) bool { return p.act == readArenaMap || p.act == readNoMap })
	plans.Store(t, p)
	return p
}

// has says whether what is true of p or of a plan that p leads to.
func (p *plan) has(seen map[*plan]bool, what func(*plan) bool) bool {
	if p == nil || seen[p] {
		return false
	}
	seen[p] = true
	if what(p) || p.elem.has(seen, what) || p.key.has(seen, what) {
		return true
	}
	if p.object != nil {
		for i := range p.object.all {
			if p.object.all[i].plan.has(seen, what) {
				return true
			}
		}
	}
	return false
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// makePlan returns the plan for t, which may not be filled in yet where t leads to
// itself. The lock is held.
func makePlan(t reflect.Type) *plan {
	if p := planned[t]; p != nil {
		return p
	}
	p := &plan{typ: t, mem: machine.TypeOf(t), size: t.Size()}
	planned[t] = p
	p.fill()
	return p
}

// ownMethods says whether values of t are read by methods of *t, and by which.
// encoding/json looks for those of a variable only where its type has a name.
func ownMethods(t reflect.Type) (act, bool) {
	switch pointer := reflect.PointerTo(t); {
	case t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer:
		return 0, false
	case pointer.Implements(jsonUnmarshaler):
		return readJSON, true
	case pointer.Implements(textUnmarshaler):
		return readText, true
	}
	return 0, false
}

func (p *plan) fill() {
	t := p.typ
	switch t {
	case reflect.TypeFor[json.Number]():
		p.act = readNumber
		return
	case reflect.TypeFor[json.RawMessage]():
		p.act = readRaw
		return
	case reflect.TypeFor[time.Time]():
		p.act = readTime
		return
	case reflect.TypeFor[map[string]any]():
		p.act = readAnyMap
		return
	case reflect.TypeFor[map[string]string]():
		p.act = readTextMap
		return
	}
	if a, ok := ownMethods(t); ok && t.Name() != "" {
		p.act = a
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		p.act = readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.act = readInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.act = readUint
	case reflect.Float32:
		p.act = readFloat32
	case reflect.Float64:
		p.act = readFloat64
	case reflect.String:
		p.act = readString
	case reflect.Slice:
		p.elem = makePlan(t.Elem())
		p.act = readSlice
		if t.Elem().Kind() == reflect.Uint8 {
			p.act = readBytes
		}
	case reflect.Array:
		p.elem, p.length = makePlan(t.Elem()), t.Len()
		p.act = readArray
	case reflect.Pointer:
		p.fillPointer()
	case reflect.Struct:
		if _, ok := door.MakerOf(reflect.PointerTo(t)); ok {
			p.act = readNoMap
			return
		}
		p.act = readStruct
		p.object = newMemberTable(fieldsOf(t))
	case reflect.Interface:
		if t.NumMethod() == 0 {
			p.act = readAny
		}
	case reflect.Map:
		k := t.Key()
		if isMapKey(k) {
			p.act, p.key, p.elem = readMap, makePlan(k), makePlan(t.Elem())
		}
	}
}

func (p *plan) fillPointer() {
	t := p.typ
	if maker, ok := door.MakerOf(t); ok {
		if !isMapKey(maker.Key()) {
			p.act = readNoMap
			return
		}
		p.act, p.maker = readArenaMap, maker
		p.key, p.elem = makePlan(maker.Key()), makePlan(maker.Value())
		return
	}
	if _, ok := ownMethods(t.Elem()); ok && t.Elem().Name() == "" || t.Name() != "" {
		return // methods that only a pointer leads to, or a pointer that encoding/json does not follow at once
	}
	p.act, p.elem = readPointer, makePlan(t.Elem())
}

// isMapKey says whether keys of type t are read from names here: strings and integers
// without a method for that, and what reads itself from text.
func isMapKey(t reflect.Type) bool {
	if by, ok := ownMethods(t); ok {
		return by == readText && t.Name() != ""
	}
	k := t.Kind()
	return k == reflect.String || reflect.Int <= k && k <= reflect.Uintptr
}
