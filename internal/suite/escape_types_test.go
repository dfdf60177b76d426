package suite

import (
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// Values of random types are escaped, with everything that package reflect can make of them: interfaces that
// share a box through a field, an element or a conversion; boxes in boxes; slices of arrays; interior
// pointers; recursive types. The copy must match the description that escape_model_test.go made of the
// original.

// Types whose values share boxes by conversion: equal size and layout.
type (
	typesText        string
	typesPair        struct{ A, B any }
	typesCounterpart typesPair
	typesAnys        [2]any
	typesList        []any
	typesKeyed       struct{ ID, Name string }
	typesNode        struct {
		Next *typesNode
		Held any
		Kids map[string]typesNode
		list []typesNode
		text string
	}
	typesDeep struct {
		In   [2]struct{ First result }
		Rest []any
	}
	typesWord struct {
		_ struct{}
		P *typesNode
	}
	typesHolder interface{ hold() }
)

func (typesPair) hold()  {}
func (typesText) hold()  {}
func (*typesNode) hold() {}
func (typesList) hold()  {}

var typesNamed = []reflect.Type{
	reflect.TypeFor[typesPair](), reflect.TypeFor[typesCounterpart](), reflect.TypeFor[typesAnys](), reflect.TypeFor[typesList](), reflect.TypeFor[[]any](),
	reflect.TypeFor[[2]any](), reflect.TypeFor[typesNode](), reflect.TypeFor[*typesNode](), reflect.TypeFor[typesDeep](), reflect.TypeFor[typesWord](),
	reflect.TypeFor[mapStruct](), reflect.TypeFor[mapItself](), reflect.TypeFor[mapOfLists](), reflect.TypeFor[mapArray](), reflect.TypeFor[mapOne](),
	reflect.TypeFor[mapGeneric[string]](), reflect.TypeFor[listItself](), reflect.TypeFor[listArray](), reflect.TypeFor[ptrItself](), reflect.TypeFor[ptrArray](),
	reflect.TypeFor[ptrStruct](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[typesKeyed]*string](), reflect.TypeFor[map[any]any](),
	reflect.TypeFor[map[typesHolder]string](), reflect.TypeFor[result](), reflect.TypeFor[[3]*byte](), reflect.TypeFor[[]byte](),
}

var typesConversions = map[reflect.Type]reflect.Type{
	reflect.TypeFor[typesPair](): reflect.TypeFor[typesCounterpart](), reflect.TypeFor[typesCounterpart](): reflect.TypeFor[typesPair](),
	reflect.TypeFor[string](): reflect.TypeFor[typesText](), reflect.TypeFor[typesText](): reflect.TypeFor[string](),
	reflect.TypeFor[typesAnys](): reflect.TypeFor[[2]any](), reflect.TypeFor[[2]any](): reflect.TypeFor[typesAnys](),
	reflect.TypeFor[typesList](): reflect.TypeFor[[]any](), reflect.TypeFor[[]any](): reflect.TypeFor[typesList](),
}

// checkTypes escapes values of random types, as a T that root builds from interfaces, and compares the copy.
func checkTypes[T any](t *testing.T, seed uint64, a *arena.Arena, root func(g *typeGraph, pick func() any) T) {
	t.Helper()
	g := newTypeGraph(seed, a)
	v := root(g, func() any { list := g.at[1].held; return list[g.IntN(len(list))] })
	before := describe(g, false, &v)
	c := arena.Escape(a, v)
	if after := describe(g, false, &v); after != before {
		t.Fatalf("seed %d: Escape has changed the original:\n%s\nis now\n%s", seed, before, after)
	}
	if got := describe(g, true, &c); got != before {
		t.Fatalf("seed %d: the copy of\n%s\nis\n%s", seed, before, got)
	}
	clear(g.at[1].values)
	clear(g.at[1].slices)
	g.at[1].held, g.at[1].texts = nil, nil
	var none T
	v = none
	a.Reset()
	g.dirty()
	if hostile() {
		testkit.Collect(1)
	}
	if got := describe(g, true, &c); got != before {
		t.Fatalf("seed %d: after Reset the copy of\n%s\nis\n%s", seed, before, got)
	}
	a.Reset()
}

func checkTypesOf(t *testing.T, seed uint64, a *arena.Arena) {
	switch seed % 6 {
	case 0:
		checkTypes(t, seed, a, func(g *typeGraph, pick func() any) any { return pick() })
	case 1:
		checkTypes(t, seed, a, func(g *typeGraph, pick func() any) []any {
			return g.sliceOf(reflect.TypeFor[[]any](), 1, 3).Interface().([]any)
		})
	case 2:
		checkTypes(t, seed, a, func(g *typeGraph, pick func() any) [7]any {
			return [7]any{pick(), pick(), pick(), pick(), pick(), pick(), pick()}
		})
	case 3:
		checkTypes(t, seed, a, func(g *typeGraph, pick func() any) typesPair {
			return typesPair{typesPair{pick(), pick()}, typesCounterpart{pick(), pick()}}
		})
	case 4:
		checkTypes(t, seed, a, func(g *typeGraph, pick func() any) map[string]any {
			m := map[string]any{"a": pick(), "b": pick()}
			g.maps[reflect.ValueOf(m).UnsafePointer()] = true
			return m
		})
	default:
		checkTypes(t, seed, a, func(g *typeGraph, pick func() any) typesNode {
			return typesNode{Held: pick(), list: g.sliceOf(reflect.TypeFor[[]typesNode](), 1, 4).Interface().([]typesNode)}
		})
	}
}

func TestEscapeOfRandomTypes(t *testing.T) {
	n := uint64(3000)
	if testing.Short() || hostile() {
		n = 300
	}
	a := arena.NewArena(1000, 1<<20)
	for seed := range n {
		checkTypesOf(t, seed, a)
		if seed%100 == 99 {
			a.Release()
		}
	}
}
