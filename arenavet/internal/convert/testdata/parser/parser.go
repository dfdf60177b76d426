// Package parser is one whose steps are function values, so that they have their arena from the
// parser: its states, an interface that only this package implements, and literals.
package parser

import "strings"

type parser struct {
	text string
	rest []string
	root *Node
	step state
}

type state func(p *parser) state

// Node is one of the tree's.
type Node struct {
	Name string
	Sub  []*Node
	kind kind
}

type kind interface{ build(name string) *Node }

type leaf struct{}

type branch struct{ depth int }

func (leaf) build(name string) *Node { return &Node{Name: name} }

func (b *branch) build(name string) *Node { return &Node{Name: strings.Repeat("-", b.depth) + name} }

// empty stands for no node.
var empty Node

// Parse is the root.
func Parse(text string) *Node {
	p := &parser{text: text, step: start}
	p.rest = strings.Split(text, " ")
	for p.step != nil {
		p.step = p.step(p)
	}
	return p.root
}

func start(p *parser) state {
	p.root = &Node{Name: "root"}
	return word
}

func word(p *parser) state {
	if len(p.rest) == 0 {
		return end
	}
	p.add(p.rest[0])
	p.rest = p.rest[1:]
	return word
}

func (p *parser) add(name string) {
	var k kind = leaf{}
	if strings.HasPrefix(name, "+") {
		k = &branch{len(name)}
	}
	n := k.build(name)
	n.kind = k
	p.root.Sub = append(p.root.Sub, n)
}

func end(p *parser) state {
	last := func() *Node { return &Node{Name: "end"} }
	p.root.Sub = append(p.root.Sub, last())
	return nil
}
