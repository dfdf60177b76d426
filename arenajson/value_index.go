package arenajson

import (
	"math/bits"
	"unicode/utf8"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// A span describes an array or object of the document, so that it can be skipped, and indexed without
// counting first.
type span struct {
	end  uint32 // end of the text
	next uint32 // index of the first span after it
	n    uint32 // number of elements or members
}

// spans validates the value at i. It returns the spans of the value's arrays and objects, allocated from a,
// and the end of the value. While a span is open, its end is one more than the index of the enclosing span,
// and its next is the index of its bracket.
func (s *scanner) spans(a *arena.Arena, i int) (spans []span, end int) {
	open, depth := 0, 0 // open is one more than the index of the innermost open span
	bracket := byte(0)  // of the innermost open span
	for {
		switch c := s.at(i); {
		case c == '"':
			i = s.checkText(i)
		case c-'0' <= 9 || c == '-':
			i = s.number(i)
		case c|0x20 == '{':
			if depth++; depth > maxNesting {
				s.fail()
			}
			if n := len(spans); n < cap(spans) {
				spans = spans[:n+1]
			} else {
				spans = arena.Append(a, spans, span{})
			}
			spans[len(spans)-1] = span{end: uint32(open), next: uint32(i)}
			open, bracket = len(spans), c
			if i = s.space(i + 1); s.at(i) != c+2 { // ']' and '}' are two above '[' and '{'
				spans[open-1].n = 1
				if c == '{' {
					i = s.checkName(i)
				}
				continue
			}
		default:
			i = s.literal(i)
		}
		for { // after a value, or at the end of an empty container
			if open == 0 {
				return spans, i
			}
			i = s.space(i)
			c := s.at(i)
			x := &spans[open-1]
			if c == ',' {
				x.n++
				if i = s.space(i + 1); bracket == '{' {
					i = s.checkName(i)
				}
				break
			}
			if c != bracket+2 {
				s.fail()
			}
			i++
			open = int(x.end)
			x.end, x.next = uint32(i), uint32(len(spans))
			if depth--; open > 0 {
				bracket = s.at(int(spans[open-1].next))
			}
		}
	}
}

// checkName validates the name at i, and returns the index of the value after it.
func (s *scanner) checkName(i int) int {
	if s.at(i) != '"' {
		s.fail()
	}
	if i = s.checkText(i); s.at(i) != ':' {
		if i = s.space(i); s.at(i) != ':' {
			s.fail()
		}
	}
	if i++; s.at(i) == ' ' { // the usual form of indented documents
		i++
	}
	return s.space(i)
}

// checkText validates the string at i, including its UTF-8, and returns its end.
func (s *scanner) checkText(i int) int {
	for i++; ; i += 8 {
		if m := unusual(s.word(i)); m != 0 {
			if i += bits.TrailingZeros64(m) / 8; s.at(i) == '"' {
				return i + 1
			}
			return s.checkTextRest(i)
		}
	}
}

// checkTextRest is checkText for a string with escapes or characters that are not ASCII.
func (s *scanner) checkTextRest(i int) int {
	for {
		i = s.scanUTF8(i)
		switch c := s.at(i); {
		case c == '"':
			return i + 1
		case c == '\\':
			_, i = s.escape(i)
		case c >= utf8.RuneSelf:
			s.rejectUTF8(i)
		default:
			s.fail()
		}
	}
}

// A node is an array or object that was looked up, or a value that was set.
type node struct {
	doc       *document
	up        *node // the enclosing node
	names     []memberName
	slots     []slot // in the order of writing
	places    *arena.Map[string, uint32]
	text      string // of a scalar that was set
	pos, span uint32 // in the document; 0 for a created object
	dead      uint32 // number of dead slots
	kind      Kind
	indexed   bool // names and slots are set
	changed   bool // n, or a value in it, differs from the text
	made      bool // created by Set, without a text
	shifted   bool // elements were deleted, so adjacent slots may not be adjacent in the text
}

// memberName is the name of a member.
type memberName struct {
	text     string
	pos, end uint32 // in the document, with the quotes; 0 for a name that was set
}

// A slot holds a member or element of a container:
//
//   - node is nil: the value at pos of the container's document, which was not looked up
//   - node is an origin: the value at pos of the origin's document
//   - otherwise the value of node. If it was looked up, and the container's text has it, pos is its index; else pos is 0.
type slot struct {
	node *node
	pos  uint32
	span uint32 // the end of the value if it is not an array or object
}

// deadSlot is the span of the slot of a deleted member. No document is as long.
const deadSlot = 1<<32 - 1

func (s *slot) dead() bool { return s.span == deadSlot }

// inPlace reports whether the text of n has the unchanged value of s at s.pos.
func (n *node) inPlace(s *slot) bool {
	return s.pos != 0 && (s.node == nil || !s.node.isOrigin() && !s.node.changed)
}

// isOrigin reports whether n is the origin of a document.
func (n *node) isOrigin() bool { return n.kind == KindMissing }

// in returns the document that s.pos refers to. It is not ok if the value was looked up or set.
func (n *node) in(s *slot) (doc *document, ok bool) {
	switch {
	case s.node == nil:
		return n.doc, true
	case s.node.isOrigin():
		return s.node.doc, true
	}
	return nil, false
}

// raw returns the original text of n.
func (n *node) raw() string { return n.doc.text[n.pos:n.doc.spans[n.span].end] }

func (n *node) value(k int) Value { return n.valueOf(&n.slots[k]) }

// valueOf returns the value in a slot of n. A container gets a node.
func (n *node) valueOf(s *slot) Value {
	doc, ok := n.in(s)
	if !ok {
		if s.node.kind == KindObject || s.node.kind == KindArray {
			return Value{n: s.node, doc: s.node.doc}
		}
		return Value{doc: s.node.doc, text: s.node.text}
	}
	v := doc.at(s.pos, s.span, n)
	if v.n != nil {
		if s.node != nil {
			s.pos = 0 // the text of n does not have it
		}
		s.node = v.n
	}
	return v
}

// hashedFrom is the number of members from which on an object has a hash table.
const hashedFrom = 24

// index sets the names and slots of n.
func (n *node) index() {
	if n.indexed {
		return
	}
	doc := n.doc
	text := doc.text
	s := doc.spans[n.span]
	if int(s.n) >= len(n.raw()) {
		panicStale() // or the slices below could have any length
	}
	slots := arena.MakeSlice[slot](doc.a, int(s.n), int(s.n))
	var names []memberName
	if n.kind == KindObject {
		names = arena.MakeSlice[memberName](doc.a, int(s.n), int(s.n))
	}
	i, span := n.pos+1, n.span+1
	for k := range slots {
		i = skipSpaces(text, i)
		if names != nil {
			end, escaped := quotedEnd(text, i)
			names[k] = memberName{text[i+1 : end-1], i, end}
			if escaped {
				names[k].text = unquoted(doc.a, names[k].text)
			}
			i = skipSpaces(text, skipSpaces(text, end)+1)
		}
		slots[k] = slot{pos: i, span: span} // also without a node if a stale Value wrote one here
		if text[i]|0x20 == '{' {
			i, span = doc.spans[span].end, doc.spans[span].next
		} else {
			i = scalarEnd(text, i)
			slots[k].span = i
		}
		i = skipSpaces(text, i) + 1 // the comma
	}
	n.names, n.slots, n.dead = names, slots, 0
	n.dropDuplicates()
	n.indexed = true
}

// panicStale reports that a Value was used after its arena was reset. It is called if a document is not as Parse or an
// edit leaves it, and going on might not end.
func panicStale() { panic("arenajson: Value used after its arena was reset") }

// dropDuplicates deletes all members of n that have a later member of the same name.
func (n *node) dropDuplicates() {
	if len(n.names) >= hashedFrom {
		n.places = arena.NewMap[string, uint32](n.doc.a, len(n.names))
		for k := range n.names {
			place := n.places.Ptr(n.names[k].text)
			if place != nil {
				n.kill(int(*place))
				*place = uint32(k)
			} else {
				n.places.Set(n.names[k].text, uint32(k))
			}
		}
		return
	}
	var seen uint64 // a hash bit of each name: if it is clear, the name is new
	for k := range n.names {
		text := n.names[k].text
		bit := uint(len(text))
		if len(text) > 0 {
			bit += uint(text[len(text)-1]) * 7
		}
		if seen>>(bit&63)&1 != 0 {
			for j := range k {
				if n.names[j].text == text && !n.slots[j].dead() {
					n.kill(j)
				}
			}
		}
		seen |= 1 << (bit & 63)
	}
}

// kill deletes the member in slot k. The slot remains, so that loops over members may delete.
func (n *node) kill(k int) {
	n.slots[k] = slot{span: deadSlot}
	n.dead++
}

// find returns the slot of the member or element with that name or index, or -1.
func (n *node) find(name any) int {
	if n.kind == KindObject {
		if name, ok := name.(string); ok {
			return n.member(name)
		}
		return -1
	}
	if k, ok := indexOf(name); ok && k >= 0 {
		if n.index(); k < len(n.slots) {
			return k
		}
	}
	return -1
}

// indexOf returns x as an array index, and reports whether it is an integer.
func indexOf(x any) (k int, ok bool) {
	switch x := x.(type) {
	case int:
		k = x
	case int64:
		k = int(min(max(x, -1), 1<<31-1)) // no array has as many elements
	case int8:
		k = int(x)
	case int16:
		k = int(x)
	case int32:
		k = int(x)
	case uint8:
		k = int(x)
	case uint16:
		k = int(x)
	case uint:
		k = int(min(x, 1<<31-1))
	case uint64:
		k = int(min(x, 1<<31-1))
	case uint32:
		k = int(min(x, 1<<31-1))
	default:
		return 0, false
	}
	return k, true
}

// member returns the slot of the member with that name, or -1.
func (n *node) member(name string) int {
	n.index()
	if n.places != nil {
		// The entry may be for a deleted member, or for one that a failed Merge did not add.
		if k, ok := n.places.Get(name); ok && int(k) < len(n.names) && n.names[k].text == name && !n.slots[k].dead() {
			return int(k)
		}
		return -1
	}
	for k := range n.names {
		if n.names[k].text == name && !n.slots[k].dead() {
			return k
		}
	}
	return -1
}

// The functions below read validated texts that end with zeros. They check bounds, because a Value that is used
// after Reset may find anything in its document.

// skipSpaces returns the index of the first byte from i on that is not a space.
func skipSpaces(text string, i uint32) uint32 {
	for isSpace(text[i]) {
		i++
	}
	return i
}

// quotedEnd returns the end of the string at i, and reports whether it has escapes.
func quotedEnd(text string, i uint32) (end uint32, escaped bool) {
	for i++; ; {
		m := special(xunsafe.Text64(text[i:i+8], 0))
		if m == 0 {
			i += 8
			continue
		}
		if i += uint32(bits.TrailingZeros64(m) / 8); text[i] == '"' {
			return i + 1, escaped
		}
		i, escaped = i+2, true
	}
}

// scalarEnd returns the end of the string, number or literal at i.
func scalarEnd(text string, i uint32) uint32 {
	if text[i] == '"' {
		end, _ := quotedEnd(text, i)
		return end
	}
	for c := text[i]; c > ' ' && c != ',' && c|0x20 != '}'; c = text[i] {
		i++
	}
	return i
}
