package arenajson

import (
	"math/bits"
	"unicode/utf8"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// span is what Parse notes of an array or object: enough to skip it, and to index it without counting first.
type span struct {
	end  uint32 // where its text ends
	next uint32 // the index of the first span behind it
	n    uint32 // of its elements or members
}

// spans checks the value at i and returns the spans of what is in it, in a, and where the value ends. Of a span that
// is open, end is the index of the span around it plus one, and next where its text begins.
func (s *scanner) spans(a *arena.Arena, i int) (spans []span, end int) {
	open, depth := 0, 0 // the innermost open span plus one
	bracket := byte(0)  // it begins with that
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
			if i = s.space(i + 1); s.at(i) != c+2 { // as ] and } are to [ and {
				spans[open-1].n = 1
				if c == '{' {
					i = s.checkName(i)
				}
				continue
			}
		default:
			i = s.literal(i)
		}
		for { // behind a value, or where a container without any ends
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

// checkName checks the name at i, and returns where the value begins that follows it.
func (s *scanner) checkName(i int) int {
	if s.at(i) != '"' {
		s.fail()
	}
	if i = s.checkText(i); s.at(i) != ':' {
		if i = s.space(i); s.at(i) != ':' {
			s.fail()
		}
	}
	return s.space(i + 1)
}

// checkText checks the string whose quote is at i, its UTF-8 included, and returns where it ends.
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

// checkTextRest is checkText where there is something else than ASCII without escapes.
func (s *scanner) checkTextRest(i int) int {
	for {
		i = s.scanUTF8(i)
		switch c := s.at(i); {
		case c == '"':
			return i + 1
		case c == '\\' && s.at(i+1) == 'u':
			s.hex(i + 2)
			i += 6
		case c == '\\':
			_, i = s.escape(i)
		case c >= utf8.RuneSelf:
			s.rejectUTF8(i)
		default:
			s.fail()
		}
	}
}

// node is an array or object that was looked into, or a value that was set.
type node struct {
	doc       *document
	up        *node // the node around it, for changed
	names     []memberName
	slots     []slot // in the order in which they are written
	places    *arena.Map[string, uint32]
	text      string // of a value that was set and is no array or object
	pos, span uint32 // where it begins, and its span; both 0 for one that was made
	dead      uint32 // how many slots are
	kind      Kind
	indexed   bool // names and slots are set
	changed   bool // it, or something in it, is not as in the text
	made      bool // it has no text
	shifted   bool // elements were deleted: slots that follow each other may not do so in the text
}

// memberName is the name of a member.
type memberName struct {
	text string
	pos  uint32 // of its quote in the document; 0 for a name that was set
}

// slot is the place of a member or element in its container. Until it is looked into, or if it is no container, it is
// the value at pos, in the document of the slot's container if node is nil, in that of the node if node is the
// document's origin. If it was looked into, pos is 0 if the text of the slot's container has not the value there.
type slot struct {
	node      *node
	pos, span uint32
}

// deadSlot is the span of a slot whose member was deleted. No span has that index, as there are fewer spans than bytes.
const deadSlot = 1<<32 - 1

func (s *slot) dead() bool { return s.span == deadSlot }

// inPlace reports whether the text of n has the value in slot s as it is, where the slot says.
func (n *node) inPlace(s *slot) bool {
	return s.pos != 0 && (s.node == nil || !s.node.isOrigin() && !s.node.changed)
}

// isOrigin reports whether n is only the origin of its document.
func (n *node) isOrigin() bool { return n.kind == KindMissing }

// in returns the document that s is a position in, if it is: if its value was not looked into, nor set.
func (n *node) in(s *slot) (doc *document, ok bool) {
	switch {
	case s.node == nil:
		return n.doc, true
	case s.node.isOrigin():
		return s.node.doc, true
	}
	return nil, false
}

// raw returns the text of n as it was parsed.
func (n *node) raw() string { return n.doc.text[n.pos:n.doc.spans[n.span].end] }

// value returns the value in slot k.
func (n *node) value(k int) Value { return n.valueOf(&n.slots[k]) }

// valueOf returns the value in a slot of n, which gets a node if it is a container.
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
			s.pos = 0 // it is not in its place in the text of n
		}
		s.node = v.n
	}
	return v
}

// hashedFrom is the number of members from which on an object has a table of their places.
const hashedFrom = 24

// index sets the names and slots of n.
func (n *node) index() {
	if n.indexed {
		return
	}
	doc := n.doc
	text := doc.text
	s := doc.spans[n.span]
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
			names[k] = memberName{text[i+1 : end-1], i}
			if escaped {
				names[k].text = unquoted(doc.a, names[k].text)
			}
			i = skipSpaces(text, skipSpaces(text, end)+1)
		}
		slots[k].pos = i
		if text[i]|0x20 == '{' {
			slots[k].span = span
			i, span = doc.spans[span].end, doc.spans[span].next
		} else {
			i = scalarEnd(text, i)
		}
		i = skipSpaces(text, i) + 1 // the comma
	}
	n.names, n.slots = names, slots
	if names != nil {
		n.dropDuplicates()
	}
	n.indexed = true
}

// dropDuplicates deletes all members of n but the last one of each name.
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
	var seen uint64 // one bit for each length and last character: a name whose bit is not set has no duplicate before it
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

// kill deletes the member in slot k. The slot stays, so that loops over members may delete.
func (n *node) kill(k int) {
	n.slots[k] = slot{span: deadSlot}
	n.dead++
}

// find returns the slot of the member or element that an element of a path names, or -1.
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

// indexOf returns an element of a path as an index of an array, and reports whether it is an integer.
func indexOf(x any) (k int, ok bool) {
	switch x := x.(type) {
	case int:
		k = x
	case int64:
		k = int(min(max(x, -1), 1<<31-1)) // no array has so many elements
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
		// A place may be that of a member that was not added after all, or was deleted.
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

// The functions below read texts that Parse has checked and that end with zeros.

// skipSpaces returns where the spaces from i on end.
func skipSpaces(text string, i uint32) uint32 {
	for isSpace(text[i]) {
		i++
	}
	return i
}

// textEnd returns where the string ends whose quote is at i.
func textEnd(text string, i uint32) uint32 {
	end, _ := quotedEnd(text, i)
	return end
}

// quotedEnd is textEnd, and reports whether the string has escapes.
func quotedEnd(text string, i uint32) (end uint32, escaped bool) {
	for i++; ; {
		m := special(xunsafe.Text64(text, int(i)))
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

// scalarEnd returns where the string, number or literal at i ends.
func scalarEnd(text string, i uint32) uint32 {
	if text[i] == '"' {
		return textEnd(text, i)
	}
	for c := text[i]; c > ' ' && c != ',' && c|0x20 != '}'; c = text[i] {
		i++
	}
	return i
}
