// Package callback parses lists by a function that takes another: what one callback stores is not
// where another one does. All of it moves. What an error or a panic has is copied there, so that
// the texts that it names may lie in the arena.
package callback

import (
	"errors"
	"fmt"
)

// Node is a list's.
type Node struct {
	Name  string
	Nodes []*Node
}

// Failure is an error with a part of the text.
type Failure struct {
	Name string
	More map[string]any
}

func (f *Failure) Error() string { return f.Name }

type parser struct {
	text string
	err  error
}

var kept []*Node

// Parse is the root.
func Parse(text string) (*Node, error) {
	p := &parser{text: text}
	n := p.node()
	return n, p.err
}

// Keep keeps what it is given, by the same function with another callback.
func Keep(p *parser) {
	p.many(func() { kept = append(kept, &Node{}) })
}

func (p *parser) many(each func()) {
	for p.text != "" && p.text[0] != ')' && p.err == nil {
		each()
	}
}

func (p *parser) node() *Node {
	n := &Node{Name: p.name()}
	if p.text != "" && p.text[0] == '(' {
		p.text = p.text[1:]
		var nodes []*Node
		p.many(func() { nodes = append(nodes, p.node()) })
		n.Nodes = nodes
		if p.text == "" {
			p.err = p.fail(n.Name)
			return n
		}
		p.text = p.text[1:]
	}
	return n
}

func (p *parser) name() string {
	name := string([]byte(p.text[:1]))
	p.text = p.text[1:]
	switch name {
	case "!":
		p.err = errors.New(name)
	case "?":
		p.err = fmt.Errorf("%s before %q", name, p.text)
	case "#":
		panic(name)
	}
	return name
}

func (p *parser) fail(name string) error {
	f := &Failure{Name: name, More: map[string]any{"rest": name}}
	f.Name = name
	return f
}
