package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// strictModel finds the first error of Strict in a JSON document, byte by byte and with a Go map for each
// object: a duplicate name, invalid UTF-8, or an unpaired surrogate.
type strictModel struct {
	doc []byte
	i   int
	at  int // offset of the error
	is  string
}

func refusedByModel(doc []byte) (at int, what string) {
	m := &strictModel{doc: doc}
	m.value()
	return m.at, m.is
}

func (m *strictModel) refuse(at int, what string) {
	if m.is == "" {
		m.at, m.is = at, what
	}
}

func (m *strictModel) peek() byte {
	for isSpace(m.doc[m.i]) {
		m.i++
	}
	return m.doc[m.i]
}

func (m *strictModel) value() {
	switch m.peek() {
	case '"':
		m.text()
	case '[', '{':
		object, met := m.doc[m.i] == '{', map[string]bool{}
		for m.i++; m.peek() != ']' && m.peek() != '}'; {
			if object {
				at := m.i
				name := m.text()
				if met[name] {
					m.refuse(at, "duplicate name "+strconv.Quote(name))
				}
				met[name] = true
				m.peek()
				m.i++ // the colon
			}
			m.value()
			if m.peek() == ',' {
				m.i++
				m.peek()
			}
		}
		m.i++
	default:
		for m.i < len(m.doc) && !strings.ContainsRune(",]} \n\r\t", rune(m.doc[m.i])) {
			m.i++
		}
	}
}

func (m *strictModel) text() string {
	begin := m.i
	for m.i++; m.doc[m.i] != '"'; {
		switch r, size := utf8.DecodeRune(m.doc[m.i:]); {
		case r == utf8.RuneError && size == 1:
			m.refuse(m.i, "invalid UTF-8")
			m.i++
		case r != '\\':
			m.i += size
		case m.doc[m.i+1] != 'u':
			m.i += 2
		default:
			first, second := m.unit(m.i), m.unit(m.i+6)
			if first >= 0 && utf16.IsSurrogate(first) {
				if utf16.DecodeRune(first, second) == utf8.RuneError {
					m.refuse(m.i, "unpaired surrogate")
				} else {
					m.i += 6
				}
			}
			m.i += 6
		}
	}
	m.i++
	var s string
	json.Unmarshal(m.doc[begin:m.i], &s)
	return s
}

// unit returns the code unit of the escape at i, or -1.
func (m *strictModel) unit(i int) (r rune) {
	if n, _ := fmt.Sscanf(string(m.doc[i:min(i+6, len(m.doc))]), `\u%04x`, &r); n == 0 {
		return -1
	}
	return r
}

// offended returns doc with a part that Strict rejects, or almost.
func offended(r *rand.Rand, doc []byte) []byte {
	escaped := func(name string) string {
		var b strings.Builder
		for _, c := range name {
			if c < 128 && r.IntN(3) == 0 {
				fmt.Fprintf(&b, `\u%04X`, c)
			} else {
				b.WriteRune(c)
			}
		}
		return b.String()
	}
	var at []int // open braces
	for i, c := range doc {
		if c == '{' || c == '"' {
			at = append(at, i+1)
		}
	}
	for range r.IntN(4) {
		if len(at) == 0 {
			break
		}
		i := at[r.IntN(len(at))]
		var piece string
		if i > len(doc) {
			continue
		}
		if doc[i-1] == '{' {
			for range 1 + r.IntN(20) {
				name := randomText(r)
				if r.IntN(2) == 0 {
					name = fmt.Sprint("unknown", r.IntN(30))
				}
				q, _ := json.Marshal(name)
				if !bytes.ContainsRune(q, '\\') {
					q = []byte(escaped(string(q[1 : len(q)-1])))
					q = append(append([]byte{'"'}, q...), '"')
				}
				piece += string(q) + []string{":1,", ` : [{"a":1,"\u0062":2}],`, `:{},`, `:"x\ty",`}[r.IntN(4)]
			}
		} else {
			piece = []string{`\ud83d`, `\ud83d\ude00`, `\ude00`, "\xff", "é\xc3", `\n`, `\u0041`, "\xe2\x82", `\ud83d\u0041`, `\ud83d\ud83d\ude00`}[r.IntN(10)]
		}
		doc = append(doc[:i:i], append([]byte(piece), doc[i:]...)...)
	}
	return doc
}

// everyWay decodes doc by Unmarshal, UnmarshalRead and a Decoder, in a and on the heap, with streams split at
// any place. All must return the same value and error, with the same offset.
func everyWay(t *testing.T, a *arena.Arena, r *rand.Rand, typ reflect.Type, doc []byte, seed uint64, opts ...Option) error {
	t.Helper()
	make := func() any {
		v := reflect.New(typ)
		if seed != 0 {
			fill(rand.New(rand.NewPCG(seed, 0)), v.Elem(), 3, true)
		}
		return v.Interface()
	}
	want := make()
	wantErr := Unmarshal(a, doc, want, opts...)
	readers := []io.Reader{bytes.NewReader(doc), iotest.OneByteReader(bytes.NewReader(doc)), &cutReader{r, doc, 1 + r.IntN(50), io.EOF}, iotest.DataErrReader(bytes.NewReader(doc))}
	for i, reader := range readers {
		in := []*arena.Arena{a, nil}[(i+r.IntN(2))%2]
		got := make()
		if err := UnmarshalRead(in, reader, got, opts...); !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
			t.Fatalf("UnmarshalRead of %.1000q into %.500v, %v:\n%+v, Unmarshal has\n%+v: %s", doc, typ, opts, err, wantErr, difference("", reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()))
		}
	}
	if !json.Valid(doc) {
		return wantErr // a stream continues, or is truncated
	}
	const before = ` {"a":1} ` // shifts all offsets
	for i, reader := range []io.Reader{strings.NewReader(before + string(doc)), iotest.OneByteReader(strings.NewReader(before + string(doc))), &cutReader{r, []byte(before + string(doc)), 1 + r.IntN(50), io.EOF}} {
		d := NewDecoder([]*arena.Arena{a, nil}[(i+r.IntN(2))%2], reader, opts...)
		if err := d.Decode(new(leaf)); err != nil {
			t.Fatal(err)
		}
		start, got := d.InputOffset(), make()
		err := d.Decode(got)
		if e, ok := err.(*StrictError); ok {
			e.Offset -= start
		}
		// The spaces before the document belong to the stream.
		if shifted := wantErr; !reflect.DeepEqual(err, shiftedBy(shifted, int64(len(before))-start)) || !reflect.DeepEqual(got, want) {
			t.Fatalf("Decode of %.1000q into %.500v, %v:\n%#v, Unmarshal has\n%#v: %s", doc, typ, opts, err, wantErr, difference("", reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()))
		}
	}
	return wantErr
}

// shiftedBy returns err for a document with n more spaces before it.
func shiftedBy(err error, n int64) error {
	switch e := err.(type) {
	case *StrictError:
		return &StrictError{e.Offset + n, e.What}
	case *json.UnmarshalTypeError:
		if e.Type == reflect.TypeFor[badJSON]() {
			return e // of a method
		}
		shifted := *e
		shifted.Offset += n
		return &shifted
	}
	return err
}

// strictAsModel decodes doc with Strict in every way, and compares the error with the model's.
func strictAsModel(t *testing.T, a *arena.Arena, r *rand.Rand, typ reflect.Type, doc []byte, seed uint64, opts ...Option) {
	t.Helper()
	err := everyWay(t, a, r, typ, doc, seed, append(opts, Strict)...)
	refused, isStrict := err.(*StrictError)
	if !json.Valid(doc) {
		if isStrict {
			t.Fatalf("%.1000q is no JSON: %v", doc, err)
		}
		return
	}
	at, what := refusedByModel(doc)
	switch {
	case isStrict && what == "" && strings.HasSuffix(refused.What, `-0"`), isStrict && what == "" && strings.HasSuffix(refused.What, ` "0"`):
		// Another name with the same key.
	case isStrict && what == "" && strings.Contains(typ.String(), "textKey") && strings.Contains(refused.What, "<"):
	case isStrict && (refused.Offset != int64(at) || refused.What != what):
		t.Fatalf("%.1000q into %.300v: %+v, must be at %d: %s", doc, typ, refused, at, what)
	case !isStrict && what != "" && (err == nil || typ == reflect.TypeFor[any]()):
		t.Fatalf("%.1000q into %.300v: %v, must be refused at %d: %s", doc, typ, err, at, what)
	}
}

var strictDocs = []string{
	`{"u":{"x":"\u0041\u0042","y":"\ud800"}}`, "{\"u\":\"a\\n\\n\\n\xff\"}", "[\"\\n\xff\\ud800\"]", "[\"\\ud800\xff\"]", `["\ud83d\u0041"]`, `["\ud83d\ud83d\ude00"]`, `["\udc00\ud800"]`,
	`{"a":1,"\u0061":2}`, `{"\u0061":1,"a":2}`, `{"\n\u0061":1,"\u000aa":2}`, `{"":1,"":2}`, `{"a":{"a":{"a":1}},"b":{"a":1,"a":2}}`, `{"A":1,"A":2}`, `{"A":1,"a":2}`, `{"A":{"A":1},"A":[1]}`,
	`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10,"11":{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"\u0031":1},"12":12}`,
	`{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":10,"11":{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"0":1},"\u0031":12}`,
	`{"unknown99":1,"unknown99":2}`, `{"unknown64":1,"unknown63":2,"unknown63":3}`, `{"0":1,"-0":2}`, `{"-0":1,"0":2}`, `{"ab":1,"a":2,"b":3,"abc":4,"ab\u0063":5}`, `{"a\"":1,"a":2,"a\u0022":3}`, `{"a":1,"b":"` + "\xff" + `","a":2}`,
}

// The error of Strict, and its offset, do not depend on the function that decodes. UnmarshalRead once
// returned other offsets and names.
func TestStrictAsModel(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	a := arena.NewArena(64<<10, 0)
	many := manyMembers(100, reflect.TypeFor[any]())
	for _, doc := range strictDocs {
		for _, typ := range []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[struct{ A any }](), reflect.TypeFor[struct{ A, U map[string]any }](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]json.RawMessage](), reflect.TypeFor[map[int]any](), reflect.TypeFor[map[textKey]any](), reflect.TypeFor[[]string](), many} {
			for _, seed := range []uint64{0, 1} {
				strictAsModel(t, a, r, typ, []byte(doc), seed)
				strictAsModel(t, a, r, typ, []byte(doc), seed, DisallowUnknownFields)
			}
		}
	}
	rounds := 2000
	if testing.Short() {
		rounds = 400
	}
	for range rounds {
		typ := randomType(r, 3)
		v := reflect.New(typ).Elem()
		fill(r, v, 3, true)
		doc, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		doc = offended(r, doc)
		if r.IntN(8) == 0 {
			doc = mutated(r, doc)
		}
		for _, typ := range []reflect.Type{typ, reflect.TypeFor[any](), many} {
			strictAsModel(t, a, r, typ, doc, uint64(r.IntN(3)), []Option{UseNumber, DisallowUnknownFields}[r.IntN(2)])
			everyWay(t, a, r, typ, doc, uint64(r.IntN(3)))
		}
		a.Reset()
	}
}

// manyMembers returns a struct of n members of type t. Some of their names equal unknown names of other
// structs.
func manyMembers(n int, t reflect.Type) reflect.Type {
	var fields []reflect.StructField
	for i := range n {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: t, Tag: reflect.StructTag(fmt.Sprintf(`json:"unknown%d"`, i))})
	}
	return reflect.StructOf(fields)
}

func FuzzStrict(f *testing.F) {
	for i, doc := range strictDocs {
		f.Add([]byte(doc), uint64(i))
	}
	a := arena.NewArena(64<<10, 0)
	many := manyMembers(100, reflect.TypeFor[any]())
	f.Fuzz(func(t *testing.T, doc []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 5))
		types := []reflect.Type{reflect.TypeFor[any](), reflect.TypeOf(zoo[r.IntN(len(zoo))]), randomType(r, 3), many}
		strictAsModel(t, a, r, types[r.IntN(len(types))], offended(r, doc), uint64(r.IntN(2)))
		a.Reset()
	})
}

// In an arena that has its memory, Strict does not allocate from the heap.
func TestStrictAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	a := arena.NewArena(64<<10, 0)
	doc := []byte(`{"unknown1":1,"x":{"y":1,"z":[{"\u0061":1,"b":2}]},"unknown2":{}, "more":"\n", "1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9}`)
	v := new(struct{ Unknown1 int })
	if n := testing.AllocsPerRun(100, func() {
		if err := Unmarshal(a, doc, v, Strict); err != nil {
			t.Fatal(err)
		}
		a.Reset()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Entries that a map had before are not duplicates of the names in an object.
func TestStrictIntoFilledMaps(t *testing.T) {
	for doc, ok := range map[string]bool{`{"1":5,"2":6}`: true, `{"0":1,"-0":2}`: false, `{"1":1,"-0":2,"2":3}`: true} {
		ours := arena.NewMap[int, int](nil, 0)
		ours.Set(1, 1)
		ours.Set(7, 7)
		for _, v := range []any{&ours, &map[int]int{1: 1, 7: 7}} {
			if err := Unmarshal(nil, []byte(doc), v, Strict); (err == nil) != ok {
				t.Errorf("%s into %T: %v", doc, v, err)
			}
		}
	}
}
