package arenajson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Maps. A builtin map belongs to the arena, which creates it for the number of its entries, so the members of
// an object are first collected in a list. Maps with string keys and values of a shape (fields.go) are filled
// by compiled code. Package reflect fills other builtin maps, and maps whose values may fail. An arena.Map is
// filled through its MapMaker.

// mapAt decodes the value at i into the map at to.
func (d *decoder) mapAt(p *decProgram, to xunsafe.Pointer, i int) int {
	switch {
	case d.at(i) != '{':
		return d.decodeNull(p, to, i)
	case p.shape != noShape && !p.elem.mayFail():
		return d.shapedMap(p, to, i)
	}
	return d.otherMap(p, to, i)
}

// shapedMap decodes the object at i into the map[string]T at to by the shape of T.
func (d *decoder) shapedMap(p *decProgram, to xunsafe.Pointer, i int) int {
	if d.scratch == nil {
		d.scratch = freeScratch.Get().(*scratch)
	}
	s := d.scratch
	switch p.shape {
	case shapeAny:
		return d.anyMap(&s.anys, p, to, i)
	case shapeText:
		return decodeMap(d, &s.texts, p, to, i)
	case shapePointer:
		return decodeMap(d, &s.pointers, p, to, i)
	case shape8:
		return decodeMap(d, &s.eights, p, to, i)
	case shape4:
		return decodeMap(d, &s.fours, p, to, i)
	case shape1:
		return decodeMap(d, &s.ones, p, to, i)
	}
	return decodeMap(d, &s.slices, p, to, i)
}

// anyMap is decodeMap for empty interfaces, the most common values.
func (d *decoder) anyMap(l *memberList[any], p *decProgram, to xunsafe.Pointer, i int) int {
	m := xunsafe.Cast[map[string]any](to)
	from := len(l.all)
	i, more := d.openObject(i)
	for full := l.full(); more; {
		if len(l.all) == full {
			l.flush(d, p.maps, m, from)
		}
		var x member[any]
		x.name, i = d.name(i)
		x.name = d.keep(x.name)
		x.value, i = d.any(i)
		l.all = append(l.all, x)
		i, more = d.nextMember(i)
	}
	l.flush(d, p.maps, m, from)
	return i
}

// decodeMap decodes the object at i into a map with values of the shape of V. l has the members of all such
// objects that are open, the outermost first.
func decodeMap[V any](d *decoder, l *memberList[V], p *decProgram, to xunsafe.Pointer, i int) int {
	m := xunsafe.Cast[map[string]V](to)
	from := len(l.all)
	i, more := d.openObject(i)
	for k, full := from, l.full(); more; k++ {
		if k == full {
			l.flush(d, p.maps, m, from)
			k = from
		}
		var name string
		name, i = d.name(i)
		l.all = append(l.all, member[V]{name: d.keep(name)})
		v := &l.all[k].value
		i = d.value(p.elem, xunsafe.PointerTo(v), i)
		l.all[k].value = *v // an object in the value may have moved the list
		i, more = d.nextMember(i)
	}
	l.flush(d, p.maps, m, from)
	return i
}

// Members are collected up to mostListed for an object, and up to mostOpen for all open objects, because lists are on the
// heap and count in no limit.
const (
	mostListed = 1024
	mostOpen   = 4 * mostListed
)

// A member is an entry of a map with strings as keys.
type member[V any] struct {
	name  string
	value V
}

type memberList[V any] struct{ all []member[V] }

// full returns the length of the list at which an object that begins now moves its members to its map. Beyond mostOpen
// that is after each member.
func (l *memberList[V]) full() int {
	from := len(l.all)
	return min(from+mostListed, max(from+1, mostOpen))
}

// flush moves the members from index from on to m, and makes m if it is nil.
func (l *memberList[V]) flush(d *decoder, t *machine.MapType, m *map[string]V, from int) {
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

// free empties the list, which has members after an error.
func (l *memberList[V]) free() {
	clear(l.all)
	l.all = l.all[:0]
}

// scratch has a list for each shape.
type scratch struct {
	anys     memberList[any]
	texts    memberList[string]
	pointers memberList[xunsafe.Pointer]
	eights   memberList[uint64]
	fours    memberList[uint32]
	ones     memberList[uint8]
	slices   memberList[[]byte]
}

var freeScratch = sync.Pool{New: func() any { return new(scratch) }}

// free returns s to the pool.
func (s *scratch) free() {
	s.anys.free()
	s.texts.free()
	s.pointers.free()
	s.eights.free()
	s.fours.free()
	s.ones.free()
	s.slices.free()
	freeScratch.Put(s)
}

// maps returns the maps of d's arena, nil if it has none.
func (d *decoder) maps() *machine.MapStore {
	if d.store == nil && d.region != nil {
		d.store = machine.Maps(d.region)
	}
	return d.store
}

// pair has variables for a key and a value of a map.
type pair struct {
	key, value     reflect.Value
	keyAt, valueAt xunsafe.Pointer // their addresses
}

// pairOf returns a zero pair for maps of p.
func pairOf(p *decProgram) *pair {
	x, _ := p.pairs.Get().(*pair)
	if x == nil {
		x = &pair{key: reflect.New(p.key.typ).Elem(), value: reflect.New(p.elem.typ).Elem()}
		x.keyAt, x.valueAt = x.key.Addr().UnsafePointer(), x.value.Addr().UnsafePointer()
	}
	return x
}

// otherMap decodes the object at i into an arena.Map, or into a builtin map by package reflect. For a builtin
// map it decodes each value before its key, like encoding/json, which decides what error comes first.
func (d *decoder) otherMap(p *decProgram, to xunsafe.Pointer, i int) int {
	builtin := p.op == readMap
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
	// Different names may be the same key, such as 0 and -0. Strict finds these in a map of this object's keys.
	keys, sameKeys := to, d.strict && p.keys != keyString
	if sameKeys && d.lenOf(p, to) > 0 {
		keys = d.newValue(p)
		d.makeMap(p, keys)
	}
	counted := false // the memory of the next entry
	for n := 1; more; n++ {
		at := i
		var name string
		name, i = d.name(i)
		if builtin {
			if !counted { // now, because each open object has an x
				d.maps().Entry(p.maps)
				counted = true
			}
			x.value.SetZero()
			i = d.value(p.elem, x.valueAt, i)
		}
		fits, into := d.key(p, x.keyAt, name, at), x.valueAt
		if fits {
			if sameKeys {
				if builtin {
					n := d.lenOf(p, keys)
					d.maps().Grow(p.maps, n, n+1)
					if keys != to {
						d.maps().Entry(p.maps)
					}
				}
				if d.insert(p, keys, x); d.lenOf(p, keys) != n {
					d.rejectName(at)
				}
			}
			if builtin {
				room = d.makeRoom(p, xunsafe.Cast[xunsafe.Pointer](to), &mine, room)
			}
			into = d.insert(p, to, x)
			counted = false
		}
		if !builtin {
			i = d.value(p.elem, into, i)
		}
		if !fits {
			x.value.SetZero()
			d.noteType("number ", name, p.key.typ, at, at+1)
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

// makeRoom prepares the builtin map at to for another entry. room is the number of entries that the map has
// room for; makeRoom returns its new value. mine is the map if otherMap created it.
func (d *decoder) makeRoom(p *decProgram, to, mine *xunsafe.Pointer, room int) int {
	if *to == nil {
		return room // a method set it to nil, and the insertion panics
	}
	n := machine.MapLen(*to)
	if n < room {
		return room
	}
	if *to == *mine { // otherwise a method replaced it
		*mine = d.maps().Larger(p.maps, *mine)
		*to = *mine
	} else {
		d.maps().Grow(p.maps, n, n+1)
	}
	return machine.MapRoom(n + 1)
}

// makeMap stores a new map in the variable at to.
func (d *decoder) makeMap(p *decProgram, to xunsafe.Pointer) {
	if p.op == readMap {
		*xunsafe.Cast[xunsafe.Pointer](to) = d.maps().Take(p.maps, 0)
		return
	}
	d.leave()
	*xunsafe.Cast[xunsafe.Pointer](to) = p.maker.Make(d.a)
	d.enter()
}

// insert inserts x in the map at to. For an arena.Map it inserts a zero value, and returns its address.
func (d *decoder) insert(p *decProgram, to xunsafe.Pointer, x *pair) (value xunsafe.Pointer) {
	if p.op == readMap {
		p.at(to).SetMapIndex(x.key, x.value)
		return nil
	}
	d.leave()
	value = p.maker.Entry(*xunsafe.Cast[xunsafe.Pointer](to), x.keyAt)
	d.enter()
	return value
}

// lenOf returns the number of entries of the map at to.
func (d *decoder) lenOf(p *decProgram, to xunsafe.Pointer) int {
	if p.op == readMap {
		return machine.MapLen(*xunsafe.Cast[xunsafe.Pointer](to))
	}
	d.leave()
	n := p.at(to).Interface().(interface{ Len() int }).Len()
	d.enter()
	return n
}

// key decodes name, the name of the member at i, into a key of a map of p, and reports whether it is valid.
func (d *decoder) key(p *decProgram, to xunsafe.Pointer, name string, i int) bool {
	switch p.keys {
	case keyString:
		*xunsafe.Cast[string](to) = d.keep(name)
	case keyText:
		p.key.at(to).SetZero()
		d.callMethod(readText, p.key, to, []byte(name), i)
	case keyJSON:
		p.key.at(to).SetZero()
		d.callMethod(readJSON, p.key, to, d.doc[i:stringEnd(d.doc, i)], i) // name has no escapes anymore
	default: // a number in quotes
		if d.strict && !isNumber(name) {
			return false // strconv accepts more than JSON does
		}
		return setNumber(p.key.at(to), name)
	}
	return true
}

// Interfaces. An empty interface gets a float64, a string, a bool, nil, a []any or a map[string]any, whose
// memory is in the arena: box makes the interface from a pointer, without the copy that Go's conversion
// allocates. An interface that holds a pointer is decoded through it, like in encoding/json.

var (
	floatProgram  = plainMode.decProgramOf(reflect.TypeFor[*float64]())
	textProgram   = plainMode.decProgramOf(reflect.TypeFor[*string]())
	numberProgram = plainMode.decProgramOf(reflect.TypeFor[*json.Number]())
	intProgram    = plainMode.decProgramOf(reflect.TypeFor[*int64]())
	listProgram   = plainMode.decProgramOf(reflect.TypeFor[*[]any]())
	mapProgram    = plainMode.decProgramOf(reflect.TypeFor[*map[string]any]())
)

// anyAt decodes the value at i into the empty interface at to.
func (d *decoder) anyAt(p *decProgram, to xunsafe.Pointer, i int) int {
	x := xunsafe.Cast[any](to)
	if *x != nil && reflect.TypeOf(*x).Kind() == reflect.Pointer {
		if end, ok := d.through(p, to, i); ok {
			return end
		}
	}
	v, end := d.any(i)
	if v != nil || d.at(i) == 'n' {
		*x = v // otherwise it is a number that does not fit
	}
	return end
}

// iface decodes the value at i into an interface with methods, which must hold a pointer.
func (d *decoder) iface(p *decProgram, to xunsafe.Pointer, i int) int {
	if end, ok := d.through(p, to, i); ok {
		return end
	}
	if c := d.at(i); (c == '-' || c-'0' <= 9) && d.flags&useNumber == 0 {
		if _, end := d.float(i); end < 0 {
			return d.tooLarge(i) // the first error that encoding/json sees
		}
	}
	return d.decodeNull(p, to, i)
}

// maxUnder is the maximum number of nested pointers in interfaces. A document has at most maxNesting levels,
// so more are a cycle.
const maxUnder = 2 * maxNesting

// A dynamic is a value that is decoded through the pointer in an interface.
type dynamic struct {
	at   int // index in the document
	prog *decProgram
}

// through decodes the value at i through the pointer in the interface at to, if encoding/json does: the
// pointer is not nil, and for null it points to a pointer.
func (d *decoder) through(p *decProgram, to xunsafe.Pointer, i int) (end int, ok bool) {
	in := p.at(to).Elem()
	if in.Kind() != reflect.Pointer || in.IsNil() || d.at(i) == 'n' && in.Elem().Kind() != reflect.Pointer {
		return 0, false
	}
	if at := in.Elem(); at.Kind() == reflect.Interface && at.NumMethod() == 0 && at.Elem().Kind() == reflect.Pointer && at.Elem().Equal(in) {
		at.SetZero() // the interface holds its own address, which is replaced
	}
	if len(d.under) == maxUnder {
		d.note(fmt.Errorf("arenajson: Unmarshal: cycle of pointers and interfaces through %v", in.Type()))
		return d.skip(i), true
	}
	target := d.mode.decProgramOf(in.Type())
	d.under = append(d.under, dynamic{i, target})
	end = d.value(target, in.UnsafePointer(), i)
	d.under = d.under[:len(d.under)-1]
	return end, true
}

// any decodes the value at i into a new interface.
func (d *decoder) any(i int) (any, int) {
	switch c := d.at(i); c {
	case '"':
		s, end := d.str(i)
		at := d.newValue(textProgram)
		*xunsafe.Cast[string](at) = d.keep(s)
		return box("", at), end
	case '{':
		var m map[string]any
		end := d.shapedMap(mapProgram, xunsafe.PointerTo(&m), i)
		return m, end
	case '[':
		return d.list(i)
	case 't':
		if d.has(i, "true") {
			return true, i + 4
		}
	case 'f':
		if d.has(i, "false") {
			return false, i + 5
		}
	case 'n':
		if d.has(i, "null") {
			return nil, i + 4
		}
	default:
		if d.flags&(useNumber|useInt64) != 0 {
			if x, end := d.anyNumber(i); x != nil {
				return x, end
			}
		}
		f, end := d.float(i)
		if end < 0 {
			return nil, d.tooLarge(i)
		}
		at := d.newValue(floatProgram)
		*xunsafe.Cast[float64](at) = f
		return box(0.0, at), end
	}
	d.fail()
	return nil, 0
}

// list decodes the array at i into a new []any. It is a copy of slice without the loads and comparisons that
// depend on a program.
func (d *decoder) list(i int) (any, int) {
	d.deeper(i)
	d.inside++
	var s machine.Slice
	n, size := 0, listProgram.elem.size
	i = d.space(i + 1)
	was := growth{at: i}
	if d.at(i) == ']' {
		s = d.emptySlice(listProgram)
	} else {
		for {
			if n >= s.Cap {
				s.Len = n
				s = d.grow(listProgram, s, n+1, d.expected(&was, size, n, i))
			}
			v, end := d.any(i)
			*xunsafe.Cast[any](xunsafe.Add(s.Data, uintptr(n)*size)) = v
			n++
			i = d.space(end)
			c := d.at(i)
			if c == ']' {
				break
			}
			if c != ',' {
				d.fail()
			}
			i = d.space(i + 1)
		}
		s.Len = n
		if d.region != nil {
			s = machine.TrimSliceOfType(d.region, listProgram.elem.mem, s)
		}
	}
	d.depth, d.inside = d.depth-1, d.inside-1
	at := d.newValue(listProgram)
	*xunsafe.Cast[machine.Slice](at) = s
	return box([]any(nil), at), i + 1
}

// anyNumber decodes the number at i as a json.Number with UseNumber, and as an int64 with UseInt64. It
// returns nil if the number is not an int64.
func (d *decoder) anyNumber(i int) (any, int) {
	end := d.number(i)
	if d.flags&useNumber != 0 {
		at := d.newValue(numberProgram)
		*xunsafe.Cast[string](at) = d.keep(d.text(i, end))
		return box(json.Number(""), at), end
	}
	n, ok := parseInt(d.text(i, end))
	if !ok {
		return nil, 0
	}
	at := d.newValue(intProgram)
	*xunsafe.Cast[int64](at) = n
	return box(int64(0), at), end
}

// box returns an interface of like's type that holds the value at p without a copy (assumption A7). The value
// must not change afterwards, and its type must not be a pointer.
func box(like any, p xunsafe.Pointer) (x any) {
	if !machine.LayoutOK {
		return xunsafe.Value(reflect.TypeOf(like), p).Interface()
	}
	*xunsafe.WordsOf(&x) = xunsafe.Words{Type: xunsafe.WordsOf(&like).Type, Data: p}
	return x
}
