package arenajson

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"sync/atomic"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/readall"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Unmarshal reads data, one JSON document, into what v points to, as encoding/json's
// Unmarshal does, with all that it makes in a, or on the heap if a is nil. data is
// copied once, into a, and not kept; strings are cut from the copy.
//
// What is accepted, what becomes of it and the errors are those of encoding/json: a
// document that is not JSON leaves v as it was, and the first value that does not
// fit its variable is a *json.UnmarshalTypeError, with all the rest read. On the heap
// are errors, and what methods of the program make. Builtin maps belong to a, which
// clears and reuses them when its cycle ends. An *arena.Map lies in a.
//
// A Limit of the arena is a *arena.LimitError; v is then zero if it was before.
//
// v and what it leads to is valid until a is reset, and a string of it keeps the
// whole document's memory alive for as long as the string itself is.
func Unmarshal(a *arena.Arena, data []byte, v any, opts ...Option) error {
	d := decoder{a: a}
	d.set(opts)
	return d.unmarshal(data, v)
}

func (d *decoder) set(opts []Option) {
	for _, o := range opts {
		switch o {
		case DisallowUnknownFields:
			d.known = true
		case UseNumber:
			d.numbers = true
		case Strict:
			d.strict = true
		}
	}
}

func (d *decoder) unmarshal(data []byte, v any) error {
	if !d.aim(v) {
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
	bad, err := d.try(p, to, data, !fresh || p.calls)
	switch {
	case bad == nil && err == nil:
		return d.wrong
	case d.guessed && !d.valid:
		err = errGuessed
	case err == nil:
		// A document that is not JSON has that error, whatever else was found before.
		if bad.err == nil {
			err = syntaxError(data)
		} else if !d.valid {
			err = notJSON(data)
		}
		if err == nil {
			err = bad.err
			if _, ok := err.(*StrictError); !ok {
				return err // and what was read so far stays
			}
		}
	}
	if fresh {
		p.at(to).SetZero()
	}
	return err
}

// target is decProgramOf's record of a type, found by the word that an interface has of it.
type target struct {
	word   xunsafe.Pointer
	passed reflect.Type
	root   *decProgram
}

// targets are those of some types, the first to come to their places: a request that asks
// for one should not pay for a sync.Map.
var targets [256]atomic.Pointer[target]

// aim sets what v points to, and reports whether it points to anything.
func (d *decoder) aim(v any) bool {
	words := xunsafe.WordsOf(&v)
	place := &targets[uint64(xunsafe.Number(words.Type))*0x9e3779b97f4a7c15>>56]
	known := place.Load()
	if known != nil && known.word == words.Type && words.Data != nil {
		d.root, d.top, d.passed = known.root, words.Data, known.passed
		return true
	}
	to := reflect.ValueOf(v)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return false
	}
	d.root, d.top, d.passed = decProgramOf(to.Type()), to.UnsafePointer(), to.Type()
	if known == nil && !viaReflect {
		place.Store(&target{words.Type, d.passed, d.root})
	}
	return true
}

// try reads data into to, and returns what it found in the way of that. With first
// it makes sure before that data is JSON, so that a bad one changes nothing.
func (d *decoder) try(p *decProgram, to xunsafe.Pointer, data []byte, first bool) (bad *decodeError, err error) {
	d.store = nil
	if d.a != nil {
		d.region = machine.Enter(d.a, "arenajson.Unmarshal")
		if check.Watched {
			defer d.region.Leave()
		}
	}
	read := false
	defer func() {
		if d.members != nil {
			d.members.free()
		}
		if read {
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
		d.copyOf(data)
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
	read = true
	return nil, nil
}

// copyOf copies the document.
func (d *decoder) copyOf(data []byte) {
	var b []byte
	if d.region != nil {
		b = machine.ReserveText(d.region, len(data)+docSlack, align)
	} else {
		b = make([]byte, len(data)+docSlack)
	}
	d.base, d.n, d.inPlace = xunsafe.DataOf(b), copy(b, data), true
	d.put(d.n, 0)
	d.put(d.n+8, 0)
}

// allZero reports whether the value at p, of size bytes, has only zeros.
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

// errGuessed tells that what may be a document is none, or not all of one.
var errGuessed = errors.New("arenajson: not a line")

// UnmarshalRead reads r to its end into a, and parses the document there like [Unmarshal], without another
// copy. A size that r states is used as [arena.ReadAll] does. If a limit of a is exceeded, UnmarshalRead
// stops reading and returns a [*arena.LimitError].
func UnmarshalRead(a *arena.Arena, r io.Reader, v any, opts ...Option) error {
	d := decoder{a: a}
	d.set(opts)
	data, err := d.readAll(r)
	if err != nil {
		return err
	}
	return d.unmarshal(data, v)
}

// readAll reads r to where the document is then parsed.
func (d *decoder) readAll(r io.Reader) (data []byte, err error) {
	defer catchLimit(&err)
	m := readall.Memory{Does: "arenajson.Unmarshal", Slack: docSlack}
	if d.a != nil {
		m.Region = machine.RegionOf(d.a)
	}
	data, err = m.Read(nil, r, false)
	d.base, d.n = xunsafe.DataOf(data), len(data)
	return data, err
}

// readSome reads something, or says why not.
func readSome(r io.Reader, b []byte) (int, error) {
	for range 100 {
		n, err := r.Read(b)
		if uint(n) > uint(len(b)) {
			panic("arenajson: a Reader says that it read " + strconv.Itoa(n) + " of " + strconv.Itoa(len(b)) + " bytes")
		}
		if n != 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// growText returns b with room for n bytes in all, in the arena if there is one.
func (d *decoder) growText(b []byte, n int) []byte {
	if d.a == nil {
		return append(make([]byte, 0, n), b...)
	}
	r := machine.Enter(d.a, "arenajson.Unmarshal")
	defer r.Leave()
	if b == nil {
		return machine.ReserveText(r, n, align)[:0]
	}
	bigger := machine.GrowBytes(r, b, n)[:len(b)]
	if xunsafe.DataOf(bigger) != xunsafe.DataOf(b) {
		copy(bigger, b)
	}
	return bigger
}

// trim gives back what growText gave beyond b and the zeros that belong behind it.
func (d *decoder) trim(b []byte) []byte {
	n := len(b)
	b = b[: n+docSlack : cap(b)]
	clear(b[n:])
	if d.a != nil {
		r := machine.Enter(d.a, "arenajson.Unmarshal")
		defer r.Leave()
		b = machine.TrimBytes(r, b)
	}
	return b[:n]
}

// catchLimit makes an error of the panic of an arena whose limit is reached.
func catchLimit(err *error) {
	switch x := recover().(type) {
	case nil:
	case *arena.LimitError:
		*err = x
	default:
		panic(x)
	}
}

// A Decoder's memory for reading ahead begins with leastAhead bytes and has mostAhead at
// most; what is longer is read into the arena at once.
const (
	leastAhead  = 512
	mostAhead   = 64 << 10
	longestLine = 16 << 10
)

// Option changes what a function of this package does. Options that mean nothing
// to a function are ignored by it.
type Option uint8

const (
	// NoEscapeHTML has Marshal and MarshalWrite write <, > and & in strings as they
	// are, as the Encoder of encoding/json does after SetEscapeHTML(false).
	// Otherwise they are \u003c, \u003e and \u0026, so that a document can stand in
	// a page.
	NoEscapeHTML Option = 1 + iota

	// DisallowUnknownFields has a member that its struct doesn't have be an error, as
	// encoding/json's Decoder does.
	DisallowUnknownFields

	// UseNumber has numbers in an empty interface be json.Numbers, as encoding/json's
	// Decoder does.
	UseNumber

	// Strict has reading refuse, with a *StrictError, what encoding/json lets pass:
	// objects with two members of one name, strings that are not UTF-8, or have half a
	// surrogate pair, and names that differ from their field's in the case of letters
	// count as unknown.
	Strict
)
