package arenajson

import (
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Marshal returns v as JSON, in a, or on the heap if a is nil: the very bytes that
// encoding/json's Marshal returns, and its errors. It leaves nothing for the
// collector but what v's own methods allocate, and v itself if it is put into the
// interface by value: pass a pointer.
//
// Members of an *arena.Map are written as those of a builtin map are, sorted by
// name. The result takes as many bytes of a as it is long; it is good until the end
// of a's epoch. Where a Limit does not allow that, the error is a *arena.LimitError.
// Whatever else v's methods panic with, Marshal panics with, too.
func Marshal(a *arena.Arena, v any, opts ...Option) ([]byte, error) {
	return newEncoder(a, opts).take(v)
}

// MarshalAppend appends the JSON of v to dst, which grows in a, or on the heap if a is nil, and returns it. If a limit
// is exceeded or v can't be encoded, it returns dst and the error. It is otherwise like [Marshal].
func MarshalAppend(a *arena.Arena, dst []byte, v any, opts ...Option) (_ []byte, err error) {
	e := newEncoder(a, opts)
	text, err := e.marshal(v)
	if err == nil {
		dst, err = appendText(a, dst, text)
	}
	if a == nil && err == nil {
		e.text = e.out
	}
	e.keep(text, 0)
	e.free()
	return dst, err
}

// appendText is arena.Append, and returns the error of a limit.
func appendText(a *arena.Arena, dst, text []byte) (out []byte, err error) {
	defer catchLimit(&err)
	out = dst
	return arena.Append(a, dst, text...), nil
}

// MarshalIndent is [Marshal] followed by [Indent].
func MarshalIndent(a *arena.Arena, v any, prefix, indent string, opts ...Option) (doc []byte, err error) {
	e := newEncoder(a, opts)
	text, err := e.marshal(v)
	if err == nil {
		var tail []byte
		if e.flags&lineEnd != 0 {
			text, tail = text[:len(text)-1], text[len(text)-1:]
		}
		doc, err = indentedDoc(a, text, prefix, indent, tail)
	}
	if a == nil && err == nil {
		e.text = e.out
	}
	e.keep(text, 0)
	e.free()
	return doc, err
}

// take returns what marshal writes, to be kept, and frees the encoder.
func (e *encoder) take(v any) ([]byte, error) {
	text, err := e.marshal(v)
	switch {
	case err != nil:
		text = e.keep(text, 0)
	case e.arena == nil:
		doc := make([]byte, len(text))
		copy(doc, text)
		e.text, text = e.out, doc
	default:
		text = e.keep(text, len(text))
	}
	e.free()
	return text, err
}

// MarshalWrite writes v as JSON to w, by one call of Write: as Marshal, with no
// line end. The error may be that of w. What it takes of a it gives back, unless
// methods of v or w allocate from a meanwhile. A document that is long beside the chunks
// of a may stay there until the epoch ends.
func MarshalWrite(a *arena.Arena, w io.Writer, v any, opts ...Option) error {
	e := newEncoder(a, opts)
	text, err := e.marshal(v)
	if err == nil {
		_, err = w.Write(text)
	}
	if a == nil && err == nil {
		e.text = e.out
	}
	e.keep(text, 0)
	e.free()
	return err
}

// encoders are those that work without an arena, and where an arena's own is at
// work already, since a Marshaler calls Marshal.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

func newEncoder(a *arena.Arena, opts []Option) *encoder {
	var e *encoder
	var r *machine.Region
	if a != nil {
		r = machine.Enter(a, does)
		if check.Watched {
			defer r.Leave()
		}
		e = machine.State[encoder](r)
	}
	if e == nil || e.busy {
		e = encoders.Get().(*encoder)
		e.pooled = true
	}
	e.busy, e.arena, e.region = true, a, r
	m, flags := modeOf(opts)
	e.set(m, flags)
	return e
}

// set sets the options.
func (e *encoder) set(m *mode, flags optionFlags) {
	if e.mode != m {
		e.mode, e.lastFor = m, nil
	}
	e.flags, e.html, e.marks = flags, 1, htmlMarks
	if flags&noEscapeHTML != 0 {
		e.html, e.marks = 0, plainMarks
	}
}

// does is what a panic says of who asked an arena for too much.
const does = "arenajson.Marshal"

// marshal writes v.
func (e *encoder) marshal(v any) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			was := *e
			*e = encoder{} // what it holds of v, too, and free for the next call
			switch r := r.(type) {
			case failure:
				err = r.err
			case *arena.LimitError:
				err = r
			default:
				panic(r)
			}
			e.arena, e.pooled = was.arena, was.pooled
			text = was.out // to be given back
		}
	}()
	if e.out = e.text; e.arena != nil {
		e.begin()
	}
	e.setLimit()
	w := e.write(xunsafe.DataOf(e.out), v)
	e.length = e.written(w)
	return e.out[:e.length], nil
}

// write writes v, or the document that Compact and Indent are given.
func (e *encoder) write(w xunsafe.Pointer, v any) xunsafe.Pointer {
	if e.doc != nil {
		end, ok := e.compact(w, e.doc)
		if !ok {
			panic(failure{syntaxErrorIn(e.doc)})
		}
		return end
	}
	switch {
	case e.mode == plainMode:
		w = e.any(w, v)
	case e.mode.writeAll() != nil:
		w = e.foreign(w, v)
	case v == nil:
		w = e.null(w)
	default:
		w = e.dynamic(w, v)
	}
	if e.flags&lineEnd != 0 {
		w = put8(e.reserve(w, 8), '\n')
	}
	return w
}

// begin takes memory in the arena to begin with: for as much as was written last,
// or what a Limit allows of that.
func (e *encoder) begin() {
	const least = 256
	r := e.region // nobody was called since newEncoder entered it
	r.Enter(does)
	if check.Watched {
		defer r.Leave()
	}
	if wanted := e.length + numberBytes; wanted > least {
		e.out = machine.GrowBytesTo(r, nil, least, wanted)[:0]
	} else {
		e.out = machine.ReserveText(r, least, 1)[:0]
	}
}

// more moves the text, of so many bytes, to memory for n, where it is in an arena.
func (e *encoder) more(written, n int) {
	r := machine.Enter(e.arena, does)
	defer r.Leave()
	bigger := machine.GrowBytes(r, e.out[:written], n)
	if xunsafe.DataOf(bigger) != xunsafe.DataOf(e.out) {
		copy(bigger, e.out[:written])
	}
	e.out = bigger[:0]
}

// keep gives back what an arena gave for more than the first n bytes of text, which
// nobody has seen but the encoder, unless n is 0.
func (e *encoder) keep(text []byte, n int) []byte {
	if cap(text) == 0 || e.arena == nil {
		return nil
	}
	r := machine.Enter(e.arena, does)
	defer r.Leave()
	if n == 0 {
		machine.TrimBytes(r, text[:0])
		return nil
	}
	return machine.TrimUnseen(r, text[:n])
}

// free ends what newEncoder began. Memory on the heap that is large beside what was
// written last is left to the collector.
func (e *encoder) free() {
	const always = 64 << 10
	if cap(e.text) > always && cap(e.text)/8 > e.length {
		e.text = nil
	}
	e.busy, e.arena, e.region, e.out, e.doc = false, nil, nil, nil, nil
	if e.pooled {
		encoders.Put(e)
	}
}

// Valid reports whether data is one JSON document, as encoding/json's Valid does. It takes
// nothing of any arena, and keeps up to 1 MB for the next call.
func Valid(data []byte) bool {
	const most = 1 << 20
	if len(data) > most-docSlack {
		return json.Valid(data) // slower, and in no memory
	}
	e := newEncoder(nil, nil)
	defer e.free()
	e.length = len(data)
	if cap(e.text) < len(data)+docSlack {
		e.text = make([]byte, 0, len(data)+docSlack)
	}
	b := e.text[:len(data)+docSlack]
	clear(b[copy(b, data):])
	s := scanner{base: xunsafe.DataOf(b), n: len(data)}
	return s.isDocument()
}

// Compact returns src, one JSON document, without its spaces, in a, or on the heap if a is
// nil: the bytes that encoding/json's Compact writes. What is no JSON is a
// *json.SyntaxError, and what is too long for a limit a *arena.LimitError.
func Compact(a *arena.Arena, src []byte) ([]byte, error) {
	e := newEncoder(a, []Option{NoEscapeHTML})
	if e.doc = src; src == nil {
		e.doc = []byte{}
	}
	return e.take(nil)
}

// Indent returns src, one JSON document, with each element on a line of its own that begins
// with prefix and so many of indent as it is deep: the bytes that encoding/json's Indent
// writes, in a, or on the heap if a is nil. As there, the first line has no prefix, and
// spaces behind the document stay. Errors are those of Compact.
func Indent(a *arena.Arena, src []byte, prefix, indent string) (doc []byte, err error) {
	compact, err := Compact(a, src)
	if err != nil {
		return nil, err
	}
	end := len(src)
	for isSpace(src[end-1]) {
		end--
	}
	return indentedDoc(a, compact, prefix, indent, src[end:])
}

// indentedDoc returns text, a document without spaces, with line ends, prefix and indent in it, and then tail.
func indentedDoc(a *arena.Arena, text []byte, prefix, indent string, tail []byte) (doc []byte, err error) {
	defer catchLimit(&err)
	view := xunsafe.ViewString(text)
	n := indented(nil, view, prefix, indent)
	doc = bytesFor(a, n+len(tail))
	indented(doc, view, prefix, indent)
	copy(doc[n:], tail)
	return doc, nil
}

// bytesFor is n bytes that may hold anything.
func bytesFor(a *arena.Arena, n int) []byte {
	if a == nil {
		return make([]byte, n)
	}
	r := machine.Enter(a, does)
	defer r.Leave()
	return machine.ReserveText(r, n, 1)[:n:n]
}

// indented writes doc, a document without spaces, to to, with line ends, prefix and indent
// in it, and returns how long that is. Where to is nil it only counts.
func indented(to []byte, doc, prefix, indent string) (n int) {
	depth := 0
	put := func(s string) {
		if to != nil {
			copy(to[n:], s)
		}
		n += len(s)
	}
	line := func() {
		put("\n")
		put(prefix)
		for range depth {
			put(indent)
		}
	}
	for i := 0; i < len(doc); {
		from := i
		switch c := doc[i]; c {
		case '{', '[':
			if doc[i+1] == c+2 { // as ] and } are to [ and {
				i += 2
				put(doc[from:i])
				continue
			}
			i++
			put(doc[from:i])
			depth++
			line()
		case '}', ']':
			i++
			depth--
			line()
			put(doc[from:i])
		case ',':
			i++
			put(",")
			line()
		case ':':
			i++
			put(": ")
		case '"':
			i = stringEnd(doc, i)
			put(doc[from:i])
		default: // a number or a word
			if i = strings.IndexAny(doc[from:], ",]}"); i < 0 {
				i = len(doc) - from
			}
			i += from
			put(doc[from:i])
		}
	}
	return n
}

// Encoder writes JSON documents to a stream, each with a line end behind it, as
// encoding/json's Encoder does.
type Encoder struct {
	a              *arena.Arena
	w              io.Writer
	err            error // of w, after which nothing more is written
	mode           *mode
	flags          optionFlags
	prefix, indent string
}

// NewEncoder returns an Encoder that writes to w. What it takes of a while it writes a
// document it gives back, as MarshalWrite does; a nil arena is the heap.
func NewEncoder(a *arena.Arena, w io.Writer, opts ...Option) *Encoder {
	e := &Encoder{a: a, w: w}
	e.mode, e.flags = modeOf(opts)
	e.flags |= lineEnd
	return e
}

// SetIndent has each document from now on be written as Indent does; with two empty strings
// as Marshal does.
func (e *Encoder) SetIndent(prefix, indent string) { e.prefix, e.indent = prefix, indent }

// SetEscapeHTML sets whether <, > and & in strings are written as \u003c, \u003e and
// \u0026, which they are unless NewEncoder was given NoEscapeHTML.
func (e *Encoder) SetEscapeHTML(on bool) {
	if e.flags |= noEscapeHTML; on {
		e.flags &^= noEscapeHTML
	}
}

// Encode writes v as JSON, with a line end behind it, by one call of Write. Errors are those
// of Marshal; one of the stream is returned by each later call, too.
func (e *Encoder) Encode(v any) error {
	if e.err != nil {
		return e.err
	}
	x := newEncoder(e.a, nil)
	x.set(e.mode, e.flags)
	text, err := x.marshal(v)
	if err == nil {
		err = e.write(text)
	}
	if e.a == nil {
		x.text = x.out
	}
	x.keep(text, 0)
	x.free()
	return err
}

// write writes a document, with its line end.
func (e *Encoder) write(text []byte) (err error) {
	if e.prefix != "" || e.indent != "" {
		defer catchLimit(&err)
		doc := xunsafe.ViewString(text[:len(text)-1])
		n := indented(nil, doc, e.prefix, e.indent)
		text = bytesFor(e.a, n+1)
		indented(text, doc, e.prefix, e.indent)
		text[n] = '\n'
		if e.a != nil {
			defer func() {
				r := machine.Enter(e.a, does)
				machine.TrimBytes(r, text[:0])
				r.Leave()
			}()
		}
	}
	if _, err = e.w.Write(text); err != nil {
		e.err = err
	}
	return err
}
