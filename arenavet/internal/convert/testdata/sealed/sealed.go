// Package sealed gives its nodes to a visitor by interfaces that others may implement, but of which a call of
// Parse makes all: so they move, as do what boxes, buffers and readers have, tokens in a list, and nodes of
// which an error has the text. With a visitor of a caller's, of a variable or of another module they stay.
package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"strings"
	"unsafe"

	"github.com/ebbpool/arena"
)

// Node is a word or a list.
type Node interface {
	Accept(Visitor) any
	String() string
}

// Visitor is given nodes.
type Visitor interface {
	VisitWord(*Word) any
	VisitList(*List) any
}

// Word is a node.
type Word struct {
	Value, Length, Capital any
	Text                   *bytes.Buffer
}

// List is one, too.
type List struct {
	Nodes   []Node
	Lengths map[string]any
	ends    [2]any
}

// Accept implements Node.
func (w *Word) Accept(v Visitor) any { return v.VisitWord(w) }

// Accept implements Node.
func (l *List) Accept(v Visitor) any { return v.VisitList(l) }

func (w *Word) String() string { return w.Text.String() }
func (l *List) String() string { return fmt.Sprint(len(l.Nodes)) }

type token struct{ text string }

type lengths struct{ longest int }

func (c *lengths) VisitWord(w *Word) any {
	c.longest = max(c.longest, w.Text.Len())
	return w.Text.Len()
}

func (c *lengths) VisitList(l *List) any {
	for _, n := range l.Nodes {
		n.Accept(c)
	}
	return c.longest
}

func next(text *string) token {
	word, rest, _ := strings.Cut(*text, " ")
	*text = rest
	return token{word}
}

func upper(s string) string { return strings.ToUpper(s) }

func textOf(t *token) []byte {
	b, _ := ioutil.ReadAll(io.LimitReader(strings.NewReader(t.text), 9))
	return b
}

func put(to *any, is bool, text string) {
	if is {
		*to = text
	}
}

func parse(text string) *List {
	var tokens []*token
	for text != "" {
		t := next(&text)
		tokens = append(tokens, &t)
	}
	l := &List{Lengths: map[string]any{}}
	length := func(t *token) any { return len(t.text) }
	for _, t := range tokens {
		w := &Word{Text: new(bytes.Buffer)}
		w.Text.Write(textOf(t))
		w.Value = upper(t.text)
		w.Length = length(t)
		l.Lengths[t.text] = len(t.text)
		l.ends[1] = len(text)
		put(&w.Capital, t.text[0] < 'a', t.text[:1])
		l.Nodes = append(l.Nodes, w)
	}
	return l
}

var errEmpty = errors.New("empty")

func failure(n Node) error { return fmt.Errorf("too long: %s", n) }

func wrap(n any) error { return fmt.Errorf("too many: %w", n.(error)) }

// Parse is the root.
func Parse(text string) (Node, error) {
	if text == "" {
		return nil, errEmpty
	}
	l := parse(text)
	if n := l.Accept(&lengths{}).(int); n > 8 {
		return nil, failure(l.Nodes[0])
	}
	return l, nil
}

// ParseKept has an error that may keep its nodes.
func ParseKept(text string) (Node, error) {
	l := parse(text)
	if len(l.Nodes) > 8 {
		return nil, wrap(l)
	}
	return l, nil
}

// ParseFor is given a visitor.
func ParseFor(text string, v Visitor) Node {
	l := parse(text)
	l.Accept(v)
	return l
}

// Option is of this package alone.
type Option func(*lengths)

// ParseBy is given some.
func ParseBy(text string, options ...Option) Node {
	l, c := parse(text), &lengths{}
	for _, o := range options {
		o(c)
	}
	l.Accept(c)
	return l
}

// ParseWith is given what makes one.
func ParseWith(text string, visitor func() Visitor) Node {
	l := parse(text)
	l.Accept(visitor())
	return l
}

// ParseAt is given where one lies.
func ParseAt(text string, visitor unsafe.Pointer) Node {
	l := parse(text)
	l.Accept(*(*Visitor)(visitor))
	return l
}

// Default is a visitor of anybody's.
var Default Visitor = &lengths{}

// ParseAll gives its nodes to that.
func ParseAll(text string) Node {
	l := parse(text)
	l.Accept(Default)
	return l
}

// ParseElsewhere gives them to one of another module's.
func ParseElsewhere(text string) Node {
	l := parse(text)
	if v, ok := arena.BoxOf(nil, len(text)).(Visitor); ok {
		l.Accept(v)
	}
	return l
}

type filled struct{ Visitor Visitor }

func (f *filled) mark()                    {}
func (f *filled) Read([]byte) (int, error) { return 0, io.EOF }

// ParseScanned gives its nodes to one that a function of another package may fill in.
func ParseScanned(text string) Node {
	l, f := parse(text), &filled{}
	var m interface{ mark() } = f
	if n, _ := fmt.Sscan(text, m); n > 0 {
		l.Accept(f.Visitor)
	}
	return l
}

// ParseRead does so, too, by another interface.
func ParseRead(text string) Node {
	l, f := parse(text), &filled{}
	var m any = f
	if b, _ := io.ReadAll(m.(io.Reader)); len(b) > 0 {
		l.Accept(f.Visitor)
	}
	return l
}
