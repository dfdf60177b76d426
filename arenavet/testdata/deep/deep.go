// Package deep has values of recursive types: what lies far inside them is seen
// as what lies near.
package deep

import (
	"fmt"
	"io"

	"github.com/ebbpool/arena"
)

var pool = arena.NewArenaPool(4096, 0)

type node struct {
	Name string
	N    int
	One  *node
	Kids []*node
	Any  any
}

type text struct{ Text string }

func tree(a *arena.Arena, depth int) *node {
	n := arena.New[node](a)
	n.Name = a.AllocString("name")
	if depth > 0 {
		n.One = tree(a, depth-1)
		n.Kids = arena.Append(a, n.Kids, tree(a, depth-1))
	}
	return n
}

func fourth() *node {
	a := pool.Get()
	defer pool.Put(a)
	return tree(a, 9).One.One.One.One // want `return of memory of arena a, which the deferred Put on line 36 takes back`
}

func fourthName() string {
	a := pool.Get()
	defer pool.Put(a)
	return tree(a, 9).One.One.One.One.Name // want `return of memory of arena a`
}

func kids() *node {
	a := pool.Get()
	defer pool.Put(a)
	return tree(a, 9).Kids[0].Kids[0] // want `return of memory of arena a`
}

func mixed() []*node {
	a := pool.Get()
	defer pool.Put(a)
	return tree(a, 9).Kids[0].One.Kids[1].One.Kids // want `return of memory of arena a`
}

// Of two types in turn.
type list struct{ Items []*item }

type item struct {
	Name string
	List *list
}

func lists(a *arena.Arena, depth int) *list {
	l := arena.New[list](a)
	if depth > 0 {
		l.Items = arena.Append(a, l.Items, items(a, depth-1))
	}
	return l
}

func items(a *arena.Arena, depth int) *item {
	i := arena.New[item](a)
	i.Name, i.List = a.AllocString("item"), lists(a, depth)
	return i
}

func inTurn() string {
	a := pool.Get()
	defer pool.Put(a)
	return lists(a, 9).Items[0].List.Items[1].List.Items[2].Name // want `return of memory of arena a`
}

// On Go's heap, with text of the arena.
func heapTree(a *arena.Arena, depth int) *node {
	if depth == 0 {
		return nil
	}
	return &node{Name: a.AllocString("name"), One: heapTree(a, depth-1)}
}

func textOfHeapTree() string {
	a := pool.Get()
	defer pool.Put(a)
	return heapTree(a, 9).One.One.One.One.Name // want `return of memory of arena a`
}

// Behind interfaces.
func value(a *arena.Arena, depth int) any {
	if depth == 0 {
		t := arena.New[text](a)
		t.Text = a.AllocString("text")
		return t
	}
	n := arena.New[node](a)
	n.Any = value(a, depth-1)
	return n
}

func typeSwitched() string {
	a := pool.Get()
	defer pool.Put(a)
	switch n := value(a, 3).(type) {
	case *node:
		switch m := n.Any.(type) {
		case *text:
			return m.Text // want `return of memory of arena a`
		}
	}
	return ""
}

func asserted() any {
	a := pool.Get()
	defer pool.Put(a)
	return value(a, 5).(*node).Any.(*node).Any.(*node).Any.(*node).Any // want `return of memory of arena a`
}

// In an object that a callee has stored it in.
type parser struct {
	a    *arena.Arena
	root *node
}

func (p *parser) parse() { p.root = tree(p.a, 9) }

func stored() *node {
	p := parser{a: pool.Get()}
	defer pool.Put(p.a)
	p.parse()
	return p.root.One.One.One.One // want `return of memory of the arena, which`
}

func stale(a *arena.Arena) int {
	n := tree(a, 9).Kids[0].Kids[0].One.One
	a.Reset()
	return n.N // want `use of memory of arena a, which Reset`
}

// What the standard library writes to a type of one's own.
type buffer struct {
	a *arena.Arena
	b []byte
}

func (b *buffer) Write(p []byte) (int, error) { // want Write:"0 flows, 1 writes, 1 effects"
	b.b = arena.Append(b.a, b.b, p...)
	return len(p), nil
}

func printed() []byte {
	a := pool.Get()
	defer pool.Put(a)
	own := buffer{a: a}
	fmt.Fprintf(&own, "%d", 1)
	return own.b // want `return of memory of arena a`
}

func copied(r io.Reader) []byte {
	a := pool.Get()
	defer pool.Put(a)
	own := &buffer{a: a}
	io.Copy(own, r)
	return own.b // want `return of memory of arena a`
}

// A node that two fields share is one node.
type pair struct{ left, right *node }

func shared(a *arena.Arena) pair {
	n := tree(a, 1)
	return pair{n, n}
}

func ofShared() string {
	a := pool.Get()
	defer pool.Put(a)
	return shared(a).right.Name // want `return of memory of arena a`
}
