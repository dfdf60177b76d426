package arenajson

import (
	"maps"
	"reflect"
	"sync"

	"github.com/ebbpool/arena/internal/smallmap"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// name reads the name at i of a member of a map, and the colon and the spaces behind it.
func (d *decoder) name(i int) (string, int) {
	if d.at(i) != '"' {
		d.fail()
	}
	at := i
	s, i := d.str(i)
	if d.strict {
		d.addName(at, i)
	}
	if i = d.space(i); d.at(i) != ':' {
		d.fail()
	}
	return s, d.space(i + 1)
}

// next goes on behind a member that ends at i, and reports whether there is another.
func (d *decoder) next(i int) (int, bool) {
	i = d.space(i)
	switch d.at(i) {
	case ',':
		return d.space(i + 1), true
	case '}':
		d.depth--
		if d.strict {
			d.endNames()
		}
		return i + 1, false
	}
	d.fail()
	return 0, false
}

// open begins the object at i, and reports whether it has members.
func (d *decoder) open(i int) (begin int, more bool) {
	d.deeper(i)
	if i = d.space(i + 1); d.at(i) == '}' {
		d.depth--
		return i + 1, false
	}
	if d.strict {
		d.beginNames()
	}
	return i, true
}

func (d *decoder) anyMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	return d.anyMembers(xunsafe.Cast[map[string]any](to), i)
}

// anyMembers reads the object at i into m.
func (d *decoder) anyMembers(m *map[string]any, i int) int {
	return d.lists().anys.read(d, nil, m, i)
}

func (d *decoder) textMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	return d.lists().texts.read(d, p.elem, xunsafe.Cast[map[string]string](to), i)
}

// member is one of a map with strings as keys.
type member[V any] struct {
	name  string
	value V
}

// memberList has the members of objects that are being read, the outermost object's first, for
// which a new map has no room: that is made once, as large as it has to be.
type memberList[V any] struct {
	all   []member[V]
	used  *mapsTo[V] // maps to use again, if there are any
	maker *smallmap.Maker
	fresh smallmap.Source
}

// lists is what a decoder of maps has while it reads.
type lists struct {
	anys  memberList[any]
	texts memberList[string]
	rest  []source
}

// source makes the maps of a program that has neither.
type source struct {
	of    *decProgram
	fresh smallmap.Source
}

// mostSources is how many of them a decoder keeps, with what each knows of documents before.
const mostSources = 16

var freeLists = sync.Pool{New: func() any {
	l := new(lists)
	l.anys.maker, l.texts.maker = anyMaker(), textMaker()
	return l
}}

var (
	anyMaker  = sync.OnceValue(func() *smallmap.Maker { return smallmap.MakerOf(reflect.TypeFor[map[string]any]()) })
	textMaker = sync.OnceValue(func() *smallmap.Maker { return smallmap.MakerOf(reflect.TypeFor[map[string]string]()) })
)

// lists returns d's.
func (d *decoder) lists() *lists {
	if d.members == nil {
		d.members = freeLists.Get().(*lists)
		if d.shelf != nil {
			d.members.anys.used, d.members.texts.used = &d.shelf.anys, &d.shelf.texts
		}
	}
	return d.members
}

// free gives back what lists gave.
func (l *lists) free() {
	l.anys.free()
	l.texts.free()
	for i := range l.rest {
		l.rest[i].fresh.End()
	}
	freeLists.Put(l)
}

// small returns a new map of p's type, for at most a few entries.
func (l *lists) small(p *decProgram) xunsafe.Pointer {
	for i := range l.rest {
		if l.rest[i].of == p {
			return l.rest[i].fresh.Take(p.small)
		}
	}
	if len(l.rest) == mostSources {
		clear(l.rest)
		l.rest = l.rest[:0]
	}
	l.rest = append(l.rest, source{of: p})
	return l.rest[len(l.rest)-1].fresh.Take(p.small)
}

func (l *memberList[V]) free() {
	clear(l.all) // after an error
	l.all, l.used = l.all[:0], nil
	l.fresh.End()
}

// read reads the object at i into m, or into another map if that is nil.
func (l *memberList[V]) read(d *decoder, elem *decProgram, m *map[string]V, i int) int {
	from := len(l.all)
	i, more := d.open(i)
	made := *m == nil && l.used == nil
	switch {
	case made && more && l.maker != nil:
		p := l.fresh.Take(l.maker)
		*m = *xunsafe.Cast[map[string]V](xunsafe.PointerTo(&p))
	case made:
		*m = map[string]V{}
	case *m == nil:
		*m = l.used.take()
	}
	for more {
		var x member[V]
		x.name, i = d.name(i)
		switch v := any(&x.value).(type) {
		case *any:
			*v, i = d.any(i)
		case *string:
			if d.at(i) == '"' {
				*v, i = d.str(i)
			} else {
				i = d.null(elem, xunsafe.PointerTo(v), i)
			}
		}
		if !made || len(*m) < smallMap {
			(*m)[x.name] = x.value
		} else if l.all = append(l.all, x); len(l.all) >= mostEntries {
			made = false
			l.enter(m, from)
		}
		i, more = d.next(i)
	}
	if len(l.all) > from {
		l.enter(m, from)
	}
	return i
}

// enter has m be a larger map, with the members from there on.
func (l *memberList[V]) enter(m *map[string]V, from int) {
	mine := l.all[from:]
	larger := make(map[string]V, len(*m)+len(mine))
	maps.Copy(larger, *m)
	clear(*m) // which others of its piece may keep alive
	for i := range mine {
		larger[mine[i].name] = mine[i].value
	}
	*m = larger
	clear(mine)
	l.all = l.all[:from]
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

// fewMembers reads an object's members from i on into m, a new map that is at to, up to the one
// for which it has no place, and reports whether there are others. x is a pair for that.
func (d *decoder) fewMembers(p *decProgram, to, m xunsafe.Pointer, x *pair, i int) (end int, more bool) {
	for more = true; more; {
		var name string
		name, i = d.name(i)
		i = d.value(p.elem, x.valueAt, i)
		var place xunsafe.Pointer
		if *xunsafe.Cast[xunsafe.Pointer](to) == m { // else a method has changed that
			place = p.small.Place(m, name)
		}
		if place == nil {
			*xunsafe.Cast[string](x.keyAt) = name
			p.at(to).SetMapIndex(x.key, x.value)
			p.small.Leave(m)
			return d.next(i)
		}
		p.elem.at(place).Set(x.value)
		x.value.SetZero()
		i, more = d.next(i)
	}
	return i, false
}

// otherMap reads an object into an arena.Map, or a builtin map by package reflect. There a
// value comes before its key, as in encoding/json: what does not fit is noted in that order.
func (d *decoder) otherMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	i, more := d.open(i)
	var small xunsafe.Pointer
	if at := xunsafe.Cast[xunsafe.Pointer](to); *at == nil {
		if more && p.small != nil && d.shelf == nil {
			small = d.lists().small(p)
			*at = small
		} else {
			d.makeMap(p, to)
		}
	}
	if !more {
		return i
	}
	x := pairOf(p)
	if small != nil {
		i, more = d.fewMembers(p, to, small, x, i)
	}
	key, value := x.keyAt, x.valueAt
	keys := to // has those of this object, for Strict, as names may differ and be one key: 0 and -0
	builtin, other := p.op == readMap, d.strict && p.keys != keyString
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
				if d.enter(p, keys, x, key); d.lenOf(p, keys) != n {
					d.rejectName(at)
				}
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
		i, more = d.next(i)
	}
	x.key.SetZero()
	x.value.SetZero()
	p.pairs.Put(x)
	return i
}

// makeMap has the variable at to hold a new map.
func (d *decoder) makeMap(p *decProgram, to xunsafe.Pointer) {
	if p.op == readMap {
		p.at(to).Set(d.newMap(p.typ))
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
