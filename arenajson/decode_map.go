package arenajson

import (
	"encoding"
	"reflect"
	"strconv"
)

// name reads a member's name, and the colon and the spaces behind it.
func (d *decoder) name(i int) (string, int) {
	if d.at(i) != '"' {
		d.fail(i)
	}
	s, i := d.str(i)
	if i = d.space(i); d.at(i) != ':' {
		d.fail(i)
	}
	return s, d.space(i + 1)
}

// next goes on behind a member that ends at i, and says whether there is another.
func (d *decoder) next(i int) (int, bool) {
	i = d.space(i)
	switch d.at(i) {
	case ',':
		return d.space(i + 1), true
	case '}':
		d.depth--
		return i + 1, false
	}
	d.fail(i)
	return 0, false
}

// open begins an object, and says whether it has members.
func (d *decoder) open(i int) (int, bool) {
	d.deeper(i)
	if i = d.space(i + 1); d.at(i) == '}' {
		d.depth--
		return i + 1, false
	}
	return i, true
}

// anyMembers reads the object at i into m.
func (d *decoder) anyMembers(m map[string]any, i int) int {
	i, more := d.open(i)
	for more {
		at := i
		var name string
		name, i = d.name(i)
		if d.strict {
			if _, ok := m[name]; ok {
				d.reject(at, "a second member of the name "+name)
			}
		}
		var v any
		v, i = d.any(i)
		m[name] = v
		i, more = d.next(i)
	}
	return i
}

func (d *decoder) anyMap(p *plan, to pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := as[map[string]any](to)
	if *m == nil {
		*m = map[string]any{}
	} else if d.strict {
		return d.builtinMap(p.generic(), to, i)
	}
	return d.anyMembers(*m, i)
}

func (d *decoder) textMap(p *plan, to pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	if d.strict {
		return d.builtinMap(p.generic(), to, i)
	}
	m := as[map[string]string](to)
	if *m == nil {
		*m = map[string]string{}
	}
	i, more := d.open(i)
	for more {
		var name, v string
		name, i = d.name(i)
		if d.at(i) == '"' {
			v, i = d.str(i)
		} else {
			i = d.null(textPlan, pointer(&v), i)
		}
		(*m)[name] = v
		i, more = d.next(i)
	}
	return i
}

// generic is p, a map with a way of its own, as any other map.
func (p *plan) generic() *plan {
	g := *p
	plansLock.Lock()
	defer plansLock.Unlock()
	g.key, g.elem = makePlan(p.typ.Key()), makePlan(p.typ.Elem())
	return &g
}

// builtinMap reads an object into a builtin map, by package reflect.
func (d *decoder) builtinMap(p *plan, to pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := valueAt(p.typ, to)
	if m.IsNil() {
		m.Set(reflect.MakeMap(p.typ))
	}
	key, value := reflect.New(p.key.typ), reflect.New(p.elem.typ)
	var names map[string]bool
	if d.strict {
		names = map[string]bool{}
	}
	i, more := d.open(i)
	for more {
		at := i
		var name string
		name, i = d.name(i)
		if d.strict {
			if names[name] {
				d.reject(at, "a second member of the name "+name)
			}
			names[name] = true
		}
		d.key(p.key, key.UnsafePointer(), name, at)
		value.Elem().SetZero()
		i = d.value(p.elem, value.UnsafePointer(), i)
		m.SetMapIndex(key.Elem(), value.Elem())
		i, more = d.next(i)
	}
	return i
}

// arenaMap reads an object into an arena.Map, a new one if there is none.
func (d *decoder) arenaMap(p *plan, to pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := *as[pointer](to)
	if m == nil {
		d.outside(func() error { m = p.maker.Make(d.a); return nil })
		*as[pointer](to) = m
	}
	key := d.alloc(p.key)
	var names map[string]bool
	if d.strict {
		names = map[string]bool{}
	}
	i, more := d.open(i)
	for more {
		at := i
		var name string
		name, i = d.name(i)
		if d.strict {
			if names[name] {
				d.reject(at, "a second member of the name "+name)
			}
			names[name] = true
		}
		d.key(p.key, key, name, at)
		var value pointer
		d.outside(func() error { value = p.maker.Entry(m, key); return nil })
		i = d.value(p.elem, value, i)
		i, more = d.next(i)
	}
	return i
}

// key makes a map's key of a name, whose member begins at i.
func (d *decoder) key(p *plan, to pointer, name string, i int) {
	if p.act == readText {
		valueAt(p.typ, to).SetZero()
		err := d.outside(func() error {
			return reflect.NewAt(p.typ, to).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
		})
		if err != nil {
			panic(trouble{at: i, err: err})
		}
		return
	}
	if p.typ.Kind() == reflect.String {
		*as[string](to) = name
		return
	}
	// The document has the number in quotes; strconv takes what encoding/json does.
	v := valueAt(p.typ, to)
	if v.CanInt() {
		x, err := strconv.ParseInt(name, 10, 64)
		if err != nil || v.OverflowInt(x) {
			panic(trouble{at: i, what: "number " + name, wants: p})
		}
		v.SetInt(x)
		return
	}
	x, err := strconv.ParseUint(name, 10, 64)
	if err != nil || v.OverflowUint(x) {
		panic(trouble{at: i, what: "number " + name, wants: p})
	}
	v.SetUint(x)
}
