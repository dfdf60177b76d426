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

// Marshal returns the JSON encoding of v, like [encoding/json.Marshal]: it writes the same bytes and returns
// the same errors. The result is allocated from a, or from the heap if a is nil, and is valid until a is
// reset.
//
// The members of an [arena.Map] are sorted by name, like the members of a builtin map. If the arena's limit is
// exceeded, Marshal returns a [*arena.LimitError]. Other panics of v's methods are passed on.
//
// Marshal does not allocate from the heap, except for the allocations of v's methods, and for v itself if it is
// not a pointer.
func Marshal(a *arena.Arena, v any, opts ...Option) ([]byte, error) {
	return newEncoder(a, opts).take(v)
}

// MarshalAppend appends the JSON encoding of v to dst, and returns the extended slice. If dst must grow, the
// memory comes from a, or from the heap if a is nil. On an error it returns dst unchanged. It is otherwise
// like [Marshal].
func MarshalAppend(a *arena.Arena, dst []byte, v any, opts ...Option) (_ []byte, err error) {
	e := newEncoder(a, opts)
	text, err := e.marshal(v)
	if err == nil {
		dst, err = appendText(a, dst, text)
	}
	e.release(text)
	return dst, err
}

// appendText appends text to dst like arena.Append, and returns the error of a limit.
func appendText(a *arena.Arena, dst, text []byte) (out []byte, err error) {
	defer catchLimit(&err)
	out = dst
	return arena.Append(a, dst, text...), nil
}

// MarshalIndent is like [Marshal] followed by [Indent].
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
	e.release(text)
	return doc, err
}

// take marshals v, returns a text for the caller to keep, and frees e.
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

// MarshalWrite writes the JSON encoding of v to w in one call of Write. It is otherwise like [Marshal], and
// does not add a newline.
//
// MarshalWrite returns its memory to a, unless methods of v or w allocate from a meanwhile. The memory of a
// document that is large beside the arena's chunks may stay in use until a is reset.
func MarshalWrite(a *arena.Arena, w io.Writer, v any, opts ...Option) error {
	e := newEncoder(a, opts)
	text, err := e.marshal(v)
	if err == nil {
		_, err = w.Write(text)
	}
	e.release(text)
	return err
}

// encoders has encoders for calls without an arena, and for calls in methods that an arena's own encoder
// calls.
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
	m, flags := plainMode, optionFlags(0)
	if len(opts) > 0 {
		m, flags = modeOf(opts)
	}
	e.set(m, flags)
	return e
}

func (e *encoder) set(m *mode, flags optionFlags) {
	if e.mode != m {
		e.mode, e.lastFor = m, nil
	}
	e.flags, e.html, e.marks = flags, 1, htmlMarks
	if flags&noEscapeHTML != 0 {
		e.html, e.marks = 0, plainMarks
	}
}

// does is the name of the caller in panics.
const does = "arenajson.Marshal"

// marshal encodes v into the encoder's buffer.
func (e *encoder) marshal(v any) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			was := *e
			*e = encoder{} // drops references to v, and is free for the next call
			switch r := r.(type) {
			case failure:
				err = r.err
			case *arena.LimitError:
				err = r
			default:
				panic(r)
			}
			e.arena, e.pooled = was.arena, was.pooled
			text = was.out // for the caller to return to the arena
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

// write encodes v, or the document of Compact and Indent.
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
	case e.mode.writeAll != nil:
		w = e.viaV2(w, v)
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

// begin allocates a buffer in the arena, for a document as long as the last one if the limit allows that.
func (e *encoder) begin() {
	const least = 256
	r := e.region // no other code ran since newEncoder entered it
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

// more moves the text to a buffer of n bytes in the arena.
func (e *encoder) more(written, n int) {
	r := machine.Enter(e.arena, does)
	defer r.Leave()
	bigger := machine.GrowBytes(r, e.out[:written], n)
	if xunsafe.DataOf(bigger) != xunsafe.DataOf(e.out) {
		copy(bigger, e.out[:written])
	}
	e.out = bigger[:0]
}

// keep returns the first n bytes of text, and returns the rest to the arena. If n is 0 it returns all of it.
func (e *encoder) keep(text []byte, n int) []byte {
	if cap(text) == 0 || e.arena == nil {
		return nil
	}
	r := machine.Enter(e.arena, does)
	if check.Watched {
		defer r.Leave()
	}
	if n == 0 {
		machine.TrimBytes(r, text[:0])
		return nil
	}
	return machine.TrimUnseen(r, text[:n])
}

// release is free after a text that the caller does not keep. Its buffer returns to the arena, or serves the next call.
func (e *encoder) release(text []byte) {
	if e.arena == nil {
		e.text = e.out
	}
	e.keep(text, 0)
	e.free()
}

// free ends what newEncoder began. It drops a heap buffer that is much larger than the last document.
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

// Valid reports whether data is valid JSON, like [encoding/json.Valid]. It uses no arena, and keeps a buffer
// of up to 1 MB for the next call.
func Valid(data []byte) bool {
	const most = 1 << 20
	if len(data) > most-docSlack {
		return json.Valid(data) // slower, but needs no copy
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

// Compact returns src without insignificant spaces, like [encoding/json.Compact]. The result is allocated
// from a, or from the heap if a is nil. If src is not valid JSON, Compact returns a [*json.SyntaxError], and
// if the arena's limit is exceeded, a [*arena.LimitError].
func Compact(a *arena.Arena, src []byte) ([]byte, error) {
	e := newEncoder(a, []Option{NoEscapeHTML})
	if e.doc = src; src == nil {
		e.doc = []byte{}
	}
	return e.take(nil)
}

// Indent returns src with each element on a line of its own, which begins with prefix and one copy of indent
// for each level, like [encoding/json.Indent]. As there, the first line has no prefix, and spaces after the
// document are kept. Memory and errors are as for [Compact].
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

// indentedDoc returns text, a compact document, indented, followed by tail.
func indentedDoc(a *arena.Arena, text []byte, prefix, indent string, tail []byte) (doc []byte, err error) {
	defer catchLimit(&err)
	view := xunsafe.ViewString(text)
	n := indented(nil, view, prefix, indent)
	doc = bytesFor(a, n+len(tail))
	indented(doc, view, prefix, indent)
	copy(doc[n:], tail)
	return doc, nil
}

// bytesFor allocates n bytes, which may hold anything.
func bytesFor(a *arena.Arena, n int) []byte {
	if a == nil {
		return make([]byte, n)
	}
	r := machine.Enter(a, does)
	defer r.Leave()
	return machine.ReserveText(r, n, 1)[:n:n]
}

// indented writes doc, a compact document, to to, indented, and returns the length. If to is nil it only
// counts.
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
			if doc[i+1] == c+2 { // ']' and '}' are two above '[' and '{'
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
		default: // a number or a literal
			if i = strings.IndexAny(doc[from:], ",]}"); i < 0 {
				i = len(doc) - from
			}
			i += from
			put(doc[from:i])
		}
	}
	return n
}

// An Encoder writes JSON documents to a stream, each followed by a newline, like [json.Encoder]. The zero Encoder panics.
type Encoder struct {
	a              *arena.Arena
	w              io.Writer
	err            error // of w, after which nothing is written
	mode           *mode
	flags          optionFlags
	prefix, indent string
}

// NewEncoder returns an Encoder that writes to w. Each call of Encode allocates from a, or from the heap if a
// is nil, and returns the memory as [MarshalWrite] does.
func NewEncoder(a *arena.Arena, w io.Writer, opts ...Option) *Encoder {
	e := &Encoder{a: a, w: w}
	e.mode, e.flags = modeOf(opts)
	e.flags |= lineEnd
	return e
}

// SetIndent makes Encode write documents like [MarshalIndent]. Two empty strings disable that.
func (e *Encoder) SetIndent(prefix, indent string) { e.prefix, e.indent = prefix, indent }

// SetEscapeHTML sets whether <, > and & in strings are escaped as \u003c, \u003e and \u0026. The default is
// true, or false with the option NoEscapeHTML.
func (e *Encoder) SetEscapeHTML(on bool) {
	if e.flags |= noEscapeHTML; on {
		e.flags &^= noEscapeHTML
	}
}

// Encode writes the JSON encoding of v, followed by a newline, in one call of Write. After an error of the
// stream, each call returns that error. Other errors are as for [Marshal].
func (e *Encoder) Encode(v any) error {
	if e.err != nil {
		return e.err
	}
	if e.w == nil {
		panic("arenajson: Encoder.Encode: no writer: encoder was not made by NewEncoder")
	}
	x := newEncoder(e.a, nil)
	x.set(e.mode, e.flags)
	text, err := x.marshal(v)
	if err == nil {
		err = e.write(text)
	}
	x.release(text)
	return err
}

// write writes a document that ends in a newline.
func (e *Encoder) write(text []byte) (err error) {
	if e.prefix != "" || e.indent != "" {
		end := len(text) - 1
		if text, err = indentedDoc(e.a, text[:end], e.prefix, e.indent, text[end:]); err != nil {
			return err
		}
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
