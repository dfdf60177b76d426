package escape

import (
	"cmp"
	"reflect"
	"slices"
)

// What an interface holds that is no pointer lies in a box of its own on the heap,
// to which nobody writes: it is a part of the interface, not memory that others see.
// The same goes for the entries of a builtin map, though others see these. Both are
// copied only if something in them leads into the region.

// iface is scan for the interface at p.
func (c *copier) iface(s *slot, at Pointer) {
	b := s.boxAt(at, c.own)
	switch {
	case b.dynamic == nil:
	case !direct():
		// Who knows whether it is a box, and whose else: what boxAt returned is one.
		if len(b.prog.slots) != 0 {
			c.scan(b.prog.slots, b.at)
			s.setBox(at, b.dynamic, b.at)
		}
	case b.inPlace:
		c.scan(b.prog.slots, b.at)
	case c.find(number(b.at)) >= 0:
		c.box(s, at, b) // package unsafe can do that
	case !b.prog.follow:
		c.scan(b.prog.slots, b.at) // numbers, or nothing
	case b.text:
		if t := *textAt(b.at); len(t) != 0 {
			if r := c.find(number(dataOf(t))); r >= 0 {
				s.setBox(at, b.dynamic, boxText(c.text(r, t)))
			}
		}
	case c.known != nil:
		if c.known.isDirty(b.at) {
			c.box(s, at, b)
		}
	default:
		if dirty, sure := c.touches(b.prog.slots, b.at); dirty {
			c.box(s, at, b)
		} else if !sure {
			c.stuck = true
		}
	}
}

// box has the interface at p hold a copy of its box.
func (c *copier) box(s *slot, at Pointer, b boxed) {
	start := number(b.at)
	n, _ := c.nodes.find(start, start+max(b.prog.size, 1))
	if n == nil || n.start != start || n.copy == nil {
		v := reflect.New(b.prog.typ)
		v.Elem().Set(valueAt(b.prog.typ, b.at))
		p := v.UnsafePointer()
		if n == nil {
			c.enter(start, start+max(b.prog.size, 1), p)
		}
		c.work = append(c.work, task{p, b.prog, 1})
		s.setBox(at, b.dynamic, p)
		return
	}
	s.setBox(at, b.dynamic, n.copy)
}

// touches says whether a slot of the value at p leads into the region, what boxes
// and maps there may lead to left out: then it is not sure.
func (c *copier) touches(slots []slot, p Pointer) (dirty, sure bool) {
	sure = true
	for i := range slots {
		s := &slots[i]
		at := add(p, s.off)
		switch s.kind {
		case pointer:
			dirty = c.find(number(load(at))) >= 0
		case text_:
			dirty = c.find(number(dataOf(*textAt(at)))) >= 0
		case slice:
			data, _ := s.sliceAt(at)
			dirty = c.find(number(data)) >= 0
		case opaque:
			dirty = c.find(number(s.wordAt(at))) >= 0
		case numeral:
			dirty = c.find(loadNumber(at)) >= 0
		case builtin:
			sure = sure && s.wordAt(at) == nil
		case iface:
			b := s.boxAt(at, c.own)
			if b.dynamic == nil {
				continue
			}
			if b.inPlace {
				d, k := c.touches(b.prog.slots, b.at)
				dirty, sure = d, sure && k
			} else {
				sure = sure && len(b.prog.slots) == 0
			}
		case array:
			for j := range s.n {
				d, k := c.touches(s.slots, add(at, uintptr(j)*s.size))
				dirty, sure = dirty || d, sure && k
			}
		}
		if dirty {
			return true, true
		}
	}
	return false, sure
}

// newMap is the copy of a builtin map: its entries are looked through in slices, and
// entered when they are complete, since a copied key has another hash.
type newMap struct{ copy, keys, vals reflect.Value }

// builtin is scan for a builtin map at p.
func (c *copier) builtin(s *slot, at Pointer) {
	m := s.wordAt(at)
	if m == nil {
		return
	}
	if c.known == nil {
		c.stuck = true
		return
	}
	if !c.known.isDirty(m) {
		return
	}
	n, ok := c.maps[m]
	if !ok {
		v := reflect.New(s.typ).Elem() // at may be on the stack, and what walks a map is not
		v.Set(valueAt(s.typ, at))
		n = c.newMap(v)
		if c.maps == nil {
			c.maps = map[Pointer]newMap{}
		}
		c.maps[m] = n
		c.order = append(c.order, n)
	}
	valueAt(s.typ, at).Set(n.copy.Convert(s.typ))
}

func (c *copier) newMap(m reflect.Value) newMap {
	t, size := m.Type(), m.Len()
	n := newMap{
		reflect.MakeMapWithSize(t, size),
		reflect.MakeSlice(reflect.SliceOf(t.Key()), size, size),
		reflect.MakeSlice(reflect.SliceOf(t.Elem()), size, size),
	}
	for i, entries := 0, m.MapRange(); i < size && entries.Next(); i++ {
		n.keys.Index(i).SetIterKey(entries)
		n.vals.Index(i).SetIterValue(entries)
	}
	for _, list := range []reflect.Value{n.keys, n.vals} {
		if prog := programFor(list.Type().Elem(), c.own); len(prog.slots) != 0 && size != 0 {
			c.work = append(c.work, task{list.UnsafePointer(), prog, size})
		}
	}
	return n
}

// fill enters the entries.
func (n *newMap) fill() {
	for i := range n.keys.Len() {
		n.copy.SetMapIndex(n.keys.Index(i), n.vals.Index(i))
	}
}

func sortMany(list []extent) {
	slices.SortFunc(list, func(a, b extent) int { return cmp.Compare(a.start, b.start) })
}
