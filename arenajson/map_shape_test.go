package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// gauge has a method, so maps of gauges are decoded and encoded by package reflect.
type gauge struct{ n int }

func (g *gauge) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &g.n); err != nil || g.n == 13 {
		return fmt.Errorf("not a gauge: %s", b)
	}
	return nil
}

func (g gauge) MarshalJSON() ([]byte, error) { return json.Marshal(g.n) }

type (
	namedInt   int
	namedFloat float64
	namedBool  bool
	namedList  []string
	namedPtr   *int
	linked     struct {
		A string
		B *linked
		C []int
	}
)

// shapedTypes are types of map values: of each shape, structs of each size, and others.
func shapedTypes() []reflect.Type {
	all := []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[namedInt](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[namedFloat](), reflect.TypeFor[namedBool](), reflect.TypeFor[string](), reflect.TypeFor[textName](),
		reflect.TypeFor[namedList](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]map[string]int](), reflect.TypeFor[*int](), reflect.TypeFor[namedPtr](),
		reflect.TypeFor[*linked](), reflect.TypeFor[linked](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[textName]map[int]string](),
		reflect.TypeFor[any](), reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[gauge](), reflect.TypeFor[*gauge](),
		reflect.TypeFor[[]gauge](), reflect.TypeFor[map[string]gauge](), reflect.TypeFor[[3]string](), reflect.TypeFor[[20]int](), reflect.TypeFor[struct{}](), reflect.TypeFor[fmt.Stringer](),
		reflect.TypeFor[struct {
			A any
			B map[string]any
		}](),
	}
	for words := range 14 {
		fields := []reflect.StructField{{Name: "F", Type: reflect.TypeFor[uintptr]()}}
		for i := range words {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("P", i), Type: reflect.TypeFor[*int]()})
		}
		all = append(all, reflect.StructOf(fields))
	}
	return all
}

// writeShaped writes a random value for type t, sometimes one that does not fit.
func writeShaped(r *rand.Rand, doc *strings.Builder, t reflect.Type) {
	n := r.IntN(40)
	switch {
	case n == 0:
		doc.WriteString("null")
	case n == 1:
		doc.WriteString(`[{"x":1}]`)
	case t == reflect.TypeFor[json.Number]():
		fmt.Fprint(doc, n)
	case t == reflect.TypeFor[time.Time]():
		fmt.Fprintf(doc, `"2026-01-02T15:04:%02dZ"`, n)
	case t == reflect.TypeFor[[]byte]():
		doc.WriteString(`"QUJD"`)
	case t.Kind() == reflect.String || t.Kind() == reflect.Interface:
		fmt.Fprintf(doc, `"text %d"`, n)
	case t.Kind() == reflect.Bool:
		doc.WriteString("true")
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		doc.WriteByte('[')
		for i := range n % 4 {
			if i > 0 {
				doc.WriteByte(',')
			}
			writeShaped(r, doc, t.Elem())
		}
		doc.WriteByte(']')
	case t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct:
		writeShaped(r, doc, t.Elem())
	case t.Kind() == reflect.Map:
		writeMembers(r, doc, t.Elem(), n%12)
	case t == reflect.TypeFor[linked]() || t == reflect.TypeFor[*linked]():
		fmt.Fprintf(doc, `{"A":"a%d","C":[%d]`, n, n)
		if n > 20 {
			doc.WriteString(`,"B":`)
			writeShaped(r, doc, t)
		}
		doc.WriteByte('}')
	case t.Kind() == reflect.Struct && t.NumField() > 0 && t != reflect.TypeFor[gauge]():
		doc.WriteByte('{')
		for i := range t.NumField() {
			if i > 0 {
				doc.WriteByte(',')
			}
			fmt.Fprintf(doc, `"%s":`, t.Field(i).Name)
			writeShaped(r, doc, t.Field(i).Type)
		}
		doc.WriteByte('}')
	case t == reflect.TypeFor[struct{}]():
		doc.WriteString("{}")
	default:
		fmt.Fprint(doc, n)
	}
}

func writeMembers(r *rand.Rand, doc *strings.Builder, elem reflect.Type, n int) {
	doc.WriteByte('{')
	for i := range n {
		if i > 0 {
			doc.WriteByte(',')
		}
		fmt.Fprintf(doc, `"%d":`, r.IntN(1+i+i/8))
		writeShaped(r, doc, elem)
	}
	doc.WriteByte('}')
}

// Maps with values of every shape and keys of every kind of string are decoded and encoded as by
// encoding/json, in many cycles, while the collector runs. The runtime finds the same entries in them as in
// its own maps.
func TestShapes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	a := arena.NewArena(64<<10, 4<<20)
	r := rand.New(rand.NewPCG(83, 84))
	for round := range testkit.Rounds(30, 6) {
		for _, elem := range shapedTypes() {
			for _, key := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[textName](), reflect.TypeFor[int32]()} {
				var doc strings.Builder
				n := []int{0, 1, 3, 8, 9, 20, 40, 200, 1100, 2500}[r.IntN(10)]
				if n > 40 && r.IntN(8) > 0 {
					n %= 30
				}
				writeMembers(r, &doc, elem, n)
				text, typ := []byte(doc.String()), reflect.MapOf(key, elem)
				sameAsV1(t, a, typ, text, 0)
				if round%3 == 0 {
					sameAsV1(t, nil, typ, text, 0)
				}
				sameAsV1(t, a, reflect.SliceOf(typ), fmt.Appendf(nil, "[%s,{},%s]", text, text), 0)
				got, want := reflect.New(typ), reflect.New(typ)
				if Unmarshal(a, text, got.Interface()) == nil && json.Unmarshal(text, want.Interface()) == nil {
					sameMaps(t, a, r, got.Elem(), want.Elem())
				}
			}
			a.Reset()
		}
	}
}

// sameMaps fails the test if two maps differ, before or after the same changes to both, or if they are not
// encoded as by encoding/json.
func sameMaps(t *testing.T, a *arena.Arena, r *rand.Rand, got, want reflect.Value) {
	t.Helper()
	for range 2 {
		if !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Fatalf("a %v is\n%v, want\n%v", got.Type(), got, want)
		}
		doc, err := Marshal(a, got.Interface())
		if wantDoc, wantErr := json.Marshal(want.Interface()); !bytes.Equal(doc, wantDoc) || (err == nil) != (wantErr == nil) {
			t.Fatalf("a %v is written as\n%s (%v), want\n%s (%v)", got.Type(), doc, err, wantDoc, wantErr)
		}
		for i, key := range want.MapKeys() {
			switch r.IntN(3) {
			case 0:
				got.SetMapIndex(key, reflect.Value{})
				want.SetMapIndex(key, reflect.Value{})
			case 1:
				v := want.MapIndex(want.MapKeys()[0])
				got.SetMapIndex(key, v)
				want.SetMapIndex(key, v)
			}
			if want.Len() == 0 || i > 50 {
				break
			}
		}
		if r.IntN(10) == 0 {
			runtime.GC()
		}
	}
}

// Structs whose values can run code of the program are not walked as words, because only the map keeps their
// pointers alive.
func TestWordsThatRunNothing(t *testing.T) {
	type inner struct{ N *int }
	for v, want := range map[any]bool{
		struct{ A, B *int }{}:                 true,
		struct{ A any }{}:                     false,
		struct{ A *gauge }{}:                  false,
		struct{ A fmt.Stringer }{}:            false,
		struct{ A *map[string]any }{}:         false,
		struct{ A *map[string]inner }{}:       true,
		struct{ A *map[time.Month]inner }{}:   true,
		struct{ A *json.RawMessage }{}:        false,
		struct{ A *struct{ B *[]*gauge } }{}:  false,
		struct{ A *struct{ B *[]*linked } }{}: true,
	} {
		typ := reflect.TypeOf(v)
		prog := plainMode.encProgramOf(reflect.MapOf(reflect.TypeFor[string](), typ))
		if got := prog.shaped() != nil; got != want {
			t.Errorf("maps of a %v are walked as words: %v, want %v", typ, got, want)
		}
	}
}
