// Package variants makes what it returns in generic functions, methods and types, which get an arena; what they
// make is kept after other calls, and these get none.
package variants

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Node is a part of a list.
type Node struct {
	Name string
	Next *Node
}

// Tree has nodes.
type Tree struct {
	nodes  *list[*Node]
	Names  []string
	Lines  lines
	counts []int
	order  []shape
}

type lines []string

type list[T any] struct {
	all  []T
	last *link[T]
}

type link[T any] struct {
	v    T
	prev *link[T]
}

func newList[T any]() *list[T] { return &list[T]{} }

func (l *list[T]) add(v T) {
	l.all = append(l.all, v)
	l.last = &link[T]{v, l.last}
}

// Len is how many there are.
func (l *list[T]) Len() int { return len(l.all) }

func clone[E any, S ~[]E](s S) S {
	if s == nil {
		return nil
	}
	return append(S(nil), s...)
}

func made[S ~[]E, E any](n int, f func(int) E) S {
	s := make(S, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

func ref[T any](v T) *T {
	p := new(T)
	*p = v
	return p
}

// pair is called of two types, of which one is kept after all calls.
func pair[T any](v T) []T { return []T{v, v} }

func filter[T any](in []T, f func(T) bool) []T {
	out := make([]T, 0, len(in))
	for _, v := range in {
		if f(v) {
			out = append(out, v)
		}
	}
	return out
}

// depth is recursive.
func depth[T any](n int, v T) *link[T] {
	if n == 0 {
		return nil
	}
	return &link[T]{v, depth(n-1, v)}
}

type shape interface{ area() int }

type square struct{ n int }

func (s *square) area() int { return s.n * s.n }

// largest has a method of a type parameter's.
func largest[S shape](all []S) (most S) {
	for i, s := range all {
		if i == 0 || s.area() > most.area() {
			most = s
		}
	}
	return most
}

// decode stays: it is not known what it reads.
func decode[T any](text string) (v T) {
	json.Unmarshal([]byte(text), &v)
	return v
}

var seen = map[string][]int{}

// Parse is the root.
func Parse(text string) *Tree {
	t := &Tree{nodes: newList[*Node]()}
	words := strings.Fields(text)
	for _, w := range words {
		n := &Node{Name: strings.ToUpper(w)}
		t.nodes.add(n)
		if i := slices.IndexFunc(t.nodes.all, func(o *Node) bool { return o.Name == n.Name }); i >= 0 {
			n.Next = t.nodes.all[i]
		}
		t.order = append(t.order, &square{len(w)})
	}
	t.Names = clone(words)
	t.Lines = clone[string, lines](lines(t.Names))
	t.counts = made[[]int](len(words), func(i int) int { return i })
	t.Names = filter(t.Names, func(s string) bool { return s != "b" })
	first := ref(Node{Name: "first"})
	if len(t.nodes.all) > 0 {
		t.nodes.all[0] = first
	}
	seen[text] = pair(len(text))
	t.Names = append(t.Names, pair("pair")...)
	again := pair[string]
	t.Names = append(t.Names, again("again")...)
	t.Names = append(t.Names, depth(2, "deep").v)
	t.order = slices.Clone(t.order)
	slices.SortFunc(t.order, func(a, b shape) int { return a.area() - b.area() })
	if largest(t.order).area() > 9 && slices.Contains(t.order, t.order[0]) {
		t.Names = append(t.Names, slices.Sorted(maps.Keys(seen))...)
	}
	t.Names = append(t.Names, decode[[]string](`["read"]`)...)
	return t
}
