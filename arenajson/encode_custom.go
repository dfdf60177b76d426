package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
	"unicode/utf8"
)

// method is the t at p as an M, nil if it is nil.
func method[M any](n *node, p pointer) (m M, ok bool) {
	v := valueAt(n.typ, p)
	if !n.self {
		return v.Addr().Interface().(M), true
	}
	if v.IsNil() {
		return m, false
	}
	return v.Interface().(M), true
}

func (e *encoder) marshaler(b []byte, n *node, p pointer) []byte {
	m, ok := method[json.Marshaler](n, p)
	if !ok {
		return e.null(b)
	}
	text, err := m.MarshalJSON()
	if err == nil {
		b, err = e.compacted(b, text)
	}
	if err != nil {
		panic(failure{marshalerError(n.typ, failingJSON{err})})
	}
	return b
}

func (e *encoder) textMarshaler(b []byte, n *node, p pointer) []byte {
	m, ok := method[encoding.TextMarshaler](n, p)
	if !ok {
		return e.null(b)
	}
	text, err := m.MarshalText()
	if err != nil {
		panic(failure{marshalerError(n.typ, failingText{err})})
	}
	return e.string(b, viewString(text))
}

// failingJSON and failingText are Marshalers that return an error.
type (
	failingJSON struct{ err error }
	failingText struct{ err error }
)

func (f failingJSON) MarshalJSON() ([]byte, error) { return nil, f.err }
func (f failingText) MarshalText() ([]byte, error) { return nil, f.err }

// marshalerError is encoding/json's error for a method of t that fails. It is made
// there, because it has a field for the method's name that only encoding/json sets.
func marshalerError(t reflect.Type, failing any) error {
	_, err := json.Marshal(failing)
	if err, ok := err.(*json.MarshalerError); ok {
		err.Type = t
	}
	return err
}

// compacted writes a document that is somebody else's, without its spaces, if it is
// one.
func (e *encoder) compacted(b, doc []byte) ([]byte, error) {
	s := viewString(doc)
	if e.isPlain(s) || isNumber(s) {
		return append(e.room(b, len(s)+slack), s...), nil
	}
	e.compact.Reset()
	if err := json.Compact(&e.compact, doc); err != nil {
		return b, err
	}
	c := e.compact.Bytes()
	b = e.room(b, len(c)+slack)
	from := 0
	for i := 0; e.html != 0 && i < len(c); i++ {
		escape := ""
		switch c[i] {
		case '<':
			escape = `\u003c`
		case '>':
			escape = `\u003e`
		case '&':
			escape = `\u0026`
		case 0xe2:
			if i+2 < len(c) && c[i+1] == 0x80 && c[i+2]&^1 == 0xa8 {
				escape = `\u2028`
				if c[i+2] == 0xa9 {
					escape = `\u2029`
				}
			}
		}
		if escape != "" {
			b = e.room(b, len(c)-from+len(escape)+slack)
			b = append(b, c[from:i]...)
			b = append(b, escape...)
			if from = i + 1; c[i] == 0xe2 {
				from = i + 3
			}
		}
	}
	return append(b, c[from:]...), nil
}

// isPlain says whether s is a string that is written as it is.
func (e *encoder) isPlain(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	s = s[1 : len(s)-1]
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if e.marks.find(load64(s, i)) != 0 {
			return false
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || escapesByte(s[i]) {
			return false
		}
	}
	return true
}

// escapesByte says whether c may be one that is not written as it is.
func escapesByte(c byte) bool {
	return c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&'
}

// time writes a time.Time as its MarshalJSON does, which is asked where that fails.
func (e *encoder) time(b []byte, n *node, p pointer) []byte {
	b = append(e.room(b, numberRoom+len(time.RFC3339Nano)), '"')
	at := len(b)
	b = as[time.Time](p).AppendFormat(b, time.RFC3339Nano)
	if s := b[at:]; s[len("9999")] == '-' && (s[len(s)-1] == 'Z' || zoneHour(s) < 24) {
		return append(b, '"')
	}
	return e.marshaler(b[:at-1], n, p)
}

// zoneHour is the hour of the zone that ends s, an RFC 3339 time not in Z.
func zoneHour(s []byte) int {
	h := s[len(s)-len("+00:00"):]
	if h[0] != '+' && h[0] != '-' {
		return 100 // or more
	}
	return 10*int(h[1]-'0') + int(h[2]-'0')
}
