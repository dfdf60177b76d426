package arenajson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
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
	l := freeLists.Get().(*lists)
	defer freeLists.Put(l)
	l.mustLeadNowhere(t)
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

// Of thousands of maps those that are small are used again, and of those that are not the
// first ones: each holds what its document says.
func TestRecycledMapsAreBounded(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	r := rand.New(rand.NewPCG(63, 64))
	for epoch := range 12 {
		list := make([]struct {
			T map[string]string
			N map[string]int
		}, []int{10, 600, 5000}[epoch%3])
		for i := range list {
			list[i].T, list[i].N = map[string]string{}, map[string]int{}
			for k := range r.IntN([]int{9, 9, 20}[r.IntN(3)]) {
				list[i].T[fmt.Sprint(k)], list[i].N[fmt.Sprint(k)] = fmt.Sprint(i, epoch), i
			}
		}
		doc, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(list))
		if err := Unmarshal(a, doc, got.Interface(), RecycleMaps); err != nil || !reflect.DeepEqual(got.Elem().Interface(), any(list)) {
			t.Fatalf("epoch %d: %v", epoch, err)
		}
		a.Reset()
		var s shelf
		if !check.On {
			x := decoder{a: a, recycles: true}
			if _, err := x.try(decProgramOf(reflect.TypeFor[*any]()), reflect.ValueOf(new(any)).UnsafePointer(), []byte("{}"), false); err != nil {
				t.Fatal(err)
			}
			s = *x.shelf
		}
		for i, m := range s.texts.all {
			if len(m) != 0 || i >= mostMaps {
				t.Fatalf("epoch %d: map %d of %d has %d entries", epoch, i, len(s.texts.all), len(m))
			}
		}
	}
	for i, n := range []int{0, mostLarge, mostLarge - 1, mostLarge - 1, mostMaps} {
		if size := []int{smallMap, smallMap + 1, smallMap + 1, mostEntries + 1, smallMap}[i]; keeps(n, size) != (i != 1 && i != 3) {
			t.Errorf("a map of %d entries as the %d-th", size, n)
		}
	}
}

// Of maps of more types than a decoder counts all are right, and none of the last document's
// memory is kept by what counts.
func TestMapsOfManyTypes(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	var fields []reflect.StructField
	doc := ""
	for i := range 2 * mostSources {
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
	l := freeLists.Get().(*lists)
	defer freeLists.Put(l)
	if len(l.rest) > mostSources {
		t.Errorf("%d types are counted", len(l.rest))
	}
}

// mustLeadNowhere fails where what makes maps still leads to those that it has made.
func (l *lists) mustLeadNowhere(t *testing.T) {
	t.Helper()
	sources := []any{l.anys.fresh, l.texts.fresh}
	for _, x := range l.rest[:cap(l.rest)] {
		sources = append(sources, x.fresh)
	}
	for _, s := range sources {
		if next := reflect.ValueOf(s).FieldByName("next"); next.UnsafePointer() != xunsafe.Pointer(nil) {
			t.Fatal("a map of the last document is kept alive")
		}
	}
}
