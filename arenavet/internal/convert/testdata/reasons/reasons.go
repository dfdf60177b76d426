// Package reasons keeps what it makes in several places, so that there are several reasons why it stays.
package reasons

import "fmt"

// Node leads to others.
type Node struct {
	Left, Right *Node
	Text        string
	Of          *Leaf
}

// Leaf is the last.
type Leaf struct{ Text string }

// Keeper keeps one.
type Keeper interface{ Keep(n *Node) }

type (
	one   struct{}
	two   struct{}
	three struct{}
)

var (
	first, second *Node
	third         map[string]*Leaf
	fourth        any
	fifth         *Leaf
)

// Keep is of a Keeper.
func (one) Keep(n *Node) { first = n }

// Keep is of a Keeper.
func (two) Keep(n *Node) { second = n.Left }

// Keep is of a Keeper.
func (three) Keep(n *Node) { third[n.Of.Text] = n.Of }

func (n *Node) String() string   { first = n.Left; return n.Text }
func (n *Node) GoString() string { fourth = n.Right; return n.Text }

// Parse is the root.
func Parse(texts []string, k int) {
	keepers := []Keeper{one{}, two{}, three{}}
	for _, text := range texts {
		several(text, k)
		leaf := &Leaf{text + "!"}
		n := &Node{Text: text + "?", Of: leaf}
		n.Left, n.Right = &Node{Left: n, Of: leaf}, pair(text+".")
		keepers[k].Keep(n)
		keep(n, n.Left, leaf)
		both, alone := made(text)
		keep(both, n, alone)
		fmt.Println(n, both)
	}
}

// several has calls whose order does not follow from what they call.
func several(text string, k int) {
	x := &Leaf{text + "1"}
	longWay(x)
	shortWay(x)
	shared := &Leaf{text + "2"}
	first = &Node{Of: shared}
	second = &Node{Of: shared}
	one, two, three := pair(text), pair(text), pair(text)
	third[text] = one.Of
	fourth = two.Of
	fifth = three.Of
	anyOf := &Leaf{text + "3"}
	[]func(*Leaf){keepFirst, keepSecond, keepThird}[k](anyOf)
	make1(text, func(l *Leaf) { third[text] = l })
	make1(text, func(l *Leaf) { fourth = l })
	make1(text, func(l *Leaf) { fifth = l })
}

func longWay(x *Leaf)  { middle(x) }
func middle(x *Leaf)   { held(x) }
func shortWay(x *Leaf) { held(x) }
func held(x *Leaf)     { each(x, func(l *Leaf) { fifth = l }) }

func each(x *Leaf, do func(*Leaf)) { do(x) }

func keepFirst(l *Leaf)  { third[""] = l }
func keepSecond(l *Leaf) { fourth = l }
func keepThird(l *Leaf)  { fifth = l }

func make1(text string, do func(*Leaf)) { do(&Leaf{text + "4"}) }

func keep(a, b *Node, c *Leaf) {
	first, second = a, b
	third[c.Text] = c
	fourth = a.Of
}

func pair(text string) *Node { return &Node{Text: text + ",", Of: &Leaf{text + ";"}} }

func made(text string) (*Node, *Leaf) {
	n := pair(text)
	return n, n.Of
}
