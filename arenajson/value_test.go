package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

func mustParse(t testing.TB, a *arena.Arena, text string) Value {
	t.Helper()
	v, err := Parse(a, []byte(text))
	if err != nil {
		t.Fatalf("Parse(%.100s): %v", text, err)
	}
	return v
}

const users = ` { "data" : {"users":[ {"name":"Ann\u00e9","age":30, "tags":[]}, {"name":"Bob", "x\ty\u0041":null}], "total": 2e0 } , "ok":true }
`

func TestValueGet(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		v := mustParse(t, a, strings.Replace(users, `x\ty`, `x\u0009y`, 1))
		for _, c := range []struct {
			path []any
			kind Kind
			raw  string
		}{
			{nil, KindObject, strings.TrimSpace(strings.Replace(users, `x\ty`, `x\u0009y`, 1))},
			{[]any{"data", "users", 0, "name"}, KindString, `"Ann\u00e9"`},
			{[]any{"data", "users", int64(1), "name"}, KindString, `"Bob"`},
			{[]any{"data", "users", uint8(1), "name"}, KindString, `"Bob"`},
			{[]any{"data", "users", 1.0, "name"}, KindMissing, ``},
			{[]any{"data", "users", 1, "x\tyA"}, KindNull, `null`},
			{[]any{"data", "users", 0, "tags"}, KindArray, `[]`},
			{[]any{"data", "users", 0, "tags", 0}, KindMissing, ``},
			{[]any{"data", "users", 2}, KindMissing, ``},
			{[]any{"data", "users", -1}, KindMissing, ``},
			{[]any{"data", "users", int64(math.MinInt64)}, KindMissing, ``},
			{[]any{"data", "users", uint64(math.MaxUint64)}, KindMissing, ``},
			{[]any{"data", "users", "0"}, KindMissing, ``},
			{[]any{"data", 0}, KindMissing, ``},
			{[]any{"data", "total"}, KindNumber, `2e0`},
			{[]any{"data", "total", "x"}, KindMissing, ``},
			{[]any{"ok"}, KindTrue, `true`},
			{[]any{"Ok"}, KindMissing, ``},
		} {
			w := v.Get(c.path...)
			if w.Kind() != c.kind || w.Raw() != c.raw || w.Exists() != (c.kind != KindMissing) {
				t.Errorf("Get(%v) = %v %s, want %v %s", c.path, w.Kind(), w.Raw(), c.kind, c.raw)
			}
		}
		if n := v.Get("data", "users").Len(); n != 2 {
			t.Errorf("Len() = %d, want 2", n)
		}
	}
}

func TestValueConversions(t *testing.T) {
	for _, c := range []struct {
		text string
		s    string
		i    int64
		u    uint64
		f    float64
		b    bool
	}{
		{`12`, "12", 12, 12, 12, true},
		{`-12.9`, "-12.9", -12, 0, -12.9, true},
		{`1e3`, "1e3", 1000, 1000, 1000, true},
		{`-0`, "-0", 0, 0, math.Copysign(0, -1), false},
		{`9007199254740993`, "9007199254740993", 1<<53 + 1, 1<<53 + 1, 1 << 53, true},
		{`-9007199254740993`, "-9007199254740993", -1<<53 - 1, 0, -1 << 53, true},
		{`18446744073709551614`, "18446744073709551614", math.MaxInt64, math.MaxUint64 - 1, 1 << 64, true},
		{`18446744073709551616`, "18446744073709551616", math.MaxInt64, math.MaxUint64, 1 << 64, true},
		{`9223372036854775807`, "9223372036854775807", math.MaxInt64, math.MaxInt64, math.MaxInt64, true},
		{`9223372036854775808`, "9223372036854775808", math.MaxInt64, 1 << 63, 1 << 63, true},
		{`-9223372036854775808`, "-9223372036854775808", math.MinInt64, 0, math.MinInt64, true},
		{`18446744073709551615`, "18446744073709551615", math.MaxInt64, math.MaxUint64, math.MaxUint64, true},
		{`1e400`, "1e400", math.MaxInt64, math.MaxUint64, math.Inf(1), true},
		{`-1e400`, "-1e400", math.MinInt64, 0, math.Inf(-1), true},
		{`"7"`, "7", 7, 7, 7, false},
		{`"\u0037.5"`, "7.5", 7, 7, 7.5, false},
		{`"0x10"`, "0x10", 0, 0, 0, false},
		{`""`, "", 0, 0, 0, false},
		{`"true"`, "true", 0, 0, 0, true},
		{`"1"`, "1", 1, 1, 1, true},
		{`"\ud83d\ude00\n\ud800"`, "😀\n\ufffd", 0, 0, 0, false},
		{`true`, "true", 1, 1, 1, true},
		{`false`, "false", 0, 0, 0, false},
		{`null`, "", 0, 0, 0, false},
		{`[1, 2]`, "[1, 2]", 0, 0, 0, false},
		{`{}`, "{}", 0, 0, 0, false},
	} {
		v := mustParse(t, nil, c.text)
		if v.String() != c.s || v.Int() != c.i || v.Uint() != c.u || v.Float() != c.f || v.Bool() != c.b {
			t.Errorf("%s: String %q Int %d Uint %d Float %g Bool %v, want %q %d %d %g %v", c.text, v.String(), v.Int(), v.Uint(), v.Float(), v.Bool(), c.s, c.i, c.u, c.f, c.b)
		}
	}
	var missing Value
	if missing.String() != "" || missing.Int() != 0 || missing.Bool() || missing.Raw() != "" || missing.Len() != 0 || missing.Get("a").Exists() || missing.Get().Exists() {
		t.Error("the zero Value is not empty")
	}
	for range missing.Object() {
		t.Error("the zero Value has members")
	}
	for _, err := range []error{missing.Set(1, "a"), missing.Append(1), missing.Merge(mustParse(t, nil, "{}")), missing.Decode(new(any))} {
		if err == nil {
			t.Error("the zero Value can be changed or decoded")
		}
	}
	if _, err := missing.MarshalJSON(); err != errMissing {
		t.Errorf("MarshalJSON of the zero Value: %v", err)
	}
}

// Parse accepts documents that encoding/json accepts and that are UTF-8, and returns the same errors.
func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		`{a":1}`, `{1":"x":2}`, `{"a"x1}`, `{"a" x1}`, `{"a",1}`, "\"\x80\"", "\"\\n\x80\"", "\"\xffu0041\"", "\"éu00\"",
		``, ` `, `{`, `[1,]`, `[1}`, `{"a":1]`, `{"a" 1}`, `{1:2}`, `{"a":1,}`, `{,}`, `[,]`, `01`, `1 2`, `[1 2]`, `tru`, `nul`, `"`, `"\x"`, `"\u12g4"`, "\"\x00\"", `"\ud800"`,
		"\"\xff\"", "{\"\xc3\":1}", "[\"é\xff\", }", "\xff", `-`, `1.`, `1e`, `.5`, `+1`, "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "[\"" + strings.Repeat("é", 100) + "\xe9\"]",
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001),
	} {
		want := json.Unmarshal([]byte(text), new(json.RawMessage))
		for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
			v, err := Parse(a, []byte(text))
			var invalid *StrictError
			switch {
			case want != nil && !reflect.DeepEqual(err, want):
				t.Errorf("Parse(%.50q): %v, want %v", text, err, want)
			case want == nil && (err == nil) != (strings.ToValidUTF8(text, "") == text), err != nil && want == nil && !errors.As(err, &invalid):
				t.Errorf("Parse(%.50q): %v", text, err)
			case (err == nil) != v.Exists():
				t.Errorf("Parse(%.50q): %v with %v", text, v, err)
			}
		}
	}
	for _, text := range []string{`{"a":1,"b":{"c":1,"\u0063":2}}`, `["\ud800x"]`} {
		if _, err := Parse(nil, []byte(text)); err != nil {
			t.Errorf("Parse(%s): %v", text, err)
		}
		var refused *StrictError
		if _, err := Parse(nil, []byte(text), Strict); !errors.As(err, &refused) {
			t.Errorf("Parse(%s, Strict): %v", text, err)
		}
	}
}

func TestValueEdits(t *testing.T) {
	for _, c := range []struct {
		what, doc string
		edit      func(v Value) error
		want      string // or "error: " and a part of the error
	}{
		{"set", `{"a": 1 , "b":[ ]}`, func(v Value) error { return v.Set("x<y", "a") }, `{"a":"x<y","b":[ ]}`},
		{"set new", `{"a": 1 , "b":[ ]}`, func(v Value) error { return v.Set(nil, "c") }, `{"a": 1 , "b":[ ],"c":null}`},
		{"set in an object with lines", "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}", func(v Value) error { return v.Set(3, "b", "d") }, "{\n  \"a\": 1,\n  \"b\":{\n    \"c\": 2,\n    \"d\":3\n  }\n}"},
		{"set a name with spaces", `{}`, func(v Value) error { return v.Set(1, "a b!#[]^|~\x7fé", "\x00\"\\") }, "{\"a b!#[]^|~\x7fé\":{\"\\u0000\\\"\\\\\":1}}"},
		{"set missing objects", `{}`, func(v Value) error { return v.Set(1.5, "a", "b\"", "c\n") }, `{"a":{"b\"":{"c\n":1.5}}}`},
		{"set beyond a missing object, by index", `{}`, func(v Value) error { return v.Set(1, "a", 0) }, `error: no value at ."a"[0]`},
		{"set beyond an array", `{"a":[1]}`, func(v Value) error { return v.Set(1, "a", 1) }, `error: no value at ."a"[1] in array of 1`},
		{"set in a number", `{"a":1}`, func(v Value) error { return v.Set(1, "a", "b") }, `error: no value at ."a"."b"`},
		{"set deep in a number", `{"a":1}`, func(v Value) error { return v.Set(1, "a", "b", "c") }, `error: no value at ."a"."b"`},
		{"set by a name in an array", `[1]`, func(v Value) error { return v.Set(1, "0") }, `error: no value at ."0" in array of 1`},
		{"set by an index in an object", `{}`, func(v Value) error { return v.Set(1, 0) }, `error: no value at [0] in object of 0`},
		{"set an element", `[1, 2, 3]`, func(v Value) error { return v.Set([]int{4}, 1) }, `[1,[4],3]`},
		{"set without a path", `[1]`, func(v Value) error { return v.Set(1) }, `error: empty path`},
		{"set of a scalar", `1`, func(v Value) error { return v.Set(1, "a") }, `error: number instead of an array or object`},
		{"set by a name that is not UTF-8", `{}`, func(v Value) error { return v.Set(1, "\xff") }, `error: not UTF-8`},
		{"set by a path of floats", `{}`, func(v Value) error { return v.Set(1, 1.5) }, `error: [invalid path element]`},
		{"set of what can't be written", `{}`, func(v Value) error { return v.Set(func() {}, "a") }, `error: unsupported type`},
		{"set of a missing value", `{}`, func(v Value) error { return v.Set(v.Get("x"), "a") }, `error: missing`},
		{"set of raw text that is not UTF-8", `{}`, func(v Value) error { return v.Set(json.RawMessage("\"\xff\""), "a") }, `error: UTF-8`},
		{"set an escaped name", `{"\u0061": [1], "b":2}`, func(v Value) error { return v.Set(3, "a", 0) }, `{"\u0061":[3],"b":2}`},
		{"set of duplicates", `{"a":1,"b":2,"a":3}`, func(v Value) error { return v.Set(4, "a") }, `{"b":2,"a":4}`},
		{"set of itself", `{"a":[1]}`, func(v Value) error {
			err := v.Set(v, "b")
			return errors.Join(err, v.Set(v, "a", 0), v.Set(0, "b", "a", 0))
		}, `{"a":[{"a":[1],"b":{"a":[1]}}],"b":{"a":[0]}}`},
		{"set of a changed value", `{"a":{"x": [ 1 ] },"b":1}`, func(v Value) error {
			return errors.Join(v.Set(2, "a", "y"), v.Set(v.Get("a"), "b"), v.Set(3, "a", "y"), v.Set(4, "b", "x", 0))
		}, `{"a":{"x": [ 1 ],"y":3 },"b":{"x":[ 4 ],"y":2 }}`},
		{"delete", `{"a":1, "b":2 , "c":3}`, func(v Value) error { return v.Delete("b") }, `{"a":1,"c":3}`},
		{"delete the only member", `{ "a":1 }`, func(v Value) error { return v.Delete("a") }, `{}`},
		{"delete duplicates", `{"a":1,"b":2,"a":3}`, func(v Value) error { return v.Delete("a") }, `{"b":2}`},
		{"delete what is missing", `{ "a":[1 ]}`, func(v Value) error {
			return errors.Join(v.Delete("b"), v.Delete("a", 1), v.Delete("a", 0, "x"), v.Delete("a", "x"), v.Delete(0))
		}, `{ "a":[1 ]}`},
		{"delete without a path", `{}`, func(v Value) error { return v.Delete() }, `error: empty path`},
		{"delete by a bad path", `{}`, func(v Value) error { return v.Delete("x", nil) }, `error: [invalid path element]`},
		{"delete elements", `[0,1, 2, 3,4]`, func(v Value) error { return errors.Join(v.Delete(1), v.Delete(2)) }, `[0,2,4]`},
		{"delete and set again", `{"a":1,"b":2}`, func(v Value) error { return errors.Join(v.Delete("a"), v.Set(3, "a")) }, `{"b":2,"a":3}`},
		{"append", `{"a":[ ]}`, func(v Value) error { return errors.Join(v.Append(1, "a"), v.Append(v, "a"), v.Get("a").Append("x")) }, `{"a":[1,{"a":[1]},"x"]}`},
		{"append to an object", `{}`, func(v Value) error { return v.Append(1) }, `error: object instead of an array`},
		{"append to what is missing", `{}`, func(v Value) error { return v.Append(1, "a") }, `error: no value at ."a"`},
		{"append to a number", `{"a":1}`, func(v Value) error { return v.Append(1, "a") }, `error: no value at ."a"`},
	} {
		for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
			v := mustParse(t, a, c.doc)
			err := c.edit(v)
			got := string(v.AppendTo(nil))
			if text, ok := strings.CutPrefix(c.want, "error: "); ok {
				if err == nil || !strings.Contains(err.Error(), text) || got != c.doc {
					t.Errorf("%s: %v with %s, want %s", c.what, err, got, text)
				}
			} else if err != nil || got != c.want {
				t.Errorf("%s: %s, %v, want %s", c.what, got, err, c.want)
			}
			if v.Raw() != got {
				t.Errorf("%s: Raw() = %s, AppendTo %s", c.what, v.Raw(), got)
			}
		}
	}
}

func TestValueMerge(t *testing.T) {
	for _, c := range []struct{ v, w, want string }{
		{`{"a": 1 ,"b":{"c":[1, {"x":1}]}}`, `{"b":{"c":[2,{"y": [ ]}],"d":"e"},"f":null}`, `{"a": 1,"b":{"c":[2,{"x":1,"y":[ ]}],"d":"e"},"f":null}`},
		{`{"a":null,"b":1,"c":{}}`, `{"a":{"x":1},"b":null,"c":null}`, `{"a":{"x":1},"b":1,"c":{}}`},
		{`{"a":[],"b":[1,2],"c":[1 ]}`, `{"a":[1, 2],"b":[],"c":[1]}`, `{"a":[1,2],"b":[1,2],"c":[1 ]}`},
		{`{"a":true,"b":"x"}`, `{"a":false,"b":"\n","b":"y"}`, `{"a":false,"b":"y"}`},
		{`{ "a":true}`, `{"a":true}`, `{ "a":true}`},
		{`{ "a":true}`, `null`, `{ "a":true}`},
		{`{ "a" : true , "b" : {"c" : 1 } }`, `{"b":{"c":1},"a":true}`, `{ "a" : true , "b" : {"c" : 1 } }`},
		{`{ "a" : [ ] }`, `{"a":[]}`, `{ "a" : [ ] }`},
		{`1`, `1`, `error: number instead of an array or object`},
		{`{"a":1,"b":[1]}`, `{"z":0,"a":2,"b":[1,2]}`, `error: arrays of 1 and 2 elements`},
		{`{"a":1,"b":{}}`, `{"z":0,"a":2,"b":[]}`, `error: array into object`},
		{`{"a":1,"b":{}}`, `{"z":0,"a":2,"b":"x"}`, `error: string into object`},
		{`{"a":1}`, `[]`, `error: array into object`},
		{`[]`, `[1,2]`, `[1,2]`},
	} {
		a, b := arena.NewArena(4096, 0), arena.NewArena(4096, 0)
		for _, arenas := range [][2]*arena.Arena{{nil, nil}, {a, a}, {a, b}, {nil, a}, {a, nil}} {
			v, w := mustParse(t, arenas[0], c.v), mustParse(t, arenas[1], c.w)
			err := v.Merge(w)
			got := string(v.AppendTo(nil))
			if text, ok := strings.CutPrefix(c.want, "error: "); ok {
				if err == nil || !strings.Contains(err.Error(), text) || got != c.v {
					t.Errorf("Merge(%s, %s): %v with %s, want %s", c.v, c.w, err, got, text)
				}
			} else if err != nil || got != c.want {
				t.Errorf("Merge(%s, %s) = %s, %v, want %s", c.v, c.w, got, err, c.want)
			}
			if string(w.AppendTo(nil)) != c.w {
				t.Errorf("Merge(%s, %s) changes the second", c.v, c.w)
			}
		}
	}
	v := mustParse(t, nil, `{"data":{"a":1,"n":null},"x":5}`)
	w := mustParse(t, nil, `{"b":[2]}`)
	if err := errors.Join(v.Merge(w, "data"), v.Merge(w, "data", "n"), v.Merge(w, "new", "one"), w.Set(3, "b", 0), v.Merge(w.Get("b", 0), "x")); err != nil {
		t.Error(err)
	}
	if err := v.Merge(w, "x"); err == nil {
		t.Error("an object replaces a number")
	}
	for want, err := range map[string]error{
		`arenajson: Merge: no value at ."x"."y"`:                  v.Merge(w, "x", "y"),
		`arenajson: Merge: no value at ."x"."y" `:                 v.Merge(w, "x", "y", "z"),
		`arenajson: Merge: no value at ."data"[0] in object of 3`: v.Merge(w, "data", 0),
		`arenajson: Merge: missing value into object`:             v.Merge(w.Get("none")),
		`arenajson: Merge: missing value into number`:             v.Merge(w.Get("none"), "x"),
		`arenajson: Value is missing`:                             v.Merge(w.Get("none"), "none"),
	} {
		if err == nil || err.Error() != strings.TrimSpace(want) {
			t.Errorf("Merge: %v, want %s", err, want)
		}
	}
	if got, want := v.Raw(), `{"data":{"a":1,"n":{"b":[2]},"b":[2]},"x":3,"new":{"one":{"b":[2]}}}`; got != want {
		t.Errorf("merged %s, want %s", got, want)
	}
}

// Loops may change the container they iterate over.
func TestValueLoops(t *testing.T) {
	for _, n := range []int{3, 30, 300} {
		text := "{"
		for i := range n {
			text += fmt.Sprintf(`"k%d":{"i":%d},`, i, i)
		}
		v := mustParse(t, arena.NewArena(4096, 0), text+`"k0":{"i":-1}}`)
		if v.Len() != n {
			t.Fatalf("Len() = %d, want %d", v.Len(), n)
		}
		seen := map[string]int64{}
		for name, w := range v.Object() {
			seen[name] = w.Get("i").Int()
			i := len(seen)
			for k := range 3 {
				if err := v.Set(i, fmt.Sprintf("new%d.%d", i, k)); err != nil {
					t.Fatal(err)
				}
			}
			if i%3 == 0 {
				if err := v.Delete(name); err != nil {
					t.Fatal(err)
				}
			} else if err := w.Set("changed", "i"); err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) != n || seen["k0"] != -1 {
			t.Errorf("a loop over %d members sees %d, %v", n, len(seen), seen["k0"])
		}
		changed, added := 0, 0
		for name, w := range maps.Collect(v.Object()) {
			if w.Get("i").String() == "changed" {
				changed++
			}
			if strings.HasPrefix(name, "new") {
				added++
			}
			if v.Get(name).Raw() != w.Raw() {
				t.Errorf("%s is %s and %s", name, v.Get(name).Raw(), w.Raw())
			}
		}
		for name := range seen {
			if exists := v.Get(name).Exists(); exists != (v.Get(name, "i").String() == "changed") {
				t.Errorf("%s exists: %v, but it was deleted", name, exists)
			}
		}
		if changed != n-n/3 || added != 3*n || v.Len() != changed+added {
			t.Errorf("%d changed, %d added, %d in all of %d", changed, added, v.Len(), n)
		}
	}
	v := mustParse(t, nil, `[1,2,[3]]`)
	var got []string
	for i, w := range v.Array() {
		got = append(got, w.Raw())
		if err := errors.Join(v.Append(w), v.Set(0, i)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, []string{"1", "2", "[3]"}) || v.Raw() != `[0,0,0,1,2,[3]]` {
		t.Errorf("the loop saw %v and left %s", got, v.Raw())
	}
	for range v.Array() {
		break
	}
	for range mustParse(t, nil, users).Object() {
		break
	}
	for range v.Object() {
		t.Error("an array has members")
	}
}

func TestValueDecode(t *testing.T) {
	a := arena.NewArena(4096, 0)
	v := mustParse(t, a, users)
	if err := v.Set(7, "data", "users", 1, "age"); err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name string
		Age  int
	}
	if err := v.Get("data", "users").Decode(&list); err != nil || len(list) != 2 || list[0].Name != "Anné" || list[1].Age != 7 {
		t.Errorf("Decode: %v, %v", list, err)
	}
	if err := v.Get("data", "users").Decode(&list, DisallowUnknownFields); err == nil {
		t.Error("Decode ignores options")
	}
	text, err := json.Marshal(map[string]any{"v": v.Get("data", "users", 1), "w": v.Get("ok")})
	if err != nil || string(text) != `{"v":{"name":"Bob","x\ty\u0041":null,"age":7},"w":true}` {
		t.Errorf("json.Marshal: %s, %v", text, err)
	}
}

// A document can't be nested deeper than a parsed one, by any edit.
func TestValueDepth(t *testing.T) {
	nest := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	v := mustParse(t, nil, `{"a":`+nest(maxNesting-1)+`,"b":`+nest(5000)+`,"c":[[]],"d":[`+strings.Repeat("[],", maxNesting)+`[]]}`)
	deep := func(field string) Value {
		w := v.Get(field)
		for w.Get(0).Exists() {
			w = w.Get(0)
		}
		return w
	}
	in := deep("a")
	for _, x := range []any{v.Get("c"), []int{}, map[string]int{}, v.Get("c", 0)} {
		if err := in.Append(x); !errors.Is(err, errDeep) {
			t.Errorf("Append(%v) at the limit: %v", x, err)
		}
	}
	if err := in.Append(1); err != nil {
		t.Errorf("Append(1) at the limit: %v", err)
	}
	if err := v.Set(v.Get("a"), "e"); err != nil {
		t.Errorf("Set of a value that is as deep as one may be: %v", err)
	}
	if err := v.Set(v, "f"); !errors.Is(err, errDeep) {
		t.Errorf("Set of the whole document: %v", err)
	}
	if err := v.Set(v.Get("a"), "e", "f"); err == nil {
		t.Error("Set in an array by name")
	}
	if err := v.Set(v.Get("a"), "g", "h"); !errors.Is(err, errDeep) {
		t.Errorf("Set in a new object: %v", err)
	}
	if err := v.Set(v.Get("d"), "g", "h"); err != nil {
		t.Errorf("Set of many values side by side: %v", err)
	}
	b := deep("b")
	if err := b.Append(v.Get("b")); !errors.Is(err, errDeep) {
		t.Errorf("Append of 5,000 to 5,000: %v", err)
	}
	if err := b.Append(json.RawMessage(nest(4999))); err != nil {
		t.Errorf("Append of 4,999 to 5,000: %v", err)
	}
	if err := v.Set(map[string]any{"q": map[string]any{}}, "p"); err != nil {
		t.Fatal(err)
	}
	for depth := maxNesting - 2; depth > maxNesting-5; depth-- {
		w := mustParse(t, nil, `{"y":`+nest(depth)+`}`)
		if err := v.Merge(w, "p", "q"); errors.Is(err, errDeep) != (depth+3 > maxNesting) {
			t.Errorf("Merge of %d to 3: %v", depth, err)
		}
	}
	for depth := maxNesting - 2; depth > maxNesting-5; depth-- {
		w := mustParse(t, nil, `{"q":{"z":`+nest(depth)+`}}`)
		if err := v.Merge(w, "p"); errors.Is(err, errDeep) != (depth+3 > maxNesting) {
			t.Errorf("Merge of %d to 3, below: %v", depth, err)
		}
	}
	path := []any{"made"}
	for len(path) < maxNesting-1 {
		path = append(path, "o")
	}
	if err := v.Set([]int{}, path...); err != nil {
		t.Errorf("Set that makes %d objects: %v", len(path)-1, err)
	}
	if err := v.Set(v.Get("made"), "copy"); err != nil {
		t.Errorf("Set of a value that Set made: %v", err)
	}
	for _, in := range []string{"made", "copy"} {
		path[0] = in
		if err := v.Get(path...).Append(mustParse(t, nil, `[1]`)); !errors.Is(err, errDeep) {
			t.Errorf("Append of an array at the limit: %v", err)
		}
	}
	if _, err := Parse(nil, v.AppendTo(nil)); err != nil {
		t.Errorf("the document cannot be parsed: %v", err)
	}
}

// An operation that exceeds a limit changes nothing, and returns an error if it can.
func TestValueLimit(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`{"list":[`)
	for i := range 500 {
		fmt.Fprintf(&doc, `{"n":%d,"s":"text"},`, i)
	}
	doc.WriteString(`{}],"more":[],"o":{"a":1}}`)
	merged := strings.ReplaceAll(doc.String(), `"s":`, `"t":`)
	done, refused := 0, map[string]int{}
	for limit := 8 << 10; limit < 1<<20; limit += 2 << 10 {
		a := arena.NewArena(1024, 0)
		a.SetLimit(limit)
		var over *arena.LimitError
		v, err := Parse(a, []byte(doc.String()))
		if err != nil {
			if !errors.As(err, &over) || v.Exists() {
				t.Fatal(err)
			}
			refused["Parse"]++
			continue
		}
		w := mustParse(t, nil, merged)
		before := string(v.AppendTo(nil))
		for what, op := range map[string]func() error{
			"Merge":  func() error { return v.Merge(w) },
			"Set":    func() error { return v.Set(strings.Repeat("x", 100_000), "new", "one") },
			"Append": func() error { return v.Append(strings.Repeat("x", 100_000), "more") },
			"Delete": func() error { return v.Delete("list", 17, "s") },
		} {
			if err := op(); err != nil {
				if !errors.As(err, &over) {
					t.Fatalf("%s with a limit of %d: %v", what, limit, err)
				}
				refused[what]++
				if after := string(v.AppendTo(nil)); after != before {
					t.Fatalf("%s with a limit of %d was refused and changed the document: %.200s", what, limit, after)
				}
			} else {
				done++
			}
			before = string(v.AppendTo(nil))
		}
	}
	if done == 0 || refused["Parse"] == 0 || refused["Merge"] == 0 || refused["Set"] == 0 || refused["Append"] == 0 || refused["Delete"] == 0 {
		t.Errorf("%d done, refused: %v", done, refused)
	}
}

func TestValueAllocations(t *testing.T) {
	text := []byte(users)
	more := []byte(`{"data":{"users":[{"age":31},{"tags":["x",{"y":1}]}]},"more":{"z":[1,2,3]}}`)
	a := arena.NewArena(64<<10, 0)
	dst := make([]byte, 0, 1024)
	i, name := 1, string(more[2:6])
	sum := int64(0)
	work := func() {
		v, err := Parse(a, text)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Parse(a, more, Strict)
		if err != nil {
			t.Fatal(err)
		}
		if v.Get(name, "users", i-1, "name").String() != "Anné" {
			t.Fatal(v.Get(name, "users", i-1, "name"))
		}
		for _, u := range v.Get(name, "users").Array() {
			for _, x := range u.Object() {
				sum += x.Int()
			}
		}
		if err := v.Merge(w); err != nil {
			t.Fatal(err)
		}
		if err := v.Set("x", "data", "new"); err != nil {
			t.Fatal(err)
		}
		if err := v.Delete("ok"); err != nil {
			t.Fatal(err)
		}
		dst = v.AppendTo(dst[:0])
		a.Reset()
	}
	if n := testing.AllocsPerRun(100, work); n != 0 && !check.On && !check.Race {
		t.Errorf("%v allocations", n)
	}
	if want := `{ "data":{"users":[ {"name":"Ann\u00e9","age":31,"tags":[]}, {"name":"Bob", "x\ty\u0041":null,"tags":["x",{"y":1}]}],"total": 2e0,"new":"x" }, "more":{"z":[1,2,3]} }`; string(dst) != want {
		t.Errorf("wrote %s", dst)
	}
}

// A hostile document is rejected, or parsed, walked, written and merged in linear time, with memory in
// proportion to its size.
func TestHostileValues(t *testing.T) {
	n := 1 << 18
	if testing.Short() || check.On || testkit.Emulated() || check.Race {
		n = 1 << 16
	}
	const most = 128 // times the document's size, in the arena, after the edits
	for _, h := range append(hostiles,
		hostile{"many names", "", different(`"%x":0`), nil, nil},
		hostile{"many escaped names", "", different(`"\u0061%x":0`), nil, nil},
		hostile{"a nest around a large list", "", func(n int) string {
			return strings.Repeat(`{"a":[`, 4000) + list("[0]")(n) + strings.Repeat("]}", 4000)
		}, nil, nil}) {
		doc := []byte(h.doc(n))
		a := arena.NewArena(64<<10, 0)
		_, unread := decodeModel(doc)
		from := testkit.ProcessorTime()
		v, err := Parse(a, doc)
		if err != nil {
			if want := json.Unmarshal(doc, new(json.RawMessage)); want != nil && err.Error() != want.Error() || want == nil && utf8.Valid(doc) {
				t.Errorf("%s: %v", h.what, err)
			}
			continue
		}
		parsed := float64(a.Stats().UsedBytes) / float64(len(doc))
		walked := walkAll(v)
		if indexed := float64(a.Stats().UsedBytes) / float64(len(doc)); len(doc) > 1000 && !check.On && (parsed > 9.1 || indexed > 74) {
			t.Errorf("%s: takes %.1f times its size of the arena, and %.1f times when all is indexed", h.what, parsed, indexed)
		}
		if err := v.Merge(v); err != nil && v.Kind() != KindNumber && v.Kind() != KindString {
			t.Errorf("%s: Merge: %v", h.what, err)
		}
		v.Set(1, "new")
		out := v.AppendTo(nil)
		if took := testkit.ProcessorTime() - from; took > 3*time.Second {
			t.Errorf("%s: %v", h.what, took)
		}
		if used := float64(a.Stats().UsedBytes) / float64(len(doc)); used > most && !check.On && len(doc) > 1000 {
			t.Errorf("%s: takes %.1f times its size of the arena", h.what, used)
		}
		if unread == nil && (walked == 0 || !Valid(out)) {
			t.Errorf("%s: %d values walked, written: %.100s", h.what, walked, out)
		}
	}
}

func walkAll(v Value) (n int) {
	for _, w := range v.Object() {
		n += walkAll(w)
	}
	for _, w := range v.Array() {
		n += walkAll(w)
	}
	return n + 1
}

func TestValueArrayWhileDeleting(t *testing.T) {
	for deleted, want := range []int{5, 2, 1, 0, 1} {
		v := mustParse(t, nil, `[0,1,2,3,4]`)
		for range v.Array() {
			for range deleted {
				if err := v.Delete(0); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := v.Len(); n != want {
			t.Errorf("deleting %d elements in each iteration left %d, want %d", deleted, n, want)
		}
	}
}

func TestValueIndices(t *testing.T) {
	v := mustParse(t, nil, `[0,1]`)
	for _, i := range []any{1, int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), uint64(1)} {
		if got := v.Get(i).Int(); got != 1 {
			t.Errorf("Get(%T(1)) = %d, want 1", i, got)
		}
	}
}

// Texts without escapes, and values that were not changed, are parts of the document.
func TestValueSharesDocument(t *testing.T) {
	if check.On {
		t.Skip("nothing is counted as in plain builds")
	}
	a := arena.NewArena(4096, 0)
	v := mustParse(t, a, users)
	name, list := v.Get("data", "users", 1, "name"), v.Get("data", "users")
	before := a.Stats().UsedBytes
	if name.String() != "Bob" || len(list.Raw()) == 0 || !v.Get("ok").Bool() {
		t.Error(name, list)
	}
	if used := a.Stats().UsedBytes - before; used != 0 {
		t.Errorf("String and Raw allocate %d bytes", used)
	}
}

// Names and strings of all lengths, which scans read in words of eight bytes.
func TestValueLengths(t *testing.T) {
	for n := range 40 {
		name := strings.Repeat("n", n)
		for _, text := range []string{name, name + "\\n", "é" + name, name + "\\\\" + name, `\"` + name} {
			doc := `{"` + text + `":"` + text + `","` + name + `x":["` + text + `",1]}`
			v := mustParse(t, nil, doc)
			model, err := decodeModel([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			sameAsModel(t, v, model)
			if v.Len() != 2 || v.Get(name+"x", 1).Int() != 1 {
				t.Errorf("%s has %d members", doc, v.Len())
			}
		}
	}
}

// A member is found by its name only, also if the name is empty.
func TestValueNames(t *testing.T) {
	v := mustParse(t, nil, `{"":1,"0":2}`)
	for _, path := range []any{0, 1.5, nil, []string{""}} {
		if w := v.Get(path); w.Exists() {
			t.Errorf("Get(%v) = %s", path, w)
		}
	}
}

// A Merge that fails leaves no trace in the index of a large object.
func TestValueFailedMerge(t *testing.T) {
	text := `{"end":{}`
	for i := range 2 * hashedFrom {
		text += fmt.Sprintf(`,"k%d":%d`, i, i)
	}
	v := mustParse(t, nil, text+"}")
	if err := v.Merge(mustParse(t, nil, `{"new":1,"end":[]}`)); err == nil {
		t.Fatal("an array was merged into an object")
	}
	if err := v.Set(2, "other"); err != nil {
		t.Fatal(err)
	}
	if w := v.Get("new"); w.Exists() {
		t.Errorf(`Get("new") = %s, want a missing Value`, w)
	}
	if err := v.Set(3, "new"); err != nil || v.Get("new").Int() != 3 || v.Get("other").Int() != 2 {
		t.Errorf("%v, new %s, other %s", err, v.Get("new"), v.Get("other"))
	}
}

// Documents have 32-bit positions.
func TestParseTooLong(t *testing.T) {
	if math.MaxInt == math.MaxInt32 || check.Race || check.ASan || testkit.Emulated() {
		t.Skip("needs an address space for 4 GB")
	}
	n := int64(maxDocument) + 1
	if _, err := Parse(nil, make([]byte, n)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
}

// A document does not refer to memory of another arena, which may end earlier.
func TestValueOfAnotherArena(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		b := arena.NewArena(4096, 0)
		v := mustParse(t, a, `{"list":[],"merged":{"y":0}}`)
		w := mustParse(t, b, `{"y":{"z":["text"]},"s":"text"}`)
		if err := w.Set("changed", "y", "new"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(v.Set(w, "set"), v.Set(w.Get("s"), "s"), v.Append(w.Get("y"), "list"), v.Append(w.Get("y", "z"), "list"),
			v.Set(nil, "merged", "y"), v.Merge(w, "merged")); err != nil {
			t.Fatal(err)
		}
		want := string(v.AppendTo(nil))
		b.Reset()
		b.AllocString(strings.Repeat("x", 10_000))
		isDocument(t, "edits with values of another arena", v, want)
	}
}

// A copy of a changed object shares neither its index nor its place, and keeps the text that was not changed.
func TestValueCopies(t *testing.T) {
	text := `{"big":{"x" : 1 , "z" : 2 `
	for i := range 2 * hashedFrom {
		text += fmt.Sprintf(`,"k%d":%d`, i, i)
	}
	v := mustParse(t, nil, text+`},"small":{"x" : 1 , "z" : 2 }}`)
	if err := errors.Join(v.Set(3, "big", "y"), v.Set(v.Get("big"), "copy"), v.Set(1, "copy", "p"), v.Set(2, "copy", "q"), v.Set(4, "big", "q")); err != nil {
		t.Fatal(err)
	}
	if q := v.Get("copy", "q"); q.Int() != 2 || v.Get("big", "q").Int() != 4 || v.Get("big", "p").Exists() {
		t.Errorf("the copy has q = %s, the original q = %s, p = %s", q, v.Get("big", "q"), v.Get("big", "p"))
	}
	if err := errors.Join(v.Set(3, "small", "y"), v.Set(v.Get("small"), "copy")); err != nil {
		t.Fatal(err)
	}
	if got, want := v.Get("copy").Raw(), `{"x" : 1 , "z" : 2,"y":3 }`; got != want {
		t.Errorf("the copy is %s, want %s", got, want)
	}
}

// The nesting of a value counts, not the number of its arrays.
func TestValueDepthOfWideValues(t *testing.T) {
	for depth := maxNesting - 2; depth <= maxNesting; depth++ {
		w := mustParse(t, nil, `[[],`+strings.Repeat("[", depth-1)+strings.Repeat("]", depth-1)+`,[]]`)
		v := mustParse(t, nil, `{}`)
		if err := v.Set(w, "w"); errors.Is(err, errDeep) != (depth+1 > maxNesting) {
			t.Errorf("Set of a value of depth %d in an object: %v", depth, err)
		}
	}
}
