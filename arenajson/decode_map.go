package arenajson

import "reflect"

// name reads a member's name, and the colon and the spaces behind it.
func (d *decoder) name(i int) (string, int) {
	if d.at(i) != '"' {
		d.fail()
	}
	s, i := d.str(i)
	if i = d.space(i); d.at(i) != ':' {
		d.fail()
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
	d.fail()
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
		*m = d.newAnyMap()
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
		*m = d.newTextMap()
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
	g.keys, g.key, g.elem = keyString, makePlan(p.typ.Key()), makePlan(p.typ.Elem())
	return &g
}

// builtinMap reads an object into a builtin map, by package reflect. A value comes
// before its key, as in encoding/json: what does not fit is noted in that order.
func (d *decoder) builtinMap(p *plan, to pointer, i int) int {
	if d.at(i) != '{' {
		return d.null(p, to, i)
	}
	m := valueAt(p.typ, to)
	if m.IsNil() {
		m.Set(d.newMap(p.typ))
	}
	key, value := reflect.New(p.key.typ), reflect.New(p.elem.typ)
	seen := d.newSeenKeys(p)
	i, more := d.open(i)
	for more {
		at := i
		var name string
		name, i = d.name(i)
		value.Elem().SetZero()
		i = d.value(p.elem, value.UnsafePointer(), i)
		if d.key(p, key.UnsafePointer(), name, at) {
			seen.add(d, key.Elem(), name, at)
			m.SetMapIndex(key.Elem(), value.Elem())
		} else {
			d.badKey(p.key, name, at)
		}
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
	seen := d.newSeenKeys(p)
	i, more := d.open(i)
	for more {
		at := i
		var name string
		name, i = d.name(i)
		if d.key(p, key, name, at) {
			seen.add(d, valueAt(p.key.typ, key), name, at)
			var value pointer
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

// key makes a key of a map of plan p from a name, whose member begins at i, and says
// whether it is one.
func (d *decoder) key(p *plan, to pointer, name string, i int) bool {
	switch p.keys {
	case keyText:
		valueAt(p.key.typ, to).SetZero()
		d.fromText(p.key, to, name, i)
	case keyJSON:
		valueAt(p.key.typ, to).SetZero()
		w := walk{doc: d.doc} // in the document itself, for name is undone
		d.json(p.key, to, d.doc[i:w.string(i)], i)
	case keyString:
		*as[string](to) = name
	default: // a number in quotes
		if d.strict && !isNumber(name) {
			return false // strconv takes more than JSON does
		}
		return setNumber(valueAt(p.key.typ, to), name)
	}
	return true
}

// seenKeys are those of an object that is read into a map, with Strict; nil without.
type seenKeys struct{ in reflect.Value }

func (d *decoder) newSeenKeys(p *plan) *seenKeys {
	if !d.strict {
		return nil
	}
	return &seenKeys{reflect.MakeMap(reflect.MapOf(p.key.typ, reflect.TypeFor[struct{}]()))}
}

// add enters a key, whose name is at i, and ends the reading if it is there already:
// names may differ and be one key, as 0 and -0 do.
func (s *seenKeys) add(d *decoder, key reflect.Value, name string, i int) {
	if s == nil {
		return
	}
	if s.in.MapIndex(key).IsValid() {
		d.reject(i, "a second member of the name "+name)
	}
	s.in.SetMapIndex(key, reflect.ValueOf(struct{}{}))
}
