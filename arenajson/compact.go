package arenajson

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

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
