// Package generated is a parser as goyacc makes them: an interface for the parser, another
// for the scanner, which is given its arena after it was made, and a stack of values.
package generated

import "github.com/ebbpool/arena"

type Node struct {
	Text string
	Next *Node
}

// ParseIn and run stand before what they call.
func ParseIn(a *arena.Arena, text string, opts ...Option) (*Node, error) {
	s := newScanner(text)
	for _, f := range opts {
		f(s)
	}
	s.a = a
	if run(s) != 0 {
		return nil, s.err
	}
	return s.root, nil
}

func run(lex lexer) int { return newMachine().Parse(lex) }

type Option func(*scanner)

func Deep() Option { return func(s *scanner) { s.deep = true } }

type lexer interface {
	Lex(*symbol) int
	Error(string)
}

type scanner struct {
	text []byte
	at   int
	deep bool
	a    *arena.Arena
	root *Node
	err  error
}

// newScanner copies its argument, so that what it returns has nothing to do with it.
func newScanner(text string) *scanner { return &scanner{text: []byte(text)} }

func (s *scanner) Lex(v *symbol) int {
	if s.at >= len(s.text) {
		return 0
	}
	v.bytes = s.text[s.at : s.at+1]
	s.at++
	return int(v.bytes[0])
}

func (s *scanner) Error(text string) { s.err = failure(text) }

type failure string

func (f failure) Error() string { return string(f) }

type symbol struct {
	state int
	bytes []byte
	node  *Node
}

type machine interface {
	Parse(lexer) int
	Lookahead() int
}

type machineImpl struct {
	value symbol
	stack [8]symbol
	char  int
}

func newMachine() machine { return &machineImpl{} }

func (m *machineImpl) Lookahead() int { return m.char }

func (m *machineImpl) Parse(lex lexer) int {
	a := lex.(*scanner).a
	var val symbol
	stack := m.stack[:]
	top := -1
next:
	if top++; top >= len(stack) {
		more := make([]symbol, len(stack)*2)
		copy(more, stack)
		stack = more
	}
	stack[top] = val
	m.char = lex.Lex(&m.value)
	dollar := stack[top : top+1]
	switch m.char {
	case 0:
		setRoot(lex, dollar[0].node)
		return 0
	case '!':
		lex.Error("syntax error")
		return 1
	case ',':
		val.node = arena.NewOf(a, Node{Text: a.AllocBytesToString(m.value.bytes), Next: dollar[0].node})
	default:
		val.node = arena.NewOf(a, Node{Text: a.AllocBytesToString(m.value.bytes)})
	}
	goto next
}

func setRoot(lex any, n *Node) { lex.(*scanner).root = n }
