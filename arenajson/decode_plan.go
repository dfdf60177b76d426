package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/ebbpool/arena/internal/hooks"
	"github.com/ebbpool/arena/internal/machine"
)

// act is what reading a value of some type does.
type act uint8

const (
	readNothing act = iota // what no value of JSON fits: channels, functions, maps with keys of other types
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
	readIface    // other interfaces: only through the pointer that one holds
	readAnyMap   // map[string]any
	readTextMap  // map[string]string
	readMap      // other builtin maps, whose keys have a keyAct
	readArenaMap // *arena.Map with such keys
	readNoMap    // an arena.Map that can't be read: with other keys, or not behind a pointer
	readJSON     // json.Unmarshaler
	readText     // encoding.TextUnmarshaler
)

// keyAct is how a map's keys are made of names.
type keyAct uint8

const (
	noKey   keyAct = iota // they can't be
	keyText               // by their method UnmarshalText
	keyJSON               // by their method UnmarshalJSON, which goes before the other
	keyString
	keyInt
	keyUint
)

// plan is how values of one type are read: made once, and then shared.
type plan struct {
	act  act
	typ  reflect.Type
	mem  *machine.Type // of typ
	size uintptr       // of typ, in bytes

	elem   *plan // of slices, arrays, pointers, maps
	key    *plan // of maps
	keys   keyAct
	length int // of arrays
	object *memberTable
	maker  hooks.MapMaker // of arena maps

	// calls says, of what a program asks to decode, that somewhere in it are methods of
	// the program, which are to be called for valid documents only.
	calls bool
}

// planKey names a plan. Values of one type may be read by their methods or without:
// encoding/json looks for those of a variable only where its type has a name, and
// behind a pointer only where that type has none.
type planKey struct {
	typ     reflect.Type
	methods bool
}

var (
	plans     sync.Map // from the reflect.Type of a pointer to the plan of what it leads to
	plansLock sync.Mutex
	planned   = map[planKey]*plan{} // all, under the lock
)

// planOf returns the plan for what a pointer of type t leads to, which a program asks
// to decode.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	plansLock.Lock()
	defer plansLock.Unlock()
	if known, ok := plans.Load(t); ok {
		return known.(*plan) // which others read by now
	}
	p := makePlanBehind(t)
	if !p.calls {
		p.calls = p.has(map[*plan]bool{}, func(p *plan) bool {
			return p.act == readJSON || p.act == readText || p.keys == keyText || p.keys == keyJSON
		})
	}
	plans.Store(t, p)
	return p
}

// has reports whether what is true of p or of a plan that p leads to.
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

// makePlan returns the plan for a variable of type t, which may not be filled in yet
// where t leads to itself. The lock is held.
func makePlan(t reflect.Type) *plan { return makePlanBy(planKey{t, t.Name() != ""}) }

// makePlanBehind is makePlan for what a pointer of type t leads to.
func makePlanBehind(t reflect.Type) *plan { return makePlanBy(planKey{t.Elem(), t.Name() == ""}) }

func makePlanBy(k planKey) *plan {
	if p := planned[k]; p != nil {
		return p
	}
	p := &plan{typ: k.typ, mem: machine.TypeOf(k.typ), size: k.typ.Size()}
	planned[k] = p
	p.fill(k.methods)
	return p
}

// ownMethods reports whether values of t are read by methods of *t, and by which.
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

func (p *plan) fill(methods bool) {
	t := p.typ
	switch t {
	case reflect.TypeFor[json.Number]():
		p.act = readNumber
		return
	case reflect.TypeFor[map[string]any]():
		p.act = readAnyMap
		p.elem = makePlan(t.Elem())
		return
	case reflect.TypeFor[map[string]string]():
		p.act = readTextMap
		p.elem = makePlan(t.Elem())
		return
	}
	if methods {
		switch t {
		case reflect.TypeFor[json.RawMessage]():
			p.act = readRaw
			return
		case reflect.TypeFor[time.Time]():
			p.act = readTime
			return
		}
		if a, ok := ownMethods(t); ok {
			p.act = a
			return
		}
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
		if _, ok := hooks.MakerOf(reflect.PointerTo(t)); ok {
			p.act = readNoMap
			return
		}
		p.act = readStruct
		p.object = newMemberTable(t)
	case reflect.Interface:
		if p.act = readIface; t.NumMethod() == 0 {
			p.act = readAny
		}
	case reflect.Map:
		if k := keyActOf(t.Key()); k != noKey {
			p.act, p.keys, p.key, p.elem = readMap, k, makePlan(t.Key()), makePlan(t.Elem())
		}
	}
}

func (p *plan) fillPointer() {
	t := p.typ
	if maker, ok := hooks.MakerOf(t); ok {
		k := keyActOf(maker.Key())
		if k == noKey {
			p.act = readNoMap
			return
		}
		p.act, p.keys, p.maker = readArenaMap, k, maker
		p.key, p.elem = makePlan(maker.Key()), makePlan(maker.Value())
		return
	}
	p.act, p.elem = readPointer, makePlanBehind(t)
}

// keyActOf says how keys of type t are made of names.
func keyActOf(t reflect.Type) keyAct {
	switch by, _ := ownMethods(t); {
	case by == readText:
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
