package arenajson

import (
	"io"
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
