package arenajson

import (
	"io"

	"github.com/ebbpool/arena"
)

// Marshal returns v as JSON, in a, or on the heap if a is nil: the very bytes that
// encoding/json's Marshal returns, and its errors. It leaves nothing for the
// collector, unless v holds builtin maps of other types than map[string]any and
// map[string]string, or has methods (json.Marshaler, encoding.TextMarshaler) that
// do, or is itself put into the interface by value: pass a pointer.
//
// Members of an *arena.Map are written as those of a builtin map are, sorted by
// name. The result takes as many bytes of a as it is long.
func Marshal(a *arena.Arena, v any, opts ...Option) ([]byte, error) {
	e := newEncoder(opts)
	text, err := e.marshal(v)
	var doc []byte
	if err == nil {
		doc = arena.MakeSliceUninit[byte](a, len(text), len(text))
		copy(doc, text)
	}
	e.free(text)
	return doc, err
}

// MarshalWrite writes v as JSON to w, in one Write, if it can be: as Marshal, with
// no line end. The error may be that of w.
func MarshalWrite(a *arena.Arena, w io.Writer, v any, opts ...Option) error {
	e := newEncoder(opts)
	text, err := e.marshal(v)
	if err == nil {
		_, err = w.Write(text)
	}
	e.free(text)
	return err
}

func newEncoder(opts []Option) *encoder {
	e := encoders.Get().(*encoder)
	e.html, e.marks = 1, htmlMarks
	for _, o := range opts {
		if o == NoEscapeHTML {
			e.html, e.marks = 0, plainMarks
		}
	}
	return e
}

// marshal writes v.
func (e *encoder) marshal(v any) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(failure)
			if !ok {
				panic(r)
			}
			*e = encoder{text: e.text}
			text, err = e.text, f.err
		}
	}()
	return e.any(e.text, v), nil
}

// free puts e back, with the room of text: not much more than was needed.
func (e *encoder) free(text []byte) {
	const always = 64 << 10
	if cap(text) > always && cap(text)/8 > len(text) {
		text = make([]byte, 0, always)
	}
	e.text = text[:0]
	encoders.Put(e)
}
