package arenajson

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

type (
	textName  string
	namedMap  map[string]string
	namedKeys map[textName]string
	namedBoth map[textName]textName
	namedAny  map[textName]any
)

// Maps of strings of every size, with names that come twice on both sides of the size up to
// which a new map is filled at once, and values that are null or don't fit.
func TestMapsOfTexts(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	r := rand.New(rand.NewPCG(61, 62))
	types := []reflect.Type{reflect.TypeFor[map[string]string](), reflect.TypeFor[namedMap](), reflect.TypeFor[namedKeys](), reflect.TypeFor[namedBoth](), reflect.TypeFor[namedAny](), reflect.TypeFor[map[string][]byte]()}
	values := []string{`"QUJD"`, `"QUJD"`, `"QUJD"`, `"\u0041AAA"`, `null`, `1`, `[]`}
	for n := range 5_000 {
		var doc strings.Builder
		for i := range r.IntN(40) {
			fmt.Fprintf(&doc, `,"k%d":%s`, r.IntN(1+i+r.IntN(10)), values[r.IntN(len(values)-2*(n%2))])
		}
		text := []byte("{" + strings.TrimPrefix(doc.String(), ",") + "}")
		if n%5 == 0 {
			text = text[:len(text)-1]
		}
		sameAsV1(t, a, types[n%len(types)], text, 0)
		sameAsV1(t, nil, types[n%len(types)], text, 0)
		a.Reset()
		mustBeEmpty(t, text)
	}
}

// mustBeEmpty fails where the lists that the reading of text gave back lead to it still: they
// would keep all of it alive.
func mustBeEmpty(t *testing.T, text []byte) {
	t.Helper()
	l := freeScratch.Get().(*scratch)
	defer freeScratch.Put(l)
	for _, x := range l.anys.all[:cap(l.anys.all)] {
		if x != (member[any]{}) {
			t.Fatalf("%s: %v is still in a list", text, x)
		}
	}
	for _, x := range l.texts.all[:cap(l.texts.all)] {
		if x != (member[string]{}) {
			t.Fatalf("%s: %v is still in a list", text, x)
		}
	}
}

// Maps of many types in one document are right, and no variable keeps an entry.
func TestMapsOfManyTypes(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	var fields []reflect.StructField
	doc := ""
	for i := range 32 {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.MapOf(reflect.TypeFor[string](), reflect.ArrayOf(1+i, reflect.TypeFor[int8]()))})
		doc += fmt.Sprintf(`,"F%d":{"x":[%d],"y":[1]}`, i, i)
	}
	typ := reflect.StructOf(fields)
	text := []byte("[{" + doc[1:] + "},{" + doc[1:] + "}]")
	for range 3 {
		sameAsV1(t, a, reflect.SliceOf(typ), text, 0)
		mustBeEmpty(t, text)
		a.Reset()
	}
	var m map[string]bool
	if err := Unmarshal(a, []byte(`{"0":true,"1":true,"2":true,"3":true,"4":true,"5":true,"6":true,"7":true,"8":true}`), &m); err != nil || len(m) != 9 {
		t.Fatal(m, err)
	}
	if x := pairOf(decProgramOf(reflect.TypeFor[*map[string]bool]())); !x.key.IsZero() || !x.value.IsZero() {
		t.Error("a key is kept alive")
	}
}
