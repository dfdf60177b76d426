package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

type (
	textName  string
	namedMap  map[string]string
	namedKeys map[textName]string
	namedBoth map[textName]textName
	namedAny  map[textName]any
)

// Maps with string keys of every size, around the number of members that are collected, with duplicate names,
// nulls, and values that do not fit.
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

// floatKey is a key whose values may be equal with different texts, and unequal with the same.
type floatKey float64

func (k *floatKey) UnmarshalText(text []byte) (err error) {
	f, err := strconv.ParseFloat(string(text), 64)
	*k = floatKey(f)
	return err
}

// An arena.Map gets the entries of a builtin map, for keys of every kind.
func TestMapsAsBuiltin(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4<<10, 0)} {
		r := rand.New(rand.NewPCG(63, 64))
		for range 500 {
			sameEntries[string](t, a, r)
			sameEntries[textName](t, a, r)
			sameEntries[int8](t, a, r)
			sameEntries[uint64](t, a, r)
			sameEntries[textKey](t, a, r)
			sameEntries[floatKey](t, a, r)
			sameEntries[struct{ floatKey }](t, a, r)
			a.Reset()
		}
	}
}

func sameEntries[K comparable](t *testing.T, a *arena.Arena, r *rand.Rand) {
	t.Helper()
	names := []string{"1", "2", "3", "0", "-0", "1.0", "1e0", "NaN", "nan", "Inf", "-Inf"}
	switch any(*new(K)).(type) {
	case int8, uint64:
		names = []string{"0", "-0", "1", "2", "3", "100"}
	case textKey:
		names = []string{"<1>", "<2>", "<01>", "<3>x"}
	}
	if r.IntN(8) == 0 {
		names = append(names, "", "a", "300", "<4>") // an error in most types
	}
	var doc strings.Builder
	for n := range r.IntN(40) {
		fmt.Fprintf(&doc, `,"%s":{"%c":%d}`, names[r.IntN(len(names))], 'A'+rune(r.IntN(2)), n)
	}
	text := []byte("{" + strings.TrimPrefix(doc.String(), ",") + "}")
	type value struct{ A, B int }
	var got *arena.Map[K, value]
	want := map[K]value{}
	err, wantErr := Unmarshal(a, text, &got), Unmarshal(a, text, &want)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: Unmarshal = %v, want %v", text, err, wantErr)
	}
	if err != nil {
		return // Go 1.27's encoding/json, to which a builtin map may be left, goes on behind the error
	}
	var list, wantList []string
	for k, v := range got.All() {
		list = append(list, fmt.Sprint(k, v))
	}
	for k, v := range want {
		wantList = append(wantList, fmt.Sprint(k, v))
	}
	slices.Sort(list)
	if slices.Sort(wantList); !slices.Equal(list, wantList) {
		t.Fatalf("%s: entries of a %T = %v, want %v", text, got, list, wantList)
	}
}

// mustBeEmpty fails the test if a list in the pool still refers to members, which it would keep alive.
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

// Maps of many types in one document are correct, and the shared variables keep no entry alive.
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
	if x := pairOf(plainMode.decProgramOf(reflect.TypeFor[*map[string]bool]())); !x.key.IsZero() || !x.value.IsZero() {
		t.Error("a key is kept alive")
	}
}

// Keys that are times are decoded and encoded as by encoding/json, in every form that it accepts.
func TestTimeKeys(t *testing.T) {
	texts := func(m map[time.Time]int) (all []string) {
		for k, v := range m {
			all = append(all, fmt.Sprint(k.Format(time.RFC3339Nano), v))
		}
		slices.Sort(all)
		return all
	}
	for _, key := range []string{
		"2020-01-02T03:04:05Z", "2020-01-02T03:04:05+01:00", `2020-01-02T03:04:05\u002b01:00`, "2020-01-02T03:04:05-00:00", "2020-01-02T03:04:05.123456789123Z", "2020-01-02T03:04:05,5Z", "2020-01-02T3:04:05Z",
		"2020-01-02t03:04:05z", "2020-01-02 03:04:05Z", "2020-01-02T03:04:05+23:60", "2020-01-02T03:04:05+24:00", "2020-01-02T24:04:00Z", "2020-02-30T00:00:00Z", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "", "null",
	} {
		for _, doc := range []string{`{"` + key + `":1}`, `{"` + key + `":1,"2020-01-02T03:04:05Z":2,"` + key + `":"x","` + key + `":3}`} {
			var want, got map[time.Time]int
			wantErr, gotErr := json.Unmarshal([]byte(doc), &want), Unmarshal(nil, []byte(doc), &got)
			if (wantErr == nil) != (gotErr == nil) || wantErr == nil && !slices.Equal(texts(want), texts(got)) {
				t.Errorf("%s is %v, error %v; encoding/json has %v, error %v", doc, texts(got), gotErr, texts(want), wantErr)
			}
		}
	}
	second := time.Unix(1e9, 0)
	for _, key := range []time.Time{
		{}, second.UTC(), time.Unix(1e9, 123456789).UTC(), second.In(time.FixedZone("", 3601)), second.In(time.FixedZone("", 86399)), second.In(time.FixedZone("", 86400)), second.In(time.FixedZone("", -86400)),
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		m := map[time.Time]int{key: 1, second.Add(1).UTC(): 2}
		want, wantErr := json.Marshal(m)
		got, gotErr := Marshal(nil, m)
		if string(got) != string(want) || (wantErr == nil) != (gotErr == nil) {
			t.Errorf("%v is written as %s, error %v; encoding/json has %s, error %v", key, got, gotErr, want, wantErr)
		}
	}
}

// Lists of members are on the heap, where no limit counts them, so their length is bounded in nested objects as well.
func TestListsOfOpenObjects(t *testing.T) {
	type nest struct{ M map[string]*nest }
	var all []*scratch
	old := freeScratch.New
	defer func() { freeScratch.New = old }()
	freeScratch.New = func() any { all = append(all, new(scratch)); return all[len(all)-1] }
	for range 2 {
		runtime.GC() // the pool is empty after two collections
	}
	for _, x := range []struct{ depth, members int }{{20, 1000}, {6, 2000}, {3000, 3}} {
		var members strings.Builder
		for i := range x.members {
			fmt.Fprintf(&members, `"%d":null,`, i)
		}
		for _, y := range []struct {
			begin, end string
			into       func() any
		}{
			{"{", "}", func() any { return new(any) }},
			{`{"M":{`, "}}", func() any { return new(nest) }},
		} {
			doc := []byte(strings.Repeat(y.begin+members.String()+`"A":`, x.depth) + "null" + strings.Repeat(y.end, x.depth))
			want, got := y.into(), y.into()
			if err := json.Unmarshal(doc, want); err != nil {
				t.Fatal(err)
			}
			if err := Unmarshal(arena.NewArena(64<<10, 0), doc, got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d objects of %d members into %T: error %v, or other members", x.depth, x.members, got, err)
			}
			for _, s := range all {
				if n, most := max(cap(s.anys.all), cap(s.pointers.all)), 2*(mostOpen+x.depth); n > most {
					t.Errorf("%d objects of %d members into %T: lists of %d members, want at most %d", x.depth, x.members, got, n, most)
				}
			}
		}
	}
	if len(all) == 0 {
		t.Error("no list was used")
	}
}

// The variable for an entry of an open object counts before it is allocated, or nested objects would exceed the limit.
func TestEntriesOfOpenObjects(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race {
		t.Skip("the race detector allocates")
	}
	type node struct {
		Large [128]int64
		M     map[string]node
		N     map[int]node
	}
	for _, name := range []string{"M", "N"} {
		doc := []byte(strings.Repeat(`{"`+name+`":{"1":`, 4900) + "null" + strings.Repeat("}}", 4900))
		a := arena.NewArena(4096, 0)
		a.SetLimit(1 << 20)
		n, err := allocated(func() error { return Unmarshal(a, doc, new(node)) })
		var over *arena.LimitError
		if !errors.As(err, &over) || n > 5<<18 {
			t.Errorf("%s: %.0f bytes allocated with a limit of 1 MB, error %v", name, n, err)
		}
	}
}
