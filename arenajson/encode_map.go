package arenajson

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Members of an object that is a map are sorted by their names. Maps that are met
// often are walked as what they are, others by package reflect, with what is kept
// in a pool for each type.

type stringEntry struct{ name, value string }

type anyEntry struct {
	name  string
	value any
}

// mapEntry is the name of an entry and where its value is.
type mapEntry struct {
	name  string
	value pointer
}

// name writes the name of a member, with what stands before it.
func (e *encoder) name(b []byte, name string, before byte) []byte {
	b = e.string(append(e.room(b, slack), before), name)
	return append(e.room(b, slack), ':')
}

// object ends what a map is written as.
func (e *encoder) object(b []byte, members int) []byte {
	if b = e.room(b, 2+slack); members == 0 {
		return append(b, "{}"...)
	}
	return append(b, '}')
}

// beforeMember is what stands before the i-th member.
func beforeMember(i int) byte {
	if i == 0 {
		return '{'
	}
	return ','
}

func (e *encoder) stringMap(b []byte, n *node, p pointer) []byte {
	at := *as[pointer](p)
	if at == nil {
		return e.null(b)
	}
	e.enter(n, nil, at, -1)
	from := len(e.strings)
	for name, value := range *as[map[string]string](p) {
		e.strings = append(e.strings, stringEntry{name, value})
	}
	entries := e.strings[from:]
	slices.SortFunc(entries, func(x, y stringEntry) int { return strings.Compare(x.name, y.name) })
	for i, m := range entries {
		b = e.name(b, m.name, beforeMember(i))
		b = e.string(b, m.value)
	}
	b = e.object(b, len(entries))
	clear(entries)
	e.strings = e.strings[:from]
	e.leave(nil, at, -1)
	return b
}

func (e *encoder) anyMap(b []byte, n *node, p pointer) []byte {
	at := *as[pointer](p)
	if at == nil {
		return e.null(b)
	}
	e.enter(n, nil, at, -1)
	from := len(e.anys)
	for name, value := range *as[map[string]any](p) {
		e.anys = append(e.anys, anyEntry{name, value})
	}
	// What the values hold may move e.anys, and leaves these entries as they are.
	entries := e.anys[from:]
	slices.SortFunc(entries, func(x, y anyEntry) int { return strings.Compare(x.name, y.name) })
	for i, m := range entries {
		b = e.name(b, m.name, beforeMember(i))
		b = e.any(b, m.value)
	}
	b = e.object(b, len(entries))
	clear(entries)
	clear(e.anys[from : from+len(entries)])
	e.anys = e.anys[:from]
	e.leave(nil, at, -1)
	return b
}

// mapScratch is what writing maps of a type takes.
type mapScratch struct {
	entries []mapEntry
	digits  []byte // of the names that are numbers
	iter    reflect.MapIter
	key     reflect.Value // of the key's type
	values  reflect.Value // a slice
	room    int           // its length
}

func newMapScratch(n *node) *mapScratch { return &mapScratch{key: reflect.New(n.keyType).Elem()} }

// keep puts s back, with nothing in it that others need not keep alive.
func (n *node) keep(s *mapScratch) {
	for i := range s.entries {
		if s.room > 0 {
			s.values.Index(i).SetZero()
		}
	}
	clear(s.entries)
	s.entries, s.digits = s.entries[:0], s.digits[:0]
	s.key.SetZero()
	s.iter.Reset(reflect.Value{})
	n.scratch.Put(s)
}

func (e *encoder) builtinMap(b []byte, n *node, p pointer) []byte {
	at := *as[pointer](p)
	if at == nil {
		return e.null(b)
	}
	e.enter(n, nil, at, -1)
	m := valueAt(n.typ, p)
	s := n.scratch.Get().(*mapScratch)
	if length := m.Len(); length > s.room {
		s.room = max(length, 2*s.room)
		s.values = reflect.MakeSlice(reflect.SliceOf(n.elem.typ), s.room, s.room)
	}
	s.iter.Reset(m)
	for i := 0; s.iter.Next(); i++ {
		s.key.SetIterKey(&s.iter)
		v := s.values.Index(i)
		v.SetIterValue(&s.iter)
		s.entries = append(s.entries, mapEntry{s.name(n, s.key.Addr().UnsafePointer()), v.Addr().UnsafePointer()})
	}
	b = e.entries(b, n, s.entries)
	n.keep(s)
	e.leave(nil, at, -1)
	return b
}

// entries sorts and writes what is in a map.
func (e *encoder) entries(b []byte, n *node, entries []mapEntry) []byte {
	slices.SortFunc(entries, func(x, y mapEntry) int { return strings.Compare(x.name, y.name) })
	for i, m := range entries {
		b = e.name(b, m.name, beforeMember(i))
		b = e.value(b, n.elem, m.value)
	}
	return e.object(b, len(entries))
}

// name is what the key at p is called.
func (s *mapScratch) name(n *node, p pointer) string {
	from := len(s.digits)
	switch n.key {
	case opString:
		return *as[string](p)
	case opText:
		key := valueAt(n.keyType, p)
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return ""
		}
		text, err := key.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			panic(failure{fmt.Errorf("json: encoding error for type %q: %q", n.typ.String(), err.Error())})
		}
		return string(text)
	}
	s.digits = (*encoder)(nil).basic(slices.Grow(s.digits, numberRoom), n.key, p, nil)
	return viewString(s.digits[from:])
}

// mapLayout is where an arena.Map has what.
type mapLayout struct {
	key, value reflect.Type
	groups     uintptr // a slice of groups, in the map
	group      uintptr // the size of one
	ctrl       uintptr // a word of eight bytes, in a group: the top bit says that an entry is there
	keys       uintptr // eight keys, in a group
	values     uintptr // eight values, in a group
}

// arenaMapLayout says how a map of type t, a pointer, is laid out, if it is an
// arena.Map.
func arenaMapLayout(t reflect.Type) (l mapLayout, ok bool) {
	t = t.Elem()
	if t.PkgPath() != "github.com/ebbpool/arena" || !strings.HasPrefix(t.Name(), "Map[") {
		return l, false
	}
	table, ok1 := t.FieldByName("table")
	groups, ok2 := table.Type.FieldByName("groups")
	if !ok1 || !ok2 {
		return l, false
	}
	group := groups.Type.Elem()
	ctrl, ok3 := group.FieldByName("ctrl")
	keys, ok4 := group.FieldByName("keys")
	values, ok5 := group.FieldByName("vals")
	return mapLayout{
		key: keys.Type.Elem(), value: values.Type.Elem(),
		groups: table.Offset + groups.Offset, group: group.Size(),
		ctrl: ctrl.Offset, keys: keys.Offset, values: values.Offset,
	}, ok3 && ok4 && ok5
}

// arenaMap writes an arena.Map where it lies.
func (e *encoder) arenaMap(b []byte, n *node, p pointer) []byte {
	at := *as[pointer](p)
	if at == nil {
		return e.null(b)
	}
	// A checked build panics where the map's arena has ended its life.
	valueAt(n.typ, p).Interface().(interface{ Len() int }).Len()
	e.enter(n, n.typ, at, -1)
	s := n.scratch.Get().(*mapScratch)
	l := &n.layout
	groups := *as[[]struct{}](add(at, l.groups))
	for i := range groups {
		g := add(dataOf(groups), uintptr(i)*l.group)
		ctrl := *as[uint64](add(g, l.ctrl))
		for slot := range uintptr(8) {
			if ctrl>>(8*slot)&0x80 != 0 {
				key := add(g, l.keys+slot*n.keyType.Size())
				s.entries = append(s.entries, mapEntry{s.name(n, key), add(g, l.values+slot*n.elem.size)})
			}
		}
	}
	b = e.entries(b, n, s.entries)
	n.keep(s)
	e.leave(n.typ, at, -1)
	return b
}
