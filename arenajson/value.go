package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// This file has Value: parsing, reading and writing. Parse validates the document once, and records the end
// of each array and object (value_index.go), so that each can be skipped in one step. A container is indexed
// when it is first searched. value_edit.go changes documents.

// A Value is a part of a JSON document, for searching, changing and writing it.
//
// The zero Value is missing: its kind is KindMissing, it has no members, and it converts to zero and "". A
// Value of an object or array refers to the document and sees its changes. A Value of a string, number or
// literal does not change.
//
// A Value is allocated from the arena that was passed to Parse, and so are the strings it returns. It is
// valid until that arena is reset. It is not safe for concurrent use, because even lookups may write to the
// arena. Methods that return no error panic with a [*arena.LimitError] if the arena's limit is exceeded.
//
// If an object has several members of one name, the last one counts, as in encoding/json.
//
// Use [Unmarshal] for documents of known types. It is faster than looking up more than a few values.
type Value struct {
	n    *node     // an array or object, or nil
	doc  *document // nil if the value is missing
	text string    // a string, number or literal, as in the document
}

// A Kind is the kind of a JSON value: the first character of its text, with '0' for numbers.
type Kind byte

const (
	KindMissing Kind = 0
	KindNull    Kind = 'n'
	KindFalse   Kind = 'f'
	KindTrue    Kind = 't'
	KindNumber  Kind = '0'
	KindString  Kind = '"'
	KindObject  Kind = '{'
	KindArray   Kind = '['
)

// String returns the name of k, such as "object".
func (k Kind) String() string {
	switch k {
	case KindMissing:
		return "missing value"
	case KindNull:
		return "null"
	case KindFalse:
		return "false"
	case KindTrue:
		return "true"
	case KindNumber:
		return "number"
	case KindString:
		return "string"
	case KindObject:
		return "object"
	case KindArray:
		return "array"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// A document is a parsed text.
type document struct {
	a      *arena.Arena
	text   string // followed by docSlack zeros
	spans  []span // in the order in which arrays and objects begin
	origin node   // in slots of other documents, to refer to this one
	ops    []op   // scratch for Merge
}

// maxDocument is the maximum length of a document. Spans have 32-bit positions.
const maxDocument = math.MaxUint32 - docSlack

// Parse validates the JSON document in data and returns its value. It copies data into a, or to the heap if a
// is nil.
//
// Parse checks the syntax, the UTF-8 of strings, and that at most 10,000 arrays and objects are nested. It
// returns the same [*json.SyntaxError] as [Unmarshal], a [*StrictError] for invalid UTF-8, and a
// [*arena.LimitError] if the arena's limit is exceeded. With the option Strict it also returns a *StrictError
// for duplicate names and unpaired surrogates. Other options have no effect.
func Parse(a *arena.Arena, data []byte, opts ...Option) (v Value, err error) {
	if int64(len(data)) > maxDocument {
		return Value{}, fmt.Errorf("arenajson: Parse: document of %d bytes is longer than %d", len(data), int64(maxDocument))
	}
	defer catchLimit(&err)
	b := arena.MakeSliceUninit[byte](a, len(data)+docSlack, len(data)+docSlack)
	clear(b[copy(b, data):])
	s := scanner{base: xunsafe.DataOf(b), n: len(data), doc: data}
	_, flags := modeOf(opts)
	s.strict = flags&strictly != 0
	doc := arena.New[document](a)
	*doc = document{a: a, text: xunsafe.ViewString(b)}
	doc.origin.doc = doc
	start, end, err := s.parse(a, doc)
	if err != nil {
		return Value{}, err
	}
	if len(doc.spans) > 0 {
		end = 0
	}
	return doc.at(uint32(start), uint32(end), nil), nil
}

// parse validates the document, sets the spans of doc, and returns the extent of its value.
func (s *scanner) parse(a *arena.Arena, doc *document) (start, end int, err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case decodeError:
			if err = x.err; err == nil {
				err = syntaxErrorIn(s.doc)
			} else if syntax := notJSON(s.doc); syntax != nil {
				err = syntax // takes precedence
			}
		default:
			panic(x)
		}
	}()
	start = s.space(0)
	if s.strict {
		s.refuse(a, start)
	}
	doc.spans, end = s.spans(a, start)
	if s.space(end) != s.n {
		s.fail()
	}
	return start, end, nil
}

// refuse applies Strict to the value at i. The names of open objects are allocated from a.
func (s *scanner) refuse(a *arena.Arena, i int) {
	if a != nil {
		s.region = machine.Enter(a, "arenajson.Parse")
		defer s.region.Leave()
	}
	s.skip(i)
}

// at returns the value at i of the document, which has the given span and parent; see slot.
func (doc *document) at(i, span uint32, up *node) Value {
	if c := doc.text[i]; c|0x20 == '{' {
		n := arena.New[node](doc.a)
		n.doc, n.up, n.pos, n.span, n.kind = doc, up, i, span, Kind(c)
		return Value{n: n, doc: doc}
	}
	return Value{doc: doc, text: doc.text[i:span]}
}

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	switch {
	case v.n != nil:
		return v.n.kind
	case v.doc == nil:
		return KindMissing
	}
	return kindOf(v.text[0])
}

// kindOf returns the kind of the value that begins with c.
func kindOf(c byte) Kind {
	if c == '-' || c-'0' <= 9 {
		return KindNumber
	}
	return Kind(c)
}

// Exists reports whether v is part of a document. A null exists.
func (v Value) Exists() bool { return v.doc != nil }

// Get returns the value at path, which consists of member names and array indices: strings and integers. If
// there is no such value, Get returns a missing Value.
func (v Value) Get(path ...any) Value {
	for i := range path {
		if v.n == nil {
			return Value{}
		}
		k := v.n.find(path[i])
		if k < 0 {
			return Value{}
		}
		v = v.n.value(k)
	}
	return v
}

// Len returns the number of members of an object or elements of an array, or 0 for other values.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	v.n.index()
	return len(v.n.slots) - int(v.n.dead)
}

// Object returns an iterator over the names and values of an object, in the order of the document. It is
// empty for other values. The loop may set, add and delete members. Added members are not visited.
func (v Value) Object() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) { v.members(yield) }
}

func (v Value) members(yield func(string, Value) bool) {
	if v.Kind() != KindObject {
		return
	}
	v.n.index()
	for k := range len(v.n.slots) {
		if !v.n.slots[k].dead() && !yield(v.n.names[k].text, v.n.value(k)) {
			return
		}
	}
}

// Array returns an iterator over the indices and elements of an array. It is empty for other values. The loop
// may set and append elements. Appended elements are not visited. A loop that deletes elements may skip
// others.
func (v Value) Array() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) { v.elements(yield) }
}

func (v Value) elements(yield func(int, Value) bool) {
	if v.Kind() != KindArray {
		return
	}
	v.n.index()
	for k := range len(v.n.slots) {
		if k >= len(v.n.slots) || !yield(k, v.n.value(k)) {
			return
		}
	}
}

// String returns the decoded text of a string, "" for null and a missing value, and the JSON text of other
// values.
func (v Value) String() string {
	switch v.Kind() {
	case KindString:
		return unquoted(v.doc.a, v.text[1:len(v.text)-1])
	case KindNull:
		return ""
	}
	return v.Raw()
}

// Int returns a number as an int64, or the nearest int64 if it is out of range. A number with a fraction or
// an exponent is converted to a float64 and truncated. A string that contains a number is converted like the
// number, true is 1, and all other values are 0.
func (v Value) Int() int64 {
	text := v.number()
	if i, ok := parseInt(text); ok {
		return i
	}
	f := floatOf(text)
	switch { // out-of-range conversions depend on the processor
	case f >= 1<<63:
		return math.MaxInt64
	case f <= -1<<63:
		return math.MinInt64
	}
	return int64(f)
}

// Uint returns a number as a uint64; see [Value.Int].
func (v Value) Uint() uint64 {
	text := v.number()
	if u, ok := parseUint(text); ok {
		return u
	}
	f := floatOf(text)
	switch {
	case f >= 1<<64:
		return math.MaxUint64
	case f <= 0:
		return 0
	}
	return uint64(f)
}

// Float returns a number as a float64, which is infinite if it is out of range. A string that contains a
// number is converted like the number, true is 1, and all other values are 0.
func (v Value) Float() float64 { return floatOf(v.number()) }

// Bool reports whether v is true, a number other than 0, or a string for which [strconv.ParseBool] returns
// true.
func (v Value) Bool() bool {
	switch v.Kind() {
	case KindTrue:
		return true
	case KindNumber:
		return v.Float() != 0
	case KindString:
		switch v.String() {
		case "1", "t", "T", "true", "TRUE", "True":
			return true
		}
	}
	return false
}

// number returns the text of v as a number.
func (v Value) number() string {
	switch v.Kind() {
	case KindNumber:
		return v.text
	case KindString:
		if s := v.String(); isNumber(s) {
			return s
		}
	case KindTrue:
		return "1"
	}
	return "0"
}

// floatOf returns the value of s, a JSON number.
func floatOf(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// unquoted decodes s, the text of a string. It returns s if there are no escapes.
func unquoted(a *arena.Arena, s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b, _ := appendUnquoted(arena.MakeSliceUninit[byte](a, 0, len(s)), s)
	return xunsafe.ViewString(b)
}

// Raw returns the JSON text of v: a part of the document if v was not changed, else the text that AppendTo
// writes, in the arena.
func (v Value) Raw() string {
	switch {
	case v.n == nil:
		return v.text
	case !v.n.changed:
		return v.n.raw()
	}
	w := writer{a: v.doc.a}
	w.node(v.n, maxNesting)
	return xunsafe.ViewString(w.out)
}

// errMissing is the error for a missing Value.
var errMissing = errors.New("arenajson: Value is missing")

// Decode stores v in the value pointed to by x, like [Unmarshal]. Memory comes from the arena of v.
func (v Value) Decode(x any, opts ...Option) error {
	if v.doc == nil {
		return errMissing
	}
	return Unmarshal(v.doc.a, xunsafe.ViewBytes(v.Raw()), x, opts...)
}

// MarshalJSON returns the JSON text of v on the heap. A missing value is an error.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.doc == nil {
		return nil, errMissing
	}
	return v.AppendTo(nil), nil
}

var _ json.Marshaler = Value{}

// AppendTo appends the JSON text of v to dst, like the builtin append, and returns it. A missing value
// appends nothing.
//
// Unchanged parts are written as they were parsed, byte for byte. Spaces around a changed member or element
// may differ from the document.
func (v Value) AppendTo(dst []byte) []byte {
	if v.n == nil {
		return append(dst, v.text...)
	}
	w := writer{out: dst}
	w.node(v.n, maxNesting)
	return w.out
}

// A writer writes values.
type writer struct {
	a   *arena.Arena // nil for the heap
	out []byte
}

func (w *writer) put(s string) { w.out = arena.Append(w.a, w.out, xunsafe.ViewBytes(s)...) }

// node writes n, which nests at most room arrays and objects. Consecutive unchanged members or elements are copied from
// the document in one step.
func (w *writer) node(n *node, room int) {
	if n.kind != KindObject && n.kind != KindArray {
		w.put(n.text)
		return
	}
	if !n.changed {
		w.put(n.raw())
		return
	}
	if room == 0 {
		panicStale() // n contains itself
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
			w.node(s.node, room-1)
		}
	}
	if first {
		end = end[len(end)-1:]
	}
	w.put(end)
}

// frame returns the opening bracket of n, the spaces before its first element or member, and the closing
// bracket with the spaces before it.
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

// endOf returns the end of the value at s.pos.
func (doc *document) endOf(s *slot) uint32 {
	if doc.text[s.pos]|0x20 == '{' {
		return doc.spans[s.span].end
	}
	return s.span
}

// name writes the name of a member of n, and a colon.
func (w *writer) name(n *node, name *memberName) {
	if name.pos != 0 {
		w.put(n.doc.text[name.pos:name.end])
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
