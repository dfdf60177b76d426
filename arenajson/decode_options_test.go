package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

func asError[E error](err error, as *E) bool { return errors.As(err, as) }

func TestStrict(t *testing.T) {
	a := arena.NewArena(4096, 0)
	type T struct {
		Name string `json:"name"`
		More any
		Map  map[string]int
		Text map[string]string
		In   *arena.Map[string, int]
	}
	for doc, what := range map[string]string{
		`{"name":"a","name":"b"}`:               "duplicate name",
		`{"More":{"x":1,"x":2}}`:                "duplicate name",
		`{"Map":{"x":1,"x":2}}`:                 "duplicate name",
		`{"Text":{"x":"","x":""}}`:              "duplicate name",
		`{"In":{"x":1,"x":2}}`:                  "duplicate name",
		`{"unknown":{"x":1,"x":2}}`:             "duplicate name",
		"{\"name\":\"\xff\"}":                   "invalid UTF-8",
		"{\"unknown\":\"\xff\"}":                "invalid UTF-8",
		"{\"More\":\"\xff\"}":                   "invalid UTF-8",
		`{"name":"\ud800"}`:                     "unpaired surrogate",
		`{"name":"\ud800\u0061"}`:               "unpaired surrogate",
		`{"unknown":"\udc00"}`:                  "unpaired surrogate",
		`{"name":"a","NAME":"b"}`:               "",
		`{"name":"a","More":[{"x":1},{"x":2}]}`: "",
	} {
		var x T
		err := Unmarshal(a, []byte(doc), &x, Strict)
		var refused *StrictError
		if what == "" {
			if err != nil || x.Name != "a" {
				t.Errorf("%s: %+v, %v", doc, x, err)
			}
		} else if !asError(err, &refused) || !strings.Contains(refused.What, what) || refused.Offset == 0 || !reflect.ValueOf(x).IsZero() {
			t.Errorf("%s: %+v, %v", doc, x, err)
		}
		if err := Unmarshal(a, []byte(doc), &x); err != nil {
			t.Errorf("%s, not strict: %v", doc, err)
		}
	}
	// With Strict, names in another case are unknown, which DisallowUnknownFields reports.
	if err := Unmarshal(a, []byte(`{"NAME":"b"}`), new(T), Strict, DisallowUnknownFields); err == nil {
		t.Error("a name in another case passes")
	}
}

func TestOptionsAsV1(t *testing.T) {
	a := arena.NewArena(4096, 0)
	type T struct {
		A int
		X any
		L []any
	}
	for _, doc := range []string{`{"A":1}`, `{"A":1,"b":2}`, `{"X":12.50,"L":[1e5,{"x":-0}]}`, `{"b":{}`, `{"A":"x","b":1}`, `[]`} {
		for _, o := range []Option{DisallowUnknownFields, UseNumber} {
			var want, got T
			dec := json.NewDecoder(strings.NewReader(doc))
			if o == UseNumber {
				dec.UseNumber()
			} else {
				dec.DisallowUnknownFields()
			}
			wantErr, gotErr := dec.Decode(&want), Unmarshal(a, []byte(doc), &got, o)
			if json.Valid([]byte(doc)) && (!sameError(wantErr, gotErr) || !reflect.DeepEqual(got, want)) {
				t.Errorf("%s: %#v, %v; encoding/json has %#v, %v", doc, got, gotErr, want, wantErr)
			}
			if !json.Valid([]byte(doc)) && gotErr == nil {
				t.Errorf("%s: no error", doc)
			}
		}
	}
}

// A document that exceeds the arena's limit is an error, and a zero value stays zero.
func TestUnmarshalLimit(t *testing.T) {
	a := arena.NewArena(4096, 0)
	a.SetLimit(256 << 10)
	docs := map[string]string{
		"long":    `["` + strings.Repeat("x", 1<<20) + `"]`,
		"objects": `[` + strings.Repeat(`{},`, 100_000) + `{}]`,
		"arrays":  `[` + strings.Repeat(`[0],`, 100_000) + `[]]`,
	}
	for name, doc := range docs {
		for _, v := range []any{new(any), new([]any), new([]struct{ A, B *int }), new([][]int)} {
			err := Unmarshal(a, []byte(doc), v)
			var over *arena.LimitError
			if !asError(err, &over) {
				t.Errorf("%s into %T: %v", name, v, err)
			}
			if !reflect.ValueOf(v).Elem().IsZero() {
				t.Errorf("%s into %T: %.100v is left", name, v, v)
			}
			a.Reset()
		}
	}
	var x leaf
	if err := Unmarshal(a, []byte(`{"a":1}`), &x); err != nil || x.A != 1 {
		t.Errorf("after it: %v, %v", x, err)
	}
}

func TestArenaMapMembers(t *testing.T) {
	type entry struct {
		N    int
		Tags []string
	}
	type T struct {
		Words *arena.Map[string, int]  `json:"words"`
		Sizes *arena.Map[int8, *entry] `json:"sizes"`
		Deep  *arena.Map[uint, struct{ In *arena.Map[string, string] }]
	}
	for _, a := range []*arena.Arena{arena.NewArena(4096, 0), nil} {
		var x T
		doc := `{"words":{"one":1,"two":2,"one":11},"sizes":{"-5":{"N":5,"Tags":["a","b"]},"7":null},"Deep":{"1":{"In":{"k":"v"}}}}`
		if err := Unmarshal(a, []byte(doc), &x); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(x.Words.Len(), *x.Words.Ptr("one"), *x.Words.Ptr("two"), x.Sizes.Len(), **x.Sizes.Ptr(-5), *x.Sizes.Ptr(7), *x.Deep.Ptr(1).In.Ptr("k"))
		if want := "2 11 2 2 {5 [a b]} <nil>v"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		// An existing map is decoded into, and null sets it to nil.
		if err := Unmarshal(a, []byte(`{"words":{"three":3},"sizes":null}`), &x); err != nil || x.Words.Len() != 3 || x.Sizes != nil {
			t.Errorf("%v: %d words, sizes %v", err, x.Words.Len(), x.Sizes)
		}
		var wrong *json.UnmarshalTypeError
		for _, doc := range []string{`{"sizes":{"300":null}}`, `{"words":{"a":"b"}}`, `{"words":5}`} {
			if err := Unmarshal(a, []byte(doc), new(T)); !asError(err, &wrong) || wrong.Offset == 0 || wrong.Type == nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
		var syntax *json.SyntaxError
		if err := Unmarshal(a, []byte(`{"words":{"a":1}`), &x); !asError(err, &syntax) {
			t.Error(err)
		}
	}
}

// Decoding does not allocate from the heap in steady state.
func TestUnmarshalAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	a := arena.NewArena(64<<10, 0)
	doc := []byte(`{"X":1,"z":[1,2,3],"QS":"\"text\"","Y":2.5,"q":"17","qp":"200"}`)
	var x Exported
	n := testing.AllocsPerRun(100, func() {
		if err := Unmarshal(a, doc, &x); err != nil {
			t.Fatal(err)
		}
		x = Exported{}
		a.Reset()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Strict compares decoded names, at every place: escapes do not hide a duplicate, and neither do members
// without a field.
func TestStrictNames(t *testing.T) {
	for _, doc := range []string{
		`{"u":1,"u":2}`, `{"u":1,"\u0075":2}`, `{"u":{"x":1,"\u0078":2}}`, `{"A":1,"\u0041":2}`,
	} {
		var refused *StrictError
		if err := Unmarshal(nil, []byte(doc), new(struct{ A int }), Strict); !asError(err, &refused) {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// Maps with keys that have methods, including arena maps, have their values in the arena. Invalid keys are an
// error and are not dropped.
func TestMapsWithTextKeys(t *testing.T) {
	a := arena.NewArena(4096, 0)
	var x struct {
		B map[netip.Addr]struct{ M *arena.Map[string, int] }
		A *arena.Map[netip.Addr, int]
	}
	at := netip.MustParseAddr("1.2.3.4")
	if err := Unmarshal(a, []byte(`{"B":{"1.2.3.4":{"M":{"a":1}}},"A":{"1.2.3.4":5}}`), &x); err != nil {
		t.Fatal(err)
	}
	if n, _ := x.B[at].M.Get("a"); n != 1 {
		t.Error("a map in a map is lost")
	}
	if n, _ := x.A.Get(at); n != 5 {
		t.Error("a map's value is lost")
	}
	if err := Unmarshal(a, []byte(`{"A":{"1.2.3":5}}`), &x); err == nil {
		t.Error("a key that can't be read passes")
	}
	type noKey struct{ M *arena.Map[[2]int, int] }
	type noPointer struct{ M arena.Map[string, int] }
	for _, v := range []any{new(noKey), new(noPointer)} {
		var wrong *json.UnmarshalTypeError
		if err := Unmarshal(a, []byte(`{"M":{"1":1}}`), v); !asError(err, &wrong) {
			t.Errorf("%T: %v", v, err)
		}
		if err := Unmarshal(a, []byte(`{"M":null}`), v); err != nil {
			t.Errorf("%T from null: %v", v, err)
		}
	}
}

type firstUse[T any] struct {
	X T
	N *firstUse[T]
}

func useFirst[T any]() {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { Unmarshal(nil, []byte(`{"N":{"N":null}}`), new(firstUse[T])) })
	}
	all.Wait()
}

// Several goroutines may use a type for the first time at once. Under the race detector this fails if the
// second one computes the program's properties again.
func TestFirstUse(t *testing.T) {
	useFirst[int]()
	useFirst[string]()
	useFirst[[]int]()
	useFirst[[1]int]()
	useFirst[[2]int]()
	useFirst[[3]int]()

	// Two pointer types share one program.
	type one *firstUse[uint]
	type two *firstUse[uint]
	var all sync.WaitGroup
	all.Go(func() { Unmarshal(nil, []byte(`{}`), one(new(firstUse[uint]))) })
	all.Go(func() { Unmarshal(nil, []byte(`{}`), two(new(firstUse[uint]))) })
	all.Wait()
}

// Members without a field, and names in another case, do not allocate.
func TestUnknownNamesAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	a := arena.NewArena(64<<10, 0)
	doc := []byte(`{"nobody":1,"a":2,"nothing":{}}`)
	x := new(struct{ A int })
	if n := testing.AllocsPerRun(100, func() {
		if err := Unmarshal(a, doc, x); err != nil || x.A != 2 {
			t.Fatal(err, x)
		}
		a.Reset()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type panics struct{}

func (*panics) UnmarshalJSON([]byte) error { panic("of the program") }

// A panic of a method is passed on, and the arena remains usable, even in checked builds, which track its
// use.
func TestMethodsThatPanic(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, v := range []any{new(panics), new(struct{ encodingText }), new(any)} {
		func() {
			defer func() {
				if r := recover(); r != "of the program" && r != nil {
					t.Errorf("panic %v", r)
				}
			}()
			if i, ok := v.(*any); ok {
				*i = new(panics)
			}
			Unmarshal(a, []byte(`{"T":"x"}`), v)
			t.Errorf("%T: no panic", v)
		}()
	}
	if err := Unmarshal(a, []byte(`{"a":1}`), new(leaf)); err != nil || a.Concat("a", "b") != "ab" {
		t.Error(err)
	}
}

type encodingText struct{ T textPanics }

type textPanics struct{ n int }

func (*textPanics) UnmarshalText([]byte) error { panic("of the program") }
