package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// Decoding is compared with encoding/json: accepted documents, results and errors.

// sameAsV1 decodes doc into two values of type t and compares them. If seed is not 0, they are filled before.
func sameAsV1(t *testing.T, a *arena.Arena, typ reflect.Type, doc []byte, seed uint64) {
	t.Helper()
	want, got := reflect.New(typ), reflect.New(typ)
	if seed != 0 {
		fill(rand.New(rand.NewPCG(seed, 0)), want.Elem(), 3, true)
		fill(rand.New(rand.NewPCG(seed, 0)), got.Elem(), 3, true)
	}
	before := bytes.Clone(doc)
	wantErr, panics := unmarshalV1(doc, want.Interface())
	if panics {
		return // an unexported embedded type, which it can't set
	}
	gotErr := Unmarshal(a, doc, got.Interface())
	if !bytes.Equal(before, doc) {
		t.Fatalf("the document was changed: %q, was %q", doc, before)
	}
	if !sameError(wantErr, gotErr) {
		t.Fatalf("%.500v\nof %.1500q:\n%T %v\nencoding/json says\n%T %v", typ, doc, gotErr, gotErr, wantErr, wantErr)
	}
	if _, ok := wantErr.(*json.SyntaxError); onV2 && wantErr != nil && !ok {
		return // it leaves other values after an error
	}
	if !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Fatalf("%.1000v\nof %.1000q (seed %d, error %v): %s", typ, doc, seed, wantErr, difference("", got.Elem(), want.Elem()))
	}
}

// difference describes the first difference between two values of one type.
func difference(path string, x, y reflect.Value) string {
	switch x.Kind() {
	case reflect.Struct:
		for i := range x.NumField() {
			if s := difference(path+"."+x.Type().Field(i).Name, x.Field(i), y.Field(i)); s != "" {
				return s
			}
		}
		return ""
	case reflect.Pointer, reflect.Interface:
		if !x.IsNil() && !y.IsNil() && x.Elem().Type() == y.Elem().Type() {
			return difference(path, x.Elem(), y.Elem())
		}
	case reflect.Slice, reflect.Array:
		if x.Len() == y.Len() && (x.Kind() == reflect.Array || x.IsNil() == y.IsNil()) {
			for i := range x.Len() {
				if s := difference(fmt.Sprintf("%s[%d]", path, i), x.Index(i), y.Index(i)); s != "" {
					return s
				}
			}
			return ""
		}
	}
	if got, want := fmt.Sprintf("%#v", x), fmt.Sprintf("%#v", y); got != want {
		return fmt.Sprintf("%s: %.300s, encoding/json has %.300s", path, got, want)
	}
	return ""
}

func unmarshalV1(doc []byte, v any) (err error, panics bool) {
	defer func() {
		if recover() != nil {
			panics = true
		}
	}()
	return json.Unmarshal(doc, v), false
}

// sameError reports whether y, of this package, equals x, of encoding/json. If that is built on v2, it
// reports other offsets and texts, so only the offset at which a document stops being JSON is compared.
func sameError(x, y error) bool {
	// It does not accept text that only begins like a number for a json.Number with ,string.
	if wrong, ok := x.(*json.UnmarshalTypeError); onV2 && ok && wrong.Type == reflect.TypeFor[json.Number]() && y == nil {
		return true
	}
	if _, ok := x.(*json.SyntaxError); onV2 && !ok && x != nil {
		_, ok := y.(*json.SyntaxError)
		return y != nil && !ok
	}
	return reflect.TypeOf(x) == reflect.TypeOf(y) && fmt.Sprint(x) == fmt.Sprint(y) && (x == nil || reflect.DeepEqual(x, y))
}

// mutated returns doc with some bytes changed, as by a hostile or broken client.
func mutated(r *rand.Rand, doc []byte) []byte {
	b := bytes.Clone(doc)
	pieces := []string{"null", "true", "{}", "[]", `""`, "-", "0", "1e400", "1.5", "99999999999999999999", `"a"`, `\u`, `\ud83d`, `\ude00`, "\xff", " ", ",", ":", "{", "}", "[", "]", "\x00", `"`, `\`, "é", "-1", `"3"`, "300", `"true"`}
	for range 1 + r.IntN(3) {
		i := r.IntN(len(b) + 1)
		switch r.IntN(5) {
		case 0:
			b = b[:i]
		case 1:
			if i < len(b) {
				b[i] = byte(r.Uint32())
			}
		case 2: // replace a token
			p := pieces[r.IntN(len(pieces))]
			end := i
			for end < len(b) && bytes.IndexByte([]byte(",]}:"), b[end]) < 0 {
				end++
			}
			b = append(b[:i:i], append([]byte(p), b[end:]...)...)
		case 3:
			p := pieces[r.IntN(len(pieces))]
			b = append(b[:i:i], append([]byte(p), b[i:]...)...)
		default:
			if j := r.IntN(len(b) + 1); i < j {
				b = append(b[:i:i], b[j:]...)
			}
		}
	}
	return b
}

func TestUnmarshalAsV1(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	r := rand.New(rand.NewPCG(1, 2))
	a := arena.NewArena(64<<10, 0)
	for round := range rounds {
		typ := randomType(r, 4)
		v := reflect.New(typ).Elem()
		fill(r, v, 4, round%2 == 0)
		doc, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		if round%3 == 0 {
			var b bytes.Buffer
			json.Indent(&b, doc, " ", "\t  ")
			doc = b.Bytes()
		}
		arenas := []*arena.Arena{a, nil}
		sameAsV1(t, arenas[round%2], typ, doc, 0)
		sameAsV1(t, a, typ, doc, r.Uint64())
		for range 6 {
			bad := mutated(r, doc)
			sameAsV1(t, arenas[r.IntN(2)], typ, bad, 0)
			sameAsV1(t, a, typ, bad, r.Uint64())
			sameAsV1(t, a, reflect.TypeFor[any](), bad, 0)
		}
		a.Reset()
	}
}

// FuzzUnmarshal decodes any bytes into values of many types.
func FuzzUnmarshal(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 40 {
		v := reflect.New(reflect.TypeOf(zoo[i%len(zoo)])).Elem()
		fill(r, v, 3, true)
		doc, err := json.Marshal(v.Interface())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(doc, uint64(i))
		f.Add(mutated(r, doc), uint64(i))
	}
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, doc []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 5))
		types := []reflect.Type{reflect.TypeFor[any](), reflect.TypeOf(zoo[r.IntN(len(zoo))]), randomType(r, 3)}
		typ := types[r.IntN(len(types))]
		sameAsV1(t, a, typ, doc, 0)
		sameAsV1(t, nil, typ, doc, seed)
		a.Reset()
	})
}

// The zero Arena is ready to use by each function.
func TestZeroArena(t *testing.T) {
	var a *arena.Arena
	for name, f := range map[string]func(){
		"Marshal":       func() { Marshal(a, 1) },
		"MarshalWrite":  func() { MarshalWrite(a, io.Discard, 1) },
		"Encode":        func() { NewEncoder(a, io.Discard).Encode(1) },
		"Compact":       func() { Compact(a, []byte("1")) },
		"Unmarshal":     func() { Unmarshal(a, []byte("1"), new(int)) },
		"UnmarshalRead": func() { UnmarshalRead(a, strings.NewReader("1"), new(int)) },
		"Decode":        func() { NewDecoder(a, strings.NewReader("1")).Decode(new(int)) },
	} {
		t.Run(name, func(t *testing.T) {
			a = new(arena.Arena)
			f()
			f()
			if s := a.Stats(); s.UsedBytes == 0 && name[0] != 'U' && name[0] != 'D' && name[0] != 'R' && s.RetainedBytes == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The expected length is within bounds for any document: at least a quarter more than the length, so that
// growth stays linear, and at most four times the length.
func TestExpected(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 10_000 {
		n, at := leastExpected/8+r.IntN(1<<20), 1+r.IntN(1<<r.IntN(30))
		d, was := decoder{scanner: scanner{n: at + r.IntN(1<<r.IntN(30))}}, growth{r.IntN(n), r.IntN(at)}
		if got := d.expected(&was, 8, n, at); got < n+n/4 || got > 4*n || was != (growth{n, at}) {
			t.Fatalf("%d, at %d of %d: %d, %v", n, at, d.n, got, was)
		}
	}
}
