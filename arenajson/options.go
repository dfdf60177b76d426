package arenajson

import (
	"reflect"
	"slices"
	"sync"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Options come in two kinds. Some are looked at while a document is encoded or decoded, where that has left its fast
// path anyway. The others change how values of a type are encoded or decoded: for each set of them there is a mode, with
// compiled types of its own, so that a call without options does not test for any.

// An Option changes what a function of this package does. Options that mean nothing to a function are ignored.
type Option struct {
	flags optionFlags
	more  *funcOption
}

type optionFlags uint16

// Those of compiled come first, because they are the index of a mode.
const (
	stringifyNumbers optionFlags = 1 << iota
	nilSliceAsEmpty
	nilMapAsEmpty
	nonFiniteAsNull
	noEscapeHTML
	unsortedMaps
	lineEnd
	disallowUnknownFields
	useNumber
	useInt64
	caseSensitive
	strictly

	compiled = stringifyNumbers | nilSliceAsEmpty | nilMapAsEmpty | nonFiniteAsNull
)

// Options for encoding.
var (
	// NoEscapeHTML leaves <, > and & in strings as they are, like SetEscapeHTML(false) of encoding/json's Encoder.
	// By default they are \u003c, \u003e and \u0026, so that a document can be part of an HTML page.
	NoEscapeHTML = Option{flags: noEscapeHTML}

	// NilSliceAsEmpty encodes nil slices as [], and nil byte slices as "". By default they are null.
	NilSliceAsEmpty = Option{flags: nilSliceAsEmpty}

	// NilMapAsEmpty encodes nil maps as {}. By default they are null.
	NilMapAsEmpty = Option{flags: nilMapAsEmpty}

	// UnsortedMaps encodes the members of maps in no particular order. By default they are sorted by name.
	UnsortedMaps = Option{flags: unsortedMaps}

	// NonFiniteAsNull encodes NaN and infinities as null. By default they are an error.
	NonFiniteAsNull = Option{flags: nonFiniteAsNull}

	// LineEnd adds a newline after the document, like encoding/json's Encoder.
	LineEnd = Option{flags: lineEnd}
)

// Options for decoding.
var (
	// DisallowUnknownFields makes a member that its struct does not have an error.
	DisallowUnknownFields = Option{flags: disallowUnknownFields}

	// UseNumber decodes numbers into an empty interface as json.Number. By default they are float64.
	UseNumber = Option{flags: useNumber}

	// UseInt64 decodes numbers into an empty interface as int64 if they are written as an integer and fit. UseNumber
	// takes precedence.
	UseInt64 = Option{flags: useInt64}

	// CaseSensitive decodes a member into the field of exactly that name. By default the case of letters is ignored if
	// no field has exactly that name.
	CaseSensitive = Option{flags: caseSensitive}

	// Strict refuses, with a *StrictError, what encoding/json accepts but encoding/json/v2 does not: two members of one
	// name, and strings that are not UTF-8 or have half a surrogate pair. It includes CaseSensitive.
	Strict = Option{flags: strictly | caseSensitive}
)

// StringifyNumbers encodes numbers as strings, and decodes them from strings alone. It applies to all variables of
// numeric types and of type json.Number. Numbers in an empty interface are only encoded as strings.
var StringifyNumbers = Option{flags: stringifyNumbers}

// MarshalFunc returns an option that encodes values of type T with f, which returns JSON. If T is an interface type, f
// encodes the values of all types that implement it. Of several such options, the first one that fits is used. They do
// not apply to the keys of maps. Nil pointers and interfaces are null, and f is not called.
//
// Make the option once, for example in a package variable: the first use of each option compiles all types again.
func MarshalFunc[T any](f func(a *arena.Arena, v T) ([]byte, error)) Option {
	return Option{more: &funcOption{typ: reflect.TypeFor[T](), write: func(a *arena.Arena, t reflect.Type, p xunsafe.Pointer) ([]byte, error) {
		if t == reflect.TypeFor[T]() {
			return f(a, *xunsafe.Cast[T](p))
		}
		return f(a, xunsafe.Value(t, p).Interface().(T))
	}}}
}

// UnmarshalFunc returns an option that decodes values of type T with f. data is a JSON value, which f must not keep or
// change; it may be null. f is called for documents that are valid JSON only. Of several such options for a type, the
// first one is used. They do not apply to the keys of maps, nor to what is decoded into an empty interface.
//
// Make the option once, as that of [MarshalFunc].
func UnmarshalFunc[T any](f func(a *arena.Arena, data []byte, v *T) error) Option {
	return Option{more: &funcOption{typ: reflect.TypeFor[T](), read: func(a *arena.Arena, data []byte, p xunsafe.Pointer) error {
		return f(a, data, xunsafe.Cast[T](p))
	}}}
}

// funcOption is what MarshalFunc, UnmarshalFunc, WithMarshalers or WithUnmarshalers returned.
type funcOption struct {
	typ   reflect.Type
	write func(a *arena.Arena, t reflect.Type, p xunsafe.Pointer) ([]byte, error)
	read  func(a *arena.Arena, data []byte, p xunsafe.Pointer) error

	// Those of encoding/json/v2 apply to whole documents, which are left to that.
	writeAll func(v any, flags optionFlags) ([]byte, error)
	readAll  func(data []byte, v any, flags optionFlags) error

	modes sync.Map // from a *mode to that mode with this option added
}

// mode has the compiled types for a set of options.
type mode struct {
	flags optionFlags
	funcs []*funcOption

	encPrograms sync.Map               // from reflect.Type to *encProgram, for values that are not addressable
	encCompiled map[encKey]*encProgram // all; guarded by encLock
	decPrograms sync.Map               // from the reflect.Type of a pointer to the *decProgram of its element
	decCompiled map[decKey]*decProgram // all; guarded by decLock
}

// modes are those without functions. The first one is that of calls without options.
var modes [compiled + 1]mode

func init() {
	for i := range modes {
		modes[i].flags = optionFlags(i)
	}
}

// plainMode is the mode of calls without options.
var plainMode = &modes[0]

// modeOf returns the mode of some options, and their flags.
func modeOf(opts []Option) (m *mode, flags optionFlags) {
	for i := range opts {
		flags |= opts[i].flags
	}
	m = &modes[flags&compiled]
	for i := range opts {
		if opts[i].more != nil {
			m = m.with(opts[i].more)
		}
	}
	return m, flags
}

// with returns m with an option added.
func (m *mode) with(f *funcOption) *mode {
	if known, ok := f.modes.Load(m); ok {
		return known.(*mode)
	}
	known, _ := f.modes.LoadOrStore(m, &mode{flags: m.flags, funcs: append(slices.Clip(m.funcs), f)})
	return known.(*mode)
}

// writer returns the function of the first option that encodes values of type t, or nil.
func (m *mode) writer(t reflect.Type) *funcOption {
	for _, f := range m.funcs {
		if f.write != nil && (f.typ == t || f.typ.Kind() == reflect.Interface && t.Kind() != reflect.Interface && t.Implements(f.typ)) {
			return f
		}
	}
	return nil
}

// reader returns the function of the first option that decodes values of type t, or nil.
func (m *mode) reader(t reflect.Type) *funcOption {
	for _, f := range m.funcs {
		if f.read != nil && f.typ == t {
			return f
		}
	}
	return nil
}

// writeAll and readAll return the option that leaves documents to encoding/json/v2, or nil.
func (m *mode) writeAll() *funcOption {
	return m.first(func(f *funcOption) bool { return f.writeAll != nil })
}
func (m *mode) readAll() *funcOption {
	return m.first(func(f *funcOption) bool { return f.readAll != nil })
}

func (m *mode) first(is func(*funcOption) bool) *funcOption {
	if i := slices.IndexFunc(m.funcs, is); i >= 0 {
		return m.funcs[i]
	}
	return nil
}
