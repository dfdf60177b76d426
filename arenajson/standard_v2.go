//go:build goexperiment.jsonv2

package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ebbpool/arena/internal/hooks"
)

// onV2 reports whether encoding/json is built on encoding/json/v2, the default since Go 1.27.
const onV2 = true

// An encoding/json that is built on v2 calls the methods MarshalJSONTo and UnmarshalJSONFrom, and has more tag
// options. Types with such a method, structs with such a tag, and maps with keys that it treats differently are
// delegated to it. The checks are conservative: what they don't know is also delegated.

var (
	marshalerToType     = reflect.TypeFor[marshalerTo]()
	unmarshalerFromType = reflect.TypeFor[unmarshalerFrom]()

	jsonMethods = []reflect.Type{
		marshalerToType, reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextAppender](), reflect.TypeFor[encoding.TextMarshaler](),
		unmarshalerFromType, reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
	}
)

// hasMethodsOf reports whether t or *t implements one of the interfaces.
func hasMethodsOf(t reflect.Type, interfaces ...reflect.Type) bool {
	return slices.ContainsFunc(interfaces, func(i reflect.Type) bool {
		return t.Implements(i) || t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(i)
	})
}

// isOwn reports whether t has such methods, but this package has code for it.
func isOwn(t reflect.Type) bool {
	return t == reflect.TypeFor[json.Number]() || t == reflect.TypeFor[json.RawMessage]()
}

// standardWrites reports whether encoding/json may call MarshalJSONTo for values of t, which is not a pointer or
// an interface.
func standardWrites(t reflect.Type) bool { return !isOwn(t) && hasMethodsOf(t, marshalerToType) }

// standardReads reports whether encoding/json calls UnmarshalJSONFrom for values of t, which is not a pointer or
// an interface.
func standardReads(t reflect.Type) bool { return !isOwn(t) && hasMethodsOf(t, unmarshalerFromType) }

// standardStruct reports whether struct type t, or a struct that it embeds, has a tag that v2 may treat
// differently.
func standardStruct(t reflect.Type) bool { return hasV2Tag(t, map[reflect.Type]bool{}) }

func hasV2Tag(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("json")
		if tag == "-" || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if ok && (name != "" && !isName(name) || strings.ContainsAny(name, "'`") || !arePlain(options)) {
			return true
		}
		typ := sf.Type
		if typ.Kind() == reflect.Pointer && typ.Name() == "" {
			typ = typ.Elem()
		}
		switch {
		case hasOption(options, "string") && hasMethodsOf(typ, marshalerToType, unmarshalerFromType) && !isOwn(typ):
			return true // methods see the option
		case !sf.Anonymous:
		case name != "" && !sf.IsExported() && (hasMethodsOf(typ, jsonMethods...) || hasOption(options, "omitzero") && hasMethodsOf(typ, zeroType)):
			return true // v2 ignores the field
		case name == "" && typ.Kind() == reflect.Struct && hasV2Tag(typ, seen):
			return true
		}
	}
	return false
}

// arePlain reports whether the options of a tag mean the same to both versions of encoding/json.
func arePlain(options string) bool {
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "", "omitempty", "omitzero", "string":
			continue
		case "case", "embed", "inline", "unknown", "format":
			return false
		}
		if strings.ContainsFunc(o, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
			return false
		}
	}
	return true
}

// standardMap reports whether v2 may treat the keys of map type t differently: it follows pointers and interfaces,
// accepts floats and bools, since Go 1.27 does not call the text methods of strings, and never calls MarshalJSON or
// UnmarshalJSON. Other strings, integers, and types with text methods are as before.
func standardMap(t reflect.Type) bool {
	key := t.Key()
	switch k := key.Kind(); {
	case k == reflect.Pointer, k == reflect.Interface:
		return true
	case k == reflect.String:
		return hasMethodsOf(key, textAppenderType, textMarshalerType)
	case reflect.Int <= k && k <= reflect.Uintptr:
		return false
	}
	return !key.Implements(textAppenderType) && !key.Implements(textMarshalerType) || !reflect.PointerTo(key).Implements(textUnmarshaler)
}

// standardIgnoresQuotes reports whether v2 ignores ,string when it decodes a field of type t, because t has a
// method.
func standardIgnoresQuotes(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && hasMethodsOf(t, jsonUnmarshaler, textUnmarshaler) && !isOwn(t)
}

// leadsToMap reports whether values of t can hold an arena.Map. encoding/json would take that for a struct
// without fields.
func leadsToMap(t reflect.Type) bool { return holdsMap(t, map[reflect.Type]bool{}) }

func holdsMap(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer:
		if _, ok := hooks.MakerOf(t); ok {
			return true
		}
		return holdsMap(t.Elem(), seen)
	case reflect.Slice, reflect.Array, reflect.Map:
		return holdsMap(t.Elem(), seen)
	case reflect.Struct:
		if _, ok := hooks.MakerOf(reflect.PointerTo(t)); ok {
			return true
		}
		for i := range t.NumField() {
			if holdsMap(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// mapLike is an interface that every arena.Map implements. In delegated values encoding/json calls the
// functions below for all types that implement it.
type mapLike interface {
	Len() int
	Clear()
}

// refuseToWrite returns an error for an arena.Map.
func refuseToWrite(m mapLike) error {
	if t := reflect.TypeOf(m); isArenaMap(t) {
		return &json.UnsupportedTypeError{Type: t}
	}
	return errSkip
}

// refuseToRead returns an error for an arena.Map.
func refuseToRead(m mapLike) error {
	if t := reflect.TypeOf(m); isArenaMap(t) {
		return &json.UnmarshalTypeError{Value: "object", Type: t}
	}
	return errSkip
}

func isArenaMap(t reflect.Type) bool {
	_, ok := hooks.MakerOf(t)
	return ok
}

// marshalStandard returns v encoded by encoding/json.
func marshalStandard(v any, flags optionFlags) ([]byte, error) { return marshalV2(v, flags, nil) }

// unmarshalStandard decodes text by encoding/json into the value pointed to by v.
func (d *decoder) unmarshalStandard(text []byte, v any) error {
	options := defaultOptions()
	if d.flags&useNumber != 0 {
		options = useNumberOptions()
	}
	return unmarshalV2(text, v, options, d.flags, nil)
}

// useNumberOptions returns the options of a json.Decoder after UseNumber. Only a method that the decoder
// calls can see them.
var useNumberOptions = sync.OnceValue(func() v2Options {
	var seen optionsSeen
	r := json.NewDecoder(strings.NewReader("0"))
	r.UseNumber()
	if err := r.Decode(&seen); err != nil {
		panic(err)
	}
	return seen.v2Options
})

type optionsSeen struct{ v2Options }

func (s *optionsSeen) UnmarshalJSONFrom(r *v2Decoder) error {
	s.v2Options = copyOptions(r.Options())
	return r.SkipValue()
}
