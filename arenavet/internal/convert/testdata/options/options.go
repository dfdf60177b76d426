// Package options parses as its caller's options say, and draws by an interface that others may
// implement. What an option or an interface of the caller's gets may be kept, so that a call that gives
// an option uses the heap; without, all functions are in sight, and what they get moves. The parser,
// declared by var, carries the arena to functions that are called as values, and so does the drawer.
package options

import "strings"

// Node is a part of a text.
type Node struct {
	Text string
	Next *Node
}

// Drawer draws nodes.
type Drawer interface{ Draw(n *Node) string }

// Parser is what options change.
type Parser struct {
	drawer Drawer
	named  func(name string) string
	first  *Node
	by     [2]func(p *Parser, text string) *Node
}

// Option changes a parser.
type Option func(*Parser)

// WithDrawer is an option.
func WithDrawer(d Drawer) Option { return func(p *Parser) { p.drawer = d } }

// WithNames is an option that no call in the package gives: without it the function is nil.
func WithNames(named func(name string) string) Option { return func(p *Parser) { p.named = named } }

type plain struct{ before string }

func (d *plain) Draw(n *Node) string {
	t := d.before + n.Text
	return t + "."
}

func newPlain(before string) *plain { return &plain{before: before} }

func newParser(options ...Option) *Parser {
	var p Parser
	for _, option := range options {
		option(&p)
	}
	p.by[0], p.by[1] = word, number
	return &p
}

// First is the parser's first node.
func (p *Parser) First() *Node { return p.first }

func word(p *Parser, text string) *Node {
	if p.named != nil {
		text = p.named(strings.ToUpper(text))
	}
	return &Node{Text: text, Next: p.first}
}

func number(p *Parser, text string) *Node { return &Node{Text: "#" + text, Next: p.first} }

// Parse is the root.
func Parse(text string, options ...Option) string { // the root
	p := newParser(append([]Option{WithDrawer(newPlain("- "))}, options...)...)
	for _, field := range strings.Split(text, " ") {
		p.first = p.by[len(field)%2](p, field)
	}
	out := ""
	for n := p.first; n != nil; n = n.Next {
		out += p.drawer.Draw(n)
	}
	return out
}
