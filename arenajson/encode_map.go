package arenajson

import (
	"encoding"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// Maps. The entries of a map are listed, sorted by name, and encoded. Builtin maps with common types of
// values are walked by compiled code (see shape), others by package reflect, and an arena.Map in its own
// memory. The lists are kept for each type.

// An entry is the name of a map entry, and its value or the address of it.
type entry[V any] struct {
	name  string
	value V
}

// sorted returns the indices of entries in the order of their names, or in any order with UnsortedMaps. The
// result is part of e.order until object is called.
func sorted[V any](e *encoder, entries []entry[V]) []uint64 {
	from := len(e.order)
	e.order = slices.Grow(e.order, len(entries))[:from+len(entries)]
	order := e.order[from:]
	if e.flags&unsortedMaps != 0 {
		for i := range order {
			order[i] = uint64(i)
		}
		return order
	}
	if len(order) > fewMembers {
		sortNames(order, func(i int) string { return entries[i].name })
		return order
	}
	for i := range order { // insertion sort, without a call for each comparison
		at := i
		for ; at > 0 && entries[i].name < entries[order[at-1]].name; at-- {
			order[at] = order[at-1]
		}
		order[at] = uint64(i)
	}
	return order
}

// name encodes the name of the i-th member, with the comma or brace before it.
func (e *encoder) name(w xunsafe.Pointer, name string, i int) xunsafe.Pointer {
	before := byte(',')
	if i == 0 {
		before = '{'
	}
	return put8(e.string(put8(e.reserve(w, 1), before), name), ':')
}

// object ends an object, and releases the memory of sorted.
func (e *encoder) object(w xunsafe.Pointer, members int) xunsafe.Pointer {
	e.order = e.order[:len(e.order)-members]
	if w = e.reserve(w, 2); members == 0 {
		w = put8(w, '{')
	}
	return put8(w, '}')
}

// stringMap encodes a map[string]V. Its list is the end of all.
func stringMap[V any](e *encoder, all *[]entry[V], w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	at := *xunsafe.Cast[xunsafe.Pointer](p)
	if at == nil {
		return e.nilValue(w, prog.mode, nilMapAsEmpty, "{}")
	}
	e.enter(prog, nil, at, -1)
	from := len(*all)
	for name, value := range *xunsafe.Cast[map[string]V](p) {
		*all = append(*all, entry[V]{name, value})
	}
	// Encoding the values may append to all and move it; entries stay as they are.
	entries := (*all)[from:]
	for i, at := range sorted(e, entries) {
		w = e.name(w, entries[at].name, i)
		w = e.value(w, prog.elem, xunsafe.PointerTo(&entries[at].value))
	}
	w = e.object(w, len(entries))
	clear(entries)
	clear((*all)[from : from+len(entries)])
	*all = (*all)[:from]
	e.leave(nil, at, -1)
	return w
}

// shapedMap encodes a map[string]T as a map[string]V: V has the shape or the size of T.
func shapedMap[V any](e *encoder, w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	at := *xunsafe.Cast[xunsafe.Pointer](p)
	if at == nil {
		return e.nilValue(w, prog.mode, nilMapAsEmpty, "{}")
	}
	e.enter(prog, nil, at, -1)
	s := prog.scratch.Get().(*mapScratch)
	list, _ := s.list.(*[]entry[V])
	if list == nil {
		list = new([]entry[V])
		s.list = list
	}
	entries := *list
	for name, value := range *xunsafe.Cast[map[string]V](p) {
		entries = append(entries, entry[V]{name, value})
	}
	for i, at := range sorted(e, entries) {
		w = e.name(w, entries[at].name, i)
		w = e.value(w, prog.elem, xunsafe.PointerTo(&entries[at].value))
	}
	w = e.object(w, len(entries))
	clear(entries)
	*list = entries[:0]
	prog.scratch.Put(s)
	e.leave(nil, at, -1)
	return w
}

// A mapWriter encodes the map at p.
type mapWriter func(e *encoder, w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer

// shaped returns the function that encodes maps of prog by the shape of their values, or nil if they need
// package reflect. prog must be complete.
func (prog *encProgram) shaped() mapWriter {
	known := prog.shape.Load()
	if known == nil {
		known = new(mapWriter)
		if prog.key == writeString {
			*known = prog.elem.mapWriter()
		}
		prog.shape.Store(known)
	}
	return *known
}

// mapWriter returns the function that encodes maps with values of prog.
func (prog *encProgram) mapWriter() mapWriter {
	switch shapeOf(prog.typ) {
	case shapePointer:
		return shapedMap[xunsafe.Pointer]
	case shape8:
		return shapedMap[uint64]
	case shape4:
		return shapedMap[uint32]
	case shape1:
		return shapedMap[uint8]
	case shapeText:
		return shapedMap[string]
	case shapeSlice:
		return shapedMap[[]byte]
	}
	word := xunsafe.SizeOf[uintptr]()
	if prog.op != writeStruct || uintptr(prog.typ.Align()) != word || prog.size%word != 0 || prog.runs(map[*encProgram]bool{}) {
		return nil
	}
	switch prog.size / word {
	case 1:
		return shapedMap[[1]uintptr]
	case 2:
		return shapedMap[[2]uintptr]
	case 3:
		return shapedMap[[3]uintptr]
	case 4:
		return shapedMap[[4]uintptr]
	case 5:
		return shapedMap[[5]uintptr]
	case 6:
		return shapedMap[[6]uintptr]
	case 7:
		return shapedMap[[7]uintptr]
	case 8:
		return shapedMap[[8]uintptr]
	case 10:
		return shapedMap[[10]uintptr]
	case 12:
		return shapedMap[[12]uintptr]
	}
	return nil
}

// runs reports whether encoding a value of prog may run code of the program, which could change the map.
func (prog *encProgram) runs(seen map[*encProgram]bool) bool {
	if prog == nil || seen[prog] {
		return false
	}
	seen[prog] = true
	switch prog.op {
	case writeAny, writeIface, writeAnyMap, writeJSON, writeText, writeAppended, writeStandard:
		return true
	case writeMap, writeArenaMap:
		if prog.key == writeText {
			return true
		}
	}
	for f := prog.fields[0]; f != nil; f = f.next {
		if f.empty == omitMethod || f.zero == omitMethod || f.prog.runs(seen) {
			return true
		}
	}
	return prog.elem.runs(seen)
}

// mapScratch is the memory for encoding maps of one type.
type mapScratch struct {
	list    any // the *[]entry[V] of shapedMap
	entries []entry[xunsafe.Pointer]
	digits  []byte // names of integer keys
	iter    reflect.MapIter
	key     reflect.Value // a settable key
	values  reflect.Value // a slice, for copies of the values
	length  int           // of values
}

func newMapScratch(prog *encProgram) *mapScratch {
	return &mapScratch{key: reflect.New(prog.keyType).Elem()}
}

// keep clears s and puts it back.
func (prog *encProgram) keep(s *mapScratch) {
	if s.length > 0 {
		if n := len(s.entries); s.length <= 8*n {
			s.values.Clear()
		} else {
			s.values.Slice(0, n).Clear()
		}
	}
	clear(s.entries)
	s.entries, s.digits = s.entries[:0], s.digits[:0]
	s.key.SetZero()
	s.iter.Reset(reflect.Value{})
	prog.scratch.Put(s)
}

func (e *encoder) builtinMap(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	if write := prog.shaped(); write != nil {
		return write(e, w, prog, p)
	}
	at := *xunsafe.Cast[xunsafe.Pointer](p)
	if at == nil {
		return e.nilValue(w, prog.mode, nilMapAsEmpty, "{}")
	}
	e.enter(prog, nil, at, -1)
	m := prog.at(p)
	s := prog.scratch.Get().(*mapScratch)
	if length := m.Len(); length > s.length {
		s.length = max(length, 2*s.length)
		s.values = reflect.MakeSlice(reflect.SliceOf(prog.elem.typ), s.length, s.length)
	}
	s.iter.Reset(m)
	key := s.key.Addr().UnsafePointer()
	for i := 0; s.iter.Next(); i++ {
		s.key.SetIterKey(&s.iter)
		v := s.values.Index(i)
		v.SetIterValue(&s.iter)
		s.entries = append(s.entries, entry[xunsafe.Pointer]{s.name(prog, key), v.Addr().UnsafePointer()})
	}
	w = e.entries(w, prog, s.entries)
	prog.keep(s)
	e.leave(nil, at, -1)
	return w
}

// entries sorts and encodes the entries of a map.
func (e *encoder) entries(w xunsafe.Pointer, prog *encProgram, entries []entry[xunsafe.Pointer]) xunsafe.Pointer {
	for i, at := range sorted(e, entries) {
		w = e.name(w, entries[at].name, i)
		w = e.value(w, prog.elem, entries[at].value)
	}
	return e.object(w, len(entries))
}

// name returns the name of the key at p.
func (s *mapScratch) name(prog *encProgram, p xunsafe.Pointer) string {
	from := len(s.digits)
	switch prog.key {
	case writeString:
		return *xunsafe.Cast[string](p)
	case writeText:
		key := xunsafe.Value(prog.keyType, p)
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return ""
		}
		text, err := key.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			panic(failure{fmt.Errorf("json: encoding error for type %q: %q", prog.typ.String(), err.Error())})
		}
		return string(text)
	case writeAppended:
		text, err := xunsafe.Value(prog.keyType, p).Interface().(encoding.TextAppender).AppendText(nil)
		if err != nil {
			panic(failure{marshalerError(prog.keyType, failingAppend{err})})
		}
		return string(text)
	}
	s.digits = slices.Grow(s.digits, numberBytes+1) // one more, so that w stays inside the memory
	w := xunsafe.Add(xunsafe.DataOf(s.digits), uintptr(from))
	s.digits = s.digits[:from+int(xunsafe.Offset(w, basic(w, prog.key, p, nil)))]
	return xunsafe.ViewString(s.digits[from:])
}

// mapLayout is the layout of an arena.Map.
type mapLayout struct {
	key, value reflect.Type
	groups     uintptr // offset of the slice of groups in the map
	group      uintptr // size of a group
	ctrl       uintptr // offset in a group of eight control bytes; the top bit marks a used slot
	keys       uintptr // offset in a group of eight keys
	values     uintptr // offset in a group of eight values
}

// arenaMapLayout returns the layout of maps of pointer type t, and reports whether t is an *arena.Map.
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

// arenaMap encodes an arena.Map.
func (e *encoder) arenaMap(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	at := *xunsafe.Cast[xunsafe.Pointer](p)
	if at == nil {
		return e.nilValue(w, prog.mode, nilMapAsEmpty, "{}")
	}
	// In checked builds, Len panics if the map's arena was reset.
	prog.at(p).Interface().(interface{ Len() int }).Len()
	e.enter(prog, prog.typ, at, -1)
	s := prog.scratch.Get().(*mapScratch)
	l := &prog.layout
	groups := *xunsafe.Cast[[]struct{}](xunsafe.Add(at, l.groups))
	for i := range groups {
		g := xunsafe.Add(xunsafe.DataOf(groups), uintptr(i)*l.group)
		ctrl := *xunsafe.Cast[uint64](xunsafe.Add(g, l.ctrl))
		for slot := range uintptr(8) {
			if ctrl>>(8*slot)&0x80 != 0 {
				key := xunsafe.Add(g, l.keys+slot*prog.keyType.Size())
				s.entries = append(s.entries, entry[xunsafe.Pointer]{s.name(prog, key), xunsafe.Add(g, l.values+slot*prog.elem.size)})
			}
		}
	}
	w = e.entries(w, prog, s.entries)
	prog.keep(s)
	e.leave(prog.typ, at, -1)
	return w
}

// Names are sorted as integers that hold the next bytes of a name, first byte highest, and the index of the
// entry in the low bits. This is faster than comparing strings and moving entries. Names with equal bytes are
// sorted by the following bytes.

// fewMembers is the number of entries up to which strings are compared.
const fewMembers = 8

// sortNames sets order to the indices 0 to len(order)-1, sorted by name.
func sortNames(order []uint64, name func(i int) string) {
	for i := range order {
		order[i] = uint64(i)
	}
	width := bits.Len(uint(len(order)))
	sortFrom(order, 0, width, name)
	for i := range order {
		order[i] &= 1<<width - 1
	}
}

// sortFrom sorts names whose first from bytes are equal. Indices have width bits.
func sortFrom(order []uint64, from, width int, name func(i int) string) {
	const deep = 64
	which := uint64(1)<<width - 1
	if len(order) <= fewMembers || from >= deep {
		slices.SortFunc(order, func(x, y uint64) int { return strings.Compare(name(int(x&which)), name(int(y&which))) })
		return
	}
	step := (64 - width) / 8 // bytes of a name in an integer
	for i, x := range order {
		x &= which
		order[i] = x | wordAt(name(int(x)), from)&^(1<<(64-8*step)-1)
	}
	slices.Sort(order)
	for len(order) > 0 {
		n := 1
		for n < len(order) && (order[n]^order[0])>>(64-8*step) == 0 {
			n++
		}
		if n > 1 {
			sortFrom(order[:n], from+step, width, name)
		}
		order = order[n:]
	}
}

// wordAt returns the eight bytes of s from i on, first byte highest, with zeros after the end.
func wordAt(s string, i int) uint64 {
	switch left := len(s) - i; {
	case left >= 8:
		return bits.ReverseBytes64(xunsafe.Text64(s, i))
	case left > 0:
		return bits.ReverseBytes64(shortText(s[i:]))
	}
	return 0
}
