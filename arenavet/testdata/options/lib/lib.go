// Package lib is a parser as libraries have them: an object that holds the arena, which
// options that come from callers are given.
package lib

import "github.com/ebbpool/arena"

type Node struct {
	Text string
	Next *Node
}

type parser struct {
	a    *arena.Arena
	deep bool
}

type Option func(*parser)

func Deep() Option { return func(p *parser) { p.deep = true } }

func ParseIn(a *arena.Arena, text string, opts ...Option) (*Node, error) {
	p := &parser{a: a}
	for _, f := range opts {
		f(p)
	}
	n := arena.New[Node](p.a)
	n.Next = arena.New[Node](p.a)
	n.Text, n.Next.Text = p.a.AllocString(text), p.a.AllocString(text)
	return n, nil
}
