package arenajson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// expected returns encoding/json's encoding of v.
func expected(v any, html bool) (string, error) {
	if html {
		b, err := json.Marshal(v)
		return string(b), err
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// compareErrors fails the test if err differs from encoding/json's error.
func compareErrors(t *testing.T, v any, err, want error) {
	t.Helper()
	if onV2 && err != nil && want != nil {
		return // it has other errors
	}
	if (err == nil) != (want == nil) || reflect.TypeOf(err) != reflect.TypeOf(want) || err != nil && err.Error() != want.Error() {
		t.Errorf("%T: error %T %v, encoding/json has %T %v", v, err, err, want, want)
	}
	switch want := want.(type) {
	case *json.UnsupportedTypeError:
		if err := err.(*json.UnsupportedTypeError); err.Type != want.Type {
			t.Errorf("%T: error of type %v, not %v", v, err.Type, want.Type)
		}
	case *json.UnsupportedValueError:
		if err := err.(*json.UnsupportedValueError); err.Value.Type() != want.Value.Type() || err.Str != want.Str {
			t.Errorf("%T: error of value %v, not %v", v, err.Value.Type(), want.Value.Type())
		}
	case *json.MarshalerError:
		if err := err.(*json.MarshalerError); err.Type != want.Type || reflect.TypeOf(err.Err) != reflect.TypeOf(want.Err) {
			t.Errorf("%T: error of %v: %T, not %v: %T", v, err.Type, err.Err, want.Type, want.Err)
		}
	}
}

// normalized returns doc, or its decoded value if encoding/json is built on v2, which writes some texts
// differently.
func normalized(doc string) string {
	if onV2 {
		d := json.NewDecoder(strings.NewReader(doc))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			return strings.ReplaceAll(fmt.Sprintf("%#v", v), `\\ufffd`, "\ufffd") // in a string in a string
		}
	}
	return doc
}

// compareMarshal compares the encoding of v, in a and on the heap, with encoding/json's.
func compareMarshal(t *testing.T, a *arena.Arena, v any) {
	t.Helper()
	for _, html := range []bool{true, false} {
		var opts []Option
		if !html {
			opts = append(opts, NoEscapeHTML)
		}
		want, wantErr := expected(v, html)
		for _, a := range []*arena.Arena{a, nil} {
			got, err := Marshal(a, v, opts...)
			compareErrors(t, v, err, wantErr)
			if normalized(string(got)) != normalized(want) && wantErr == nil {
				t.Errorf("%T:\n%s\nencoding/json has\n%s", v, got, want)
			}
			if err != nil && got != nil {
				t.Errorf("%T: bytes with an error", v)
			}
			var b bytes.Buffer
			err = MarshalWrite(a, &b, v, opts...)
			compareErrors(t, v, err, wantErr)
			if normalized(b.String()) != normalized(want) && wantErr == nil {
				t.Fatalf("%T: MarshalWrite:\n%s\nencoding/json has\n%s", v, b.String(), want)
			}
		}
	}
}

// Values of random types are encoded as by encoding/json, passed with a pointer and without.
func TestMarshalIsEncodingJSONs(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 600
	}
	a := arena.NewArena(1<<12, 0)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		s := randomType(r, 3)
		if i%4 == 0 {
			s = reflect.TypeOf(zoo[i/4%len(zoo)])
		}
		p := reflect.New(s)
		fill(r, p.Elem(), 5, i%8 != 0)
		compareMarshal(t, a, p.Interface())
		compareMarshal(t, a, p.Elem().Interface())
		a.Reset()
	}
}

// Marshalers of all kinds.
type (
	byValue       struct{ S string }
	byPointer     struct{ S string }
	textByValue   struct{ S string }
	textByPointer struct{ S string }
	funcMarshaler func() (string, error)
	mapMarshaler  map[string]string
	intMarshaler  int
	textInt       int
	textString    string
	byteMarshaler byte
	named         struct{ P *int }
	namedPointer  *int
	word          struct{ P *int }
	textBytes     []byte
	sliceText     []string
)

func (v byValue) MarshalJSON() ([]byte, error) { return result(v.S) }
func (v *byPointer) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte(`"nil"`), nil
	}
	return result(v.S)
}
func (v textByValue) MarshalText() ([]byte, error)    { return result(v.S) }
func (v *textByPointer) MarshalText() ([]byte, error) { return result(v.S) }
func (v funcMarshaler) MarshalJSON() ([]byte, error)  { return []byte(`"func"`), nil }
func (v mapMarshaler) MarshalJSON() ([]byte, error)   { return fmt.Appendf(nil, "%d", len(v)), nil }
func (v intMarshaler) MarshalJSON() ([]byte, error)   { return fmt.Appendf(nil, " [ %d ] ", int(v)), nil }
func (v textInt) MarshalText() ([]byte, error)        { return fmt.Appendf(nil, "<%d>", int(v)), nil }
func (v textString) MarshalText() ([]byte, error)     { return []byte("text " + string(v)), nil }
func (v byteMarshaler) MarshalText() ([]byte, error)  { return []byte{'b', byte(v)}, nil }
func (v *word) MarshalJSON() ([]byte, error)          { return []byte(`"word"`), nil }
func (v textBytes) MarshalText() ([]byte, error)      { return v, nil }
func (v sliceText) MarshalText() ([]byte, error)      { return []byte(strings.Join(v, ",")), nil }

func result(s string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(s, "error "); ok {
		return nil, errors.New(rest)
	}
	return []byte(s), nil
}

type cycle struct {
	Next *cycle
	Any  any
	List []cycle
	Map  map[string]*cycle
}

func chain(n int) *cycle {
	var c *cycle
	for range n {
		c = &cycle{Next: c}
	}
	return c
}

// Cases that random types don't have: methods, errors, cycles and depths.
func TestMarshalOfTheRest(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	one := 1
	loop := &cycle{}
	loop.Next = loop
	loopAny := &cycle{}
	loopAny.Any = loopAny
	loopMap := map[string]any{}
	loopMap["x"] = loopMap
	loopSlice := make([]any, 1)
	loopSlice[0] = loopSlice
	loopPtr := new(any)
	*loopPtr = loopPtr
	loopList := make([]cycle, 1)
	loopList[0].List = loopList
	loopGeneric := map[string]*cycle{}
	loopGeneric["x"] = &cycle{Map: loopGeneric}
	deep := any(1)
	for range 3000 {
		deep = []any{deep}
	}
	deepMap := any(1)
	for range 3000 {
		deepMap = map[string]any{"k": deepMap}
	}
	shared := []int{1}
	nested := [][][][][][][][][][][][][][][][][][][][]int{{{{{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}}}}}
	type pair struct {
		A, B any
	}
	var nilValue *byValue
	var nilPointer *byPointer
	values := []any{
		nil, true, 1, "x", 1.5, &one, new(*int), struct{}{}, [0]int{}, []int(nil), []int{}, map[string]int(nil), map[string]int{},
		map[string]any(nil), map[string]string(nil), map[string]any{}, map[string]string{}, []byte(nil), []byte{}, []byte("some bytes"),
		map[string]string{"b": "1", "a": "<2>", "": "\xff", "aa": "é"}, map[string]any{"z": nil, "y": 1.5, "x": []any{1, "2", nil}},
		map[string][]string{"k": {"v", "w"}, "j": nil}, map[int]string{10: "a", 9: "b", -1: "c"}, map[uint8]any{200: 1, 3: 2},
		map[textInt]int{1: 2, 10: 3, 2: 4}, map[textString]int{"a": 1}, map[*textInt]int{nil: 3},
		map[[1]int]int{{1}: 2},
		make(chan int), func() {}, complex(1, 2), (chan int)(nil), (func())(nil), struct{ C chan int }{}, struct {
			C chan int `json:",omitempty"`
			D func()   `json:"-"`
			E *chan int
		}{}, []any{1, make(chan int)}, map[string]any{"f": func() {}}, map[string]chan int{}, []complex64{}, struct{ P uintptr }{3},
		math.NaN(), math.Inf(1), math.Inf(-1), float32(math.Inf(1)), []float64{1, math.NaN()}, map[string]float64{"x": math.Inf(-1)}, struct{ F float32 }{float32(math.NaN())},
		&struct {
			F float64 `json:",string"`
		}{math.NaN()},
		math.Copysign(0, -1), float32(math.Copysign(0, -1)), 1e-7, 1e21, 1e20, 123456789e-15, float32(1e-7), float32(1e21), 1e-10, 1e100, 5e-324, math.MaxFloat64, float32(math.MaxFloat32), math.SmallestNonzeroFloat32,
		json.Number(""), json.Number("1e5"), json.Number("bad"), json.Number("-"), json.Number("01"), json.Number("1."), json.Number("1e"), json.Number(".5"), json.Number("1e+"), json.Number("-0.0E-0"), json.Number("1 "), []json.Number{"1", "x"},
		map[string]json.Number{"n": "12"}, map[json.Number]int{"b": 1, "a": 2},
		json.RawMessage(nil), json.RawMessage(""), json.RawMessage(" {\"a\" : [ 1 , 2 ] }"), json.RawMessage("{"), json.RawMessage("\"<\u2028&\""), json.RawMessage("<"), json.RawMessage("1 2"), json.RawMessage(`"plain"`), json.RawMessage(`"12345678"`), json.RawMessage("\"a\nb\""), json.RawMessage(`"`), json.RawMessage("\"\xff\""), []json.RawMessage{nil, json.RawMessage("1")}, new(json.RawMessage),
		byValue{`"v"`}, &byValue{` [ 1 ]`}, byPointer{"1"}, &byPointer{"2"}, []byValue{{"1"}, {"2"}}, []byPointer{{"1"}, {"2"}}, map[string]byValue{"a": {"1"}}, map[string]byPointer{"a": {"1"}}, map[string]*byPointer{"a": {"1"}, "b": nil}, [1]byPointer{{"3"}}, &[1]byPointer{{"3"}},
		nilValue, nilPointer, struct {
			V *byValue
			P *byPointer
			I json.Marshaler
		}{}, struct{ I json.Marshaler }{byValue{"true"}}, struct{ I json.Marshaler }{nilPointer}, struct{ I fmt.Stringer }{}, struct{ I fmt.Stringer }{time.Second},
		byValue{"error it"}, &byPointer{"error <it>"}, byValue{"{"}, byValue{""}, byValue{"nul"}, []any{byValue{`"a"`}, byValue{"]"}},
		textByValue{"<text>"}, &textByValue{"error text"}, textByPointer{"tp"}, &textByPointer{"tp\xff"}, struct{ T textByPointer }{}, &struct{ T textByPointer }{textByPointer{"in"}}, struct{ I encoding.TextMarshaler }{textByValue{"i"}}, struct{ I encoding.TextMarshaler }{}, map[textByValue]int{{"k"}: 1}, map[textByValue]int{{"error k"}: 1},
		funcMarshaler(nil), mapMarshaler(nil), mapMarshaler{"a": "b"}, intMarshaler(3), []intMarshaler{1, 2}, textInt(4), textString("s"), []byteMarshaler{'a', 'b'}, named{&one}, namedPointer(&one), word{&one}, &word{&one}, textBytes(nil), textBytes("<x>"), sliceText{"a", "b"}, []word{{}, {&one}}, map[string]word{"w": {&one}}, map[string]named{"n": {&one}}, [1]*int{&one}, [1]map[string]int{{"a": 1}}, struct{ M map[string]any }{map[string]any{"q": 1}},
		struct {
			S intMarshaler `json:",string"`
			T textInt      `json:",string"`
			U textString   `json:",string"`
			P *string      `json:",string"`
			Q *json.Number `json:",string"`
			B []bool       `json:",string"`
		}{},
		time.Time{}, time.Unix(0, 123).UTC(), &time.Time{}, time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(99999, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600)), time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("x", 24*3600)), time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("x", -23*3600-59*60)), time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("x", 100*3600)), []time.Time{{}}, map[time.Time]int{{}: 1}, struct{ time.Time }{},
		loop, loopAny, loopMap, loopSlice, loopList, loopGeneric, chain(3000), deep, deepMap, nested,
		[][]int{shared, shared}, pair{shared, pair{&shared, &shared}},
		strings.Repeat("x", 5000) + "\"", strings.Repeat("\x01", 3000), strings.Repeat("é\xff", 2000), []string{strings.Repeat("日本語", 1000)},
		errors.New("x"), reflect.ValueOf(1), bytes.NewBuffer(nil), struct{ error }{}, struct{ fmt.Stringer }{},
	}
	if !onV2 {
		values = append(values, map[float64]int{1: 2}, map[bool]int{}, map[any]int{1: 1}, map[float64]int(nil), loopPtr)
	}
	for _, v := range values {
		compareMarshal(t, a, v)
		if v != nil {
			p := reflect.New(reflect.TypeOf(v))
			p.Elem().Set(reflect.ValueOf(v))
			compareMarshal(t, a, p.Interface())
			compareMarshal(t, a, []any{v, p.Interface()})
			compareMarshal(t, a, map[string]any{"v": v})
		}
		a.Reset()
	}
}

// An arena.Map is encoded like a builtin map of the same entries.
func TestMarshalOfArenaMaps(t *testing.T) {
	a := arena.NewArena(1<<12, 0)
	r := rand.New(rand.NewPCG(5, 6))
	type holder struct {
		S *arena.Map[string, int]                      `json:"s"`
		I *arena.Map[int16, []string]                  `json:"i"`
		T *arena.Map[textKey, *leaf]                   `json:"t"`
		A *arena.Map[string, any]                      `json:"a"`
		M *arena.Map[string, *arena.Map[uint64, bool]] `json:"m"`
		O *arena.Map[string, int]                      `json:"o,omitempty"`
	}
	type builtin struct {
		S map[string]int             `json:"s"`
		I map[int16][]string         `json:"i"`
		T map[textKey]*leaf          `json:"t"`
		A map[string]any             `json:"a"`
		M map[string]map[uint64]bool `json:"m"`
		O map[string]int             `json:"o,omitempty"`
	}
	for _, n := range []int{0, 1, 7, 8, 9, 100} {
		h := holder{arena.NewMap[string, int](a, 0), arena.NewMap[int16, []string](a, 0), arena.NewMap[textKey, *leaf](a, 0),
			arena.NewMap[string, any](a, 0), arena.NewMap[string, *arena.Map[uint64, bool]](a, 0), nil}
		b := builtin{map[string]int{}, map[int16][]string{}, map[textKey]*leaf{}, map[string]any{}, map[string]map[uint64]bool{}, nil}
		for i := range n {
			s := randomText(r) + strconv.Itoa(i)
			h.S.Set(s, i)
			b.S[s] = i
			h.I.Set(int16(i-50), []string{s})
			b.I[int16(i-50)] = []string{s}
			l := &leaf{A: i, B: s}
			h.T.Set(textKey{int8(i)}, l)
			b.T[textKey{int8(i)}] = l
			h.A.Set(s, 1.5)
			b.A[s] = 1.5
			inner := arena.NewMap[uint64, bool](a, 3)
			inner.Set(uint64(i), true)
			h.M.Set(s, inner)
			b.M[s] = map[uint64]bool{uint64(i): true}
			if i%3 == 0 {
				h.S.Delete(s)
				delete(b.S, s)
			}
		}
		want, err := json.Marshal(&b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Marshal(a, &h)
		if err != nil || normalized(string(got)) != normalized(string(want)) {
			t.Fatalf("%d entries: %v\n%s\na builtin map is\n%s", n, err, got, want)
		}
	}
	if got, err := Marshal(a, arena.NewMap[[1]int, int](a, 0)); err == nil {
		t.Errorf("a map whose keys have no names is %s", got)
	}
	if got, err := Marshal(a, new(holder)); err != nil || string(got) != `{"s":null,"i":null,"t":null,"a":null,"m":null}` {
		t.Errorf("nil maps: %s, %v", got, err)
	}
}
