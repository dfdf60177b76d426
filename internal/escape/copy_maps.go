package escape

import (
	"reflect"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// newMap is the copy of a builtin map. Its entries are scanned in slices and inserted when complete, because
// copying a key may change its hash.
type newMap struct{ copy, keys, vals reflect.Value }

// mayCopy reports whether the builtin map m may have to be copied. If its entries have no pointers, it is
// copied only if the region owns it.
func (c *copier) mayCopy(s *slot, m Pointer) bool {
	return m != nil && (!s.noscan || c.region.OwnsMap(xunsafe.Number(m)))
}

// builtin is scan for a builtin map at p.
func (c *copier) builtin(s *slot, at Pointer) {
	m := s.wordAt(at)
	if !c.mayCopy(s, m) {
		return
	}
	if !c.prescanned {
		c.stuck = true
		return
	}
	i := c.softOf(ref{m, mapHeader})
	if c.list[i].state != dirty {
		return
	}
	n := c.list[i].made
	if n == 0 {
		v := reflect.New(s.typ).Elem() // at may be on the stack, but iteration over a map needs the heap
		v.Set(xunsafe.Value(s.typ, at))
		c.maps = append(c.maps, c.newMap(v))
		n = int32(len(c.maps))
		c.list[i].made = n
	}
	xunsafe.Value(s.typ, at).Set(c.maps[n-1].copy.Convert(s.typ))
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

// fill inserts the entries.
func (n *newMap) fill() {
	for i := range n.keys.Len() {
		n.copy.SetMapIndex(n.keys.Index(i), n.vals.Index(i))
	}
}
