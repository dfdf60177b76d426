// Package arenajson implements [encoding/json] with the memory in an arena: it accepts the same documents,
// stores the same values, writes the same bytes and returns the same errors.
//
//	var order Order
//	err := arenajson.Unmarshal(a, body, &order)
//	reply, err := arenajson.Marshal(a, &answer)
//
// Values and documents are allocated from the arena that is passed, and are valid until it is reset. If the
// arena is nil, they are allocated from the heap. Builtin maps that are decoded belong to the arena, which
// clears and reuses them. Errors, values that are passed to Marshal without a pointer, and the allocations of
// methods such as UnmarshalJSON stay on the heap.
//
// The table in docs/generated/json.md lists the differences from encoding/json.
package arenajson

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/readall"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Unmarshal parses the JSON document in data and stores the result in the value pointed to by v, like
// [encoding/json.Unmarshal]. Memory comes from a, or from the heap if a is nil. Unmarshal copies data once and
// does not retain it. In an arena strings are parts of the copy; on the heap each is a copy of its own.
//
// As in encoding/json, a document that is not JSON leaves the value unchanged, and if a JSON value does not fit
// its variable, Unmarshal decodes the rest and returns a [*json.UnmarshalTypeError] for the first one. If the
// arena's limit is exceeded, Unmarshal returns a [*arena.LimitError]; if the value was zero, it stays zero.
//
// The result is valid until a is reset. In an arena a string of it keeps the whole copy of data alive.
func Unmarshal(a *arena.Arena, data []byte, v any, opts ...Option) error {
	d := decoder{a: a}
	d.set(opts)
	return d.unmarshal(data, v)
}

// UnmarshalRead reads r to its end into a, and parses the document there like [Unmarshal], without another
// copy. A size that r states is used as [arena.ReadAll] does. If a limit of a is exceeded, UnmarshalRead
// stops reading and returns a [*arena.LimitError].
func UnmarshalRead(a *arena.Arena, r io.Reader, v any, opts ...Option) error {
	d := decoder{a: a}
	d.set(opts)
	data, err := d.readAll(r, false)
	if err != nil {
		return err
	}
	return d.unmarshal(data, v)
}

// set sets the options.
func (d *decoder) set(opts []Option) {
	d.mode, d.flags = modeOf(opts)
	d.strict = d.flags&strictly != 0
}

// readAll reads r to its end, and sets up the result as the document. If partial is set, readAll also returns
// the bytes read before an error of r.
func (d *decoder) readAll(r io.Reader, partial bool) (data []byte, err error) {
	defer catchLimit(&err)
	m := readall.Memory{Does: "arenajson.Unmarshal", Slack: docSlack}
	if d.a != nil {
		m.Region = machine.RegionOf(d.a)
	}
	data, err = m.Read(nil, r, partial)
	d.base, d.n = xunsafe.DataOf(data), len(data)
	return data, err
}

// catchLimit recovers from the panic of an arena whose limit is exceeded.
func catchLimit(err *error) {
	switch x := recover().(type) {
	case nil:
	case *arena.LimitError:
		*err = x
	default:
		panic(x)
	}
}

// errGuessed reports that guessed data is not a document.
var errGuessed = errors.New("arenajson: not a line")

// unmarshal is Unmarshal after options are set. If readAll has set up a document, data is that.
func (d *decoder) unmarshal(data []byte, v any) error {
	if f := d.mode.readAll; f != nil {
		return f(data, v, d.flags)
	}
	if !d.setTarget(v) {
		if d.guessed {
			return errGuessed
		}
		if err := notJSON(data); err != nil {
			return err
		}
		return &json.InvalidUnmarshalError{Type: reflect.TypeOf(v)}
	}
	p, to := d.root, d.top
	d.doc = data
	fresh := allZero(to, p.size)
	bad, err := d.try(p, to, !fresh || p.calls)
	switch {
	case bad == nil && err == nil:
		return d.wrong
	case d.guessed && !d.valid:
		err = errGuessed
	case err == nil:
		// A syntax error goes before any other.
		if bad.err == nil {
			err = syntaxError(data)
		} else if !d.valid {
			err = notJSON(data)
		}
		if err == nil {
			err = bad.err
			if _, ok := err.(*StrictError); !ok {
				return err // a method's: what was decoded stays
			}
		}
	}
	if fresh {
		p.at(to).SetZero()
	}
	return err
}

// A target is a pointer type that was passed to Unmarshal, and its program.
type target struct {
	word   xunsafe.Pointer // of an interface with the type
	passed reflect.Type
	root   *decProgram
}

// targets caches the first target for each hash, because loads from a sync.Map are slow for small documents.
var targets [256]atomic.Pointer[target]

// setTarget sets the variable that v points to as the target, and reports whether v is a pointer and not nil.
func (d *decoder) setTarget(v any) bool {
	words := xunsafe.WordsOf(&v)
	slot := &targets[uint64(xunsafe.Number(words.Type))*0x9e3779b97f4a7c15>>56]
	known := slot.Load()
	if known != nil && known.word == words.Type && words.Data != nil && d.mode == plainMode {
		d.root, d.top, d.passed = known.root, words.Data, known.passed
		return true
	}
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return false
	}
	d.root, d.top, d.passed = d.mode.decProgramOf(to.Type()), to.UnsafePointer(), to.Type()
	if known == nil && !viaReflect && d.mode == plainMode {
		slot.Store(&target{words.Type, d.passed, d.root})
	}
	return true
}

// try decodes the document into to. bad is the panic that ended decoding, err the error of a limit. If first is
// set, the document is validated first, because an error must leave the variable unchanged.
func (d *decoder) try(p *decProgram, to xunsafe.Pointer, first bool) (bad *decodeError, err error) {
	d.store = nil
	if d.a != nil {
		d.region = machine.Enter(d.a, "arenajson.Unmarshal")
		if check.Watched {
			defer d.leave()
		}
	}
	done := false
	defer func() {
		if d.scratch != nil {
			d.scratch.free()
		}
		if done {
			return
		}
		switch x := recover().(type) {
		case nil:
		case decodeError:
			bad = &x
		case *arena.LimitError:
			err = x
		default:
			panic(x)
		}
	}()
	if d.base == nil {
		d.copyDoc()
	}
	start := d.space(0)
	if first {
		if end := d.space(d.skip(start)); end != d.n {
			d.fail()
		}
		d.depth, d.valid = 0, true
	}
	if end := d.space(d.value(p, to, start)); end != d.n {
		d.fail()
	}
	done = true
	return nil, nil
}

// copyDoc copies the document to the start of a cache line, with zeros after it.
func (d *decoder) copyDoc() {
	const align = 64
	var b []byte
	if n := len(d.doc) + docSlack; d.region != nil {
		b = machine.ReserveText(d.region, n, align)
	} else {
		b = make([]byte, n)
	}
	d.base, d.n, d.inPlace = xunsafe.DataOf(b), copy(b, d.doc), true
	d.put(d.n, 0)
	d.put(d.n+8, 0)
}

// allZero reports whether the size bytes at p are zero.
func allZero(p xunsafe.Pointer, size uintptr) bool {
	b := xunsafe.Bytes(p, int(size))
	for len(b) >= 32 {
		if binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:])|binary.LittleEndian.Uint64(b[16:])|binary.LittleEndian.Uint64(b[24:]) != 0 {
			return false
		}
		b = b[32:]
	}
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// Errors are the same on every Go, as of encoding/json up to Go 1.26. An encoding/json that is built on v2 finds the
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
