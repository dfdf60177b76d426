package maps

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/arenareflect"
)

func fineCopy(k, v string) string {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, string](a, 0)
	m.Set(k, a.AllocString(v))
	s, _ := m.Get(k)
	return strings.Clone(s)
}

func fineNumber(k string) int {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, int](a, 0)
	m.Set(a.AllocString(k), 1)
	n, _ := m.Get(k)
	return n + *m.Ptr(k)
}

// The map lies in the arena, what it holds does not.
func fineHeapValue(k string, n *node) *node {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, *node](a, 0)
	m.Set(k, n)
	found, _ := m.Get(k)
	return found
}

func fineHeapKeys(names []string) []string {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, string](a, 0)
	for _, n := range names {
		m.Set(n, a.ToUpper(n))
	}
	return slices.Sorted(m.Keys())
}

func fineCollected(names []string) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	m := arena.NewMap[string, int](a, 0)
	for i, n := range names {
		m.Set(n, i)
	}
	return maps.Collect(m.All())
}

func fineOfCaller(a *arena.Arena) *arena.Map[string, *node] {
	m := arena.NewMap[string, *node](a, 0)
	m.Set("one", arena.New[node](a))
	return m
}

// A map of Go's heap lives on.
func fineNilArena(a *arena.Arena) int {
	m := arena.NewMap[string, int](nil, 0)
	a.Reset()
	return m.Len()
}

func fineCleared(a *arena.Arena, m *arena.Map[string, *node]) *node {
	m.Set("one", arena.New[node](a))
	m.Clear()
	a.Reset()
	n, _ := m.Get("one")
	return n
}

func fineBefore(a *arena.Arena) (sum int) {
	m := arena.NewMap[string, int](a, 0)
	m.Set("one", 1)
	for _, n := range m.All() {
		sum += n
	}
	m.Delete("one")
	a.Reset()
	return sum
}

func fineIntoCallers(m *arena.Map[string, string]) {
	a := pool.Get()
	defer pool.Put(a)
	put(a, m)
	m.Clear()
}

// A lane follows its arena's Reset.
func fineLane(a *arena.Arena) *node {
	nodes := arena.AllocatorFor[node](a)
	nodes.New()
	a.Reset()
	return nodes.New()
}

func fineAllocatorForNil(name string) *node {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.AllocatorFor[node](nil).New()
	n.Name = name
	return n
}

func newParser(a *arena.Arena) parser { return parser{a, arena.AllocatorFor[node](a)} }

func fineParser(a *arena.Arena) *node {
	p := newParser(a)
	return p.parse()
}

func fineAllocatorForGoroutine(done chan bool) {
	a := pool.Get()
	defer pool.Put(a)
	nodes := arena.AllocatorFor[node](a)
	go func() {
		nodes.New()
		done <- true
	}()
	<-done
}

func fineType(a *arena.Arena, t reflect.Type) any {
	return arenareflect.MakeSlice(a, reflect.SliceOf(t), 1, 1).Interface()
}

func fineText(n *node) string {
	a := pool.Get()
	defer pool.Put(a)
	b, _ := arenajson.Marshal(a, n)
	return string(b)
}
