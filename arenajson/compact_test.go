package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

var indents = [][2]string{{"", "\t"}, {"", "  "}, {"> ", ""}, {"prefix", " . "}, {"", ""}, {"\"", "{"}}

// formsAsV1 compares Valid, Compact and Indent of doc with encoding/json's.
func formsAsV1(t *testing.T, a *arena.Arena, doc []byte) {
	t.Helper()
	before := bytes.Clone(doc)
	valid := json.Valid(doc)
	if got := Valid(doc); got != valid {
		t.Fatalf("%.500q is valid: %v, not %v", doc, got, valid)
	}
	for _, in := range []*arena.Arena{a, nil} {
		var want bytes.Buffer
		wantErr := json.Compact(&want, doc)
		got, err := Compact(in, doc)
		sameForm(t, "Compact", doc, got, err, want.Bytes(), wantErr)
		for _, by := range indents {
			want.Reset()
			wantErr := json.Indent(&want, doc, by[0], by[1])
			got, err := Indent(in, doc, by[0], by[1])
			text := want.Bytes()
			if onV2 && wantErr == nil {
				// It changes the spaces after the document.
				n := len(text) - (len(doc) - len(bytes.TrimRight(doc, " \t\r\n")))
				text, got = text[:n], got[:min(n, len(got))]
			}
			sameForm(t, "Indent", doc, got, err, text, wantErr)
		}
	}
	if !bytes.Equal(doc, before) {
		t.Fatalf("%.500q was changed", before)
	}
}

func sameForm(t *testing.T, what string, doc, got []byte, err error, want []byte, wantErr error) {
	t.Helper()
	if (err == nil) != (wantErr == nil) || wantErr == nil && !bytes.Equal(got, want) || err != nil && got != nil {
		t.Fatalf("%s of %.500q:\n%.500q, %v\nencoding/json has\n%.500q, %v", what, doc, got, err, want, wantErr)
	}
	if wantErr != nil {
		// Compact of encoding/json up to Go 1.26 does not report the offset.
		if e, ok := err.(*json.SyntaxError); !ok || !reflect.DeepEqual(err, syntaxError(doc)) || !onV2 && e.Error() != wantErr.Error() { // v2 has two texts
			t.Fatalf("%s of %.500q: %#v, encoding/json has %#v", what, doc, err, wantErr)
		}
	}
}

func TestFormsAsV1(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	for _, doc := range []string{"", " ", "\x00", "0\x00", "1 ", "1\n\n", " 1", "[] \t", "{}\r\n", "[ ]", "{ }\n", `[[],{},[[]],[{}]]`, `{"a":{},"b":[],"c":{"d":[1,[2,{"e":3}]]}}`, `"[{,:}]\"\\"`, `{"a:b,":"c"}`,
		`{"<a>&":"\u2028` + "\u2028\xff" + `"}`, "[1,]", "[,1]", "[1 2]", "[1}", `{"a":1]`, "tru", "truex", "nullnull", "1 2", "-", "01", `"`, `"\`, "\"\n\"", "{}}", "[]]", "1,"} {
		formsAsV1(t, a, []byte(doc))
		a.Reset()
	}
	formsAsV1(t, a, nil) // not a value to marshal
	for _, depth := range []int{255, 256, 257, 9999, 10000, 10001} {
		for _, doc := range []string{strings.Repeat("[", depth) + strings.Repeat("]", depth), strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth), strings.Repeat("[", depth)} {
			if got, want := Valid([]byte(doc)), json.Valid([]byte(doc)); got != want {
				t.Errorf("%.20s, %d deep, is valid: %v", doc, depth, got)
			}
			if depth < 1000 {
				formsAsV1(t, a, []byte(doc))
			}
		}
	}
	for _, n := range []int{1<<20 - 40, 1<<20 - 16, 1<<20 - 15, 1 << 20, 3 << 20} { // around the size at which Valid calls encoding/json
		doc := `["` + strings.Repeat("x", n-4) + `"]`
		if !Valid([]byte(doc)) || Valid([]byte(doc[:n-1])) || Valid([]byte(doc+"]")) {
			t.Errorf("of %d bytes", n)
		}
	}
	rounds := 5000
	if testing.Short() {
		rounds = 500
	}
	r := rand.New(rand.NewPCG(41, 42))
	for range rounds {
		v := reflect.New(randomType(r, 4)).Elem()
		fill(r, v, 4, r.IntN(2) == 0)
		doc, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			var b bytes.Buffer
			json.Indent(&b, doc, " ", "\t \r")
			doc = append(b.Bytes(), []string{"", " ", "\n \t"}[r.IntN(3)]...)
		}
		formsAsV1(t, a, doc)
		formsAsV1(t, a, mutated(r, doc))
		a.Reset()
	}
}

func FuzzForms(f *testing.F) {
	for _, s := range streams {
		if len(s) < 1000 {
			f.Add([]byte(s))
		}
	}
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, doc []byte) {
		formsAsV1(t, a, doc)
		a.Reset()
	})
}

// An Encoder writes the same bytes as encoding/json's, in as many calls of Write.
func TestEncoderAsV1(t *testing.T) {
	if onV2 {
		t.Skip("v2 writes some values otherwise: TestMarshalIsEncodingJSONs compares them")
	}
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	r := rand.New(rand.NewPCG(43, 44))
	a := arena.NewArena(64<<10, 0)
	for round := range rounds {
		var want, got written2
		theirs, ours := json.NewEncoder(&want), NewEncoder([]*arena.Arena{a, nil}[round%2], &got)
		if r.IntN(4) == 0 {
			ours = NewEncoder(a, &got, NoEscapeHTML)
			theirs.SetEscapeHTML(false)
		}
		for range 1 + r.IntN(5) {
			if r.IntN(3) == 0 {
				by := indents[r.IntN(len(indents))]
				theirs.SetIndent(by[0], by[1])
				ours.SetIndent(by[0], by[1])
			}
			if r.IntN(4) == 0 {
				on := r.IntN(2) == 0
				theirs.SetEscapeHTML(on)
				ours.SetEscapeHTML(on)
			}
			v := reflect.New(randomType(r, 4)).Elem()
			fill(r, v, 4, r.IntN(2) == 0)
			x := v.Interface()
			if r.IntN(8) == 0 {
				x = []any{x, make(chan int)}
			}
			if r.IntN(8) == 0 {
				want.err, got.err = errStream, errStream
			}
			wantErr, err := theirs.Encode(x), ours.Encode(x)
			compareErrors(t, x, err, wantErr)
		}
		if !reflect.DeepEqual(want.all, got.all) {
			t.Fatalf("%q\nencoding/json writes\n%q", got.all, want.all)
		}
		a.Reset()
	}
}

// written2 records the argument of each call of Write.
type written2 struct {
	all []string
	err error
}

func (w *written2) Write(b []byte) (int, error) {
	w.all = append(w.all, string(b))
	return len(b), w.err
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// An Encoder returns its memory to the arena and does not allocate from the heap. Neither do Valid, Compact
// and Indent.
func TestFormsAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	a := arena.NewArena(64<<10, 0)
	e, onHeap := NewEncoder(a, nowhere{}), NewEncoder(nil, nowhere{})
	v := &leaf{A: 7, B: "text"}
	doc := []byte(`{"a": [1, 2, {"b": "c"}]} `)
	for what, f := range map[string]func() error{
		"Encode":            func() error { return e.Encode(v) },
		"Encode, nil arena": func() error { return onHeap.Encode(v) },
		"Encode, indented": func() error {
			e.SetIndent("", "  ")
			err := e.Encode(v)
			e.SetIndent("", "")
			return err
		},
		"Compact": func() error { _, err := Compact(a, doc); return err },
		"Indent":  func() error { _, err := Indent(a, doc, "", "\t"); return err },
		"Valid": func() error {
			if !Valid(doc) {
				return errStream
			}
			return nil
		},
	} {
		a.Reset()
		f()
		before := a.Stats().UsedBytes
		if n := testing.AllocsPerRun(100, func() {
			if err := f(); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(what, "Encode") {
				return
			}
			a.Reset()
		}); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
		if used := a.Stats().UsedBytes; strings.HasPrefix(what, "Encode") && used != before {
			t.Errorf("%s: %d bytes of the arena, and then %d", what, before, used)
		}
	}
}

// An exceeded limit is an error, after which the next document can be written.
func TestFormsLimit(t *testing.T) {
	a := arena.NewArena(4096, 0)
	a.SetLimit(64 << 10)
	deep := []byte(strings.Repeat("[", 3000) + strings.Repeat("]", 3000)) // with long lines
	var over *arena.LimitError
	if _, err := Indent(a, deep, "", "\t"); !errors.As(err, &over) {
		t.Errorf("Indent: %v", err)
	}
	if _, err := Compact(a, []byte(`"`+strings.Repeat("x", 100<<10)+`"`)); !errors.As(err, &over) {
		t.Errorf("Compact: %v", err)
	}
	e := NewEncoder(a, nowhere{})
	e.SetIndent("", strings.Repeat("x", 60<<10))
	if err := e.Encode([][]int{{1}}); !errors.As(err, &over) {
		t.Errorf("Encode: %v", err)
	}
	e.SetIndent("", "")
	if err := e.Encode([]int{1}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// A value that Encode writes with another Encoder while the arena's encoder is in use.
type encodes struct{ a *arena.Arena }

func (x encodes) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := NewEncoder(x.a, &b).Encode("a text of the inner document")
	return b.Bytes(), err
}

// A document in an arena's memory is not overwritten by the next documents. Those with a nil arena once
// overwrote it.
func TestEncoderWithinEncoder(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for range 20 {
		a.Reset()
		if err := NewEncoder(a, nowhere{}).Encode(encodes{a}); err != nil {
			t.Fatal(err)
		}
		theirs := a.AllocBytes(2000)
		for range 4 {
			if err := NewEncoder(nil, nowhere{}).Encode(strings.Repeat("x", 100)); err != nil {
				t.Fatal(err)
			}
		}
		if i := bytes.IndexByte(theirs, 'x'); i >= 0 {
			t.Fatalf("byte %d of the arena's was written over", i)
		}
	}
}
