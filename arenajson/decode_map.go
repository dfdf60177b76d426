package arenajson

import (
	"maps"
	"reflect"
	"sync"

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

// anyMembers reads the object at i into m.
func (d *decoder) anyMembers(m map[string]any, i int) int {
	i, more := d.open(i)
	for more {
		var name string
		name, i = d.name(i)
		var v any
		v, i = d.any(i)
		m[name] = v
		i, more = d.next(i)
	}
	return i
}

func (d *decoder) anyMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := xunsafe.Cast[map[string]any](to)
	if *m == nil {
		*m = d.newAnyMap()
	}
	return d.anyMembers(*m, i)
}

func (d *decoder) textMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := xunsafe.Cast[map[string]string](to)
	made := *m == nil && d.shelf == nil
	if *m == nil {
		*m = d.newTextMap()
	}
	var rest *[]text // of those that a new map has no room for: that is made once, as large as it has to be
	i, more := d.open(i)
	for more {
		var name, v string
		name, i = d.name(i)
		if d.at(i) == '"' {
			v, i = d.str(i)
		} else {
			i = d.null(p.elem, xunsafe.PointerTo(&v), i)
		}
		if made && len(*m) == smallMap {
			if rest == nil {
				rest = moreTexts.Get().(*[]text)
			}
			*rest = append(*rest, text{name, v})
		} else {
			(*m)[name] = v
		}
		i, more = d.next(i)
	}
	if rest != nil {
		all := make(map[string]string, len(*m)+len(*rest))
		maps.Copy(all, *m)
		for _, x := range *rest {
			all[x.name] = x.value
		}
		*m = all
		if clear(*rest); cap(*rest) <= mostEntries {
			*rest = (*rest)[:0]
			moreTexts.Put(rest)
		}
	}
	return i
}

// smallMap is how many entries a map has room for before it grows for the first time.
const smallMap = 8

// text is a member of a map[string]string.
type text struct{ name, value string }

var moreTexts = sync.Pool{New: func() any { return new([]text) }}

// pair is a key and a value that go into a map.
type pair struct{ key, value reflect.Value }

// builtinMap reads an object into a builtin map, by package reflect. A value comes
// before its key, as in encoding/json: what does not fit is noted in that order.
func (d *decoder) builtinMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := xunsafe.Value(p.typ, to)
	if m.IsNil() {
		m.Set(d.newMap(p.typ))
	}
	i, more := d.open(i)
	if !more {
		return i
	}
	x, _ := p.pairs.Get().(*pair)
	if x == nil {
		x = &pair{reflect.New(p.key.typ), reflect.New(p.elem.typ)}
	}
	key, value := x.key, x.value
	seen, one := m, value // the keys of this object; and their values
	if d.strict && m.Len() > 0 && p.keys != keyString {
		set := reflect.MapOf(p.key.typ, reflect.TypeFor[struct{}]())
		seen, one = reflect.MakeMap(set), reflect.New(set.Elem())
	}
	for n := 1; more; n++ {
		at := i
		var name string
		name, i = d.name(i)
		value.Elem().SetZero()
		i = d.value(p.elem, value.UnsafePointer(), i)
		if d.key(p, key.UnsafePointer(), name, at) {
			m.SetMapIndex(key.Elem(), value.Elem())
			if d.strict && p.keys != keyString {
				if seen != m {
					seen.SetMapIndex(key.Elem(), one.Elem())
				}
				d.newKey(seen.Len(), n, at)
			}
		} else {
			d.badKey(p.key, name, at)
			n--
		}
		i, more = d.next(i)
	}
	key.Elem().SetZero()
	value.Elem().SetZero()
	p.pairs.Put(x)
	return i
}

// newKey ends the reading where a key, whose name is at i, was not the n-th: names may
// differ and be one key, as 0 and -0 do.
func (d *decoder) newKey(has, n, i int) {
	if has != n {
		d.rejectName(i)
	}
}

// arenaMap reads an object into an arena.Map, a new one if there is none.
func (d *decoder) arenaMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := *xunsafe.Cast[xunsafe.Pointer](to)
	if m == nil {
		d.outside(func() error { m = p.maker.Make(d.a); return nil })
		*xunsafe.Cast[xunsafe.Pointer](to) = m
	}
	i, more := d.open(i)
	if !more {
		return i
	}
	key, n := d.alloc(p.key), 0
	seen := to // where a map with the keys of this object is
	if d.strict && p.keys != keyString && d.lenOf(p, to) > 0 {
		seen = d.alloc(p)
		d.outside(func() error { *xunsafe.Cast[xunsafe.Pointer](seen) = p.maker.Make(d.a); return nil })
	}
	for more {
		at := i
		var name string
		name, i = d.name(i)
		if d.key(p, key, name, at) {
			if d.strict && p.keys != keyString {
				d.outside(func() error { p.maker.Entry(*xunsafe.Cast[xunsafe.Pointer](seen), key); return nil })
				n++
				d.newKey(d.lenOf(p, seen), n, at)
			}
			var value xunsafe.Pointer
			d.outside(func() error { value = p.maker.Entry(m, key); return nil })
			i = d.value(p.elem, value, i)
		} else {
			i = d.value(p.elem, d.alloc(p.elem), i) // what does not fit in there comes first
			d.badKey(p.key, name, at)
		}
		i, more = d.next(i)
	}
	return i
}

// lenOf is how many entries the arena map has that the pointer at a variable of program p
// leads to.
func (d *decoder) lenOf(p *decProgram, at xunsafe.Pointer) (n int) {
	d.outside(func() error {
		n = xunsafe.Value(p.typ, at).Interface().(interface{ Len() int }).Len()
		return nil
	})
	return n
}

// key makes a key of a map of program p from a name, whose member begins at i, and says
// whether it is one.
func (d *decoder) key(p *decProgram, to xunsafe.Pointer, name string, i int) bool {
	switch p.keys {
	case keyText:
		xunsafe.Value(p.key.typ, to).SetZero()
		d.fromText(p.key, to, name, i)
	case keyJSON:
		xunsafe.Value(p.key.typ, to).SetZero()
		w := walk{doc: d.doc} // in the document itself, for name is undone
		d.json(p.key, to, d.doc[i:w.string(i)], i)
	case keyString:
		*xunsafe.Cast[string](to) = name
	default: // a number in quotes
		if d.strict && !isNumber(name) {
			return false // strconv takes more than JSON does
		}
		return setNumber(xunsafe.Value(p.key.typ, to), name)
	}
	return true
}
