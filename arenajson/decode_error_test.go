package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

type badText struct{ s string }

func (b *badText) UnmarshalText(text []byte) error {
	if b.s = string(text); b.s == "bad" {
		return errors.New("bad text")
	}
	return nil
}

// badJSON has an UnmarshalJSON that fails after decoding a part with encoding/json.
type badJSON struct{ n int }

func (b *badJSON) UnmarshalJSON([]byte) error {
	return &json.UnmarshalTypeError{Value: "what", Type: reflect.TypeFor[badJSON](), Offset: 3, Field: "In"}
}

type bothKeys struct{ s string }

func (b *bothKeys) UnmarshalJSON(text []byte) error { b.s = "json " + string(text); return nil }
func (b *bothKeys) UnmarshalText(text []byte) error { b.s = "text " + string(text); return nil }

type pointerByName *badText

type errorsIn struct {
	B int
	S []int8
}

type ErrorsDeep struct {
	E   int
	In2 errorsIn
}

type hiddenDeep struct{ Hidden int }

type errorsOf struct {
	A    int
	In   errorsIn
	M    map[string]int8
	MI   map[int8]string
	MU   map[uint8][]int8
	L    []errorsIn
	P    *int8
	PP   **int8
	F    float32
	F8   float64
	Q    int         `json:",string"`
	QB   bool        `json:",string"`
	QS   string      `json:",string"`
	QF   *float64    `json:",string"`
	QN   json.Number `json:",string"`
	QT   lengthInt   `json:",string"`
	QPT  *lengthInt  `json:",string"`
	QJ   jsonInt     `json:",string"`
	Any  any
	List []any
	Anys map[string]any
	Str  map[string]string
	*ErrorsDeep
	*hiddenDeep
	N      json.Number
	By     []byte
	Arr    [2]int
	I      fmt.Stringer
	T      []badText
	PT     *badText
	PPT    **badText
	J      badJSON
	Time   []time.Time
	Keys   map[badText]int
	Both   map[bothKeys]int
	Chan   chan int
	Floats map[float64]int
	Named  pointerByName
	Embed  struct{ badText }
	PEmbed *struct{ badText }
	Any2   any `json:"any2"`
}

type lengthInt int

func (t *lengthInt) UnmarshalText(b []byte) error { *t = lengthInt(len(b)); return nil }

type jsonInt int

func (t *jsonInt) UnmarshalJSON(b []byte) error { *t = jsonInt(len(b)); return nil }

var errorDocs = []string{
	`{"A":"x"}`, `{"A":"x","In":{"B":7}}`, ` {"A" : 1.5 , "In":{"S":[1]}}`, `{"In":{"B":"x"},"A":5}`, `{"In":{"S":[1,300,2]}}`, `{"in":{"s":[1,-300,2]}}`,
	`{"In":{"B":[1,{"x":"}]"}],"S":[1,2]}}`, `{"nobody":{"A":[1]},"A":{}}`, `{"A":99999999999999999999}`, `{"A":-9223372036854775809}`, `{"A":-9223372036854775808}`,
	`{"M":{"k":"v"}}`, `{"M":{"a":1,"k":300,"b":true}}`, `{"M":5}`, `{"M":[1]}`, `{"MI":{"300":"x"}}`, `{"MI":{"1":"x","x":"y"}}`, `{"MI":{"x":5}}`, `{"MI":{"01":"x","+2":"y"}}`,
	`{"MU":{"-1":[1]}}`, `{"MU":{"1":[1,"x",3]}}`, `{"MU":{"\u0031":[1,"\u0022",300]}}`,
	`{"L":[{"B":1},{"B":true}]}`, `{"L":[{"S":[1]},{"B":1,"S":["a","b"]},{"S":[5]}]}`, `{"L":{}}`, `{"L":[5,[],"",null,{}]}`,
	`{"P":{}}`, `{"P":[]}`, `{"P":1000}`, `{"PP":"x"}`, `{"PP":null}`, `{"F":1e40}`, `{"F":"x"}`, `{"F8":1e400}`, `{"F8":-1e400,"A":7}`, `{"F8":true}`,
	`{"Q":5}`, `{"Q":"x"}`, `{"Q":"1x"}`, `{"Q":"1.5"}`, `{"Q":""}`, `{"Q":[1]}`, `{"Q":1e999}`, `{"Q":"007"}`, `{"Q":"-0"}`, `{"Q":"null"}`, `{"Q":"nul"}`, `{"Q":"true"}`, `{"Q":"\"1\""}`, `{"Q":" 1"}`, `{"Q":null}`,
	`{"QB":"t"}`, `{"QB":"1"}`, `{"QB":"true"}`, `{"QB":true}`, `{"QB":"null"}`, `{"QB":"\"true\""}`,
	`{"QS":"x"}`, `{"QS":"\"x\""}`, `{"QS":"\"\\'\\n\\u00e9\""}`, `{"QS":"\"x"}`, `{"QS":"5"}`, `{"QS":"null"}`, `{"QS":"\"a\nb\""}`, `{"QS":"\"\u007f\u0080\""}`,
	`{"QF":"1e999"}`, `{"QF":"0x1p3"}`, `{"QF":"-inf"}`, `{"QF":"n"}`, `{"QF":"null"}`, `{"QF":"2.5"}`, `{"QF":""}`,
	`{"QN":"5x"}`, `{"QN":"x"}`, `{"QN":"\"5\""}`, `{"QN":"\"x\""}`, `{"QN":5}`, `{"QT":"5"}`, `{"QT":"\"5\""}`, `{"QT":"\"5"}`, `{"QT":"nul"}`, `{"QT":null}`, `{"QT":5}`, `{"QPT":"\"5\""}`, `{"QPT":"x"}`, `{"QPT":"null"}`, `{"QJ":"x"}`, `{"QJ":null}`, `{"QJ":"null"}`,
	`{"Any":1e400}`, `{"Any":[1,1e400,2]}`, `{"Any":{"a":1e400,"b":2}}`, `{"List":[1,-1e400,"x"]}`, `{"Anys":{"a":1e400,"b":[1e400]}}`, `{"Anys":[]}`, `{"Str":{"a":5,"b":"x","c":null}}`, `{"Str":{"a":{}}}`,
	`{"E":"x"}`, `{"In2":{"B":"x"}}`, `{"Hidden":1,"A":5}`, `{"Hidden":{"x":[1]},"A":"x"}`,
	`{"N":"x"}`, `{"A":"x","N":"x","F":5}`, `{"N":true}`, `{"N":"- 1"}`, `{"N":{}}`, `{"By":"!","A":1}`, `{"By":"YQ==x"}`, `{"By":5}`, `{"By":{}}`, `{"By":[1,300]}`, `{"By":"Y\nQ=="}`,
	`{"Arr":[1,"2",3]}`, `{"Arr":["x"]}`, `{"I":5}`, `{"I":1e400}`, `{"I":null}`, `{"I":{}}`, `{"I":"x"}`, `{"I":true}`,
	`{"T":["bad"]}`, `{"T":["a","b","bad","c"],"A":1}`, `{"T":[5]}`, `{"T":["a",{}]}`, `{"T":[null,true,[]]}`, `{"PT":5}`, `{"PPT":[]}`, `{"PPT":{}}`, `{"PT":null}`, `{"PT":"bad"}`,
	`{"J":1}`, `{"A":"x","J":{"a":1},"F":5}`, `{"Time":["2020-01-02T03:04:05Z","x"]}`, `{"Time":["x"],"A":1`, `{"Time":[5]}`, `{"Keys":{"a":1,"bad":2,"c":3}}`, `{"Keys":{"a":"x"}}`, `{"Both":{"a\u0062":1}}`,
	`{"Chan":5}`, `{"Chan":null}`, `{"Chan":{}}`, `{"Chan":1e400}`, `{"Floats":{"1":2}}`, `{"Floats":null}`, `{"Named":"x"}`, `{"Named":{"s":5}}`, `{"Embed":"x"}`, `{"PEmbed":"x"}`, `{"PEmbed":5}`,
	`[]`, `5`, `"x"`, `true`, `null`, `{"A":"x"`, `{"A":"x"}}`, `{"A":"x","F":01}`, `{"A":tru}`, `{"A":"x","B`, "{\"A\":\"\xff\"}", `{"any2":"x","A":{}}`,
}

// Values that do not fit have the errors and effects of encoding/json: at each place in which a value can be,
// alone and after others.
func TestTypeErrorsAsV1(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, doc := range errorDocs {
		if onV2 && (strings.HasPrefix(doc, `{"Q`) || strings.HasPrefix(doc, `{"Floats`)) {
			continue // a documented difference
		}
		if onExperiment && strings.HasPrefix(doc, `{"Chan`) {
			continue // taken for the end of the document
		}
		for _, opts := range [][]Option{nil, {UseNumber}, {DisallowUnknownFields}} {
			readsAs(t, a, doc, func() any { return new(errorsOf) }, opts...)
			readsAs(t, a, `{"A":1,"L":[`+doc+`]}`, func() any { return new(map[string]any) }, opts...)
			readsAs(t, a, `{"x":[0,`+doc+`]}`, func() any { return new(map[string][]errorsOf) }, opts...)
			readsAs(t, a, doc, func() any { return filledErrors() }, opts...)
			readsAs(t, a, doc, func() any { return anyOf(new(errorsOf)) }, opts...)
		}
		readsAs(t, a, doc, func() any { return new(badText) })
		readsAs(t, a, doc, func() any { return new(fmt.Stringer) })
		if !onExperiment {
			readsAs(t, a, doc, func() any { return new(chan int) })
		}
		a.Reset()
	}
	for _, doc := range []string{`5`, `"s"`, `null`, `{}`, `1e999`, `[1]`} {
		readsAs(t, a, doc, func() any { return anyOf(new(int)) })
		readsAs(t, a, doc, func() any { return anyOf(anyOf(new(*int))) })
		readsAs(t, a, doc, func() any { return anyOf((*int)(nil)) })
		readsAs(t, a, doc, func() any { return anyOf(new(badText)) })
		readsAs(t, a, doc, func() any { return &struct{ badText }{} })
		readsAs(t, a, `{"Any":`+doc+`}`, func() any { return &errorsOf{Any: &errorsIn{B: 7}} })
		readsAs(t, a, `{"Any":{"S":[1,`+doc+`]}}`, func() any { return &errorsOf{Any: &errorsIn{B: 7}} })
	}
	for _, v := range []any{nil, 5, (*int)(nil), errorsOf{}} {
		if !onV2 { // v2 checks v first
			readsAs(t, a, `{`, func() any { return v })
		}
		var wrong *json.InvalidUnmarshalError
		if err := Unmarshal(a, []byte(`{}`), v); !errors.As(err, &wrong) || wrong.Type != reflect.TypeOf(v) {
			t.Errorf("into %T: %v", v, err)
		}
	}
	var self any
	self = &self
	if err := Unmarshal(a, []byte(`5`), self); err != nil || self != 5.0 {
		t.Errorf("an interface that holds its own address: %v, %v", self, err)
	}
}

func anyOf(v any) *any { return &v }

// filledErrors has values to decode into, and slices with elements that an error leaves.
func filledErrors() *errorsOf {
	n := int8(3)
	p := &n
	return &errorsOf{A: 9, In: errorsIn{1, []int8{4, 5, 6, 7}}, M: map[string]int8{"k": 1}, L: make([]errorsIn, 3, 8), P: p, PP: &p,
		T: []badText{{"1"}, {"2"}, {"3"}, {"4"}}, Any: &errorsIn{B: 4}, Any2: new(int), List: []any{1, new(int), 3}, Time: make([]time.Time, 3),
		PT: &badText{"x"}, I: time.Second, ErrorsDeep: &ErrorsDeep{E: 5}, Anys: map[string]any{"a": 1}, Arr: [2]int{5, 6}, By: []byte("abc")}
}

// readsAs decodes doc into two values that make returns, by this package and by encoding/json.
func readsAs(t *testing.T, a *arena.Arena, doc string, make func() any, opts ...Option) {
	t.Helper()
	want, got := make(), make()
	wantErr, panicked := caught(func() error { return json.Unmarshal([]byte(doc), want) })
	if panicked != nil {
		return // Go 1.26 on v2 panics for documents that end in a name
	}
	if len(opts) > 0 {
		if !json.Valid([]byte(doc)) {
			return // encoding/json's Decoder has other errors
		}
		want = make()
		dec := json.NewDecoder(strings.NewReader(doc))
		if opts[0] == UseNumber {
			dec.UseNumber()
		} else {
			dec.DisallowUnknownFields()
		}
		wantErr = dec.Decode(want)
	}
	gotErr := Unmarshal(a, []byte(doc), got, opts...)
	if !sameError(wantErr, gotErr) {
		t.Errorf("%s into %T, %v:\n%#v\nencoding/json says\n%#v", doc, got, opts, gotErr, wantErr)
	}
	if _, ok := wantErr.(*json.SyntaxError); onV2 && wantErr != nil && !ok {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s into %T, %v: %s", doc, got, wantErr, difference("", reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()))
	}
}

// On every Go, errors are the same as with Go 1.26.
func TestTypeErrorsOnEveryGo(t *testing.T) {
	for doc, want := range map[string]string{
		`{"L":[{"B":1},{"B":true}]}`: "json: cannot unmarshal bool into Go struct field errorsIn.L.B of type int, 23",
		`{"MI":{"300":"x"}}`:         "json: cannot unmarshal number 300 into Go struct field errorsOf.MI of type int8, 8",
		`{"In2":{"B":"x"}}`:          "json: cannot unmarshal string into Go struct field errorsIn.ErrorsDeep.In2.B of type int, 15",
		`{"Any":[1,1e400]}`:          "json: cannot unmarshal number 1e400 into Go struct field errorsOf.Any of type float64, 16",
		`{"PPT":[]}`:                 "json: cannot unmarshal array into Go struct field errorsOf.PPT of type **arenajson.badText, 8",
		`{"J":1}`:                    "json: cannot unmarshal what into Go struct field errorsOf.J.In of type arenajson.badJSON, 3",
	} {
		var wrong *json.UnmarshalTypeError
		if err := Unmarshal(nil, []byte(doc), new(errorsOf)); !errors.As(err, &wrong) || fmt.Sprintf("%v, %d", err, wrong.Offset) != want {
			t.Errorf("%s: %v, %+v; want %s", doc, err, wrong, want)
		}
	}
}

// Errors in arena maps are the same as in builtin maps.
func TestTypeErrorsInArenaMaps(t *testing.T) {
	type in = errorsIn
	type built struct {
		A int
		M map[string]in
		I map[int8]int8
		T map[badText]int
		D map[string]map[int]*in
	}
	type ours struct {
		A int
		M *arena.Map[string, in]
		I *arena.Map[int8, int8]
		T *arena.Map[badText, int]
		D *arena.Map[string, *arena.Map[int, *in]]
	}
	if onV2 {
		t.Skip("encoding/json has other errors")
	}
	a := arena.NewArena(4096, 0)
	for _, doc := range []string{
		`{"M":{"a":{"B":[1,300,4]}},"A":1}`, `{"M":{"a":5,"b":{"B":[7]}}}`, `{"M":[],"A":2}`, `{"M":"x"}`, `{"M":true,"I":{"1":"x"}}`,
		`{"I":{"300":1,"4":5},"A":3}`, `{"I":{"x":"y"}}`, `{"I":{"1":1000,"x":2}}`, `{"T":{"a":"x"}}`, `{"T":{"a":1,"bad":2}}`, `{"D":{"a":{"1":{"B":{}}}}}`, `{"D":{"a":{"x":{"B":[2]}}}}`,
	} {
		var x built
		var y ours
		wantErr, gotErr := json.Unmarshal([]byte(doc), &x), Unmarshal(a, []byte(doc), &y)
		want := strings.NewReplacer("built", "ours", "map[string]arenajson.errorsIn", "*arena.Map[string,github.com/ebbpool/arena/arenajson.errorsIn]").Replace(fmt.Sprintf("%+v", wantErr))
		var of, wrong *json.UnmarshalTypeError
		if fmt.Sprint(gotErr) != want || errors.As(wantErr, &of) && (!errors.As(gotErr, &wrong) || of.Offset != wrong.Offset) {
			t.Errorf("%s: %+v, want %v", doc, gotErr, want)
		}
		if x.A != y.A || x.M == nil != (y.M == nil) || y.M != nil && y.M.Len() != len(x.M) || x.I == nil != (y.I == nil) || y.I != nil && y.I.Len() != len(x.I) {
			t.Errorf("%s: %+v, want %+v", doc, y, x)
		}
		for k, v := range x.M {
			if got, ok := y.M.Get(k); !ok || !reflect.DeepEqual(got, v) {
				t.Errorf("%s: %s is %v, want %v", doc, k, got, v)
			}
		}
	}
}

// After an error, the document is read again in the arena, within its limit. Reading it again on the heap
// would let a client take any amount of memory.
func TestTypeErrorsStayInTheArena(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	doc := []byte(`[true` + strings.Repeat(`,{"B":1,"S":[1,2,3]},{"B":"x"}`, 20_000) + `]`)
	a := arena.NewArena(1<<20, 64<<20)
	var x []errorsIn
	for range 2 { // the second time the arena has its memory
		x = nil
		a.Reset()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Unmarshal(a, doc, &x)
		runtime.ReadMemStats(&after)
		var wrong *json.UnmarshalTypeError
		if !errors.As(err, &wrong) || wrong.Offset != 5 || len(x) != 40_001 {
			t.Fatal(len(x), err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; a.Stats().Resets > 1 && n > 16<<10 {
			t.Errorf("%d bytes of the heap", n)
		}
	}
	a.Release()
	a.SetLimit(256 << 10)
	x = nil
	var over *arena.LimitError
	if err := Unmarshal(a, doc, &x); !errors.As(err, &over) || x != nil {
		t.Error(err)
	}
}

// After an error, Strict continues with the next member, and the members before it keep their values.
func TestStrictWithTypeErrors(t *testing.T) {
	type T struct {
		A int
		B string
		M map[int]int
		K map[badText]int
		N *arena.Map[int, int]
	}
	for doc, want := range map[string]string{
		`{"A":"x","b":"folded","B":"b"}`: "cannot unmarshal string",
		`{"A":"x","B":"b","B":"c"}`:      "duplicate name",
		`{"A":{"x":1,"x":2},"B":"c"}`:    "duplicate name",
		`{"M":{"1":1,"1":2}}`:            "duplicate name",
		`{"M":{"0":1,"-0":2}}`:           "duplicate name",
		`{"N":{"0":1,"-0":2}}`:           "duplicate name",
		`{"K":{"a":1,"\u0061":2}}`:       "duplicate name",
		`{"M":{"1":1,"01":2},"B":"b"}`:   "cannot unmarshal number 01",
		`{"N":{"+1":1},"B":"b"}`:         "cannot unmarshal number +1",
	} {
		var x T
		err := Unmarshal(nil, []byte(doc), &x, Strict)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", doc, err)
		}
		if second := want == "duplicate name"; second != reflect.DeepEqual(x, T{}) || !second && x.B != "b" {
			t.Errorf("%s: %+v is left", doc, x)
		}
	}
}
