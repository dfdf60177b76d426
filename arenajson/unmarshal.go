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
	"io"
	"reflect"
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
// what it read before an error of r.
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
	if d.mode != plainMode {
		if f := d.mode.readAll(); f != nil {
			return f.readAll(data, v, d.flags)
		}
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
