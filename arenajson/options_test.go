package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

type optionsOf struct {
	I  int
	U  *uint8
	F  float64
	F3 float32
	Q  int `json:",string"`
	N  json.Number
	L  []int
	M  map[string]int
	K  map[int]float64
	B  []byte
	A  any
	X  [2]int8
	T  map[string]string
	S  []string
	O  map[string]any
	AM *arena.Map[string, int]
	E  []int `json:",omitempty"`
}

func TestEncodeOptions(t *testing.T) {
	u := uint8(7)
	nan := struct {
		F  float64
		F3 float32
		A  any
		L  []float64
		M  map[string]float64
		S  string
	}{math.NaN(), float32(math.Inf(1)), math.Inf(-1), []float64{1, math.NaN()}, map[string]float64{"x": math.NaN()}, "NaN"}
	m := arena.NewMap[string, int](nil, 0)
	m.Set("k", 5)
	full := optionsOf{I: -1, U: &u, F: 1.5, F3: 2, Q: 3, N: "4", L: []int{5}, M: map[string]int{"m": 6}, K: map[int]float64{7: 8}, B: []byte("x"), A: []any{9, "s", 1.0, nil, true}, X: [2]int8{1, 2}, AM: m}
	for _, c := range []struct {
		what string
		v    any
		opts []Option
		want string
	}{
		{"nil values", &optionsOf{}, nil, `{"I":0,"U":null,"F":0,"F3":0,"Q":"0","N":0,"L":null,"M":null,"K":null,"B":null,"A":null,"X":[0,0],"T":null,"S":null,"O":null,"AM":null}`},
		{"nil values", &optionsOf{}, []Option{NilSliceAsEmpty}, `{"I":0,"U":null,"F":0,"F3":0,"Q":"0","N":0,"L":[],"M":null,"K":null,"B":"","A":null,"X":[0,0],"T":null,"S":[],"O":null,"AM":null}`},
		{"nil values", &optionsOf{}, []Option{NilMapAsEmpty, NilSliceAsEmpty}, `{"I":0,"U":null,"F":0,"F3":0,"Q":"0","N":0,"L":[],"M":{},"K":{},"B":"","A":null,"X":[0,0],"T":{},"S":[],"O":{},"AM":{}}`},
		{"nil in interfaces", []any{[]int(nil), map[string]int(nil), map[string]any(nil), nil, (*int)(nil)}, []Option{NilMapAsEmpty, NilSliceAsEmpty}, `[[],{},{},null,null]`},
		{"nil slice", []int(nil), []Option{NilSliceAsEmpty}, `[]`},
		{"nil", nil, []Option{NilSliceAsEmpty}, `null`},
		{"numbers", &full, []Option{StringifyNumbers}, `{"I":"-1","U":"7","F":"1.5","F3":"2","Q":"3","N":"4","L":["5"],"M":{"m":"6"},"K":{"7":"8"},"B":"eA==","A":["9","s","1",null,true],"X":["1","2"],"T":null,"S":null,"O":null,"AM":{"k":"5"}}`},
		{"a number", 5, []Option{StringifyNumbers}, `"5"`},
		{"NaN", &nan, []Option{NonFiniteAsNull}, `{"F":null,"F3":null,"A":null,"L":[1,null],"M":{"x":null},"S":"NaN"}`},
		{"NaN in strings", &nan, []Option{NonFiniteAsNull, StringifyNumbers}, `{"F":null,"F3":null,"A":null,"L":["1",null],"M":{"x":null},"S":"NaN"}`},
		{"NaN", math.NaN(), []Option{NonFiniteAsNull}, `null`},
		{"NaN in a quoted field", struct {
			F float64 `json:",string"`
		}{math.NaN()}, []Option{NonFiniteAsNull}, `{"F":null}`},
		{"NaN", &nan, nil, "error: unsupported value: NaN"},
		{"NaN", &nan, []Option{NilMapAsEmpty}, "error: unsupported value: NaN"},
		{"a line end", 1, []Option{LineEnd}, "1\n"},
		{"HTML", "<", []Option{NoEscapeHTML, StringifyNumbers}, `"<"`},
		{"unsorted maps of one", map[string]any{"a": map[int]int{1: 2}}, []Option{UnsortedMaps}, `{"a":{"1":2}}`},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
			got, err := Marshal(a, c.v, c.opts...)
			if text, ok := strings.CutPrefix(c.want, "error: "); ok {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("%s: %s, %v, want %s", c.what, got, err, text)
				}
				continue
			}
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %s, %v, want %s", c.what, got, err, c.want)
			}
			var b bytes.Buffer
			if err := NewEncoder(a, &b, c.opts...).Encode(c.v); err != nil || b.String() != strings.TrimSuffix(c.want, "\n")+"\n" {
				t.Errorf("%s: Encode: %s, %v", c.what, b.String(), err)
			}
		}
	}
	// The default remains the same, whatever the arena encoded before.
	a := arena.NewArena(4096, 0)
	for range 3 {
		for _, opts := range [][]Option{{StringifyNumbers}, nil, {NilMapAsEmpty}, nil} {
			got, err := Marshal(a, full.M, opts...)
			want := `{"m":6}`
			if len(opts) > 0 && opts[0] == StringifyNumbers {
				want = `{"m":"6"}`
			}
			if err != nil || string(got) != want {
				t.Errorf("Marshal(%v) = %s, %v", opts, got, err)
			}
		}
	}
	// Unsorted maps have the same members.
	big := map[string]any{}
	for i := range 300 {
		big[fmt.Sprint("k", i)] = map[int]any{i: i, -i: "x"}
	}
	text, err := Marshal(nil, big, UnsortedMaps)
	var got, want any
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	sorted, _ := json.Marshal(big)
	json.Unmarshal(sorted, &want)
	if err != nil || !reflect.DeepEqual(got, want) || len(text) != len(sorted) {
		t.Errorf("UnsortedMaps: %v, %d bytes for %d", err, len(text), len(sorted))
	}
}

func TestDecodeOptions(t *testing.T) {
	type named struct{ Name, NAME, Other string }
	type in struct {
		N named
		L []named
	}
	for _, c := range []struct {
		what string
		doc  string
		opts []Option
		v    any // a pointer to the variable
		want any
	}{
		{"case", `{"N":{"name":"a","Other":"b","other":"c"},"l":[{"nAME":"d"}]}`, nil, new(in), in{named{"a", "", "c"}, []named{{"d", "", ""}}}},
		{"case", `{"N":{"name":"a","Other":"b","other":"c","NAME":"e"},"l":[{"nAME":"d"}],"L":[{"NAME":"f"}]}`, []Option{CaseSensitive}, new(in), in{named{"", "e", "b"}, []named{{"", "f", ""}}}},
		{"duplicates are no fault of case", `{"Name":"a","Name":"b"}`, []Option{CaseSensitive}, new(named), named{Name: "b"}},
		{"integers", `[1,-0,9223372036854775807,9223372036854775808,1.0,1e2,"1",{"a":-5}]`, []Option{UseInt64}, new(any), []any{int64(1), int64(0), int64(math.MaxInt64), 9223372036854775808.0, 1.0, 100.0, "1", map[string]any{"a": int64(-5)}}},
		{"integers and numbers", `[1,1.5]`, []Option{UseInt64, UseNumber}, new(any), []any{json.Number("1"), json.Number("1.5")}},
		{"integers", `[1]`, []Option{UseInt64}, new([]any), []any{int64(1)}},
		{"numbers in strings", `{"I":"-1","U":"7","F":"1.5e1","F3":"2","Q":"3","N":"4.50","L":["5"],"M":{"m":"6"},"K":{"7":"8"},"A":["9",9],"X":["\u0031","2"],"AM":null}`, []Option{StringifyNumbers}, new(optionsOf),
			optionsOf{I: -1, U: ptr(uint8(7)), F: 15, F3: 2, Q: 3, N: "4.50", L: []int{5}, M: map[string]int{"m": 6}, K: map[int]float64{7: 8}, A: []any{"9", 9.0}, X: [2]int8{1, 2}}},
		{"null for numbers in strings", `{"I":null,"U":null,"Q":null}`, []Option{StringifyNumbers}, &optionsOf{I: 1, U: ptr(uint8(2)), Q: 3}, optionsOf{I: 1, Q: 3}},
		{"a number that is no string", `{"I":1}`, []Option{StringifyNumbers}, new(optionsOf), errors.New("cannot unmarshal number")},
		{"a string that is no number", `{"L":["1","x"]}`, []Option{StringifyNumbers}, new(optionsOf), errors.New("cannot unmarshal string into Go struct field")},
		{"a number with a space", `" 1"`, []Option{StringifyNumbers}, new(int), errors.New("cannot unmarshal string")},
		{"a number out of range", `"128"`, []Option{StringifyNumbers}, new(int8), errors.New("cannot unmarshal string into Go value of type int8")},
		{"a number in range", `"-128"`, []Option{StringifyNumbers}, new(int8), int8(-128)},
		{"a number out of range", `"-129"`, []Option{StringifyNumbers}, new(int8), errors.New("cannot unmarshal string")},
		{"a negative number", `"-1"`, []Option{StringifyNumbers}, new(uint), errors.New("cannot unmarshal string")},
		{"a large number", `"18446744073709551615"`, []Option{StringifyNumbers}, new(uint64), uint64(math.MaxUint64)},
		{"a large float", `"1e999"`, []Option{StringifyNumbers}, new(float64), errors.New("cannot unmarshal string")},
		{"an escaped number that does not fit", `["\u0031\u0031\u0031\u0031", "2"]`, []Option{StringifyNumbers}, new([]int8), errors.New("cannot unmarshal string")},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
			to := reflect.New(reflect.TypeOf(c.v).Elem())
			to.Elem().Set(reflect.ValueOf(c.v).Elem())
			err := Unmarshal(a, []byte(c.doc), to.Interface(), c.opts...)
			if want, ok := c.want.(error); ok {
				if err == nil || !strings.Contains(err.Error(), want.Error()) {
					t.Errorf("%s: %s: %v, want %v", c.what, c.doc, err, want)
				}
				continue
			}
			if got := to.Elem().Interface(); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: %s: %+v, %v, want %+v", c.what, c.doc, got, err, c.want)
			}
			again := reflect.New(to.Type().Elem())
			again.Elem().Set(reflect.ValueOf(c.v).Elem())
			if err := NewDecoder(a, strings.NewReader(c.doc), c.opts...).Decode(again.Interface()); err != nil || !reflect.DeepEqual(again.Elem().Interface(), c.want) {
				t.Errorf("%s: Decode: %v, %v", c.what, again.Elem(), err)
			}
		}
	}
}

func ptr[T any](v T) *T { return &v }

type celsius float64

func TestFunctionOptions(t *testing.T) {
	degrees := MarshalFunc(func(a *arena.Arena, c celsius) ([]byte, error) {
		if c < -273 {
			return nil, errors.New("too cold")
		}
		return fmt.Appendf(nil, ` "%g C" `, float64(c)), nil
	})
	errs := MarshalFunc(func(_ *arena.Arena, err error) ([]byte, error) { return json.Marshal(err.Error()) })
	never := MarshalFunc(func(*arena.Arena, celsius) ([]byte, error) { return []byte("0"), nil })
	broken := MarshalFunc(func(*arena.Arena, time.Duration) ([]byte, error) { return []byte("{"), nil })
	type weather struct {
		C celsius
		P *celsius
		L []celsius
		M map[string]celsius
		A any
		E error
		F float64
	}
	w := weather{1, ptr(celsius(2)), []celsius{3}, map[string]celsius{"x": 4}, celsius(5), errors.New("<bad>"), 6}
	for _, c := range []struct {
		v    any
		opts []Option
		want string
	}{
		{&w, []Option{degrees, errs, NoEscapeHTML}, `{"C":"1 C","P":"2 C","L":["3 C"],"M":{"x":"4 C"},"A":"5 C","E":"\u003cbad\u003e","F":6}`},
		{&w, []Option{errs, degrees, never}, `{"C":"1 C","P":"2 C","L":["3 C"],"M":{"x":"4 C"},"A":"5 C","E":"\u003cbad\u003e","F":6}`},
		{&w, []Option{never, degrees, errs, StringifyNumbers}, `{"C":0,"P":0,"L":[0],"M":{"x":0},"A":0,"E":"\u003cbad\u003e","F":"6"}`},
		{&weather{}, []Option{degrees, errs}, `{"C":"0 C","P":null,"L":null,"M":null,"A":null,"E":null,"F":0}`},
		{celsius(1), []Option{degrees}, `"1 C"`},
		{celsius(-300), []Option{degrees}, `error: too cold`},
		{time.Second, []Option{broken}, `error: unexpected end`},
		{&w, nil, `{"C":1,"P":2,"L":[3],"M":{"x":4},"A":5,"E":{},"F":6}`},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
			got, err := Marshal(a, c.v, c.opts...)
			if text, ok := strings.CutPrefix(c.want, "error: "); ok {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("%s, %v, want %s", got, err, text)
				}
			} else if err != nil || string(got) != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		}
	}

	parse := UnmarshalFunc(func(_ *arena.Arena, data []byte, c *celsius) error {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		_, err := fmt.Sscanf(s, "%g C", (*float64)(c))
		return err
	})
	anError := UnmarshalFunc(func(a *arena.Arena, data []byte, err *error) error {
		*err = errors.New(a.AllocString(string(data)))
		return nil
	})
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		var got weather
		doc := []byte(`{"C":"1 C","P":"2 C","L":["3 C"],"M":{"x":"4 C"},"E":{"x": 1},"F":6,"A":"5 C"}`)
		want := weather{1, ptr(celsius(2)), []celsius{3}, map[string]celsius{"x": 4}, "5 C", errors.New(`{"x": 1}`), 6}
		if err := Unmarshal(a, doc, &got, parse, anError); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
		if err := Unmarshal(a, []byte(`{"F":1,"C":5}`), &got, parse); err == nil || !strings.Contains(err.Error(), "celsius") {
			t.Errorf("an error of a function: %v", err)
		}
		called := false
		spy := UnmarshalFunc(func(*arena.Arena, []byte, *celsius) error { called = true; return nil })
		if err := Unmarshal(a, []byte(`{"C":5`), &got, spy); err == nil || called {
			t.Errorf("a broken document: %v, called %v", err, called)
		}
		if err := Unmarshal(a, []byte(`{"C":5}`), &got); err != nil || got.C != 5 {
			t.Errorf("without options: %v, %v", got.C, err)
		}
	}
}

// Calls without options, and with options that were used before, do not allocate.
func TestOptionsAllocateNothing(t *testing.T) {
	if check.On || check.Race {
		t.Skip("checked builds allocate")
	}
	degrees := MarshalFunc(func(a *arena.Arena, c celsius) ([]byte, error) {
		return arena.SliceOf[byte](a, '1'), nil
	})
	a := arena.NewArena(64<<10, 0)
	doc := []byte(`{"L":null}`)
	v := &struct {
		C celsius
		L []int
	}{}
	for _, opts := range [][]Option{nil, {NilSliceAsEmpty}, {degrees, StringifyNumbers}} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := Marshal(a, v, opts...); err != nil {
				t.Fatal(err)
			}
			if err := Unmarshal(a, doc, v, opts...); err != nil { //arenavet:ignore the next run overwrites v
				t.Fatal(err)
			}
			a.Reset()
		}); n != 0 {
			t.Errorf("%d options: %v allocations", len(opts), n)
		}
	}
}

func TestMarshalAppend(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		dst := append(make([]byte, 0, 4), "ab"...)
		got, err := MarshalAppend(a, dst, []string{"<", "long enough to grow"}, NoEscapeHTML)
		if err != nil || string(got) != `ab["<","long enough to grow"]` || string(dst) != "ab" {
			t.Errorf("MarshalAppend: %q, %v", got, err)
		}
		if got, err := MarshalAppend(a, dst, 7); err != nil || string(got) != "ab7" || &got[0] != &dst[0] {
			t.Errorf("MarshalAppend with room: %q, %v", got, err)
		}
		if got, err := MarshalAppend(a, dst, func() {}); err == nil || string(got) != "ab" {
			t.Errorf("MarshalAppend of a func: %q, %v", got, err)
		}
		if got, err := MarshalAppend(a, nil, nil); err != nil || string(got) != "null" {
			t.Errorf("MarshalAppend to nil: %q, %v", got, err)
		}
	}
	a := arena.NewArena(1024, 0)
	a.SetLimit(16 << 10)
	long := strings.Repeat("x", 9<<10)
	var over *arena.LimitError
	if got, err := MarshalAppend(a, []byte("ab"), &long); !errors.As(err, &over) || string(got) != "ab" {
		t.Errorf("MarshalAppend beyond a limit: %.20q, %v", got, err)
	}
}

func TestMarshalIndent(t *testing.T) {
	for _, v := range []any{1, []int{}, map[string]any{"a": []any{1, "<", nil}, "b": map[string]int{}}, func() {}} {
		for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
			got, err := MarshalIndent(a, v, "> ", "\t")
			want, wrong := json.MarshalIndent(v, "> ", "\t")
			if string(got) != string(want) || (err == nil) != (wrong == nil) {
				t.Errorf("MarshalIndent(%v) = %s, %v, want %s, %v", v, got, err, want, wrong)
			}
			if got, err := MarshalIndent(a, v, "", " ", LineEnd); err == nil && got[len(got)-1] != '\n' {
				t.Errorf("MarshalIndent(%v) with a line end = %q", v, got)
			}
		}
	}
}
