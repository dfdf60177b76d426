// Package nested calls its root again, with an option that keeps what it gets, and copies the struct that
// could carry the arena to where it lives for long: no node may move.
package nested

// Node is a part of a list.
type Node struct {
	Text string
	Next *Node
}

type parser struct{ step func(p *parser) *Node }

var (
	kept = &Node{}
	last parser
)

// Parse is the root.
func Parse(outer *Node, options ...func(outer *Node)) {
	for _, option := range options {
		option(outer)
	}
	if outer == nil {
		to := kept
		Parse(&Node{}, func(outer *Node) { to.Next = outer })
	}
	p := &parser{step: word}
	p.step(p).Text = "word"
	last = *p
}

func word(p *parser) *Node { return &Node{} }

// Again uses the copy.
func Again() *Node { return last.step(&last) }
