//go:build goexperiment.jsonv2 && go1.27

package arenajson

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
)

// The uses of encoding/json/v2. go vet accepts them only in files for Go 1.27, because go.mod states an older version.

type (
	marshalerTo     = jsonv2.MarshalerTo
	unmarshalerFrom = jsonv2.UnmarshalerFrom
	v2Options       = jsonv2.Options
	v2Decoder       = jsontext.Decoder
	v2Encoder       = jsontext.Encoder
)

// unmarshalV2 calls v2's Unmarshal with the options base and flags. m may be nil.
func unmarshalV2(text []byte, v any, base v2Options, flags optionFlags, m *jsonv2.Unmarshalers) error {
	return jsonv2.Unmarshal(text, v, base,
		jsonv2.RejectUnknownMembers(flags&disallowUnknownFields != 0),
		jsonv2.MatchCaseInsensitiveNames(flags&caseSensitive == 0),
		stringify(flags),
		jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(m, refuseReading)))
}

// stringify returns the option StringifyNumbers, or nil. If it were set to false, methods would not see the tag
// option ,string of their field.
func stringify(flags optionFlags) v2Options {
	if flags&stringifyNumbers == 0 {
		return nil
	}
	return jsonv2.StringifyNumbers(true)
}

// marshalV2 calls v2's Marshal with encoding/json's options and flags. m may be nil.
func marshalV2(v any, flags optionFlags, m *jsonv2.Marshalers) ([]byte, error) {
	return jsonv2.Marshal(v, defaultOptions(),
		jsontext.EscapeForHTML(flags&noEscapeHTML == 0),
		stringify(flags),
		jsonv2.FormatNilSliceAsNull(flags&nilSliceAsEmpty == 0),
		jsonv2.FormatNilMapAsNull(flags&nilMapAsEmpty == 0),
		jsonv2.Deterministic(flags&unsortedMaps == 0),
		jsonv2.WithMarshalers(jsonv2.JoinMarshalers(m, refuseWriting)))
}

// WithMarshalers returns an option that encodes whole documents by encoding/json/v2, with the functions of m
// and the options of encoding/json. The options NoEscapeHTML, StringifyNumbers, NilSliceAsEmpty,
// NilMapAsEmpty, UnsortedMaps and LineEnd apply. All others have no effect, including [MarshalFunc]. If the
// option is passed several times, the first m is used.
func WithMarshalers(m *jsonv2.Marshalers) Option {
	return Option{more: &funcOption{writeAll: func(v any, flags optionFlags) ([]byte, error) { return marshalV2(v, flags, m) }}}
}

// WithUnmarshalers returns an option that decodes whole documents by encoding/json/v2, with the functions of
// m and the options of encoding/json. The result is allocated from the heap. The options
// DisallowUnknownFields, CaseSensitive, Strict, UseNumber and StringifyNumbers apply. Errors are from
// encoding/json/v2, and never a [*StrictError]. All other options have no effect, including [UnmarshalFunc].
// If the option is passed several times, the first m is used.
func WithUnmarshalers(m *jsonv2.Unmarshalers) Option {
	return Option{more: &funcOption{readAll: func(data []byte, v any, flags optionFlags) error {
		base := defaultOptions()
		if flags&useNumber != 0 {
			base = useNumberOptions()
		}
		if flags&strictly != 0 {
			base = jsonv2.JoinOptions(base, jsontext.AllowDuplicateNames(false), jsontext.AllowInvalidUTF8(false))
		}
		return unmarshalV2(data, v, base, flags, m)
	}}}
}

var (
	errSkip       = errors.ErrUnsupported // returned by a function for values that it leaves to others
	refuseWriting = jsonv2.MarshalToFunc(func(_ *v2Encoder, m mapLike) error { return refuseToWrite(m) })
	refuseReading = jsonv2.UnmarshalFromFunc(func(_ *v2Decoder, m mapLike) error { return refuseToRead(m) })
)

func defaultOptions() v2Options         { return json.DefaultOptionsV1() }
func copyOptions(o v2Options) v2Options { return jsonv2.JoinOptions(o) }
