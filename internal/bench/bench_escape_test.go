package bench

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// element is a node of a parsed document: a tree with texts.
type element struct {
	name     string
	text     string
	parent   *element
	children []*element
	attrs    []attr
	line     int
}

type attr struct{ key, value string }

// document returns a tree of about 2 KB in a: 13 elements, 12 attributes, 37 texts.
func document(a *arena.Arena) *element {
	root := arena.NewOf(a, element{name: a.AllocString("order"), text: a.AllocString("of the 3rd of May")})
	root.children = arena.MakeSlice[*element](a, 4, 4)
	for i := range root.children {
		item := arena.NewOf(a, element{name: a.AllocString("item"), text: a.AllocString("a line of the order"), parent: root, line: i})
		item.attrs = arena.SliceOf(a,
			attr{a.AllocString("sku"), a.AllocString("4711-" + strconv.Itoa(i))},
			attr{a.AllocString("quantity"), a.AllocString(strconv.Itoa(i + 1))})
		item.children = arena.SliceOf(a,
			arena.NewOf(a, element{name: a.AllocString("price"), text: a.AllocString("12.50"), parent: item}),
			arena.NewOf(a, element{name: a.AllocString("note"), text: a.AllocString("to be wrapped as a gift"), parent: item}))
		root.children[i] = item
	}
	return root
}

// copiedByHand copies a tree of elements without Escape.
func copiedByHand(e, parent *element) *element {
	c := &element{name: strings.Clone(e.name), text: strings.Clone(e.text), parent: parent, line: e.line}
	if e.attrs != nil {
		c.attrs = make([]attr, len(e.attrs))
		for i, a := range e.attrs {
			c.attrs[i] = attr{strings.Clone(a.key), strings.Clone(a.value)}
		}
	}
	if e.children != nil {
		c.children = make([]*element, len(e.children))
		for i, child := range e.children {
			c.children[i] = copiedByHand(child, c)
		}
	}
	return c
}

var sinkElement *element

// BenchmarkEscape copies a tree of 2 KB out of an arena.
func BenchmarkEscape(b *testing.B) {
	a := arena.NewArena(64<<10, 0)
	tree := document(a)
	b.Run("by=hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkElement = copiedByHand(tree, nil)
		}
	})
	b.Run("by=Escape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkElement = arena.Escape(a, tree)
		}
	})
}
