package deep

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ebbpool/arena"
)

func fineNumber() int {
	a := pool.Get()
	defer pool.Put(a)
	return tree(a, 9).One.One.One.One.N
}

func fineCopy() string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Clone(tree(a, 9).Kids[0].Kids[0].Name)
}

func fineOfCaller(a *arena.Arena) *node { return tree(a, 9).One.One.One.One }

func fineBeforeReset(a *arena.Arena) int {
	n := tree(a, 9).One.One.One.One.N
	a.Reset()
	return n
}

// The first node is on Go's heap, with text of Go's heap: only those below lie in
// the arena.
func topOnHeap(a *arena.Arena, name string) *node {
	return &node{Name: name, One: tree(a, 9)}
}

func fineName(name string) string {
	a := pool.Get()
	defer pool.Put(a)
	return topOnHeap(a, name).Name
}

// All names are of Go's heap, though the nodes are not.
func named(a *arena.Arena, name string, depth int) *node {
	n := arena.New[node](a)
	n.Name = name
	if depth > 0 {
		n.One = named(a, name, depth-1)
	}
	return n
}

func fineNameBelow(name string) string {
	a := pool.Get()
	defer pool.Put(a)
	return named(a, name, 9).One.One.One.One.Name
}

// The fields at the same place of two types are two fields.
type first struct{ Next *second }

type second struct {
	Next *third
	Name string
}

type third struct{ Name string }

func ofThree(a *arena.Arena, name string) *first {
	t := arena.New[third](a)
	t.Name = a.AllocString("third")
	return &first{Next: &second{Next: t, Name: name}}
}

func fineSecond(name string) string {
	a := pool.Get()
	defer pool.Put(a)
	return ofThree(a, name).Next.Name
}

// Two arenas: what lies in one of them leaves.
func twoTrees(a, b *arena.Arena) (x, y *node) { return tree(a, 9), tree(b, 9) }

func fineOther(b *arena.Arena) *node {
	a := pool.Get()
	defer pool.Put(a)
	x, y := twoTrees(a, b)
	x.N = 1
	return y.One.One.One.One
}

func fineHeapValue(v any) any {
	a := pool.Get()
	defer pool.Put(a)
	n := arena.New[node](a)
	n.Any = v
	switch m := n.Any.(type) {
	case *node:
		return m.Any
	}
	return nil
}

func (b *buffer) fineLen() int {
	fmt.Fprintf(b, "%d", 1)
	return len(b.b)
}

func finePrinted() string {
	a := pool.Get()
	defer pool.Put(a)
	own := buffer{a: a}
	fmt.Fprintf(&own, "%d", 1)
	return string(own.b)
}

func fineBuffer() []byte {
	a := pool.Get()
	defer pool.Put(a)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s", tree(a, 2).One.Name)
	return b.Bytes()
}

func fineReader() *node {
	a := pool.Get()
	defer pool.Put(a)
	p := parser{a: a}
	p.parse()
	p.root = &node{}
	return p.root
}

func fineCutLoose() *node {
	a := pool.Get()
	defer pool.Put(a)
	n := topOnHeap(a, "top")
	n.One = nil
	return n
}
