package arenajson

import (
	"reflect"
	"slices"
	"sync"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// Options come in two kinds. Some are checked during encoding or decoding, off the fast paths. The others
// change how values of a type are encoded or decoded: each set of them has a mode, with compiled types of its
// own, so that a call without options does not check for them.

// An Option changes the behavior of a function of this package. Functions ignore options that do not apply to them.
//
// If encoding/json is built on encoding/json/v2, as it is by default since Go 1.27, this package leaves some
// types to it: types with a method MarshalJSONTo or UnmarshalJSONFrom, structs with tags that only v2 knows,
// and maps with keys that v2 treats differently. Inside values of these types MarshalFunc, UnmarshalFunc,
// NonFiniteAsNull and UseInt64 have no effect. All other options apply there.
type Option struct {
	flags optionFlags
	more  *funcOption
}

type optionFlags uint16

// The flags of compiled come first, because they are the index of a mode.
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
	// NoEscapeHTML leaves <, > and & in strings as they are, like SetEscapeHTML(false) of encoding/json's
	// Encoder. By default they are escaped as \u003c, \u003e and \u0026, so that a document can be part of an
	// HTML page.
	NoEscapeHTML = Option{flags: noEscapeHTML}

	// NilSliceAsEmpty encodes nil slices as [], and nil byte slices as "". By default they are null.
	NilSliceAsEmpty = Option{flags: nilSliceAsEmpty}

	// NilMapAsEmpty encodes nil maps as {}. By default they are null.
	NilMapAsEmpty = Option{flags: nilMapAsEmpty}

	// UnsortedMaps encodes the members of maps in no particular order. By default they are sorted by name.
	UnsortedMaps = Option{flags: unsortedMaps}

	// NonFiniteAsNull encodes NaN and infinities as null. By default they are an error, and they remain one
	// inside types that are left to encoding/json; see [Option].
	NonFiniteAsNull = Option{flags: nonFiniteAsNull}

	// LineEnd adds a newline after the document, like encoding/json's Encoder.
	LineEnd = Option{flags: lineEnd}
)

// Options for decoding.
var (
	// DisallowUnknownFields reports an error for a member that its struct does not have.
	DisallowUnknownFields = Option{flags: disallowUnknownFields}

	// UseNumber decodes numbers into an empty interface as json.Number. By default they are float64.
	UseNumber = Option{flags: useNumber}

	// UseInt64 decodes numbers into an empty interface as int64 if they are written as an integer and fit.
	// UseNumber takes precedence. Inside types that are left to encoding/json numbers are float64; see
	// [Option].
	UseInt64 = Option{flags: useInt64}

	// CaseSensitive matches names of members and fields exactly. By default the case of letters is ignored if
	// no field has exactly that name.
	CaseSensitive = Option{flags: caseSensitive}

	// Strict returns a [*StrictError] for documents that encoding/json accepts and encoding/json/v2 does not:
	// two members of one name, and strings with invalid UTF-8 or an unpaired surrogate. It includes
	// CaseSensitive.
	Strict = Option{flags: strictly | caseSensitive}
)

// StringifyNumbers encodes numbers as strings, and decodes them only from strings. It applies to variables of
// numeric types and of type json.Number. Numbers in an empty interface are encoded as strings, but decoded as
// usual.
var StringifyNumbers = Option{flags: stringifyNumbers}

// MarshalFunc returns an option that encodes values of type T with f, which returns JSON. If T is an
// interface type, f encodes the values of all types that implement it. If several options apply to a value,
// the first one is used. f is not called for nil pointers and interfaces, for keys of maps, and inside types
// that are left to encoding/json; see [Option].
//
// Create the option once, for example in a package variable, because the first use of each option compiles
// all types again.
func MarshalFunc[T any](f func(a *arena.Arena, v T) ([]byte, error)) Option {
	return Option{more: &funcOption{typ: reflect.TypeFor[T](), write: func(a *arena.Arena, t reflect.Type, p xunsafe.Pointer) ([]byte, error) {
		if t == reflect.TypeFor[T]() {
			return f(a, *xunsafe.Cast[T](p))
		}
		return f(a, xunsafe.Value(t, p).Interface().(T))
	}}}
}

// UnmarshalFunc returns an option that decodes values of type T with f. data is a JSON value, which may be
// null. f must not keep or change it. If several options are for one type, the first one is used. f is called
// only if the document is valid JSON. It is not called for keys of maps, for values that are decoded into an
// empty interface, and inside types that are left to encoding/json; see [Option].
//
// Create the option once; see [MarshalFunc].
func UnmarshalFunc[T any](f func(a *arena.Arena, data []byte, v *T) error) Option {
	return Option{more: &funcOption{typ: reflect.TypeFor[T](), read: func(a *arena.Arena, data []byte, p xunsafe.Pointer) error {
		return f(a, data, xunsafe.Cast[T](p))
	}}}
}

type funcOption struct {
	typ   reflect.Type
	write func(a *arena.Arena, t reflect.Type, p xunsafe.Pointer) ([]byte, error)
	read  func(a *arena.Arena, data []byte, p xunsafe.Pointer) error

	// The functions of WithMarshalers and WithUnmarshalers encode and decode whole documents.
	writeAll func(v any, flags optionFlags) ([]byte, error)
	readAll  func(data []byte, v any, flags optionFlags) error

	modes sync.Map // from a *mode to the mode with this option added
}

// A mode has the compiled types for a set of options.
type mode struct {
	flags optionFlags
	funcs []*funcOption

	// The first functions of WithMarshalers and WithUnmarshalers, or nil.
	writeAll func(v any, flags optionFlags) ([]byte, error)
	readAll  func(data []byte, v any, flags optionFlags) error

	encPrograms sync.Map               // from reflect.Type to *encProgram, for values that are not addressable
	encCompiled map[encKey]*encProgram // guarded by encLock
	decPrograms sync.Map               // from the reflect.Type of a pointer to the *decProgram of its element
	decCompiled map[decKey]*decProgram // guarded by decLock
}

// modes has the modes without functions.
var modes [compiled + 1]mode

func init() {
	for i := range modes {
		modes[i].flags = optionFlags(i)
	}
}

// plainMode is the mode of calls without options.
var plainMode = &modes[0]

// modeOf returns the mode and the flags of opts.
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

// with returns m with f added.
func (m *mode) with(f *funcOption) *mode {
	if known, ok := f.modes.Load(m); ok {
		return known.(*mode)
	}
	added := &mode{flags: m.flags, funcs: append(slices.Clip(m.funcs), f), writeAll: m.writeAll, readAll: m.readAll}
	if added.writeAll == nil {
		added.writeAll = f.writeAll
	}
	if added.readAll == nil {
		added.readAll = f.readAll
	}
	known, _ := f.modes.LoadOrStore(m, added)
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
