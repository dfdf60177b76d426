// Package made has memory of the functions that -heap names.
package made

import (
	"io"
	"slices"

	"github.com/ebbpool/arena"
)

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

func cloned(a, b *arena.Arena, name string) ([]string, []string) {
	s := arena.CloneSlice(a, []string{b.Sprintf("%s.", name)})
	t := arena.Collect(b, slices.Values(s))
	b.Reset()
	return s, t // want `return of .*memory of arena b, which Reset`
}

func body(a *arena.Arena, r io.Reader) []byte {
	b, _ := arena.ReadAll(a, r)
	a.Reset()
	return b // want `return of b, memory of arena a, which Reset|return of memory of arena a, which Reset`
}

func fineCloned(a *arena.Arena, names []string) []string {
	s := arena.CloneSlice(nil, names)
	t := arena.Collect(a, slices.Values(s))
	n := t[0]
	a.Reset()
	return append(s, n)
}

func fineBody(a *arena.Arena, r io.Reader) string {
	b, _ := arena.ReadAll(a, r)
	defer a.Reset()
	return string(b)
}
