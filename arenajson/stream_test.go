package arenajson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ebbpool/arena"
)

// A stream is decoded as by encoding/json's Decoder: each document, its error, and the end of the stream.
func TestDecoderAsV1(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, text := range []string{
		"", " ", "{}", `{"a":1} {"a":2,"B":"two"}` + "\n\n" + `{"a":3}`, `1 "x" {"a":4}`,
		`{"a":"wrong"}   {"a":"wrong, too"} {"a":5}`, `{"a":1`, `{"a":1}}`, `{"a":1},{"a":2}`, `{"a":1} x`,
		strings.Repeat(`{"a":12345,"B":"`+strings.Repeat("long", 100)+`"}`, 50),
	} {
		for _, options := range [][]Option{nil, {DisallowUnknownFields}, {UseNumber}} {
			for _, reader := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
				want := json.NewDecoder(reader(strings.NewReader(text)))
				// Before Go 1.27 encoding/json does not count the spaces that More skips.
				counts := json.NewDecoder(reader(strings.NewReader(text)))
				got := NewDecoder(a, reader(strings.NewReader(text)), options...)
				for _, o := range options {
					if o == UseNumber {
						want.UseNumber()
					} else {
						want.DisallowUnknownFields()
					}
				}
				for range 60 {
					var x, y leaf
					if want.More() != got.More() {
						t.Fatalf("%q: More is %v", text, got.More())
					}
					wantErr, gotErr := want.Decode(&x), got.Decode(&y)
					if err := counts.Decode(new(any)); errors.As(err, new(*json.SyntaxError)) {
						wantErr = err
					}
					if !sameError(wantErr, gotErr) || !reflect.DeepEqual(x, y) {
						t.Fatalf("%.100q: %+v, %v; encoding/json has %+v, %v", text, y, gotErr, x, wantErr)
					}
					if wantErr != nil && fmt.Sprintf("%T", wantErr) != "*json.UnmarshalTypeError" {
						break
					}
				}
				a.Reset()
			}
		}
	}
}

func TestUnmarshalRead(t *testing.T) {
	a := arena.NewArena(4096, 0)
	var x leaf
	if err := UnmarshalRead(a, iotest.OneByteReader(strings.NewReader(` {"a": 7, "B": "seven"} `)), &x); err != nil || x.A != 7 || x.B != "seven" {
		t.Errorf("%+v, %v", x, err)
	}
	if err := UnmarshalRead(a, iotest.ErrReader(io.ErrUnexpectedEOF), &x); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	a.SetLimit(64 << 10)
	var over *arena.LimitError
	if err := UnmarshalRead(a, strings.NewReader(`"`+strings.Repeat("x", 1<<20)+`"`), new(string)); !asError(err, &over) {
		t.Errorf("beyond the limit: %v", err)
	}
}

// saying has a Len method that states its size.
type saying struct {
	io.Reader
	n int
}

func (s saying) Len() int { return s.n }

// A wrong size from a reader costs neither the document nor memory.
func TestUnmarshalReadBelievesNoSize(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(1024, 0)} {
		for _, n := range []int{3, 600, 40_000} {
			doc := `"` + strings.Repeat("x", n-2) + `"`
			for _, said := range []int{math.MinInt, -1, 0, 1, n - 1, n, n + 1, math.MaxInt / 2, math.MaxInt} {
				var got string
				if err := UnmarshalRead(a, saying{strings.NewReader(doc), said}, &got); err != nil || got != doc[1:n-1] {
					t.Errorf("%d bytes, Len %d: %d bytes, error %v", n, said, len(got), err)
				}
			}
		}
	}
}

// A document in a stream fits into a limit of 1.25 times its size, even if it is longer than the Decoder's
// buffer, and the next document is decoded.
func TestDecoderFitsLimit(t *testing.T) {
	for n := 1000; n < 4<<20; n = n*3/2 + 7 {
		for _, reader := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader} {
			for _, quotes := range []string{`""`, ` ["" ]`} {
				k := len(quotes) / 2
				doc := quotes[:k] + strings.Repeat("x", n-2*k) + quotes[k:]
				a := arena.NewArena(1024, 0)
				a.SetLimit(max(n*5/4, n+4<<10))
				d := NewDecoder(a, reader(strings.NewReader(doc+"7")))
				var raw json.RawMessage
				if err := d.Decode(&raw); err != nil || string(raw) != strings.TrimSpace(doc) {
					t.Fatalf("document of %d bytes: %d bytes, error %v", n, len(raw), err)
				}
				a.Reset()
				var next int
				if err := d.Decode(&next); err != nil || next != 7 || d.InputOffset() != int64(len(doc)+1) {
					t.Fatalf("after a document of %d bytes: %d, error %v, offset %d", n, next, err, d.InputOffset())
				}
				if err := d.Decode(&next); err != io.EOF {
					t.Fatalf("at the end: error %v", err)
				}
			}
		}
	}
}

// The end of a long document is found wherever a Read ends: in an escape, a number, a literal, spaces, or at
// the document's last byte.
func TestDecoderPieces(t *testing.T) {
	spaces := strings.Repeat(" ", mostAhead)
	filler := strings.Repeat("1,", mostAhead/2)
	for _, doc := range []string{
		spaces + "true", spaces + "nul", spaces + "nulx", spaces + "-12.5e3", spaces + `"a\"\\"`, spaces + `{"a":[1]}`, spaces + "]",
		"[" + filler + `"\\","\"]",{"a":"}"},-1.5e+3,null]`, "[" + filler + `"\u0041\\\""]`, "[" + filler + "1}", "[" + filler, "0." + strings.Repeat("0", mostAhead) + "1e-7",
	} {
		for _, rest := range []string{"", " 5", `"b"`} {
			for size := 1; size < 12; size++ {
				want := json.NewDecoder(strings.NewReader(doc + rest))
				got := NewDecoder(nil, io.MultiReader(strings.NewReader(doc[:mostAhead]), pieces{strings.NewReader(doc[mostAhead:] + rest), size}))
				for range 3 {
					var x, y any
					wantErr, gotErr := want.Decode(&x), got.Decode(&y)
					if !sameError(wantErr, gotErr) || !reflect.DeepEqual(x, y) {
						t.Fatalf("%q, pieces of %d: %.100v, %.100v; encoding/json has %.100v, %.100v", doc[mostAhead:]+rest, size, y, gotErr, x, wantErr)
					}
					if wantErr != nil {
						break
					}
				}
			}
		}
	}
}

// pieces reads at most n bytes at a time.
type pieces struct {
	io.Reader
	n int
}

func (p pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), p.n)]) }

// Zero Decoders and Encoders, which no function returns, panic with the cause.
func TestZeroDecoderAndEncoder(t *testing.T) {
	for name, f := range map[string]func(){
		"Decode":     func() { new(Decoder).Decode(new(int)) },
		"More":       func() { new(Decoder).More() },
		"Token":      func() { new(Decoder).Token() },
		"Encode":     func() { new(Encoder).Encode(1) },
		"nil reader": func() { NewDecoder(nil, nil).Decode(new(int)) },
		"nil writer": func() { NewEncoder(nil, nil).Encode(1) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "arenajson: ") || !strings.Contains(s, "was not made by New") {
					t.Errorf("%s panicked with %q", name, s)
				}
			}()
			f()
		}()
	}
}
