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
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// sameTokens compares both Decoders on text by Token, More and Decode in random order.
func sameTokens(t *testing.T, a *arena.Arena, r *rand.Rand, text []byte, most int) {
	t.Helper()
	seed, steps := r.Uint64(), ""
	reader := func() io.Reader { return &cutReader{rand.New(rand.NewPCG(seed, 1)), text, most, io.EOF} }
	want := json.NewDecoder(reader())
	var opts []Option
	if r.IntN(4) == 0 {
		want.UseNumber()
		opts = append(opts, UseNumber)
	}
	got := NewDecoder(a, reader(), opts...)
	decodes := r.IntN(8)
	for range 4*len(text) + 10 {
		var x, y any
		var wantErr, gotErr error
		switch {
		case r.IntN(8) == 0:
			steps += "M"
			if more, ours := want.More(), got.More(); more != ours {
				t.Fatalf("%.500q, %s: More is %v, encoding/json has %v", text, steps, ours, more)
			}
			sameOffset(t, text, steps, want, got)
			continue
		case r.IntN(8) < decodes:
			steps += "D"
			make := []func() any{func() any { return new(any) }, func() any { return new(json.RawMessage) }, func() any { return new(int) }, func() any { return new([]string) }, func() any { return new(string) }}[r.IntN(5)]
			x, y = make(), make()
			wantErr, gotErr = want.Decode(x), got.Decode(y)
		default:
			steps += "T"
			x, wantErr = want.Token()
			y, gotErr = got.Token()
		}
		e, is := wantErr.(*json.SyntaxError)
		if is {
			// encoding/json counts only the bytes that it scanned for values.
			ours, ok := gotErr.(*json.SyntaxError)
			if !ok || ours.Error() != e.Error() || ours.Offset > int64(len(text)) {
				t.Fatalf("%.500q, %s: %#v, %v, encoding/json has %#v, %v", text, steps, gotErr, gotErr, wantErr, wantErr)
			}
		} else if !sameError(wantErr, gotErr) {
			t.Fatalf("%.500q, %s: %#v, %v, encoding/json has %#v, %v", text, steps, gotErr, gotErr, wantErr, wantErr)
		}
		if wantErr == io.EOF {
			sameOffset(t, text, steps, want, got)
		}
		if got.err != nil || wantErr == io.EOF || wantErr == io.ErrUnexpectedEOF {
			return // encoding/json continues after some errors
		}
		if is && r.IntN(3) == 0 {
			return // both stay at the same place
		}
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("%.500q, %s: %#v, encoding/json has %#v", text, steps, y, x)
		}
		if wantErr == nil {
			sameOffset(t, text, steps, want, got)
		}
	}
}

// sameOffset compares the positions of the Decoders, even at the end of the stream, before its last spaces.
func sameOffset(t *testing.T, text []byte, steps string, want *json.Decoder, got *Decoder) {
	t.Helper()
	if want.InputOffset() != got.InputOffset() {
		t.Fatalf("%.500q, %s: at %d, encoding/json is at %d", text, steps, got.InputOffset(), want.InputOffset())
	}
}

var tokenTexts = []string{
	`{"a":[1,2,{"b":null}],"c":"d"} [true,false] "x" 7`, "[1 2]", "[1,]", "[,1]", "[1}", `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1,}`, `{,}`, `{1:2}`, `{"a"}`, `{"a",1}`, `{:1}`, `{"a"::1}`, "]", "}", ":", ",", "[", "{", `{"a`, `{"a"`, `{"a":`, `[1`, `[1,`, "x", "[x", "[1x", `{x`, `{"a"x`, `{"a":x`, `{"a":1x`, `{"a":1,x`,
	`[é`, "[\xff", `[0,0 .`, `{"a":0 .`, `{"a":0 e`, `[1 -`, `[1e400,2]`, `{"a":1e400,"b":2}`, ` [ 1 , { "a" : [ ] } ] `, "[[[[]]]]", "1 , 2", "1:2", `"a":1`, `{"\u0061\n":"\u00e9"}`, `{"` + "\xff" + `":1}`, "[nul]", "[tru", `["a`, "null", "", " ",
}

func TestTokensAsV1(t *testing.T) {
	if onV2 {
		t.Skip("it has other errors, and goes on elsewhere: TestTokens looks at what is read")
	}
	r := rand.New(rand.NewPCG(51, 52))
	a := arena.NewArena(64<<10, 0)
	rounds := 6000
	if testing.Short() {
		rounds = 600
	}
	for _, text := range tokenTexts {
		for range 60 {
			sameTokens(t, []*arena.Arena{a, nil}[r.IntN(2)], r, []byte(text), 1+r.IntN(20))
		}
	}
	for _, path := range standardPath { // each byte at each place
		for c := range 256 {
			for range 4 {
				sameTokens(t, a, r, append([]byte(path), byte(c)), 100)
				sameTokens(t, a, r, append([]byte(path), ' ', byte(c), '0'), 100)
			}
		}
	}
	for range rounds {
		var text bytes.Buffer
		for range r.IntN(4) {
			v := reflect.New(randomType(r, 3)).Elem()
			fill(r, v, 3, true)
			doc, _ := json.Marshal(v.Interface())
			if r.IntN(3) == 0 {
				json.Indent(&text, doc, "", " ")
			} else {
				text.Write(doc)
			}
			text.WriteString([]string{"", " ", "\n"}[r.IntN(3)])
		}
		b := text.Bytes()
		if r.IntN(2) == 0 {
			b = mutated(r, b)
		}
		sameTokens(t, []*arena.Arena{a, nil}[r.IntN(2)], r, b, 1+r.IntN(1+r.IntN(1000)))
		a.Reset()
	}
}

func FuzzTokens(f *testing.F) {
	for i, text := range tokenTexts {
		f.Add([]byte(text), uint64(i))
	}
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		if onV2 {
			t.Skip()
		}
		sameTokens(t, a, rand.New(rand.NewPCG(seed, 9)), text, 1+int(seed%40))
		a.Reset()
	})
}

// Tokens and offsets on every Go.
func TestTokens(t *testing.T) {
	d := NewDecoder(arena.NewArena(4096, 0), strings.NewReader(` {"a":[1,{"b":null}],"c":"d"} [true]`))
	var got strings.Builder
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%T %v %d\n", tok, tok, d.InputOffset())
	}
	want := "json.Delim { 2\nstring a 5\njson.Delim [ 7\nfloat64 1 8\njson.Delim { 10\nstring b 13\n<nil> <nil> 18\njson.Delim } 19\njson.Delim ] 20\nstring c 24\nstring d 28\njson.Delim } 29\njson.Delim [ 31\nbool true 35\njson.Delim ] 36\n"
	if got.String() != want {
		t.Errorf("%s", got.String())
	}
}

// The elements of an endless array are decoded one by one, in an arena that is reset after each, without
// allocating.
func TestArrayWithoutEnd(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(64<<10, 0)
	d := NewDecoder(a, io.MultiReader(strings.NewReader(`{"all" : [ {"a":7,"B":"text"}`), &repeated{doc: []byte(` ,{"a":7,"B":"text"}`)}))
	for _, want := range []json.Token{json.Delim('{'), "all", json.Delim('[')} {
		if tok, err := d.Token(); tok != want || err != nil {
			t.Fatal(tok, err)
		}
	}
	x := new(leaf)
	read := func() {
		*x = leaf{}
		a.Reset()
		if !d.More() {
			t.Fatal("no more")
		}
		if err := d.Decode(x); err != nil || x.A != 7 || x.B != "text" {
			t.Fatal(x, err)
		}
	}
	for range 20_000 {
		read()
	}
	if n := testing.AllocsPerRun(100, read); n != 0 && !check.Race && !viaReflect {
		t.Errorf("%v allocations", n)
	}
}

// Too many open brackets are an error, and use no more memory.
func TestTokensNesting(t *testing.T) {
	in := &countingReader{Reader: &repeated{doc: []byte("[")}}
	d := NewDecoder(nil, in)
	var err error
	n := 0
	for ; err == nil; n++ {
		_, err = d.Token()
	}
	if _, ok := err.(*json.SyntaxError); !ok || n != 10_001 || in.n > 64<<10 {
		t.Errorf("%v, after %d tokens and %d bytes", err, n, in.n)
	}
	if _, again := d.Token(); again != err {
		t.Errorf("then %v", again)
	}
}
