package arenajson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// cutReader reads a text in pieces of random sizes, sometimes empty. It returns its error alone or with the
// last piece.
type cutReader struct {
	r    *rand.Rand
	text []byte
	most int
	err  error
}

func (c *cutReader) Read(b []byte) (int, error) {
	n := copy(b, c.text[:min(len(c.text), c.r.IntN(c.most+1))])
	if c.text = c.text[n:]; len(c.text) == 0 && (n == 0 || c.r.IntN(2) == 0) {
		return n, c.err
	}
	return n, nil
}

// sameStream compares both Decoders on text.
func sameStream(t *testing.T, a *arena.Arena, r *rand.Rand, text []byte, most int, end error) {
	t.Helper()
	seed := r.Uint64()
	reader := func() io.Reader { return &cutReader{rand.New(rand.NewPCG(seed, 1)), text, most, end} }
	want, got := json.NewDecoder(reader()), NewDecoder(a, reader())
	var x, y any
	var keptX, keptY map[string]any // an invalid document leaves them unchanged
	for {
		into, ours := any(&x), any(&y)
		if x, y = nil, nil; seed&1 != 0 {
			into, ours = &keptX, &keptY
		}
		start := want.InputOffset()
		wantErr, gotErr := want.Decode(into), got.Decode(ours)
		waits := wantErr == end && end != io.EOF && gotErr != end && got.InputOffset() == int64(len(text))
		if waits && bytes.IndexByte([]byte("}]"), text[len(text)-1]) < 0 {
			// encoding/json waits for the byte after a value that is not an array or object.
			wantErr = json.Unmarshal(text[start:], into)
		}
		if _, ok := wantErr.(*json.SyntaxError); ok && onV2 && !sameError(wantErr, gotErr) {
			// Its message has as much of a character or escape as was read, which differs here.
			read := text[start:]
			if ahead, _ := io.ReadAll(got.Buffered()); got.InputOffset() == start {
				read = read[:len(ahead)]
			}
			whole := json.Unmarshal(read, new(any)).(*json.SyntaxError)
			whole.Offset += start
			wantErr = whole
		}
		if !sameError(wantErr, gotErr) || !reflect.DeepEqual(into, ours) && !(onV2 && wantErr != nil) {
			t.Fatalf("%.300q in pieces of %d:\n%.100v, %v\nencoding/json has\n%.100v, %v", text, most, reflect.ValueOf(ours).Elem(), gotErr, reflect.ValueOf(into).Elem(), wantErr)
		}
		if _, ok := wantErr.(*json.SyntaxError); (ok && !onV2 && len(text) < mostAhead || wantErr == nil && !waits) && want.InputOffset() != got.InputOffset() {
			t.Fatalf("%.300q: at %d, encoding/json is at %d", text, got.InputOffset(), want.InputOffset())
		}
		if onV2 && wantErr != nil {
			keptX, keptY = nil, nil // they may have values that did not fit
		}
		if _, ok := wantErr.(*json.UnmarshalTypeError); wantErr != nil && !ok {
			if again := got.Decode(ours); again != gotErr {
				t.Fatalf("%.300q: then %v", text, again)
			}
			return
		}
	}
}

var streams = []string{
	"1 2 3", "1-2", "01", "-", "-x", "1.", "1.x", "1.5e", "1.5e+", "1.5e+7x", "1e5.2", "0-0", "1ee", "1.2.3", "+1", ".5", "1e400 2",
	`"a""b"`, `"a"x`, `"\`, `"\"`, `"\\"1`, "\"a\nb\"", `["\u0"0"]`, "[\"\\u\x01\"]", `"\u00e9\ud83d\ude00" "\x"`, "true false null", "truefalse", "tru", "trux", "nul", "falsy",
	"{\"a\":{}\n,\"b\":1}\n{\"a\":2}\n", "{\"a\":{}\n,\"b\":1x}", "{\"a\":{\"b\":1}\n", "{\"a\":1}\n{\"b\":x}\n{}", "[]\n{\"a\":1},\n{}",
	`{}{}[]`, `{"a":]`, `[1}`, `{"a:1}`, `{"a":1,,`, `[1 2]`, `]`, `}`, `,1`, `[[[]]`, ` [ "]", "\"]", "\\" ] `, "x", "é", "trué", "-€", "\x00", "\xff", "{} \x00", "  \n",
	strings.Repeat("[", 10_001), strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), `{"long":"` + strings.Repeat("text ", 30_000) + `"} {"b":[1]} x`,
	`["` + strings.Repeat(`\u0041\n`, 20_000) + `",` + strings.Repeat("1,", 30_000) + `2]  7 `, strings.Repeat("9", 70_000) + " 1", `"` + strings.Repeat("x", 70_000), strings.Repeat(" ", 70_000) + "{}",
}

// Documents end at the same offsets as with encoding/json, regardless of how the stream is split.
func TestDecoderCutAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	a := arena.NewArena(64<<10, 0)
	for _, text := range streams {
		for _, most := range []int{1, 7, 600, 1 << 20} {
			if len(text) > 10_000 && (most < 100 || testing.Short() && most < 1000) {
				continue
			}
			for _, in := range []*arena.Arena{a, nil} {
				sameStream(t, in, r, []byte(text), most, io.EOF)
				sameStream(t, in, r, []byte(text), most, errors.New("broken"))
			}
		}
		a.Reset()
	}
	rounds := 1500
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		var text bytes.Buffer
		for range r.IntN(5) {
			v := reflect.New(randomType(r, 3)).Elem()
			fill(r, v, 3, true)
			doc, _ := json.Marshal(v.Interface())
			if r.IntN(4) == 0 { // lines that are not documents
				ends := []string{"]", "}", ",", "{"}[r.IntN(4):]
				doc = bytes.ReplaceAll(doc, []byte(ends[0]), []byte(ends[0]+"\n"))
			}
			text.Write(doc)
			text.WriteString([]string{"", " ", "\n", "\r\n\t", ",\n"}[r.IntN(5)])
		}
		b := text.Bytes()
		if r.IntN(2) == 0 {
			b = mutated(r, b)
		}
		sameStream(t, a, r, b, 1+r.IntN(1+r.IntN(100)), io.EOF)
		a.Reset()
	}
}

func FuzzDecoder(f *testing.F) {
	for _, text := range streams {
		if len(text) < 1000 { // long texts are too slow
			f.Add([]byte(text), uint64(1))
		}
	}
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 9))
		sameStream(t, a, r, text, 1+r.IntN(40), io.EOF)
		a.Reset()
	})
}

// UnmarshalRead returns the errors of Unmarshal. It must not decode escapes in place, because errors are
// found in the document afterwards.
func TestUnmarshalReadErrors(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, in := range []*arena.Arena{a, nil} {
		for _, doc := range append(errorDocs, `{"\u0041":5,"In":{"S":[1]},"L":[{"B":1}]x`, `{"In":{"B":1},"QS":"\"\\u0041\\n\"","M":{"\u0022\u0022":"x"}}`,
			"{\"QS\":\"\\\"\xff\\\\u0041\\\"\",\"A\":true}", "{\"M\":{\"\xff\\n\":1},\"A\":[}") {
			want, got := new(errorsOf), new(errorsOf)
			wantErr, gotErr := Unmarshal(in, []byte(doc), want), UnmarshalRead(in, iotest.HalfReader(strings.NewReader(doc)), got)
			if !reflect.DeepEqual(wantErr, gotErr) || !reflect.DeepEqual(want, got) {
				t.Errorf("%s: %v; Unmarshal has %v: %s", doc, gotErr, wantErr, difference("", reflect.ValueOf(*got), reflect.ValueOf(*want)))
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		typ := randomType(r, 3)
		v := reflect.New(typ).Elem()
		fill(r, v, 3, true)
		doc, _ := json.Marshal(v.Interface())
		if r.IntN(2) == 0 {
			doc = mutated(r, doc)
		}
		want, got := reflect.New(typ), reflect.New(typ)
		wantErr, gotErr := Unmarshal(a, doc, want.Interface()), UnmarshalRead(a, &cutReader{r, doc, 50, io.EOF}, got.Interface())
		if !reflect.DeepEqual(wantErr, gotErr) || !reflect.DeepEqual(want.Interface(), got.Interface()) {
			t.Fatalf("%s: %v; Unmarshal has %v: %s", doc, gotErr, wantErr, difference("", got.Elem(), want.Elem()))
		}
	}
}

// A document is only once in the arena.
func TestUnmarshalReadCopiesOnce(t *testing.T) {
	doc := `["` + strings.Repeat("x", 1<<20) + `"]`
	a := arena.NewArena(4<<20, 0)
	var x []string
	if err := UnmarshalRead(a, strings.NewReader(doc), &x); err != nil || len(x[0]) != 1<<20 {
		t.Fatal(err)
	}
	if used := a.Stats().UsedBytes; used > len(doc)+1024 {
		t.Errorf("%d bytes of the arena for a document of %d", used, len(doc))
	}
}

type countingReader struct {
	io.Reader
	n int
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

// A document that exceeds the arena's limit is not read completely.
func TestDecoderLimit(t *testing.T) {
	a := arena.NewArena(4096, 0)
	a.SetLimit(256 << 10)
	in := &countingReader{Reader: io.MultiReader(strings.NewReader(`{"a":1} "`), iotest.OneByteReader(strings.NewReader("x")), &endless{})}
	d := NewDecoder(a, in)
	var x leaf
	if err := d.Decode(&x); err != nil || x.A != 1 {
		t.Fatal(x, err)
	}
	for range 2 {
		var over *arena.LimitError
		if err := d.Decode(new(string)); !errors.As(err, &over) {
			t.Fatal(err)
		}
	}
	if in.n > 512<<10 {
		t.Errorf("%d bytes were read", in.n)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// repeated is a stream of one document, over and over.
type repeated struct {
	doc []byte
	at  int
}

func (r *repeated) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		k := copy(b[n:], r.doc[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.doc)
	}
	return n, nil
}

// A Decoder remains usable after its arena is reset. It does not allocate in steady state, even if documents
// are longer than its buffer, which grows beyond 512 bytes so that most documents need no search for their
// ends.
func TestDecoderAllocations(t *testing.T) {
	testkit.NeedsReuse(t)
	if check.Race || viaReflect {
		t.Skip("the race detector allocates, and so does package reflect")
	}
	for _, size := range []int{10, 1000, 200_000} {
		a := arena.NewArena(1<<20, 0)
		d := NewDecoder(a, &repeated{doc: []byte(`{"a":7,"B":"` + strings.Repeat("y", size) + "\"}\n")})
		x := new(leaf)
		read := func() {
			*x = leaf{}
			a.Reset()
			if !d.More() {
				t.Fatal("no more")
			}
			if err := d.Decode(x); err != nil || x.A != 7 || len(x.B) != size {
				t.Fatal(err)
			}
		}
		for range 100 + 30_000/size {
			read()
		}
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("%v allocations for a string of %d", n, size)
		}
		want := longestLine
		if size > mostAhead {
			want = mostAhead
		}
		if cap(d.buf) != want {
			t.Errorf("it reads %d bytes ahead with strings of %d, want %d", cap(d.buf), size, want)
		}
	}
}

// Buffered returns the data after the document.
func TestDecoderBuffered(t *testing.T) {
	d := NewDecoder(nil, strings.NewReader(`{"a":1} rest`))
	if err := d.Decode(new(leaf)); err != nil || d.InputOffset() != 7 {
		t.Fatal(err, d.InputOffset())
	}
	if rest, _ := io.ReadAll(d.Buffered()); string(rest) != " rest" {
		t.Errorf("%q is left", rest)
	}
	if !d.More() || d.InputOffset() != 8 {
		t.Errorf("at %d", d.InputOffset())
	}
	// More stops before spaces at the end of a stream, as in both versions of encoding/json, but does not
	// keep more of them than the buffer's size.
	d = NewDecoder(nil, strings.NewReader("1 \n"))
	d.Decode(new(int))
	if rest, _ := io.ReadAll(d.Buffered()); d.More() || d.InputOffset() != 1 || string(rest) != " \n" {
		t.Errorf("at %d, %q is left", d.InputOffset(), rest)
	}
	d = NewDecoder(nil, strings.NewReader(strings.Repeat(" ", 5*mostAhead)+"7"))
	x := 0
	if !d.More() || d.InputOffset() != 5*mostAhead || d.Decode(&x) != nil || x != 7 || cap(d.buf) > mostAhead {
		t.Errorf("%d at %d, and %d bytes ahead", x, d.InputOffset(), cap(d.buf))
	}
}

// Too many open brackets end the stream, before all of it is read.
func TestDecoderNesting(t *testing.T) {
	in := &countingReader{Reader: &repeated{doc: []byte("[")}}
	var wrong *json.SyntaxError
	if err := NewDecoder(nil, io.LimitReader(in, 1<<20)).Decode(new(any)); !errors.As(err, &wrong) || in.n > 64<<10 {
		t.Errorf("%v, after %d bytes", err, in.n)
	}
}
