package advice

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ebbpool/arena"
)

var last *node

var names = map[string]string{}

var cache sync.Map

var all []*node

func fineGlobal(a *arena.Arena, s string) {
	last = &node{name: s + "."}
	names[s] = s + "."
	n := &node{}
	n.kids = append(n.kids, &node{})
	last = n
	all = append(all, arena.New[node](a))
	cache.Store(s+".", &node{})
}

func keep(n *node) { last = n }

func fineKept(a *arena.Arena) {
	_ = a
	keep(&node{})
}

func fineSent(a *arena.Arena, c chan *node) {
	_ = a
	n := &node{}
	c <- n
	go func(n *node) { println(n.name) }(&node{})
	m := &node{}
	go func() { println(m.name) }()
}

// An error is logged and kept.
func fineError(a *arena.Arena, s string) (*node, error) {
	if s == "" {
		return nil, errors.New("no name" + s)
	}
	if s == "." {
		return nil, fmt.Errorf("bad: %s", s+"!")
	}
	if s == "!" {
		panic("bad " + s)
	}
	n := arena.New[node](a)
	n.name = a.AllocString(s)
	return n, nil
}

// The compiler makes none of these on the heap.
func fineNoCopy(a *arena.Arena, b []byte) int {
	_ = a
	buf := make([]byte, 16)
	n := &node{}
	n.name = "constant" + "s"
	switch string(b) {
	case "x":
		return 1
	}
	if string(b) == "y" || names[string(b)] == "" {
		return len(n.name) + len(buf)
	}
	return 0
}

// What a caller gave is the caller's to grow.
func fineCallers(a *arena.Arena, dst []byte) []byte {
	_ = a
	return append(dst, "text"...)
}

func fineCopy(a *arena.Arena, s []byte) []byte {
	_ = a
	t := s[:1]
	return append(t[:1:1], 'x')
}

func fineNoArena(s string) *node { return &node{name: s + "."} }

func fineNone(_ *arena.Arena, s string) *node { return &node{name: s + "."} }

func fineIgnored(a *arena.Arena) *node {
	_ = a
	return &node{} //arenavet:ignore it is cached
}

func fineBuilder(a *arena.Arena) {
	_ = a
	var b strings.Builder
	b.WriteString("x")
	names[""] = b.String()
}

func fineLater(a *arena.Arena) func() *node {
	_ = a
	return func() *node { return &node{} }
}
