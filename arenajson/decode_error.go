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

// Errors are those of encoding/json as it is up to Go 1.26, on every Go: the one that
// is built on v2 finds the same, but names other positions and paths.

// note keeps the first error with which the reading goes on.
func (d *decoder) note(err error) {
	if d.wrong == nil {
		d.wrong = err
	}
}

// mismatch notes that the value at i does not fit a variable of p's type, and returns
// where it ends.
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

// tooLarge notes that the number at i does not fit a float64 in an interface.
func (d *decoder) tooLarge(i int) int {
	end := d.number(i)
	if d.wrong == nil {
		e := &json.UnmarshalTypeError{Value: "number " + d.text(i, end), Type: floatProgram.typ, Offset: int64(end + 1)}
		d.locate(e, i)
		d.wrong = e
	}
	return end
}

// badKey notes that the name at i, as it is read, is no key of p's type.
func (d *decoder) badKey(p *decProgram, name string, i int) {
	if d.wrong == nil {
		e := &json.UnmarshalTypeError{Value: "number " + name, Type: p.typ, Offset: int64(i + 1)}
		d.locate(e, i)
		d.wrong = e
	}
}

// noteQuote notes that s is no value for a member of type t with ,string. An error that
// is not the first one is not made: it would be of the heap, one for each member.
func (d *decoder) noteQuote(s string, t reflect.Type) {
	if d.wrong == nil {
		d.wrong = badQuote(s, t)
	}
}

// badQuote is encoding/json's error for a string in a member of type t with ,string.
func badQuote(item string, t reflect.Type) error {
	return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %v", item, t)
}

// stop ends the reading with an error of a method for the value at i, as encoding/json
// does.
func (d *decoder) stop(i int, err error) {
	d.endSlices(i)
	if e, ok := err.(*json.UnmarshalTypeError); ok && e != nil {
		d.locate(e, i)
	}
	panic(decodeError{err})
}

// endSlices has the slices that the value at i is in have the elements up to it.
func (d *decoder) endSlices(i int) {
	w := walk{doc: d.doc, under: d.under, strict: d.strict, value: d.top}
	w.to(d.root, i)
}

// locate says in e in which struct and member the value or name at i stands, and
// returns what type its variable has.
func (d *decoder) locate(e *json.UnmarshalTypeError, i int) (declared reflect.Type) {
	w := walk{doc: d.doc, under: d.under, strict: d.strict, declared: d.passed}
	w.to(d.root, i)
	if w.in != nil {
		if e.Field != "" {
			w.path = append(w.path, e.Field)
		}
		e.Struct, e.Field = w.in.Name(), strings.Join(w.path, ".")
	}
	return w.declared
}

// walk goes from the beginning of a document down to a value that was read from it:
// so that nothing needs to be kept for errors while there are none.
type walk struct {
	doc    []byte
	under  []dynamic
	strict bool
	value  xunsafe.Pointer // what is read into, to end slices there; nil to leave them

	in       reflect.Type // the struct whose member it is
	path     []string     // the names that lead there
	declared reflect.Type // what is declared to hold it
}

// to goes down from the beginning of the document, a value of program p, to what begins
// at end.
func (w *walk) to(p *decProgram, end int) {
	for _, l := range appendLevels(nil, w.doc, end) {
		if p = w.through(p, l.at); p == nil {
			return
		}
		var f *decField
		if w.doc[l.at] == '{' {
			if l.name == 0 {
				return // it is the name
			}
			if p.fields != nil {
				if at := p.fields.find(w.text(l.name), w.strict); at >= 0 {
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

// through returns what p's value at i is read into, through pointers and what interfaces
// held before.
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

// enter goes on to a member of p's value, or to its element k.
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
		w.value = nil // values of maps are not in there yet
	}
}

// text returns what the string at i says. Bytes that are no UTF-8 stay, which no member's name
// has.
func (w *walk) text(i int) string {
	in := xunsafe.ViewString(w.doc[i+1 : stringEnd(w.doc, i)-1])
	if strings.IndexByte(in, '\\') < 0 {
		return in
	}
	text, _ := appendUnquoted(nil, in)
	return xunsafe.ViewString(text)
}

// StrictError describes what Strict or Parse refuses and encoding/json does not.
type StrictError struct {
	Offset int64  // in bytes, of where it begins: the name, the escape, the first byte that is not UTF-8
	What   string // what it is
}

// Error returns the offset and what is refused there.
func (e *StrictError) Error() string {
	return fmt.Sprintf("arenajson: %s at offset %d", e.What, e.Offset)
}

// notJSON is syntaxError for what may be JSON after all. It takes no memory for that.
func notJSON(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	return syntaxError(data)
}

// syntaxError returns the error of encoding/json for invalid JSON. Only encoding/json can construct its text.
func syntaxError(data []byte) error {
	var raw json.RawMessage
	return json.Unmarshal(data, &raw)
}

// syntaxErrorIn returns what encoding/json says of a document that is none.
func syntaxErrorIn(doc []byte) error {
	if err := syntaxError(doc); err != nil {
		return err
	}
	return errors.New("arenajson: this is no JSON") // where encoding/json would take it
}
