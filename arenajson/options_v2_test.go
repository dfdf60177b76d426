//go:build goexperiment.jsonv2 && go1.27

package arenajson

import (
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
)

// Options that encoding/json/v2 also has give the same results, beside the options of encoding/json.
func TestOptionsOfV2(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	type value struct {
		optionsOf
		P *optionsOf
		V any
	}
	for range 300 {
		v := &value{optionsOf: randomOptionsOf(r), V: []any{r.IntN(3), nil, map[string]int(nil), []string(nil)}}
		if r.IntN(2) == 0 {
			p := randomOptionsOf(r)
			v.P = &p
		}
		for k := range 8 {
			ours := []Option{}
			theirs := []jsonv2.Options{json.DefaultOptionsV1()}
			for i, o := range []struct {
				ours   Option
				theirs jsonv2.Options
			}{{StringifyNumbers, jsonv2.StringifyNumbers(true)}, {NilSliceAsEmpty, jsonv2.FormatNilSliceAsNull(false)}, {NilMapAsEmpty, jsonv2.FormatNilMapAsNull(false)}} {
				if k>>i&1 != 0 {
					ours, theirs = append(ours, o.ours), append(theirs, o.theirs)
				}
			}
			got, err := Marshal(nil, v, ours...)
			got = bytes.ReplaceAll(got, []byte(`"AM":{}`), []byte(`"AM":null`)) // encoding/json writes a pointer to a struct
			want, wrong := jsonv2.Marshal(v, jsonv2.JoinOptions(theirs...))
			if string(got) != string(want) || (err == nil) != (wrong == nil) {
				t.Fatalf("options %03b: %s, %v, want %s, %v", k, got, err, want, wrong)
			}
			// The document is decoded as by encoding/json.
			theirs = append(theirs, jsonv2.MatchCaseInsensitiveNames(false))
			ours = append(ours, CaseSensitive)
			var x, y value
			err, wrong = Unmarshal(nil, got, &x, ours...), jsonv2.Unmarshal(got, &y, jsonv2.JoinOptions(theirs...))
			if !reflect.DeepEqual(x, y) || (err == nil) != (wrong == nil) {
				t.Fatalf("options %03b: %s is read as %+v, %v, want %+v, %v", k, got, x, err, y, wrong)
			}
		}
	}
	for _, doc := range []string{`1`, `"1"`, `"x"`, `" 1"`, `""`, `"1.0"`, `"-1"`, `"300"`, `null`, `"null"`, `true`, `"1e2"`, `"01"`, `"+1"`, `"1e400"`, `[]`} {
		for _, to := range []any{new(int), new(uint8), new(float64), new(float32), new(json.Number), new(*int), new([1]int)} {
			x, y := reflect.New(reflect.TypeOf(to).Elem()), reflect.New(reflect.TypeOf(to).Elem())
			err := Unmarshal(nil, []byte(doc), x.Interface(), StringifyNumbers)
			wrong := jsonv2.Unmarshal([]byte(doc), y.Interface(), json.DefaultOptionsV1(), jsonv2.StringifyNumbers(true), jsonv2.WithUnmarshalers(nil))
			if legacy := doc == `"null"` || doc == `"+1"` || doc == `"01"`; !legacy && ((err == nil) != (wrong == nil) || err == nil && !reflect.DeepEqual(x.Elem().Interface(), y.Elem().Interface())) {
				t.Errorf("%s into %T: %v, %v, want %v, %v", doc, to, x.Elem(), err, y.Elem(), wrong)
			}
		}
	}
}

func randomOptionsOf(r *rand.Rand) (x optionsOf) {
	x.I, x.F, x.F3, x.Q = r.IntN(1000)-500, math.Round(r.NormFloat64()*1e6)/1e3, float32(r.IntN(100))/4, r.IntN(9)
	x.X = [2]int8{int8(r.IntN(256)), 1}
	if r.IntN(2) == 0 {
		x.U, x.L, x.M = ptr(uint8(r.IntN(256))), []int{1, r.IntN(5)}, map[string]int{"b": 1, "a": r.IntN(9)}
	}
	if r.IntN(2) == 0 {
		x.K, x.B, x.A, x.N = map[int]float64{r.IntN(20): 1.5}, []byte("xyz"), []any{"s", true, 2.5}, "12"
	}
	if r.IntN(2) == 0 {
		x.T, x.S, x.O = map[string]string{"k": "v"}, []string{"q"}, map[string]any{"z": 1.0, "y": nil}
	}
	return x
}

func TestWithMarshalers(t *testing.T) {
	degrees := jsonv2.MarshalFunc(func(c celsius) ([]byte, error) { return fmt.Appendf(nil, `"%g C"`, float64(c)), nil })
	yes := jsonv2.MarshalToFunc(func(e *jsontext.Encoder, b bool) error { return e.WriteToken(jsontext.String(fmt.Sprint("is ", b))) })
	with := WithMarshalers(jsonv2.JoinMarshalers(degrees, yes))
	without := WithUnmarshalers(jsonv2.UnmarshalFunc(func(data []byte, c *celsius) error {
		_, err := fmt.Sscanf(string(data), `"%g C"`, (*float64)(c))
		return err
	}))
	type value struct {
		C []celsius
		B bool
		S string
		L []int
	}
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		v := &value{[]celsius{1, 2}, true, "<", nil}
		got, err := Marshal(a, v, with, NilSliceAsEmpty, NoEscapeHTML)
		if want := `{"C":["1 C","2 C"],"B":"is true","S":"<","L":[]}`; err != nil || string(got) != want {
			t.Errorf("WithMarshalers: %s, %v, want %s", got, err, want)
		}
		var back value
		if err := Unmarshal(a, []byte(`{"c":["1 C","2 C"],"S":"<"}`), &back, without); err != nil || !reflect.DeepEqual(back, value{C: []celsius{1, 2}, S: "<"}) {
			t.Errorf("WithUnmarshalers: %+v, %v", back, err)
		}
		for _, doc := range []string{`{"C":[],"S":"<","S":""}`, "{\"S\":\"\xff\"}"} {
			var strict *StrictError
			if err := Unmarshal(a, []byte(doc), &back, without); err != nil {
				t.Errorf("WithUnmarshalers: %v", err)
			}
			if err := Unmarshal(a, []byte(doc), &back, without, Strict); err == nil || errors.As(err, &strict) {
				t.Errorf("WithUnmarshalers and Strict: %v, want an error of encoding/json/v2", err)
			}
		}
		back = value{}
		if err := Unmarshal(a, []byte(`{"c":["1 C"],"S":"<"}`), &back, without, Strict); err != nil || back.C != nil || back.S != "<" {
			t.Errorf("WithUnmarshalers and Strict: %+v, %v, want names to be case-sensitive", back, err)
		}
		if _, err := Marshal(a, func() {}, with); err == nil {
			t.Error("WithMarshalers of a func: no error")
		}
		if _, err := Marshal(a, &struct{ M *arena.Map[int, int] }{arena.NewMap[int, int](a, 0)}, with); err == nil {
			t.Error("WithMarshalers of an arena.Map: no error")
		}
	}
}

// Functions of this package have no effect beside functions of encoding/json/v2, in any order. The first of several
// options is used.
func TestWithMarshalersBesideFunctions(t *testing.T) {
	never := MarshalFunc(func(*arena.Arena, celsius) ([]byte, error) { t.Error("MarshalFunc: called"); return []byte("0"), nil })
	first := WithMarshalers(jsonv2.MarshalFunc(func(celsius) ([]byte, error) { return []byte("1"), nil }))
	second := WithMarshalers(jsonv2.MarshalFunc(func(celsius) ([]byte, error) { return []byte("2"), nil }))
	for _, opts := range [][]Option{{never, first, LineEnd}, {first, never, LineEnd}, {first, LineEnd, second}} {
		if got, err := Marshal(nil, celsius(5), opts...); err != nil || string(got) != "1\n" {
			t.Errorf("Marshal: %q, %v", got, err)
		}
	}
	neverRead := UnmarshalFunc(func(*arena.Arena, []byte, *celsius) error { t.Error("UnmarshalFunc: called"); return nil })
	read := func(to celsius) Option {
		return WithUnmarshalers(jsonv2.UnmarshalFunc(func(_ []byte, c *celsius) error { *c = to; return nil }))
	}
	for _, opts := range [][]Option{{neverRead, read(1)}, {read(1), neverRead}, {read(1), read(2)}} {
		var c celsius
		if err := Unmarshal(nil, []byte("5"), &c, opts...); err != nil || c != 1 {
			t.Errorf("Unmarshal: %v, %v", c, err)
		}
	}
	// Options for the other direction change nothing.
	if got, err := Marshal(nil, []int{1}, read(1)); err != nil || string(got) != "[1]" {
		t.Errorf("Marshal: %s, %v", got, err)
	}
	var c celsius
	if err := Unmarshal(nil, []byte("5"), &c, first); err != nil || c != 5 {
		t.Errorf("Unmarshal: %v, %v", c, err)
	}
}

// The doc comment of Option says which options apply inside types that are left to encoding/json.
func TestOptionsOfDelegatedTypes(t *testing.T) {
	type delegated struct {
		F float64 `json:"F,case:strict"`
		C celsius
		A any
		L []int
		M map[string]int
	}
	if !standardStruct(reflect.TypeFor[delegated]()) {
		t.Fatal("the type is not delegated")
	}
	never := MarshalFunc(func(*arena.Arena, celsius) ([]byte, error) { t.Error("MarshalFunc: called"); return []byte("0"), nil })
	whole := MarshalFunc(func(*arena.Arena, delegated) ([]byte, error) { return []byte("7"), nil })
	for _, c := range []struct {
		v    delegated
		opts []Option
		want string // "" for an error
	}{
		{delegated{A: "<"}, nil, `{"F":0,"C":0,"A":"\u003c","L":null,"M":null}`},
		{delegated{A: "<"}, []Option{never, NoEscapeHTML, NilSliceAsEmpty, NilMapAsEmpty}, `{"F":0,"C":0,"A":"<","L":[],"M":{}}`},
		{delegated{A: 1, M: map[string]int{"a": 1}}, []Option{StringifyNumbers, UnsortedMaps}, `{"F":"0","C":"0","A":"1","L":null,"M":{"a":"1"}}`},
		{delegated{F: math.NaN()}, []Option{NonFiniteAsNull}, ""},
		{delegated{}, []Option{whole}, `7`},
	} {
		got, err := Marshal(nil, &[1]delegated{c.v}, c.opts...)
		if want := "[" + c.want + "]"; c.want != "" && (err != nil || string(got) != want) || c.want == "" && err == nil {
			t.Errorf("Marshal(%+v) = %s, %v, want %s", c.v, got, err, want)
		}
	}
	neverRead := UnmarshalFunc(func(*arena.Arena, []byte, *celsius) error { t.Error("UnmarshalFunc: called"); return nil })
	wholeRead := UnmarshalFunc(func(_ *arena.Arena, _ []byte, v *delegated) error { v.F = 7; return nil })
	fails := delegated{F: -1}
	for _, c := range []struct {
		doc  string
		opts []Option
		want delegated
	}{
		{`{"l":[1],"A":1,"A":2}`, []Option{neverRead, UseInt64}, delegated{A: 2.0, L: []int{1}}},
		{`{"l":[1],"A":1}`, []Option{UseNumber, CaseSensitive}, delegated{A: json.Number("1")}},
		{`{"F":"1.5","C":"2"}`, []Option{StringifyNumbers}, delegated{F: 1.5, C: 2}},
		{`{"A":1,"A":2}`, []Option{Strict}, fails},
		{"{\"A\":\"\xff\"}", []Option{Strict}, fails},
		{`{"B":1}`, []Option{DisallowUnknownFields}, fails},
		{`{}`, []Option{wholeRead}, delegated{F: 7}},
	} {
		var got [1]delegated
		err := Unmarshal(nil, []byte("["+c.doc+"]"), &got, c.opts...)
		if c.want.F < 0 != (err != nil) || err == nil && !reflect.DeepEqual(got[0], c.want) {
			t.Errorf("Unmarshal(%s) = %+v, %v, want %+v", c.doc, got[0], err, c.want)
		}
		if strict := new(StrictError); len(c.opts) > 0 && c.opts[0].flags&strictly != 0 && !errors.As(err, &strict) {
			t.Errorf("Unmarshal(%s) with Strict: %v, want a *StrictError", c.doc, err)
		}
	}
}
