package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Errors are those of encoding/json up to Go 1.26, on every Go: an encoding/json that is built on v2 finds the
// same errors, but reports other offsets and paths.
//
// Decoding keeps nothing for errors. After one, walk finds its place by reading the document again from the
// beginning, and syntaxError has encoding/json parse the document.

// A StrictError describes input that Strict or Parse rejects and encoding/json accepts.
type StrictError struct {
	Offset int64  // in bytes, of the name, the escape or the first invalid byte
	What   string // description
}

// Error returns the description and the offset.
func (e *StrictError) Error() string {
	return fmt.Sprintf("arenajson: %s at offset %d", e.What, e.Offset)
}

// note records the first error after which decoding continues.
func (d *decoder) note(err error) {
	if d.wrong == nil {
		d.wrong = err
	}
}

// mismatch records that the value at i does not fit a variable of p's type, and skips it.
func (d *decoder) mismatch(p *decProgram, i int) int {
	end := d.skip(i)
	if d.wrong != nil {
		return end
	}
	e := &json.UnmarshalTypeError{Type: p.typ, Offset: int64(end)}
	switch d.at(i) {
	case '"':
		e.Value = "string"
	case '{':
		e.Value, e.Offset = "object", int64(i+1)
	case '[':
		e.Value, e.Offset = "array", int64(i+1)
	case 't', 'f':
		e.Value = "bool"
	case 'n':
		e.Value = "null"
	default:
		e.Value = "number"
		switch p.op {
		case readInt, readFloat32, readFloat64:
			e.Value += " " + d.text(i, end)
		}
	}
	declared := d.locate(e, i)
	if p.op == readText {
		e.Type = declared
	}
	d.wrong = e
	return end
}

// tooLarge records that the number at i does not fit a float64 in an interface, and skips it.
func (d *decoder) tooLarge(i int) int {
	end := d.number(i)
	d.noteType("number ", d.text(i, end), floatProgram.typ, i, end+1)
	return end
}

// noteType records a json.UnmarshalTypeError for the value at i. It allocates nothing if there is an error
// already, because each member of a document can have one.
func (d *decoder) noteType(kind, value string, t reflect.Type, i, offset int) {
	if d.wrong == nil {
		e := &json.UnmarshalTypeError{Value: kind + value, Type: t, Offset: int64(offset)}
		d.locate(e, i)
		d.wrong = e
	}
}

// noteQuote records that s is not a value for a member of type t with ,string.
func (d *decoder) noteQuote(s string, t reflect.Type) {
	if d.wrong == nil {
		d.wrong = badQuote(s, t)
	}
}

// badQuote returns encoding/json's error for a string in a member of type t with ,string.
func badQuote(item string, t reflect.Type) error {
	return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %v", item, t)
}

// stop ends decoding with an error of a method for the value at i, like encoding/json.
func (d *decoder) stop(i int, err error) {
	d.endSlices(i)
	if e, ok := err.(*json.UnmarshalTypeError); ok && e != nil {
		d.locate(e, i)
	}
	panic(decodeError{err})
}

// endSlices sets the lengths of the slices that contain the value at i.
func (d *decoder) endSlices(i int) {
	w := walk{doc: d.doc, under: d.under, exact: d.flags&caseSensitive != 0, value: d.top}
	w.to(d.root, i)
}

// locate sets the struct and the path in e for the value or name at i, and returns the type of its variable.
func (d *decoder) locate(e *json.UnmarshalTypeError, i int) (declared reflect.Type) {
	w := walk{doc: d.doc, under: d.under, exact: d.flags&caseSensitive != 0, declared: d.passed}
	w.to(d.root, i)
	if w.in != nil {
		if e.Field != "" {
			w.path = append(w.path, e.Field)
		}
		e.Struct, e.Field = w.in.Name(), strings.Join(w.path, ".")
	}
	return w.declared
}

// A walk descends from the beginning of a document to a value.
type walk struct {
	doc   []byte
	under []dynamic
	exact bool            // the option CaseSensitive
	value xunsafe.Pointer // the variable of the value, to set lengths of slices; nil to leave them

	in       reflect.Type // the struct of the innermost member
	path     []string     // the names of members
	declared reflect.Type // the declared type of the variable
}

// to descends from the document, a value of p, to the value at end.
func (w *walk) to(p *decProgram, end int) {
	for _, l := range appendLevels(nil, w.doc, end) {
		if p = w.through(p, l.at); p == nil {
			return
		}
		var f *decField
		if w.doc[l.at] == '{' {
			if l.name == 0 {
				return // at a name
			}
			if p.fields != nil {
				if at := p.fields.find(w.text(l.name), w.exact); at >= 0 {
					f = &p.fields.all[at]
				}
			}
		}
		w.enter(p, f, l.k)
		switch {
		case f != nil:
			w.in, w.declared = p.typ, f.prog.typ
			w.path = append(w.path, f.path...)
			p = f.prog
		case p.elem == nil:
			return
		default:
			p = p.elem
			w.declared = p.typ
		}
	}
}

// through follows pointers, and pointers in interfaces, from the variable of p for the value at i.
func (w *walk) through(p *decProgram, i int) *decProgram {
	for {
		switch {
		case p.op == readPointer:
			if p = p.elem; w.value != nil {
				w.value = *xunsafe.Cast[xunsafe.Pointer](w.value)
			}
		case (p.op == readAny || p.op == readIface) && len(w.under) > 0 && w.under[0].at == i:
			if w.value != nil {
				w.value = p.at(w.value).Elem().UnsafePointer()
			}
			p, w.under = w.under[0].prog, w.under[1:]
		default:
			return p
		}
	}
}

// enter moves to the variable of field f, or of element k.
func (w *walk) enter(p *decProgram, f *decField, k int) {
	if w.value == nil {
		return
	}
	switch {
	case f != nil:
		for _, h := range f.via {
			w.value = *xunsafe.Cast[xunsafe.Pointer](xunsafe.Add(w.value, h.offset))
		}
		w.value = xunsafe.Add(w.value, f.offset)
	case p.op == readArray:
		w.value = xunsafe.Add(w.value, uintptr(k)*p.elem.size)
	case p.op == readSlice || p.op == readBytes:
		s := xunsafe.Cast[machine.Slice](w.value)
		s.Len = max(s.Len, k+1)
		w.value = xunsafe.Add(s.Data, uintptr(k)*p.elem.size)
	default:
		w.value = nil // not yet in the map
	}
}

// text returns the decoded string at i. Invalid UTF-8 stays, and matches no field.
func (w *walk) text(i int) string {
	in := xunsafe.ViewString(w.doc[i+1 : stringEnd(w.doc, i)-1])
	if strings.IndexByte(in, '\\') < 0 {
		return in
	}
	text, _ := appendUnquoted(nil, in)
	return xunsafe.ViewString(text)
}

// notJSON returns the error of encoding/json for data, nil if it is JSON. It does not allocate then.
func notJSON(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	return syntaxError(data)
}

// syntaxError returns the error of encoding/json for invalid JSON. Only encoding/json can make its text.
func syntaxError(data []byte) error {
	var raw json.RawMessage
	return json.Unmarshal(data, &raw)
}

// syntaxErrorIn is syntaxError for a document that the scanner rejects.
func syntaxErrorIn(doc []byte) error {
	if err := syntaxError(doc); err != nil {
		return err
	}
	return errors.New("arenajson: invalid document") // encoding/json accepts it
}
