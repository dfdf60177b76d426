// Package maps has an arena's maps, lanes, types known at run time and JSON: what a map holds is seen as in a
// builtin map, and the map itself is memory of its arena.
package maps

import (
	"maps"
	"reflect"
	"slices"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/arenareflect"
)

var pool = arena.NewArenaPool(4096, 0)

type node struct {
	Name string
	Next *node
}

func value(k, v string) string {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, string](a, 0)
	m.Set(k, a.AllocString(v))
	s, _ := m.Get(k)
	return s // want `return of memory of arena a, which the deferred Put`
}

func itself() *arena.Map[string, int] {
	a := pool.Get()
	defer pool.Put(a)
	return arena.NewMap[string, int](a, 8) // want `return of memory of arena a`
}

func inside(k string) *int {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, int](a, 0)
	m.Set(k, 1)
	return m.Ptr(k) // want `return of m, memory of arena a`
}

func length(a *arena.Arena) int {
	m := arena.NewMap[string, int](a, 0)
	a.Reset()
	return m.Len() // want `use of m, memory of arena a, which Reset on line 47`
}

func set(a *arena.Arena) {
	m := arena.NewMap[string, int](a, 0)
	a.Reset()
	m.Set("one", 1) // want `use of m, memory of arena a, which Reset`
}

func keys(names []string) []string {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, int](a, len(names))
	for i, n := range names {
		m.Set(a.ToLower(n), i)
	}
	var out []string
	for k := range m.All() {
		out = append(out, k)
	}
	return out // want `return of memory of arena a`
}

func collected(name string) []string {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, int](nil, 0)
	m.Set(a.Concat(name, "."), 1)
	return slices.Collect(m.Keys()) // want `return of memory of arena a`
}

func builtin(a *arena.Arena, m *arena.Map[string, *node]) map[string]*node {
	m.Set("one", arena.New[node](a)) // want `memory of arena a is stored where it outlives the function, but Reset`
	out := maps.Collect(m.All())
	a.Reset()
	println(out["one"].Name) // want `use of memory of arena a, which Reset`
	return nil
}

func rangedLate(a *arena.Arena) int {
	m := arena.NewMap[int, int](a, 0)
	m.Set(1, 2)
	seq := m.Values()
	a.Reset()
	sum := 0
	for v := range seq { // want `use of m, memory of arena a, which Reset`
		sum += v
	}
	return sum
}

func put(a *arena.Arena, m *arena.Map[string, string]) { m.Set("one", a.AllocString("1")) }

func intoCallers(m *arena.Map[string, string]) string {
	a := pool.Get()
	put(a, m) // want `memory of arena a is stored where it outlives`
	pool.Put(a)
	s, _ := m.Get("one")
	return s // want `return of memory of arena a, which Put`
}

func lane() *node {
	a := pool.Get()
	defer pool.Put(a)
	nodes := arena.AllocatorFor[node](a)
	return nodes.New() // want `return of memory of arena a, which the deferred Put`
}

func laneStale(a *arena.Arena) *node {
	n := arena.AllocatorFor[node](a).New()
	a.Reset()
	return n.Next // want `use of n, memory of arena a|use of memory of arena a, which Reset`
}

func laneAfterPut() {
	a := pool.Get()
	nodes := arena.AllocatorFor[node](a)
	pool.Put(a)
	nodes.New() // want `use of arena a, which Put on line 125`
}

type parser struct {
	a     *arena.Arena
	nodes arena.Allocator[node]
}

func (p *parser) parse() *node { return p.nodes.New() }

func laneOfParser() *node {
	a := pool.Get()
	defer pool.Put(a)
	p := parser{a: a, nodes: arena.AllocatorFor[node](a)}
	return p.parse() // want `return of memory of arena a`
}

func laneOfGoroutine() {
	a := pool.Get()
	defer pool.Put(a) // the goroutine may still run
	nodes := arena.AllocatorFor[node](a)
	go func() { nodes.New() }() // want `arena a is used by this goroutine`
}

func ofType(t reflect.Type) any {
	a := pool.Get()
	defer pool.Put(a)
	return arenareflect.New(a, t).Interface() // want `return of memory of arena a`
}

func text(n *node) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, n)
	return b // want `return of b, memory of arena a`
}
