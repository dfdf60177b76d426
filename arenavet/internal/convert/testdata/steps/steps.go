// Package steps has parsers whose steps are function values, so that they have their arena from the parser: one that
// the root's caller has made, and that ends with the arena; one that new makes; and one of whose fields a literal
// names none. Others of those get no arena. What is stored for long by way of a value stays on the heap.
package steps

// Node is one of the tree's.
type Node struct {
	Name  string
	Sub   []*Node
	Marks []Mark
}

// Mark is a node's.
type Mark struct{ Text string }

// Parser is the caller's.
type Parser struct {
	text string
	root *Node
}

type step func() step

// Parse is the root.
func (p *Parser) Parse(text string) *Node {
	p.text, p.root = text, nil
	for next := p.start; next != nil; {
		next = next()
	}
	for next := p.words(); next != nil; next = next() {
	}
	for _, make := range []func() *Node{p.kept, p.one} {
		if last = make(); last.Name == "kept" {
			last = nil
		}
	}
	return p.root
}

var last *Node

// What these make may be in last.
func (p *Parser) kept() *Node { return &Node{Name: "kept"} }

func (p *Parser) one() *Node { return &Node{Name: "one"} }

func (p *Parser) start() step {
	p.root = &Node{Name: "root"}
	return nil
}

func (p *Parser) words() step {
	l := new(lexer)
	l.text = p.text
	for next := first; next != nil; {
		next = next(l)
	}
	p.root.Sub = append(p.root.Sub, l.nodes...)
	return p.last
}

func (p *Parser) last() step { p.root.Sub = append(p.root.Sub, pairs(p.text)...); return p.mark }

func (p *Parser) mark() step {
	n := p.root.Sub[0]
	n.Sub = append(n.Sub, p.root)
	n.Marks = []Mark{{p.text}, {Text: n.Name}}
	return nil
}

type state func(l *lexer) state

type lexer struct {
	text  string
	nodes []*Node
}

func first(l *lexer) state {
	if l.text == "" {
		return nil
	}
	l.nodes = append(l.nodes, &Node{Name: l.text[:1]})
	l.text = l.text[1:]
	return first
}

type scanner struct {
	text string
	at   int
}

var scans = []func(*scanner) *Node{one, two}

func one(s *scanner) *Node { s.at++; return &Node{Name: s.text[s.at-1 : s.at]} }

func two(s *scanner) *Node { s.at += 2; return &Node{Name: s.text[s.at-2 : s.at]} }

func pairs(text string) (all []*Node) {
	s := &scanner{text, 0}
	for i := 0; s.at+2 <= len(text); i++ {
		all = append(all, scans[i%2](s))
	}
	return all
}

func idle() []*scanner { return []*scanner{{"a", 0}, {text: "b"}} }
