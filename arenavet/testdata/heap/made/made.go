// Package made has memory of the functions that -heap names.
package made

import "github.com/ebbpool/arena"

type node struct {
	name string
	kids []*node
}

func value(a *arena.Arena, name string) string {
	n := arena.NewOf(a, node{name: a.Concat(name, ".")})
	m := arena.NewOf(a, node{name: name, kids: arena.SliceOf(a, n)})
	a.Reset()
	return m.kids[0].name // want `use of m, memory of arena a, which Reset`
}

func inner(a *arena.Arena, b *arena.Arena, name string) string {
	n := arena.NewOf(a, node{name: b.Concat(name, ".")})
	s := n.name
	b.Reset()
	return s // want `return of s, memory of arena b, which Reset|return of memory of arena b, which Reset`
}

func element(a *arena.Arena, b *arena.Arena, n int) int {
	s := arena.SliceOf(a, b.Sprintf("%d", n))
	t := s[0]
	b.Reset()
	return len(t + "x") // want `use of t, memory of arena b, which Reset|use of memory of arena b, which Reset`
}

func fineValue(a *arena.Arena, name string) string {
	n := arena.NewOf(a, node{name: name})
	s := n.name
	a.Reset()
	return s
}

func fineElement(a *arena.Arena, name string) int {
	s := arena.SliceOf(a, name, a.Join([]string{name}, ","))
	n := len(s)
	a.Reset()
	return n
}
