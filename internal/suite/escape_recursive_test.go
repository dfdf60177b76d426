package suite

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
)

// Recursive types, through every kind of reference.
type (
	mapStruct         struct{ Kids map[string]mapStruct }
	mapItself         map[string]mapItself
	mapOfMaps         map[string]map[string]mapOfMaps
	mapOfLists        map[string][]mapOfLists
	mapArray          [2]map[string]mapArray
	mapOne            map[string]mapTwo
	mapTwo            map[string]mapOne
	mapByAny          map[any]mapByAny
	mapPtrKey         map[*mapPtrKey]mapPtrKey
	mapKey            struct{ m *map[mapKey]mapKey }
	mapGeneric[T any] struct {
		value T
		kids  map[string]mapGeneric[T]
	}
	listItself  []listItself
	listArray   [7][]listArray
	ptrItself   *ptrItself
	ptrArray    [5]*ptrArray
	ptrStruct   struct{ a, b *ptrStruct }
	anyItself   interface{ with(anyItself) anyItself }
	anyStruct   struct{ next interface{ with(anyStruct) } }
	funcItself  func(funcItself) funcItself
	chanItself  chan chanItself
	chanOfMaps  chan map[string]chanOfMaps
	mapOfFuncs  map[string]func(mapOfFuncs) mapOfFuncs
	flatMap     map[int]flatMap
	emptyInMap  map[struct{}]map[[0]*int]emptyInMap
	deepNothing [1 << 30][1 << 10]struct{}
)

// Compiling a type that refers to itself through a map must end. A stack overflow would end the process, even
// for an empty value.
func TestEscapeCompilesRecursiveTypes(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, v := range []any{
		mapStruct{}, mapItself{}, mapOfMaps{}, mapOfLists{}, mapArray{}, mapOne{}, mapTwo{}, mapByAny{}, mapPtrKey{},
		mapKey{}, mapGeneric[string]{}, listItself{}, listArray{}, new(ptrItself), ptrArray{}, ptrStruct{}, new(anyItself), anyStruct{},
		funcItself(nil), make(chanItself), make(chanOfMaps), mapOfFuncs{}, flatMap{}, emptyInMap{}, deepNothing{},
	} {
		text := arena.SliceOf(a, a.AllocString("text"))
		c := escaped(a, arena.SliceOf[any](a, v, text, v))
		if got := c[1].([]string)[0]; got != "text" {
			t.Errorf("beside a %T: %q", v, got)
		}
		if reflect.TypeOf(c[0]) != reflect.TypeOf(v) || reflect.TypeOf(c[2]) != reflect.TypeOf(v) {
			t.Errorf("a %T has become a %T", v, c[0])
		}
	}
}

// Values of such types are copied like others.
func TestEscapeOfRecursiveMaps(t *testing.T) {
	a := arena.NewArena(4096, 0)
	text := func(s string) string { return a.AllocString(s) }

	c := escaped(a, mapStruct{map[string]mapStruct{text("a"): {map[string]mapStruct{text("b"): {}}}}})
	if b, ok := c.Kids["a"].Kids["b"]; !ok || b.Kids != nil || len(c.Kids) != 1 {
		t.Errorf("%v", c)
	}
	x := mapItself{}
	x[text("itself")], x[text("empty")] = x, mapItself{}
	if y := escaped(a, x); len(y) != 2 || reflect.ValueOf(y["itself"]).Pointer() != reflect.ValueOf(y).Pointer() || y["empty"] == nil || len(y["empty"]) != 0 {
		t.Error("a map that holds itself does so no more")
	}
	heap := mapItself{"heap": nil}
	if y := escaped(a, mapItself{text("x"): heap}); reflect.ValueOf(y["x"]).Pointer() != reflect.ValueOf(heap).Pointer() {
		t.Error("a map that leads nowhere is not shared")
	}
	if y := escaped(a, mapOne{text("1"): {text("2"): {text("3"): nil}}}); len(y["1"]["2"]) != 1 {
		t.Errorf("%v", y)
	}
	if y := escaped(a, mapOfLists{text("1"): arena.SliceOf(a, nil, mapOfLists{text("2"): nil})}); len(y["1"]) != 2 || len(y["1"][1]) != 1 {
		t.Errorf("%v", y)
	}
	type held struct{ s, more string }
	if y := escaped(a, mapByAny{held{text("1"), ""}: {text("2"): nil, 3: {[1]any{text("4")}: nil}}}); len(y[held{"1", ""}]) != 2 {
		t.Errorf("%v", y)
	} else if _, ok := y[held{"1", ""}][3][[1]any{"4"}]; !ok {
		t.Errorf("%v", y)
	}
	p := arena.New[mapPtrKey](a)
	*p = mapPtrKey{p: {}}
	if q := escaped(a, p); len(*q) != 1 || (*q)[q] == nil {
		t.Error("a map whose key points to it does so no more")
	}
	g := escaped(a, mapGeneric[string]{text("1"), map[string]mapGeneric[string]{text("2"): {value: text("3")}}})
	if g.value != "1" || g.kids["2"].value != "3" {
		t.Errorf("%v", g)
	}
	if l := escaped(a, arena.SliceOf(a, listItself(arena.SliceOf(a, listItself{}, nil)))); len(l[0]) != 2 || l[0][1] != nil || l[0][0] == nil {
		t.Errorf("%v", l)
	}
	var l listItself = arena.MakeSlice[listItself](a, 1, 1)
	l[0] = l
	if l = escaped(a, l); &l[0] != &l[0][0][0] {
		t.Error("a list that holds itself does so no more")
	}
	q := arena.New[ptrItself](a)
	*q = q
	if r := escaped(a, q); r != *r || r == q {
		t.Error("a pointer to itself is none any more")
	}
}

// Keys and values of maps may lead into the arena through any of their fields.
func TestEscapeOfKeysAndValuesOfStructs(t *testing.T) {
	type first struct {
		s string
		n int
	}
	type last struct {
		n int
		s string
	}
	a := arena.NewArena(4096, 0)
	text := func() string { return a.AllocString("text") }
	type maps struct {
		a map[first]int
		b map[last]int
		c map[int]first
		d map[int]last
		e map[int][2]first
	}
	c := escaped(a, maps{map[first]int{{text(), 1}: 1}, map[last]int{{1, text()}: 1}, map[int]first{1: {text(), 1}}, map[int]last{1: {1, text()}},
		map[int][2]first{1: {1: {text(), 1}}}})
	if c.a[first{"text", 1}] != 1 || c.b[last{1, "text"}] != 1 || c.c[1].s != "text" || c.d[1].s != "text" || c.e[1][1].s != "text" {
		t.Errorf("%v", c)
	}
}

// A map may lead into the arena through its keys alone, or through its values alone.
func TestEscapeOfKeysAndValues(t *testing.T) {
	a := arena.NewArena(4096, 0)
	key, value := a.AllocString("key"), a.AllocString("value")
	c := escaped(a, struct {
		keys   map[string]int
		values map[int]string
		none   map[int]int
	}{map[string]int{key: 1}, map[int]string{1: value}, map[int]int{1: 2}})
	for s := range c.keys {
		if s != "key" || unsafe.StringData(s) == unsafe.StringData(key) {
			t.Errorf("the key is %q, or the arena's", s)
		}
	}
	if s := c.values[1]; s != "value" || unsafe.StringData(s) == unsafe.StringData(value) {
		t.Errorf("the value is %q, or the arena's", s)
	}
	if c.keys["key"] != 1 || c.none[1] != 2 {
		t.Errorf("%v", c)
	}
}
