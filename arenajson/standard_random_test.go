package arenajson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ebbpool/arena"
)

var rounds = flag.Int("types", 0, "rounds of TestRandomTypes; each compares 16 documents of one type")

// tagsOfV2 are tags that the versions of encoding/json interpret differently, and similar ones.
var tagsOfV2 = []string{`,embed`, `,inline`, `,unknown`, `,case:strict`, `,case:ignore`, `a,case:ignore`, `b_c,case:strict`, `,case`, `,case:x`, `,case:'strict'`,
	`,format:hex`, `,format:array`, `,format:RFC1123`, `,format:'2006'`, `,format`, `,embed,omitempty`, `x,embed`, `,case:ignore,omitzero`,
	`a b`, `'q'`, `'q',omitempty`, `a'b`, "`", `a\\b`, `a\"b`, `😀`, `€,omitempty`, `-x`, `,omitEmpty`, `,omit_empty`, `,STRING`, `a,b`, `a,omitempty b`, `, omitzero`,
	`a,,omitempty`, `a,omitempty,`, `,string,string`, `,'string'`, `,omitempty,omitzero,string`}

type (
	boxOf[T any]                 struct{ V T }
	boxWithMethod[T any]         struct{ V T }
	keyedBy[K comparable, V any] struct {
		K K
		M map[K]V
	}
	justJsonV struct {
		jsonV
		N int
	}
	justJsonP struct {
		jsonP
		N int
	}
	justAppV struct {
		appV
		N int
	}
	justTextV struct {
		textV
		N int
	}
	justTextP struct {
		textP
		N int
	}
	justAppVTextV struct {
		appV
		textV
		N int
	}

	bytesWithMethod []byteHasAppVUnText

	iJSON   interface{ MarshalJSON() ([]byte, error) }
	iText   interface{ MarshalText() ([]byte, error) }
	iAppend interface{ AppendText([]byte) ([]byte, error) }
	iBoth   interface {
		json.Marshaler
		encoding.TextMarshaler
	}
	iReads interface{ UnmarshalText([]byte) error }
)

func (b boxWithMethod[T]) MarshalJSON() ([]byte, error) { return json.Marshal([]any{"boxed", b.V}) }

// embedders embed types with methods and tags, which reflect.StructOf can't.
var embedders = []any{
	struct{ justJsonV }{}, struct{ *justJsonP }{}, struct {
		justAppV
		A int
	}{}, struct {
		justAppV
		justTextV
		justJsonP
	}{}, struct {
		*justTextP `json:"named"`
		B          int
	}{}, struct {
		justJsonV `json:"named"`
		B         int
	}{}, struct{ json.Number }{}, struct{ json.RawMessage }{}, struct{ time.Time }{}, struct {
		time.Time `json:"t"`
		X         int
	}{}, struct {
		stringHasJsonVUnJSON
		A int
	}{}, struct {
		json.Marshaler
		A int
	}{}, struct {
		iText `json:"i"`
		A     int
	}{}, struct {
		E1 Exported `json:",embed"`
		A  int
	}{}, struct {
		E1 *Exported `json:",inline"`
		A  int
	}{}, struct {
		leaf
		A json.RawMessage `json:",embed"`
	}{}, struct {
		Level1 `json:",case:strict"`
		X      int `json:",case:ignore"`
	}{}, boxOf[justAppVTextV]{}, boxOf[*justTextP]{}, boxWithMethod[int]{}, boxOf[boxWithMethod[justJsonP]]{}, &boxWithMethod[any]{}, bytesWithMethod{},
	keyedBy[stringHasTextPUnTextUnJSON, justJsonP]{}, keyedBy[justAppVTextV, int]{}, keyedBy[intHasAppVUnText, iJSON]{}, keyedBy[stringHasAppVUnText, int]{},
	keyedBy[byteHasJsonVUnJSON, *justTextV]{}, keyedBy[floatHasAppVUnText, string]{}, keyedBy[*justTextV, int]{}, keyedBy[*intHasAppVUnText, any]{}, keyedBy[iText, int]{}, keyedBy[time.Time, int]{}, keyedBy[json.Number, int]{},
	struct {
		Ab int `json:"ab"`
		Deep
		AB int
	}{},
	struct {
		Deep
		Ab int `json:"ab"`
		Xy int `json:"X_y,string"`
	}{},
	struct {
		*Deep
		AB int
		A2 int `json:"ab"`
	}{},
}

// Deep has names that differ from its embedder's only in case.
type Deep struct {
	AB2 int `json:"aB"`
	XY  int `json:"x_y"`
}

var interfacesWithMethods = []reflect.Type{reflect.TypeFor[iJSON](), reflect.TypeFor[iText](), reflect.TypeFor[iAppend](), reflect.TypeFor[iBoth](), reflect.TypeFor[iReads](),
	reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextAppender]()}

// methodType is randomType with methods and tags of all kinds.
func methodType(r *rand.Rand, depth int) reflect.Type {
	leafType := func() reflect.Type {
		switch r.IntN(8) {
		case 0:
			return reflect.TypeOf(embedders[r.IntN(len(embedders))])
		case 1:
			return interfacesWithMethods[r.IntN(len(interfacesWithMethods))]
		case 2, 3:
			return scalars[r.IntN(len(scalars))]
		}
		return reflect.TypeOf(methodZoo[r.IntN(len(methodZoo))]).Elem()
	}
	if depth <= 0 {
		return leafType()
	}
	switch r.IntN(10) {
	case 0:
		return reflect.PointerTo(methodType(r, depth-1))
	case 1:
		return reflect.SliceOf(methodType(r, depth-1))
	case 2:
		return reflect.ArrayOf(r.IntN(3), methodType(r, depth-1))
	case 3:
		key := reflect.TypeFor[string]()
		if k := leafType(); r.IntN(2) == 0 && k.Comparable() && k.Kind() != reflect.Interface {
			if key = k; r.IntN(4) == 0 {
				key = reflect.PointerTo(k)
			}
		}
		return reflect.MapOf(key, methodType(r, depth-1))
	case 4, 5:
		return leafType()
	}
	var fields []reflect.StructField
	for _, at := range r.Perm(len(names))[:1+r.IntN(4)] {
		f := reflect.StructField{Name: names[at], Type: methodType(r, depth-1), Tag: reflect.StructTag(tags[r.IntN(len(tags))])}
		if r.IntN(6) == 0 {
			f.Tag = reflect.StructTag(`json:"` + tagsOfV2[r.IntN(len(tagsOfV2))] + `"`)
		}
		if r.IntN(8) == 0 {
			f.Type = []reflect.Type{reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]int](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[Exported](), reflect.TypeFor[*Level1](), reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte]()}[r.IntN(7)]
			if r.IntN(2) == 0 {
				f.Tag = `json:",embed"`
			}
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

// implementer returns a value that implements t, sometimes a nil pointer.
func implementer(r *rand.Rand, t reflect.Type) reflect.Value {
	for range 40 {
		p := reflect.ValueOf(methodZoo[r.IntN(len(methodZoo))])
		if p = reflect.New(p.Type().Elem()); p.Type().Elem().Implements(t) && r.IntN(2) == 0 {
			return p.Elem()
		}
		if p.Type().Implements(t) {
			if r.IntN(8) == 0 {
				return reflect.Zero(p.Type())
			}
			return p
		}
	}
	return reflect.Value{}
}

// onlyOneKey leaves one entry in each map whose keys are not strings: methods may return one name for several
// keys, and their order would be random.
func onlyOneKey(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			onlyOneKey(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			onlyOneKey(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			onlyOneKey(v.Field(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		for i, k := range keys {
			if i > 0 && v.CanInterface() && v.Type().Key() != reflect.TypeFor[string]() {
				v.SetMapIndex(k, reflect.Value{})
			} else {
				onlyOneKey(v.MapIndex(k))
			}
		}
	}
}

// encoded compares our encoding of v with encoding/json's.
func encoded(a *arena.Arena, v any, mode int) (want, got string, wantPanic, panicked any, wantErr, err error) {
	var w, g bytes.Buffer
	theirs, ours := json.NewEncoder(&w), NewEncoder(a, &g)
	switch mode {
	case 1:
		theirs.SetEscapeHTML(false)
		ours.SetEscapeHTML(false)
	case 2:
		theirs.SetIndent(">", "  ")
		ours.SetIndent(">", "  ")
	}
	wantErr, wantPanic = caught(func() error { return theirs.Encode(v) })
	err, panicked = caught(func() error { return ours.Encode(v) })
	return w.String(), g.String(), wantPanic, panicked, wantErr, err
}

// Types with every combination of methods and tags, at any place, are encoded and decoded as by encoding/json
// of this Go. -types=120000 compares more than a million documents.
func TestRandomTypes(t *testing.T) {
	n := *rounds
	if n == 0 {
		n = 1500
		if testing.Short() {
			n = 300
		}
	}
	typeInAny = methodType
	defer func() { typeInAny = randomType }()
	r := rand.New(rand.NewPCG(43, uint64(*rounds)))
	a := arena.NewArena(64<<10, 0)
	failed, compared := 0, 0
	for round := range n {
		typ := methodType(r, 3)
		p := reflect.New(typ)
		fill(r, p.Elem(), 4, round%2 == 0)
		onlyOneKey(p)
		var doc string
		for i, v := range []any{p.Interface(), p.Elem().Interface(), []any{p.Elem().Interface(), p.Interface()}, map[string]any{"a": p.Elem().Interface()}} {
			mode := r.IntN(3)
			want, got, wantPanic, panicked, wantErr, err := encoded(a, v, mode)
			if i == 0 && wantErr == nil && wantPanic == nil {
				doc = want
			}
			if !utf8.ValidString(want) || strings.Contains(want, "\ufffd") || strings.Contains(got, "\ufffd") || strings.Contains(got, `\ufffd`) {
				continue // invalid UTF-8 is a documented difference
			}
			compared++
			if (wantPanic != nil) != (panicked != nil) || want != got || (wantErr == nil) != (err == nil) || !onV2 && !sameMarshalError(wantErr, err) {
				t.Errorf("%T, mode %d:\n%s%v %v\nencoding/json has\n%s%v %v", v, mode, got, err, panicked, want, wantErr, wantPanic)
				failed++
			}
		}
		for range 4 {
			text := documentFor(r, doc)
			if !json.Valid([]byte(text)) {
				continue // FuzzUnmarshal compares these
			}
			for _, opts := range [][]Option{nil, {UseNumber}, {DisallowUnknownFields}} {
				compared++
				if !sameRead(t, a, typ, text, r.Uint64N(2)*r.Uint64(), opts) {
					failed++
				}
			}
		}
		a.Reset()
		if failed > 20 {
			t.FailNow()
		}
	}
	t.Log(compared, "documents compared")
}

// documentFor returns a document for a type, which may fit, given encoding/json's encoding of a value.
func documentFor(r *rand.Rand, doc string) string {
	if doc == "" {
		doc = []string{`{}`, `[{"N":1}]`, `{"A":{"N":1},"Name":"y"}`, `"text"`, `1`}[r.IntN(5)]
	}
	switch r.IntN(5) {
	case 0:
		return doc
	case 1:
		if r.IntN(2) == 0 {
			return strings.ToUpper(strings.ReplaceAll(doc, "\\", ""))
		}
		return strings.Map(func(c rune) rune {
			if r.IntN(3) == 0 {
				return unicode.ToUpper(c)
			}
			return c
		}, doc)
	case 2: // almost valid names and times, and texts that methods reject
		if i := strings.Index(doc, "T1"); i > 0 && r.IntN(2) == 0 {
			return doc[:i] + []string{`\u00541`, "t1", "T", " 1", "T01"}[r.IntN(5)] + strings.Replace(doc[i+2:], "+", `\u002b`, 1)
		}
		return strings.NewReplacer(`text <V>`, `yy`, `"app`, `"x`, `:`, `: `, `"N"`, `"n"`, `_`, ``).Replace(doc)
	case 3:
		return string(mutated(r, []byte(strings.ReplaceAll(doc, `"N":`, `"N":1,"zz":{"a":[1]},"n":`))))
	}
	return string(mutated(r, []byte(doc)))
}

// sameRead compares decoding doc, which is valid, into a value of type t, filled by the seed.
func sameRead(t *testing.T, a *arena.Arena, typ reflect.Type, doc string, seed uint64, opts []Option) bool {
	make := func() reflect.Value {
		v := reflect.New(typ)
		if seed != 0 {
			fill(rand.New(rand.NewPCG(seed, 0)), v.Elem(), 3, true)
		}
		return v
	}
	want, got := make(), make()
	if hasDeepKeys(typ, map[reflect.Type]bool{}) || !reflect.DeepEqual(want.Interface(), got.Interface()) {
		seed = 0
		want, got = make(), make()
	}
	d := json.NewDecoder(strings.NewReader(doc))
	for _, o := range opts {
		switch o {
		case UseNumber:
			d.UseNumber()
		case DisallowUnknownFields:
			d.DisallowUnknownFields()
		}
	}
	wantErr, wantPanic := caught(func() error { return d.Decode(want.Interface()) })
	err, panicked := caught(func() error {
		switch len(doc) % 3 {
		case 0:
			return UnmarshalRead(a, strings.NewReader(doc), got.Interface(), opts...)
		case 1:
			return NewDecoder(a, strings.NewReader(doc), opts...).Decode(got.Interface())
		}
		return Unmarshal(a, []byte(doc), got.Interface(), opts...)
	})
	if wrong, ok := wantErr.(*json.UnmarshalTypeError); onV2 && ok && wrong.Type == reflect.TypeFor[json.Number]() && err == nil {
		return true // a documented difference
	}
	same := (wantErr == nil) == (err == nil) && (wantPanic != nil) == (panicked != nil)
	if !onV2 {
		same = same && sameError(wantErr, err)
	}
	if same && (wantErr == nil || !onV2) {
		same = reflect.DeepEqual(want.Interface(), got.Interface())
		if !same && hasDeepKeys(typ, map[reflect.Type]bool{}) {
			var x, y []byte
			_, xPanics := caught(func() (err error) { x, err = json.Marshal(want.Interface()); return err })
			_, yPanics := caught(func() (err error) { y, err = json.Marshal(got.Interface()); return err })
			same = string(x) == string(y) && (xPanics == nil) == (yPanics == nil)
		}
	}
	if !same {
		t.Errorf("%s into %v, seed %d, %v:\n%v, panic %v\nencoding/json has\n%v, panic %v\n%s", doc, typ, seed, opts, err, panicked, wantErr, wantPanic, difference("", got.Elem(), want.Elem()))
	}
	return same
}

// hasDeepKeys reports whether t may contain maps with pointers in their keys, which reflect.DeepEqual does
// not follow.
func hasDeepKeys(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return hasDeepKeys(t.Elem(), seen)
	case reflect.Map:
		return t.Key().Kind() == reflect.Pointer || t.Key().Kind() == reflect.Interface || t.Key().Kind() == reflect.Struct || hasDeepKeys(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if hasDeepKeys(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
