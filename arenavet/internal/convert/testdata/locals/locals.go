// Package locals makes what goes out by way of another local, or what is a variable that others point at. All of that
// moves, but for what is kept or has room on the stack, and for the variable of a loop: each round has one of its own.
package locals

import "strings"

// Node is a part of a tree.
type Node struct {
	Name     string
	Up, Next *Node
	List     []*Node
	each     func() *Node
}

var (
	kept     = &Node{}
	keptText func() string
)

func (n *Node) add(m *Node) {
	m.Up = n
	n.List = append(n.List, m)
}

func link(n, to *Node) { n.Next = to }

func with(list []*Node, n *Node) []*Node { return append(list, n) }

// Parse is the root.
func Parse(name string) *Node {
	n := &Node{Name: name}
	d := n
	d.Next = &Node{Name: name + "!"}
	up := &d.Up
	*up = &Node{}
	list := &d.List
	*list = append(*list, &Node{Name: "first"})
	d.Next.Name = d.Next.Name + inRoom(name) + grown(name)
	*list = append(*list, made(name)...)
	d.List = with(d.List, method(name))
	given(d.Next)
	captured(*up)
	d.Up.Name = written(*up)
	d.Up, d.Up.each = d.Up.each(), nil
	two(Node{}, Node{Name: "two"}, *up)
	rounds(d)
	k := kept
	each(d.List, func(*Node) { k.Next = &Node{Name: "kept"} })
	keep(name)
	return n
}

// inRoom appends to an array on the stack: that stays, and takes no memory.
func inRoom(name string) string {
	text := make([]byte, 0, 64)
	for i := range name {
		text = append(text, name[i])
	}
	return string(text)
}

func grown(name string) string {
	text := []byte{}
	for i := range name {
		text = append(text, name[i])
	}
	return string(text)
}

func made(name string) []*Node {
	list := make([]*Node, 0, 1)
	return append(list, &Node{Name: name})
}

func method(name string) *Node {
	var n Node
	n.add(&Node{Name: name})
	return n.List[0]
}

func given(to *Node) {
	n := Node{Name: "given"}
	link(to, &n)
}

func captured(to *Node) {
	n := Node{Name: "captured"}
	to.each = func() *Node {
		n.Name += "."
		return n.Up
	}
	n.Up = to
}

func written(by *Node) string {
	var b strings.Builder
	each := by.each
	by.each = func() *Node {
		b.WriteString(by.Name + ".")
		return each()
	}
	by.each()
	by.each()
	return b.String()
}

func two(n, m Node, to *Node) {
	n.Name = "one"
	m.Up = to
	link(to, &m)
}

func rounds(to *Node) {
	for n := (Node{}); len(n.Name) < 3; n.Name += "x" {
		to.List = append(to.List, &n)
	}
}

func each(list []*Node, do func(*Node)) {
	for _, m := range list {
		do(m)
	}
}

func keep(name string) {
	n := &Node{}
	d := n
	d.Next = &Node{}
	kept = n.Next
	var m Node
	m.add(&Node{Name: name})
	kept.Up = m.List[0]
	var b strings.Builder
	var o Node
	keptText = func() string {
		b.WriteString(o.Name)
		o.Name += "."
		return b.String()
	}
	keptText()
}
