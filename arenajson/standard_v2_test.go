//go:build goexperiment.jsonv2

package arenajson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// A password that must not be encoded as the string it is.
type password string

func (password) MarshalJSONTo(w *v2Encoder) error { return w.WriteValue([]byte(`"***"`)) }

func (p *password) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	*p = password("read " + string(v))
	return err
}

type appendsText struct{ N int }

func (appendsText) AppendText(b []byte) ([]byte, error) { return append(b, "appended <>"...), nil }

type appendsOrMarshals struct{ N int }

func (appendsOrMarshals) AppendText(b []byte) ([]byte, error) { return append(b, "appended"...), nil }
func (appendsOrMarshals) MarshalText() ([]byte, error)        { return []byte("marshaled"), nil }

type appendsByPointer struct{ N int }

func (*appendsByPointer) AppendText(b []byte) ([]byte, error) { return append(b, "by pointer"...), nil }

type (
	neverZero          struct{ N int }
	neverZeroByPointer struct{ N int }
)

func (neverZero) IsZero() bool           { return false }
func (*neverZeroByPointer) IsZero() bool { return false }

// A notMap has the methods of an arena.Map.
type notMap struct{ N int }

func (*notMap) Len() int { return 1 }
func (*notMap) Clear()   {}

type withSecrets struct {
	Name string
	Pass password
	Ptr  *password
	Old  []password
	By   map[string]password
	Any  any
	password
	Keys map[password]int
	When time.Time
}

// Methods of v2 are called for values at any place.
func TestMethodsOfV2(t *testing.T) {
	p := password("hunter2")
	for _, v := range []any{
		p, &p, []password{p}, [1]password{p}, map[string]password{"a": p}, []any{p, &p, nil, (*password)(nil)}, struct{ password }{p}, struct{ P any }{p},
		withSecrets{"ann", p, &p, []password{p}, map[string]password{"<": p}, p, p, map[password]int{p: 1}, time.Time{}},
		appendsText{1}, appendsOrMarshals{1}, []*appendsText{{1}, nil}, map[appendsText]int{{1}: 1}, map[appendsOrMarshals]int{{1}: 1},
		appendsByPointer{1}, &appendsByPointer{1}, []appendsByPointer{{1}}, map[string]appendsByPointer{"a": {1}}, []any{appendsText{}, appendsByPointer{}},
		struct {
			A int            `json:"a"`
			X map[string]any `json:",embed"`
		}{1, map[string]any{"z": 2}},
		struct {
			B []byte `json:"b,format:hex"`
		}{[]byte{1}},
		struct {
			B []byte `json:"b\\c"`
		}{[]byte{1}},
		struct {
			neverZero `json:"x,omitzero"`
			N         int
		}{neverZero{1}, 2},
		struct {
			*neverZeroByPointer `json:"x,omitzero"`
			N                   int
		}{&neverZeroByPointer{1}, 2},
		struct {
			neverZero `json:"x,omitempty"`
			N         int
		}{neverZero{1}, 2},
		struct {
			X notMap `json:"x,case:strict"`
			Y any
		}{notMap{1}, &notMap{2}},
	} {
		for _, opts := range [][]Option{nil, {NoEscapeHTML}} {
			var b bytes.Buffer
			w := json.NewEncoder(&b)
			w.SetEscapeHTML(opts == nil)
			wantErr := w.Encode(v)
			want := strings.TrimSuffix(b.String(), "\n")
			if got, err := Marshal(arena.NewArena(4096, 0), v, opts...); string(got) != want || (err == nil) != (wantErr == nil) {
				t.Errorf("Marshal(%T) = %s, %v, want %s, %v", v, got, err, want, wantErr)
			}
		}
	}
	for _, x := range []struct {
		v   any
		doc string
	}{
		{password(""), `"x"`}, {new(password), `null`}, {[]password{}, `["a",1,null,{"a":[1]}]`}, {map[string]password{}, `{"a":"b"}`},
		{withSecrets{}, `{"Pass":"q","Old":["r"],"Any":{"a":1},"Keys":{"k":1},"By":{"x":"y"},"When":"2026-01-02T03:04:05\u002b01:00"}`},
		{struct {
			Name string `json:"name,case:strict"`
		}{}, `{"NAME":"x"}`},
		{struct {
			A int            `json:"a"`
			X map[string]any `json:",embed"`
		}{}, `{"a":1,"zz":5}`},
		{struct {
			B []byte `json:"b,format:hex"`
		}{}, `{"b":"01"}`},
		{struct {
			neverZero `json:"x,omitzero"`
			N         int
		}{}, `{"x":{"N":1},"N":2}`},
		{struct {
			X notMap `json:"x,case:strict"`
			Y any
		}{Y: &notMap{2}}, `{"x":{"N":1},"Y":{"N":3}}`},
		{struct { // the least nested name wins
			Deep
			Ab int `json:"ab"`
		}{}, `{"AB":1}`},
	} {
		want, got := reflect.New(reflect.TypeOf(x.v)), reflect.New(reflect.TypeOf(x.v))
		wantErr := json.Unmarshal([]byte(x.doc), want.Interface())
		err := Unmarshal(arena.NewArena(4096, 0), []byte(x.doc), got.Interface())
		if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Errorf("Unmarshal(%s, %T) = %+v, %v, want %+v, %v", x.doc, x.v, got.Elem(), err, want.Elem(), wantErr)
		}
	}
}

// Options apply in types that are left to encoding/json.
func TestOptionsReachStandard(t *testing.T) {
	type leaves struct {
		A any            `json:"a,case:ignore"`
		B any            `json:"b"`
		X map[string]any `json:",embed"`
	}
	type strict struct {
		A any `json:"a,case:strict"`
		B any `json:"b"`
	}
	for _, opts := range [][]Option{{UseNumber}, {Strict, UseNumber}, {Strict}, {DisallowUnknownFields}, {Strict, UseNumber, DisallowUnknownFields}} {
		set := map[Option]bool{}
		for _, o := range opts {
			set[o] = true
		}
		if onExperiment && set[DisallowUnknownFields] {
			continue // it does not know embed
		}
		var v leaves
		number := any(5.0)
		if set[UseNumber] {
			number = json.Number("5")
		}
		if err := Unmarshal(nil, []byte(`{"A":5,"b":[5],"c":5}`), &v, opts...); err != nil || v.A != number || v.B.([]any)[0] != number || onExperiment == (v.X["c"] == number) {
			t.Errorf("%v: %+v, %v", opts, v, err)
		}
		var s strict
		if err := Unmarshal(nil, []byte(`{"B":5,"c":1}`), &s, opts...); (err != nil) != set[DisallowUnknownFields] || (s.B == nil) != set[Strict] {
			t.Errorf("%v: %+v, %v", opts, s, err)
		}
		if err := Unmarshal(nil, []byte(`{"a":{"x":1,"x":2}}`), &s, Strict); err == nil {
			t.Error("Strict takes a name twice")
		}
	}
}

// An arena.Map is not dropped. encoding/json would take it for a struct without fields.
func TestStandardRefusesArenaMaps(t *testing.T) {
	type withMap struct {
		A int `json:"a,case:strict"`
		M []*arena.Map[string, int]
	}
	a := arena.NewArena(4096, 0)
	if text, err := Marshal(a, withMap{}); err == nil || !strings.Contains(err.Error(), "withMap") {
		t.Errorf("Marshal = %s, %v", text, err)
	}
	if err := Unmarshal(a, []byte(`{"a":1,"M":[{"x":1}]}`), new(withMap)); err == nil || !strings.Contains(err.Error(), "withMap") {
		t.Errorf("Unmarshal: %v", err)
	}

	// In interfaces as well, where only the values show it.
	type withAny struct {
		A int `json:"a,case:strict"`
		M any
	}
	m := arena.NewMap[string, int](a, 0)
	m.Set("x", 1)
	for _, v := range []any{withAny{1, m}, &withAny{1, []any{m}}, map[*string]any{new(string): m}} {
		for _, opts := range [][]Option{nil, {NoEscapeHTML}} {
			if text, err := Marshal(a, v, opts...); err == nil || !strings.Contains(err.Error(), "arena.Map") {
				t.Errorf("Marshal(%T) = %s, %v", v, text, err)
			}
		}
	}
	v := withAny{0, m}
	err := Unmarshal(a, []byte(`{"M":{"y":1},"a":2}`), &v)
	if e, ok := err.(*json.UnmarshalTypeError); !ok || e.Type != reflect.TypeOf(m) || m.Len() != 1 || v.A != 2 {
		t.Errorf("Unmarshal: %v, %v", err, v)
	}
	if err := Unmarshal(a, []byte(`{"M":null}`), &v); err != nil || v.M != nil {
		t.Errorf("Unmarshal: %v, %v", err, v)
	}
}

// seesPointer records the StackPointer in its UnmarshalJSONFrom.
type seesPointer struct{ at string }

func (s *seesPointer) UnmarshalJSONFrom(r *v2Decoder) error {
	s.at = cmp.Or(string(r.StackPointer()), "no pointer")
	return r.SkipValue()
}

func init() {
	stackPointer = func(l library, doc string) string {
		var x struct{ P seesPointer }
		if err := l.unmarshal(doc, &x); err != nil {
			return outcome(nil, err)
		}
		return x.P.at
	}
}

type (
	embeddedNumber struct{ json.Number }
	quotedNumber   struct {
		N embeddedNumber `json:",string"`
	}
)

// A method that reads its field's tag option ,string from the encoder sees it.
func TestMethodsSeeTheStringOption(t *testing.T) {
	v := quotedNumber{embeddedNumber{"3.25"}}
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		got, err := Marshal(a, v)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		var read, expected quotedNumber
		if err, wrong := Unmarshal(a, want, &read), json.Unmarshal(want, &expected); err != nil || wrong != nil || read != expected {
			t.Errorf("%v, %v, want %v, %v", read, err, expected, wrong)
		}
	}
}

type (
	textMap   map[string]int
	textSlice []int
)

func (*textMap) UnmarshalText([]byte) error   { return nil }
func (*textSlice) UnmarshalText([]byte) error { return nil }

// null clears maps, slices, pointers and interfaces with an UnmarshalText only if it does in encoding/json.
func TestNullIntoTypesWithText(t *testing.T) {
	type all struct {
		M  textMap
		S  textSlice
		PM *textMap
		PS **textSlice
		L  []textMap
		A  [2]textSlice
		K  map[string]textMap
		I  iReads
		E  any
	}
	filled := func() *all {
		m, s := textMap{"a": 1}, &textSlice{1}
		return &all{textMap{"a": 1}, textSlice{1}, &m, &s, []textMap{{"a": 1}}, [2]textSlice{{1}}, map[string]textMap{"x": {"a": 1}}, &textMap{"a": 1}, &textMap{"a": 1}}
	}
	for _, doc := range []string{`{"M":null}`, `{"S":null}`, `{"PM":null}`, `{"PS":null}`, `{"L":[null,null]}`, `{"A":[null,null]}`, `{"K":{"x":null}}`, `{"I":null}`, `{"E":null}`} {
		want, got := filled(), filled()
		wantErr, err := json.Unmarshal([]byte(doc), want), Unmarshal(nil, []byte(doc), got)
		if wantErr != nil || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, error %v; encoding/json has %v, %v", doc, got, err, want, wantErr)
		}
	}
}
