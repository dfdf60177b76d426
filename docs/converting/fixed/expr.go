// Package fixed is package field after arenavet -heap -fix.
package fixed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// Node is a number, a variable, or an operation on two nodes.
type Node struct {
	Op          byte // '+', '*', '0' for a number, 'x' for a variable
	Left, Right *Node
	N           int64
	Name        string
}

// Tree is a parsed expression.
type Tree struct {
	Root  *Node
	Names []string // of the variables, in the order of the text
	Title string
}

type parser struct {
	a    *arena.Arena
	text string
	at   int
	tree *Tree
}

// Parse parses an expression such as "2 * (size + 3)".
func Parse(text string) (*Tree, error) { return ParseIn(nil, text) }

// ParseIn is like Parse, but allocates the tree from a. The tree is valid until a is reset.
func ParseIn(a *arena.Arena, text string) (*Tree, error) {
	p := arena.NewOf(a, parser{a: a, text: text, tree: arena.NewOf(a, Tree{})})
	p.tree.Root = p.sum()
	if p.at < len(text) || p.tree.Root == nil {
		return nil, fmt.Errorf("byte %d: unexpected", p.at)
	}
	p.tree.Title = a.Concat(strconv.Itoa(len(p.tree.Names)), " variables: ", a.Join(p.tree.Names, ", "))
	return p.tree, nil
}

func (p *parser) sum() *Node {
	n := p.product()
	for n != nil && p.take('+') {
		n = arena.NewOf(p.a, Node{Op: '+', Left: n, Right: p.product()})
	}
	return n
}

func (p *parser) product() *Node {
	n := p.factor()
	for n != nil && p.take('*') {
		n = arena.NewOf(p.a, Node{Op: '*', Left: n, Right: p.factor()})
	}
	return n
}

func (p *parser) factor() *Node {
	if p.take('(') {
		n := p.sum()
		if !p.take(')') {
			return nil
		}
		return n
	}
	word := p.word()
	if word == "" {
		return nil
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return number(n)
	}
	name := p.a.ToLower(word)
	p.tree.Names = arena.Append(p.a, p.tree.Names, name)
	return variable(name)
}

func number(n int64) *Node { return &Node{Op: '0', N: n} }

func variable(name string) *Node { return &Node{Op: 'x', Name: name} }

// take skips spaces and then c. It reports whether c was there.
func (p *parser) take(c byte) bool {
	p.spaces()
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	p.spaces()
	return true
}

func (p *parser) spaces() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *parser) word() string {
	from := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" +*()", rune(p.text[p.at])) {
		p.at++
	}
	return p.text[from:p.at]
}
