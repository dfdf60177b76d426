package arenajson

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// AppendTo appends the JSON text of v to dst, like the builtin append, and returns it. A missing value appends nothing.
//
// What was not changed is written as it was parsed, byte for byte. Spaces around a member or element that was changed
// may differ from the document.
func (v Value) AppendTo(dst []byte) []byte {
	if v.n == nil {
		return append(dst, v.text...)
	}
	w := writer{out: dst}
	w.node(v.n)
	return w.out
}

// writer writes values.
type writer struct {
	a   *arena.Arena // nil for the heap
	out []byte
}

func (w *writer) put(s string) { w.out = arena.Append(w.a, w.out, xunsafe.ViewBytes(s)...) }

// node writes n. A changed container is written from pieces of its text: as much of it as was not changed at a time.
func (w *writer) node(n *node) {
	if n.kind != KindObject && n.kind != KindArray {
		w.put(n.text)
		return
	}
	if !n.changed {
		w.put(n.raw())
		return
	}
	open, gap, end := n.frame()
	w.put(open)
	first := true
	for k := 0; k < len(n.slots); k++ {
		s := &n.slots[k]
		if s.dead() {
			continue
		}
		if !first {
			w.put(",")
		}
		w.put(gap)
		first = false
		if n.inPlace(s) {
			from := s.pos
			if n.kind == KindObject {
				from = n.names[k].pos
			}
			for !n.shifted && k+1 < len(n.slots) && n.inPlace(&n.slots[k+1]) {
				k++
			}
			w.put(n.doc.text[from:n.doc.endOf(&n.slots[k])])
			continue
		}
		if n.kind == KindObject {
			w.name(n, &n.names[k])
		}
		if doc, ok := n.in(s); ok {
			w.put(doc.text[s.pos:doc.endOf(s)])
		} else {
			w.node(s.node)
		}
	}
	if first {
		end = end[len(end)-1:]
	}
	w.put(end)
}

// frame returns the bracket that opens n, the spaces in front of its first element or member, and the bracket that
// closes it with the spaces in front of that.
func (n *node) frame() (open, gap, end string) {
	if n.made {
		return "{", "", "}"
	}
	text, s := n.doc.text, n.doc.spans[n.span]
	i, j := n.pos+1, s.end-1
	if s.n > 0 {
		i = skipSpaces(text, i)
		for isSpace(text[j-1]) {
			j--
		}
	}
	return text[n.pos : n.pos+1], text[n.pos+1 : i], text[j:s.end]
}

// endOf returns where the value ends that s is a position of.
func (doc *document) endOf(s *slot) uint32 {
	if doc.text[s.pos]|0x20 == '{' {
		return doc.spans[s.span].end
	}
	return scalarEnd(doc.text, s.pos)
}

// name writes the name of a member of n, and a colon.
func (w *writer) name(n *node, name *memberName) {
	if name.pos != 0 {
		w.put(n.doc.text[name.pos:textEnd(n.doc.text, name.pos)])
		w.put(":")
		return
	}
	w.put(`"`)
	from := 0
	for i := range len(name.text) {
		c := name.text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		w.put(name.text[from:i])
		escape := escapes[c]
		for k := range escape >> 56 {
			w.out = arena.Append(w.a, w.out, byte(escape>>(8*k)))
		}
		from = i + 1
	}
	w.put(name.text[from:])
	w.put(`":`)
}
