package arenajson

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// This file changes documents. Each operation first allocates and checks everything, and then changes slots,
// so that a failed operation changes nothing.

// Set sets the value at path to x: a Value, or a value for [Marshal]. A Value is copied, so later changes to
// it do not affect v. Set creates missing objects on the path, but no array elements.
//
// Set returns an error if the path does not fit the document, if x can't be encoded, if more than 10,000
// arrays and objects would be nested, or a [*arena.LimitError]. The document is then unchanged.
//
// Passing x as an interface allocates from the heap unless it is a pointer or a constant; see [arena.BoxOf].
func (v Value) Set(x any, path ...any) (err error) {
	defer catchLimit(&err)
	if len(path) == 0 {
		return errors.New("arenajson: Set: empty path")
	}
	last := len(path) - 1
	n, i, err := v.deepest("Set", path[:last])
	if err != nil {
		return err
	}
	k := n.find(path[i])
	if k >= 0 && i < last {
		return pathError("Set", path, i+1, nil) // a scalar has no members
	}
	add, err := n.adopt(x, maxNesting-n.depth()-(last-i))
	if err != nil {
		return err
	}
	if k >= 0 {
		n.put(k, memberName{}, add)
		return nil
	}
	for j := last; ; j-- {
		name, err := newName("Set", path, j, n)
		if err != nil {
			return err
		}
		if j == i {
			n.put(-1, memberName{text: name}, add)
			return nil
		}
		made := arena.New[node](n.doc.a) // a missing object
		*made = node{doc: n.doc, kind: KindObject, indexed: true, changed: true, made: true}
		made.put(-1, memberName{text: name}, add)
		add = slot{node: made}
	}
}

// Delete deletes the value at path, if there is one.
func (v Value) Delete(path ...any) (err error) {
	defer catchLimit(&err)
	if len(path) == 0 {
		return errors.New("arenajson: Delete: empty path")
	}
	for i := range path {
		if _, ok := indexOf(path[i]); !ok && !isString(path[i]) {
			return pathError("Delete", path, i, nil)
		}
	}
	n := v.Get(path[:len(path)-1]...).n
	if n == nil {
		return nil
	}
	k := n.find(path[len(path)-1])
	if k < 0 {
		return nil
	}
	if n.kind == KindObject {
		n.kill(k)
	} else {
		copy(n.slots[k:], n.slots[k+1:])
		n.slots = n.slots[:len(n.slots)-1]
		n.shifted = true
	}
	n.change()
	return nil
}

// Append appends x to the array at path. x and errors are as for [Value.Set].
func (v Value) Append(x any, path ...any) (err error) {
	defer catchLimit(&err)
	n, i, err := v.deepest("Append", path)
	switch {
	case err != nil:
		return err
	case i < len(path):
		return pathError("Append", path, i, n)
	case n.kind != KindArray:
		return errors.New("arenajson: Append: object instead of an array")
	}
	add, err := n.adopt(x, maxNesting-n.depth())
	if err != nil {
		return err
	}
	n.index()
	n.put(-1, memberName{}, add)
	return nil
}

// Merge merges w into the value at path, as the execution of GraphQL joins the results of several services:
//
//   - The members of objects are merged by name. Members that v does not have are added.
//   - The elements of arrays of equal length are merged by index. An empty array in w changes nothing, and an empty
//     array in v becomes the array in w.
//   - A null in w changes nothing, and a null in v becomes the value in w.
//   - A string, number or boolean becomes the value in w if that is of the same kind.
//
// Any other pair of values is an error. Other errors are as for [Value.Set]. On an error the document is unchanged.
func (v Value) Merge(w Value, path ...any) (err error) {
	defer catchLimit(&err)
	n, i, err := v.deepest("Merge", path)
	if err != nil {
		return err
	}
	if i < len(path) {
		k := n.find(path[i])
		if k >= 0 && i < len(path)-1 {
			return pathError("Merge", path, i+1, nil)
		}
		if k >= 0 {
			have := n.kindIn(&n.slots[k])
			if w.Kind() == KindNull {
				return nil
			}
			if !mergeable(have, w.Kind()) {
				return mergeError(have, w.Kind())
			}
		}
		return v.Set(w, path...)
	}
	switch {
	case w.Kind() == KindNull:
		return nil
	case w.Kind() != n.kind:
		return mergeError(n.kind, w.Kind())
	}
	if w, err = n.doc.own(w); err != nil {
		return err
	}
	m := merge{doc: v.doc, ops: v.doc.ops[:0]}
	if err := m.containers(n, w.n, n.depth()); err != nil {
		return err
	}
	for i := range m.ops {
		o := &m.ops[i]
		o.n.put(o.k, o.name, o.add)
	}
	clear(m.ops)
	v.doc.ops = m.ops[:0]
	return nil
}

// A merge collects the operations of Merge.
type merge struct {
	doc *document
	ops []op
}

// An op sets slot k of n, or appends one if k is negative.
type op struct {
	n    *node
	k    int
	name memberName
	add  slot
}

// containers merges s into n, a container of the same kind at the given nesting depth.
func (m *merge) containers(n, s *node, depth int) error {
	if depth > maxNesting {
		panicStale() // n contains itself
	}
	n.index()
	s.index()
	if n.kind == KindArray && len(n.slots) > 0 && len(s.slots) > 0 && len(n.slots) != len(s.slots) {
		return errors.New("arenajson: Merge: arrays of " + strconv.Itoa(len(n.slots)) + " and " + strconv.Itoa(len(s.slots)) + " elements")
	}
	added := 0
	for j := range s.slots {
		if s.slots[j].dead() {
			continue
		}
		k := n.counterpart(s, j)
		var name memberName
		if k < 0 {
			if n.kind == KindObject {
				name.text = s.names[j].text
			}
			if n.places != nil {
				n.places.Set(name.text, uint32(len(n.slots)+added)) // valid once put has added the member; see member
			}
			added++
		}
		if err := m.slot(n, k, name, s, &s.slots[j], depth); err != nil {
			return err
		}
	}
	n.reserve(added)
	return nil
}

// counterpart returns the slot of n for slot j of s, or -1.
func (n *node) counterpart(s *node, j int) int {
	switch {
	case n.kind == KindObject:
		return n.member(s.names[j].text)
	case len(n.slots) > 0:
		return j
	}
	return -1
}

// slot merges the value in slot from of s into slot k of n, or appends it if k is negative.
func (m *merge) slot(n *node, k int, name memberName, s *node, from *slot, depth int) error {
	if k >= 0 {
		have, get := n.kindIn(&n.slots[k]), s.kindIn(from)
		switch {
		case get == KindNull:
			return nil
		case !mergeable(have, get):
			return mergeError(have, get)
		case have == KindObject || have == KindArray:
			return m.containers(n.value(k).n, s.valueOf(from).n, depth+1)
		case have == get && n.value(k).text == s.valueOf(from).text:
			return nil
		}
	}
	add, ok := s.share(from, maxNesting-depth)
	if !ok {
		return errDeep
	}
	m.ops = arena.Append(m.doc.a, m.ops, op{n, k, name, add})
	return nil
}

// mergeable reports whether a value of kind b, which is not null, may be merged into one of kind a.
func mergeable(a, b Kind) bool {
	isBool := func(k Kind) bool { return k == KindFalse || k == KindTrue }
	return a == b || isBool(a) && isBool(b) || a == KindNull
}

func mergeError(a, b Kind) error {
	return errors.New("arenajson: Merge: " + b.String() + " into " + a.String())
}

// errDeep is the error for a document that would be nested too deeply.
var errDeep = errors.New("arenajson: more than " + strconv.Itoa(maxNesting) + " nested arrays and objects")

// kindIn returns the kind of the value in a slot of n.
func (n *node) kindIn(s *slot) Kind {
	if doc, ok := n.in(s); ok {
		return kindOf(doc.text[s.pos])
	}
	return s.node.kind
}

// deepest follows path as far as it leads to arrays and objects. It returns the last of them, and the number
// of path elements that lead there. The next element leads to a missing member or to a scalar.
func (v Value) deepest(does string, path []any) (n *node, i int, err error) {
	if v.n == nil {
		return nil, 0, errors.New("arenajson: " + does + ": " + v.Kind().String() + " instead of an array or object")
	}
	for n = v.n; i < len(path); i++ {
		k := n.find(path[i])
		if k < 0 {
			if n.kind == KindArray || !isString(path[i]) {
				return nil, 0, pathError(does, path, i, n)
			}
			break
		}
		w := n.value(k)
		if w.n == nil {
			break
		}
		n = w.n
	}
	return n, i, nil
}

func isString(x any) bool {
	_, ok := x.(string)
	return ok
}

// newName returns element k of path as the name of a new member, allocated from the arena.
func newName(does string, path []any, k int, n *node) (string, error) {
	name, ok := path[k].(string)
	if !ok || n.kind != KindObject {
		return "", pathError(does, path, k, n)
	}
	if !utf8.ValidString(name) {
		return "", errors.New("arenajson: " + does + ": name is not UTF-8: " + strconv.Quote(name))
	}
	return n.doc.a.AllocString(name), nil
}

// pathError returns an error for path, of which the first i elements lead to n. It does not use package fmt,
// which would make the elements of every path escape to the heap.
func pathError(does string, path []any, i int, n *node) error {
	b := append([]byte("arenajson: "), does...)
	b = append(b, ": no value at "...)
	for k := range path[:min(i+1, len(path))] {
		switch x := path[k].(type) {
		case string:
			b = strconv.AppendQuote(append(b, '.'), x)
		default:
			if index, ok := indexOf(x); ok {
				b = append(strconv.AppendInt(append(b, '['), int64(index), 10), ']')
			} else {
				b = append(b, "[invalid path element]"...)
			}
		}
	}
	if n != nil {
		b = append(b, " in "...)
		b = append(b, n.kind.String()...)
		b = append(b, " of "...)
		b = strconv.AppendInt(b, int64(Value{n: n, doc: n.doc}.Len()), 10)
	}
	return errors.New(string(b))
}

// depth returns the number of containers from n outward, including n.
func (n *node) depth() (d int) {
	for ; n != nil; n = n.up {
		d++
	}
	return d
}

// change marks n and the containers around it as changed.
func (n *node) change() {
	for ; n != nil && !n.changed; n = n.up {
		n.changed = true
	}
}

// put sets slot k of n, or appends a slot if k is negative. A new member has that name.
func (n *node) put(k int, name memberName, s slot) {
	if k < 0 {
		n.reserve(1)
		k = len(n.slots)
		if n.kind == KindObject {
			if n.places != nil {
				n.places.Set(name.text, uint32(k))
			}
			n.names = n.names[:k+1]
			n.names[k] = name
		}
		n.slots = n.slots[:k+1]
	}
	n.slots[k] = s
	if s.node != nil && !s.node.isOrigin() {
		s.node.up = n
	}
	n.change()
}

// reserve makes room for more members or elements in n.
func (n *node) reserve(more int) {
	a, all := n.doc.a, len(n.slots)+more
	if all > cap(n.slots) {
		c := max(all, 2*len(n.slots), 4)
		slots := arena.MakeSlice[slot](a, len(n.slots), c)
		copy(slots, n.slots)
		if n.kind == KindObject {
			names := arena.MakeSlice[memberName](a, len(n.names), c)
			copy(names, n.names)
			n.names = names
		}
		n.slots = slots
	}
	if n.kind == KindObject && n.places == nil && all >= hashedFrom {
		places := arena.NewMap[string, uint32](a, 2*all)
		for k := range n.names {
			places.Set(n.names[k].text, uint32(k)) // of equal names the last one counts
		}
		n.places = places
	}
}

// adopt returns a slot with a copy of x, in which at most room arrays and objects may be nested.
func (n *node) adopt(x any, room int) (slot, error) {
	a := n.doc.a
	var text string
	switch x := x.(type) {
	case Value:
		w, err := n.doc.own(x)
		if err != nil {
			return slot{}, err
		}
		if w.n != nil {
			add, ok := w.n.copy(room)
			if !ok {
				err = errDeep
			}
			return add, err
		}
		text = w.text
	case nil:
		text = "null"
	case bool:
		if text = "false"; x {
			text = "true"
		}
	default:
		b, err := Marshal(a, x, NoEscapeHTML)
		if err != nil {
			return slot{}, err
		}
		if c := b[0]; c|0x20 == '{' || !utf8.Valid(b) {
			w, err := Parse(a, b) // a method may write invalid UTF-8 and nest deeply
			if err != nil {
				return slot{}, err
			}
			return n.adopt(w, room)
		}
		text = xunsafe.ViewString(b)
	}
	leaf := arena.New[node](a)
	leaf.doc, leaf.kind, leaf.text = n.doc, kindOf(text[0]), text
	return slot{node: leaf}, nil
}

// own returns w if the arena of doc may refer to its memory, or else a copy.
func (doc *document) own(w Value) (Value, error) {
	switch {
	case w.doc == nil:
		return w, errMissing
	case w.doc.a == doc.a || w.doc.a == nil:
		return w, nil
	case w.n == nil:
		return Value{doc: doc, text: doc.a.AllocString(w.text)}, nil
	}
	return Parse(doc.a, xunsafe.ViewBytes(w.Raw()))
}

// copy returns a slot with a copy of n that shares its texts. It is not ok if the copy nests more than room
// arrays and objects.
func (n *node) copy(room int) (slot, bool) {
	if !n.changed {
		return slot{node: &n.doc.origin, pos: n.pos, span: n.span}, n.doc.fits(n.span, room)
	}
	if room <= 0 {
		return slot{}, false
	}
	c := arena.New[node](n.doc.a)
	*c = *n
	c.up, c.places = nil, nil
	c.names, c.slots = arena.CloneSlice(n.doc.a, n.names), arena.CloneSlice(n.doc.a, n.slots)
	for k := range c.slots {
		s := &c.slots[k]
		shared, ok := n.share(s, room-1)
		if !ok {
			return slot{}, false
		}
		if n.inPlace(s) {
			shared = slot{pos: s.pos, span: s.span}
		}
		if *s = shared; s.node != nil && !s.node.isOrigin() {
			s.node.up = c
		}
	}
	return slot{node: c}, true
}

// share returns a slot with a copy of the value in slot s of n, like copy.
func (n *node) share(s *slot, room int) (slot, bool) {
	doc, ok := n.in(s)
	switch {
	case s.dead():
		return *s, true
	case ok:
		fits := doc.text[s.pos]|0x20 != '{' || doc.fits(s.span, room)
		return slot{node: &doc.origin, pos: s.pos, span: s.span}, fits
	case s.node.kind == KindObject || s.node.kind == KindArray:
		return s.node.copy(room)
	}
	return slot{node: s.node}, true // a scalar that was set never changes
}

// fits reports whether at most room arrays and objects are nested in the span, including itself.
func (doc *document) fits(span uint32, room int) bool {
	next := doc.spans[span].next
	if next <= span {
		panicStale()
	}
	if int(next-span) <= room {
		return true
	}
	if room <= 0 {
		return false
	}
	for span++; span < next; span = doc.spans[span].next {
		if !doc.fits(span, room-1) {
			return false
		}
	}
	return true
}
