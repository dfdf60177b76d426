// Package methods is of a module whose go line allows the methods of an Arena.
package methods

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ebbpool/arena"
)

type maker struct{ a *arena.Arena }

type Base struct{ ID int }

type Entry struct {
	Base
	Path string
	Tags []string
	Next *Entry
}

func (of maker) newOf(path string) *Entry {
	return &Entry{ID: 1, Path: path} // want `use its NewOf`
}

func (of maker) newEmpty() *Entry {
	return new(Entry) // want `use its New`
}

func (of maker) newExpr(n int) *int {
	return new(n + 1) // want `use its NewOf`
}

func (of maker) makes(n int) []Entry {
	return make([]Entry, n) // want `use its MakeSlice`
}

func (of maker) list() []*Entry {
	return []*Entry{{Path: "x"}, nil} // want `use its SliceOf`
}

func (of maker) grows(n int) []int {
	s := make([]int, 0, n) // want `use its MakeSlice`
	for i := range n {
		s = append(s, i) // want `use its Append`
	}
	return s
}

func (of maker) clone(s []int) []int {
	return slices.Clone(s) // want `use its CloneSlice`
}

func (of maker) moved(path string) *Entry {
	var e Entry // want `use its New`
	e.Path = path
	return &e
}

func (of maker) mapped(keys []string) int {
	m := make(map[string]int, len(keys)) // want `use its NewMap`
	for _, k := range keys {
		m[k] = len(k)
	}
	return len(m)
}

func (of maker) boxed(n int) any {
	return n // want `use its BoxOf`
}

func (of maker) buffer(n int) string {
	var b bytes.Buffer // want `use arena.NewBuffer`
	fmt.Fprint(&b, n)
	return b.String()
}
