// Package apart has steps that take the arena from what they are given, in a file of their own.
package apart

// Node is one of a list.
type Node struct {
	Text []byte
	Next *Node
}

type parser struct {
	text []byte
	step func(p *parser) *Node
}

// Parse is the root.
func Parse(text []byte) *Node {
	p := &parser{text: text, step: word}
	return p.step(p)
}
