// Package buffers writes to buffers in fields, which grow in the arena unless they outlive it.
package buffers

import (
	"bytes"
	"sync"
)

// Node has one.
type Node struct {
	Data *bytes.Buffer
	text bytes.Buffer
	Next *Node
}

// both has one without a name, which has no text for it.
type both struct{ *bytes.Buffer }

type holder struct{ both both }

var (
	server = &Node{Data: &bytes.Buffer{}}
	nodes  = sync.Pool{New: func() any { return &Node{Data: &bytes.Buffer{}} }}
	kept   []byte
)

// Parse is the root.
func Parse(text []byte, given *Node) *Node {
	n := &Node{Data: new(bytes.Buffer)}
	n.Data.Write(text)
	n.text.Write(text)
	n.Next = &Node{Data: new(bytes.Buffer)}
	n.Next.Data.Write(n.text.Bytes())
	n.Next.Data.ReadByte()
	n.Next.Data.Write(n.text.Bytes())
	long(text, given)
	behind(n, text)
	queue(text)
	return n
}

// behind writes to what it is given: here that is the root's.
func behind(n *Node, text []byte) {
	n.Data.Write(text)
	local := bytes.Buffer{}
	local.Write(text)
	h := holder{both{n.Data}}
	h.both.Write(local.Bytes())
}

// long writes to what outlives the root: nothing may move.
func long(text []byte, given *Node) {
	server.Data.Write(text)
	given.text.Write(text)
	pooled := nodes.Get().(*Node)
	pooled.Data.Write(text)
	nodes.Put(pooled)
	n := &Node{Data: server.Data}
	n.Data.Write(text)
	last := &Node{Data: new(bytes.Buffer)}
	last.Data.Write(text)
	kept = last.Data.Bytes()
	other := &Node{Data: new(bytes.Buffer)}
	into(other, text)
	server.Next = other
}

func into(n *Node, text []byte) { n.Data.Write(text) }

// queue is read as fast as it is written, empty or not: what was read has room for more, and so it takes little memory.
func queue(text []byte) (length int) {
	n := &Node{}
	for range 10_000 {
		n.text.Write(text)
		n.text.Next(len(text))
	}
	for i := range 10_000 {
		n.text.Write(text)
		if i > 10 {
			n.text.Next(len(text))
		}
	}
	writeIn := &Node{} // a name that the writer's own then does not mean
	writeIn.text.Write(text)
	return n.text.Len() - writeIn.text.Len()
}
