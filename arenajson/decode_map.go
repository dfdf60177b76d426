package arenajson

import (
	"reflect"
	"sync"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

func (d *decoder) anyMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	return d.anyMembers(xunsafe.Cast[map[string]any](to), i)
}

// Maps of strings are alike, whatever their types are called.
var (
	anyMaps  = machine.MapTypeOf(reflect.TypeFor[map[string]any]())
	textMaps = machine.MapTypeOf(reflect.TypeFor[map[string]string]())
)

// anyMembers reads the object at i into m.
func (d *decoder) anyMembers(m *map[string]any, i int) int {
	l := &d.lists().anys
	from := len(l.all)
	i, more := d.openObject(i)
	for more {
		var x member[any]
		x.name, i = d.name(i)
		x.value, i = d.any(i)
		l.all = append(l.all, x)
		i, more = l.next(d, anyMaps, m, from, i)
	}
	l.enter(d, anyMaps, m, from)
	return i
}

func (d *decoder) textMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	l, m := &d.lists().texts, xunsafe.Cast[map[string]string](to)
	from := len(l.all)
	i, more := d.openObject(i)
	for more {
		var x member[string]
		x.name, i = d.name(i)
		if d.at(i) == '"' {
			x.value, i = d.str(i)
		} else {
			i = d.null(p.elem, xunsafe.PointerTo(&x.value), i)
		}
		l.all = append(l.all, x)
		i, more = l.next(d, textMaps, m, from, i)
	}
	l.enter(d, textMaps, m, from)
	return i
}

// member is one of a map with strings as keys.
type member[V any] struct {
	name  string
	value V
}

// memberList has the members of objects that are being read, the outermost object's first, until
// their number is known: so their map is made, or taken from those of the arena, for as many
// entries as it gets.
type memberList[V any] struct{ all []member[V] }

// mostListed is the number of members of an object after which those in the list are entered.
const mostListed = 1024

// next is decoder.next behind a member that has been appended.
func (l *memberList[V]) next(d *decoder, t *machine.MapType, m *map[string]V, from, i int) (int, bool) {
	if len(l.all)-from >= mostListed {
		l.enter(d, t, m, from)
	}
	return d.nextMember(i)
}

// enter enters the members from from on into m, which it makes if it is nil.
func (l *memberList[V]) enter(d *decoder, t *machine.MapType, m *map[string]V, from int) {
	mine := l.all[from:]
	if *m == nil {
		made := d.maps().Take(t, len(mine))
		*m = *xunsafe.Cast[map[string]V](xunsafe.PointerTo(&made))
	} else {
		d.maps().Grow(t, len(*m), len(*m)+len(mine))
	}
	to := *m
	for j := range mine {
		to[mine[j].name] = mine[j].value
	}
	clear(mine)
	l.all = l.all[:from]
}

func (l *memberList[V]) free() {
	clear(l.all) // after an error
	l.all = l.all[:0]
}

// lists has a list for each shape of values.
type lists struct {
	anys     memberList[any]
	texts    memberList[string]
	pointers memberList[xunsafe.Pointer]
	eights   memberList[uint64]
	fours    memberList[uint32]
	ones     memberList[uint8]
	slices   memberList[[]byte]
}

var freeLists = sync.Pool{New: func() any { return new(lists) }}

// lists returns d's lists, taken from the pool on first use.
func (d *decoder) lists() *lists {
	if d.members == nil {
		d.members = freeLists.Get().(*lists)
	}
	return d.members
}

// free returns l to the pool.
func (l *lists) free() {
	l.anys.free()
	l.texts.free()
	l.pointers.free()
	l.eights.free()
	l.fours.free()
	l.ones.free()
	l.slices.free()
	freeLists.Put(l)
}

// maps returns the maps of d's arena, nil if it has none.
func (d *decoder) maps() *machine.MapStore {
	if d.store == nil && d.region != nil {
		d.store = machine.Maps(d.region)
	}
	return d.store
}

// pair is a variable for a key and one for a value, on the way into a map.
type pair struct {
	key, value     reflect.Value
	keyAt, valueAt xunsafe.Pointer // where they are
}

// pairOf returns a pair for a map of program p, which is zero.
func pairOf(p *decProgram) *pair {
	x, _ := p.pairs.Get().(*pair)
	if x == nil {
		x = &pair{key: reflect.New(p.key.typ).Elem(), value: reflect.New(p.elem.typ).Elem()}
		x.keyAt, x.valueAt = x.key.Addr().UnsafePointer(), x.value.Addr().UnsafePointer()
	}
	return x
}

// otherMap reads an object into an arena.Map, or a builtin map: one whose values have no shape, or
// may have methods that fail and leave what was read so far, by package reflect. There a
// value comes before its key, as in encoding/json: what does not fit is noted in that order.
func (d *decoder) otherMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	builtin := p.op == readMap
	if builtin && p.shape != noShape && p.keys == keyString && !p.elem.mayFail() {
		return d.stringMap(p, to, i)
	}
	i, more := d.openObject(i)
	room, mine := 0, xunsafe.Pointer(nil)
	switch at := xunsafe.Cast[xunsafe.Pointer](to); {
	case *at == nil && builtin && more:
		n := max(d.maps().Recent(p.maps), 1)
		mine = d.maps().Take(p.maps, n)
		*at, room = mine, machine.MapRoom(n)
	case *at == nil:
		d.makeMap(p, to)
	case builtin:
		room = machine.MapRoom(machine.MapLen(*at))
	}
	if !more {
		return i
	}
	x := pairOf(p)
	key, value := x.keyAt, x.valueAt
	keys := to // has those of this object, for Strict, as names may differ and be one key: 0 and -0
	other := d.strict && p.keys != keyString
	if other && d.lenOf(p, to) > 0 {
		keys = d.alloc(p)
		d.makeMap(p, keys)
	}
	for n := 1; more; n++ {
		at := i
		var name string
		name, i = d.name(i)
		if builtin {
			x.value.SetZero()
			i = d.value(p.elem, value, i)
		}
		fits, into := d.key(p, key, name, at), value
		if fits {
			if other {
				if builtin {
					n := d.lenOf(p, keys)
					d.maps().Grow(p.maps, n, n+1)
				}
				if d.enter(p, keys, x, key); d.lenOf(p, keys) != n {
					d.rejectName(at)
				}
			}
			if builtin {
				room = d.makeRoom(p, xunsafe.Cast[xunsafe.Pointer](to), &mine, room)
			}
			into = d.enter(p, to, x, key)
		}
		if !builtin {
			i = d.value(p.elem, into, i)
		}
		if !fits {
			x.value.SetZero()
			d.badKey(p.key, name, at)
			n--
		}
		i, more = d.nextMember(i)
	}
	if builtin {
		d.maps().Completed(p.maps, d.lenOf(p, to))
	}
	x.key.SetZero()
	x.value.SetZero()
	p.pairs.Put(x)
	return i
}

// makeRoom sees that the map at to, which has room for so many entries, gets room for another, and
// returns how many it has room for then. mine is what to was set to, if that was done here.
func (d *decoder) makeRoom(p *decProgram, to, mine *xunsafe.Pointer, room int) int {
	d.maps().Entry(p.maps)
	if *to == nil {
		return room // a method has changed that, and the insertion panics
	}
	n := machine.MapLen(*to)
	if n < room {
		return room
	}
	if *to == *mine { // else a method may have changed that
		*mine = d.maps().Larger(p.maps, *mine)
		*to = *mine
	} else {
		d.maps().Grow(p.maps, n, n+1)
	}
	return machine.MapRoom(n + 1)
}

// makeMap has the variable at to hold a new map.
func (d *decoder) makeMap(p *decProgram, to xunsafe.Pointer) {
	if p.op == readMap {
		*xunsafe.Cast[xunsafe.Pointer](to) = d.maps().Take(p.maps, 0)
		return
	}
	d.outside(func() error { *xunsafe.Cast[xunsafe.Pointer](to) = p.maker.Make(d.a); return nil })
}

// enter gives the map at to an entry of x's key, which lies at key, and returns where its value
// belongs: in a builtin map it is there already.
func (d *decoder) enter(p *decProgram, to xunsafe.Pointer, x *pair, key xunsafe.Pointer) (value xunsafe.Pointer) {
	if p.op == readMap {
		p.at(to).SetMapIndex(x.key, x.value)
		return nil
	}
	d.outside(func() error { value = p.maker.Entry(*xunsafe.Cast[xunsafe.Pointer](to), key); return nil })
	return value
}

// lenOf is how many entries the map at to has.
func (d *decoder) lenOf(p *decProgram, to xunsafe.Pointer) (n int) {
	m := p.at(to)
	if p.op == readMap {
		return m.Len()
	}
	d.outside(func() error { n = m.Interface().(interface{ Len() int }).Len(); return nil })
	return n
}

// key makes a key of a map of program p from a name, whose member begins at i, and says
// whether it is one.
func (d *decoder) key(p *decProgram, to xunsafe.Pointer, name string, i int) bool {
	switch p.keys {
	case keyString:
		*xunsafe.Cast[string](to) = name
	case keyText:
		p.key.at(to).SetZero()
		d.fromText(p.key, to, name, i)
	case keyJSON:
		p.key.at(to).SetZero()
		d.json(p.key, to, d.doc[i:stringEnd(d.doc, i)], i) // name is undone
	default: // a number in quotes
		if d.strict && !isNumber(name) {
			return false // strconv takes more than JSON does
		}
		return setNumber(p.key.at(to), name)
	}
	return true
}
