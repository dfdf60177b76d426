package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// method is the t at p as an M, nil if it is nil.
func method[M any](prog *encProgram, p xunsafe.Pointer) (m M, ok bool) {
	if !prog.self {
		return prog.address(p).(M), true
	}
	v := prog.at(p)
	if v.IsNil() {
		return m, false
	}
	return v.Interface().(M), true
}

func (e *encoder) marshaler(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	m, ok := method[json.Marshaler](prog, p)
	if !ok {
		return e.null(w)
	}
	text, err := m.MarshalJSON()
	if err == nil {
		w, err = e.compacted(w, text)
	}
	if err != nil {
		panic(failure{marshalerError(prog.typ, failingJSON{err})})
	}
	return w
}

func (e *encoder) textMarshaler(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	m, ok := method[encoding.TextMarshaler](prog, p)
	if !ok {
		return e.null(w)
	}
	text, err := m.MarshalText()
	if err != nil {
		panic(failure{marshalerError(prog.typ, failingText{err})})
	}
	return e.string(w, xunsafe.ViewString(text))
}

func (e *encoder) textAppender(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	m, _ := method[encoding.TextAppender](prog, p)
	text, err := m.AppendText(e.inner[:0])
	if err != nil {
		panic(failure{marshalerError(prog.typ, failingAppend{err})})
	}
	if len(text) > cap(e.inner) {
		e.inner = make([]byte, 0, 2*len(text)) // for the next one
	}
	return e.string(w, xunsafe.ViewString(text))
}

// standard writes what is left to encoding/json.
func (e *encoder) standard(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	v := prog.address(p)
	if !prog.addressable && prog.op != writeIface {
		v = prog.at(p).Interface()
	}
	text, err := marshalStandard(v, e.html != 0)
	if err != nil {
		panic(failure{err})
	}
	return putText(e.reserve(w, len(text)+beyond), xunsafe.ViewString(text))
}

// holdsNil reports whether the interface at p, which is not nil, holds a nil pointer.
func (prog *encProgram) holdsNil(p xunsafe.Pointer) bool {
	v := prog.at(p).Elem()
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// failingJSON and the others return an error.
type (
	failingJSON   struct{ err error }
	failingText   struct{ err error }
	failingAppend struct{ err error }
)

func (f failingJSON) MarshalJSON() ([]byte, error) { return nil, f.err }
func (f failingText) MarshalText() ([]byte, error) { return nil, f.err }

func (f failingAppend) AppendText([]byte) ([]byte, error) { return nil, f.err }

// marshalerError is encoding/json's error for a method of t that fails. It is made
// there, because it has a field for the method's name that only encoding/json sets.
func marshalerError(t reflect.Type, failing any) error {
	_, err := json.Marshal(failing)
	if err, ok := err.(*json.MarshalerError); ok {
		if onV2 && t.Kind() != reflect.Pointer {
			t = reflect.PointerTo(t) // by which v2 calls it
		}
		err.Type = t
	}
	return err
}

// time writes a time.Time as its MarshalJSON does, which is asked where that fails.
func (e *encoder) time(w xunsafe.Pointer, prog *encProgram, p xunsafe.Pointer) xunsafe.Pointer {
	const longest = len(time.RFC3339Nano)
	w = e.reserve(w, longest+2)
	at := put8(w, '"')
	s := xunsafe.Cast[time.Time](p).AppendFormat(bytesAt(at, longest), time.RFC3339Nano)
	if s[len("9999")] == '-' && (s[len(s)-1] == 'Z' || zoneHour(s) < 24) {
		return put8(xunsafe.Add(at, uintptr(len(s))), '"')
	}
	return e.marshaler(w, prog, p)
}

// zoneHour is the hour of the zone that ends s, an RFC 3339 time not in Z.
func zoneHour(s []byte) int {
	h := s[len(s)-len("+00:00"):]
	if h[0] != '+' && h[0] != '-' {
		return 100 // or more
	}
	return 10*int(h[1]-'0') + int(h[2]-'0')
}
