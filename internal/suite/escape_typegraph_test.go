package suite

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/machine"
)

// typeGraph generates values of random types.
type typeGraph struct {
	*rand.Rand
	a       *arena.Arena
	types   []reflect.Type
	at      [2]typePlaces
	maps    map[unsafe.Pointer]bool
	serial  int
	dirtied map[reflect.Type]bool // types with memory in the arena
}

// typePlaces lists the values that a random pointer may refer to. Index 0 is the heap, from which nothing
// leads into the arena; index 1 is the arena.
type typePlaces struct {
	values map[reflect.Type][]reflect.Value // addressable
	slices map[reflect.Type][]reflect.Value
	tables map[reflect.Type][]reflect.Value
	texts  []string
	held   []any
	own    []span
}

type span struct{ from, to uintptr }

func newTypeGraph(seed uint64, a *arena.Arena) *typeGraph {
	g := &typeGraph{Rand: rand.New(rand.NewPCG(seed, 77)), a: a, maps: map[unsafe.Pointer]bool{}, dirtied: map[reflect.Type]bool{}}
	for i := range g.at {
		g.at[i] = typePlaces{values: map[reflect.Type][]reflect.Value{}, slices: map[reflect.Type][]reflect.Value{}, tables: map[reflect.Type][]reflect.Value{}, texts: []string{""}}
	}
	for range 8 {
		g.types = append(g.types, typesNamed[g.IntN(len(typesNamed))])
	}
	for range 8 {
		g.types = append(g.types, g.typeOf(3))
	}
	for i := range 60 {
		where := 0
		if i >= 20 {
			where = 1
		}
		g.at[where].held = append(g.at[where].held, g.box(where, 3))
	}
	return g
}

func (g *typeGraph) oneOf(list ...reflect.Type) reflect.Type { return list[g.IntN(len(list))] }

// typeOf returns a random type.
func (g *typeGraph) typeOf(depth int) reflect.Type {
	if depth == 0 || g.IntN(6) == 0 {
		return g.oneOf(reflect.TypeFor[int](), reflect.TypeFor[byte](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[typesText](), reflect.TypeFor[any](),
			reflect.TypeFor[any](), reflect.TypeFor[typesHolder](), reflect.TypeFor[func()](), reflect.TypeFor[chan int](), reflect.TypeFor[struct{}](), reflect.TypeFor[[0]*int]())
	}
	switch g.IntN(8) {
	case 0:
		return reflect.PointerTo(g.typeOf(depth - 1))
	case 1:
		return reflect.SliceOf(g.typeOf(depth - 1))
	case 2:
		return reflect.ArrayOf(g.IntN(7), g.typeOf(depth-1))
	case 3:
		return reflect.MapOf(g.oneOf(reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[any](), reflect.TypeFor[typesKeyed]()), g.typeOf(depth-1))
	case 4:
		return typesNamed[g.IntN(len(typesNamed))]
	}
	var fields []reflect.StructField
	for i := range g.IntN(5) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: g.typeOf(depth - 1)})
	}
	return reflect.StructOf(fields)
}

// from returns the place that a value in place where refers to.
func (g *typeGraph) from(where int) int {
	if where == 1 && g.IntN(4) != 0 {
		return 1
	}
	return 0
}

// box returns an interface that holds a new value, or a part of an existing one.
func (g *typeGraph) box(where, depth int) any {
	if list := g.at[g.from(where)].held; len(list) != 0 && g.IntN(3) != 0 {
		return g.part(list[g.IntN(len(list))])
	}
	t := g.types[g.IntN(len(g.types))]
	if t.Kind() == reflect.Slice && where == 1 && g.IntN(2) == 0 { // its box is in the arena
		x := g.newSlice(t, 1, depth).Interface()
		if machine.LayoutOK {
			g.at[1].note(boxOf(x), reflect.TypeFor[[]int]().Size())
		}
		return x
	}
	v := reflect.New(t).Elem()
	g.fill(v, where, depth)
	return v.Interface()
}

// part returns an interface that reflect makes of a part of x, usually in x's box.
func (g *typeGraph) part(x any) any {
	for range g.IntN(5) {
		v := reflect.ValueOf(x)
		if !v.IsValid() {
			break
		}
		if t := typesConversions[v.Type()]; t != nil && g.IntN(2) == 0 {
			x = v.Convert(t).Interface()
			continue
		}
		first := g.IntN(3) != 0
		switch {
		case v.Kind() == reflect.Struct && v.NumField() > 0 && first:
			v = v.Field(0)
		case v.Kind() == reflect.Struct && v.NumField() > 0:
			v = v.Field(g.IntN(v.NumField()))
		case v.Kind() == reflect.Array && v.Len() > 0 && first:
			v = v.Index(0)
		case v.Kind() == reflect.Array && v.Len() > 0:
			v = v.Index(g.IntN(v.Len()))
		}
		if !v.CanInterface() || v.Kind() == reflect.Interface && v.IsNil() {
			break
		}
		x = v.Interface()
	}
	return x
}

func (g *typeGraph) text(where int) string {
	p := &g.at[where]
	if g.IntN(3) == 0 {
		s := p.texts[g.IntN(len(p.texts))]
		from := g.IntN(len(s) + 1)
		return s[from : from+g.IntN(len(s)-from+1)]
	}
	g.serial++
	s := strings.Repeat(fmt.Sprint("text ", g.serial, " "), 1+g.IntN(3)*g.IntN(8))
	if where == 1 {
		s = g.a.AllocString(s)
	}
	p.note(unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
	p.texts = append(p.texts, s)
	return s
}

func (p *typePlaces) note(at unsafe.Pointer, size uintptr) {
	if size != 0 {
		p.own = append(p.own, span{uintptr(at), uintptr(at) + size})
	}
}

// newValue returns a new variable.
func (g *typeGraph) newValue(t reflect.Type, where, depth int) reflect.Value {
	p := reflect.Value{}
	if where == 1 {
		p, g.dirtied[t] = arenareflect.New(g.a, t), true
	} else {
		p = reflect.New(t)
	}
	g.at[where].note(p.UnsafePointer(), t.Size())
	g.list(p.Elem(), where)
	g.fill(p.Elem(), where, depth)
	return p
}

// list adds a variable and its parts to the possible targets of pointers.
func (g *typeGraph) list(v reflect.Value, where int) {
	v = readable(v)
	values := g.at[where].values
	values[v.Type()] = append(values[v.Type()], v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			g.list(v.Field(i), where)
		}
	case reflect.Array:
		for i := range min(v.Len(), 8) {
			g.list(v.Index(i), where)
		}
		if n := v.Len(); n > 0 {
			t := reflect.SliceOf(v.Type().Elem())
			from := g.IntN(n)
			g.at[where].slices[t] = append(g.at[where].slices[t], v.Slice3(from, from+g.IntN(n-from+1), n))
		}
	}
}

func (g *typeGraph) sliceOf(t reflect.Type, where, depth int) reflect.Value {
	if list := g.at[where].slices[t]; len(list) != 0 && g.IntN(3) == 0 {
		v := list[g.IntN(len(list))]
		from := g.IntN(v.Len() + 1)
		return v.Slice(from, from+g.IntN(v.Len()-from+1))
	}
	return g.newSlice(t, where, depth)
}

func (g *typeGraph) newSlice(t reflect.Type, where, depth int) reflect.Value {
	c := g.IntN(6)
	n := c - g.IntN(2)*g.IntN(c+1)
	var v reflect.Value
	if where == 1 {
		v = arenareflect.MakeSlice(g.a, t, n, c)
		g.dirtied[t.Elem()] = true
	} else {
		v = reflect.MakeSlice(t, n, c)
	}
	g.at[where].note(v.UnsafePointer(), uintptr(c)*t.Elem().Size())
	g.at[where].slices[t] = append(g.at[where].slices[t], v)
	for i := range n {
		g.list(v.Index(i), where)
		g.fill(v.Index(i), where, depth-1)
	}
	return v
}

func (g *typeGraph) tableOf(t reflect.Type, where, depth int) reflect.Value {
	if list := g.at[where].tables[t]; len(list) != 0 && g.IntN(3) == 0 {
		return list[g.IntN(len(list))]
	}
	m := reflect.MakeMap(t)
	g.maps[m.UnsafePointer()] = true
	g.at[where].tables[t] = append(g.at[where].tables[t], m)
	for range g.IntN(4) {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		g.fillKey(key, where)
		g.fill(value, where, depth-1)
		m.SetMapIndex(key, value)
	}
	return m
}

// fillKey sets v to a unique key with a unique text.
func (g *typeGraph) fillKey(v reflect.Value, where int) {
	g.serial++
	text := func() string {
		s := fmt.Sprint("key ", g.serial)
		if g.from(where) == 1 {
			s = g.a.AllocString(s)
			g.at[1].note(unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
		}
		return s
	}
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(int64(g.serial))
	case reflect.Interface:
		var x any = typesText(text())
		if v.Type().NumMethod() == 0 {
			x = []any{text(), typesText(text()), g.serial, typesKeyed{text(), text()}, [2]any{text(), 1}, typesPair{1, typesPair{text(), text()}}}[g.IntN(6)]
		}
		v.Set(reflect.ValueOf(x))
	case reflect.Struct:
		v.Set(reflect.ValueOf(typesKeyed{text(), text()}))
	default:
		v.SetString(text())
	}
}

func (g *typeGraph) fill(v reflect.Value, where, depth int) {
	v = readable(v)
	t := v.Type()
	lead := func() bool { return depth > 0 && g.IntN(8) != 0 }
	switch t.Kind() {
	case reflect.Int:
		v.SetInt(int64(g.IntN(1000)))
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(uint64(g.IntN(200)))
	case reflect.String:
		v.SetString(g.text(g.from(where)))
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i), where, depth)
		}
	case reflect.Array:
		for i := range min(v.Len(), 8) {
			g.fill(v.Index(i), where, depth)
		}
	case reflect.Interface:
		if lead() {
			if x := g.box(where, depth-1); x != nil && reflect.TypeOf(x).AssignableTo(t) {
				v.Set(reflect.ValueOf(x))
			} else if t == reflect.TypeFor[typesHolder]() {
				v.Set(reflect.ValueOf([]any{typesPair{x, g.text(g.from(where))}, typesText(g.text(g.from(where)))}[g.IntN(2)]))
			}
		}
	case reflect.Pointer:
		to := g.from(where)
		if list := g.at[to].values[t.Elem()]; len(list) != 0 && g.IntN(2) == 0 {
			v.Set(list[g.IntN(len(list))].Addr().Convert(t))
		} else if lead() {
			v.Set(g.newValue(t.Elem(), to, depth-1).Convert(t))
		}
	case reflect.Slice:
		if lead() {
			v.Set(g.sliceOf(t, g.from(where), depth-1))
		}
	case reflect.Map:
		if lead() {
			v.Set(g.tableOf(t, g.from(where), depth-1))
		}
	case reflect.Chan:
		v.Set(reflect.MakeChan(t, 0))
	}
}

// shared and inside report whether p points to the heap, and into the arena.
func (g *typeGraph) shared(p unsafe.Pointer) bool     { return g.at[0].has(p) }
func (g *typeGraph) inside(p unsafe.Pointer) bool     { return g.at[1].has(p) }
func (g *typeGraph) isMapThere(p unsafe.Pointer) bool { return g.maps[p] }

func (p *typePlaces) has(q unsafe.Pointer) bool {
	for _, s := range p.own {
		if uintptr(q) >= s.from && uintptr(q) < s.to {
			return true
		}
	}
	return false
}

// dirty overwrites the memory that the arena has given back.
func (g *typeGraph) dirty() {
	other := newPlain(g)
	for t := range g.dirtied {
		for range 3 {
			other.fill(arenareflect.New(g.a, t).Elem(), 0, 1)
			v := arenareflect.MakeSlice(g.a, reflect.SliceOf(t), 5, 5)
			for i := range 5 {
				other.fill(v.Index(i), 0, 1)
			}
		}
	}
	dirtyArena(g.a)
}

// newPlain generates values of g's types without arena memory.
func newPlain(g *typeGraph) *typeGraph {
	other := &typeGraph{Rand: g.Rand, a: nil, maps: map[unsafe.Pointer]bool{}, types: g.types}
	for i := range other.at {
		other.at[i] = typePlaces{values: map[reflect.Type][]reflect.Value{}, slices: map[reflect.Type][]reflect.Value{}, tables: map[reflect.Type][]reflect.Value{}, texts: []string{"somebody else's"}}
	}
	return other
}
