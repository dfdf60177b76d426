// Package located makes trees whose nodes are values in interfaces, of what a reader holds. What an interface
// may have is of many types, and a value has a list of bytes: if that was taken for any of them, all of the tree
// would be stored in what r leads to.
package located

// Input has what is read. It leads to no node.
type Input struct {
	text []byte
	at   int
	err  error
}

// Node is a part of a tree.
type Node interface{ node() }

// Word is a node by its value, and has a part of the text.
type Word struct{ Text []byte }

// List is a node by its address.
type List struct {
	Nodes []Node
	Outer *List
}

// Pair has two of them.
type Pair struct{ A, B Node }

func (Word) node()  {}
func (*List) node() {}
func (*Pair) node() {}

type parser struct {
	r    *Input
	open *List
}

// Parse makes a tree.
func Parse(r *Input) Node {
	p := &parser{r: r}
	return p.list()
}

func (p *parser) list() Node {
	l := &List{Outer: p.open}
	p.open = l
	for p.r.at < len(p.r.text) {
		n := p.one()
		if n == nil {
			break
		}
		l.Nodes = append(l.Nodes, n)
	}
	p.open = l.Outer
	return l
}

func (p *parser) one() Node {
	c := p.r.text[p.r.at]
	p.r.at++
	switch c {
	case ')':
		return nil
	case '(':
		return p.list()
	case ':':
		return join(p.one(), p.one())
	}
	return Word{Text: p.r.text[p.r.at-1 : p.r.at]}
}

// join changes a list that it is given.
func join(a, b Node) Node {
	if l, ok := a.(*List); ok {
		l.Nodes = append(l.Nodes, b)
		return l
	}
	return &Pair{a, b}
}
