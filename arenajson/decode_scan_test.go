package arenajson

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// textTypes decode a string into a variable, into a part of an unmodified document, as a name, and skip it.
var textTypes = []reflect.Type{
	reflect.TypeFor[[]string](), reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[[1]string](),
}

// Each escape of a code unit, in upper and lower case, alone and before text in the next word; surrogate
// pairs in all orders.
func TestEscapes(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	step := 1
	if testing.Short() {
		step = 251 // all values of each digit
	}
	forms := []string{`\u%04x`, `\u%04X`, `a\u%04xb`, `\u%04X\n`, `\u%04x\u0041`, `\u%04xé`, `\u%04X 123456789`, `\u%04x\ud83d\ude00`, `\ud83d\u%04x`, `\ud83d\\u%04x`}
	for unit := 0; unit <= 0xffff; unit += step {
		var doc strings.Builder
		for i, form := range forms {
			doc.WriteString([]string{`["`, `","`}[min(i, 1)])
			fmt.Fprintf(&doc, form, unit)
		}
		doc.WriteString(`"]`)
		sameAsV1(t, a, textTypes[unit%len(textTypes)], []byte(doc.String()), 0)
		sameAsV1(t, nil, textTypes[0], []byte(doc.String()), 0)
		a.Reset()
	}
}

// Each byte as each digit of an escape, also at the end of the document.
func TestEscapesThatAreNone(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	for at := range 6 {
		for c := range 256 {
			escape := []byte(`\u00e9`)
			escape[at] = byte(c)
			for _, doc := range []string{`["%s"]`, `["a\n%sb"]`, `["\u00e9%s\u00e9"]`, `["` + "\xff" + `%s"]`, `{"%s":1}`, `["%s`} {
				text := []byte(fmt.Sprintf(doc, escape))
				for _, typ := range textTypes {
					sameAsV1(t, a, typ, text, 0)
				}
				sameAsV1(t, a, reflect.TypeFor[struct{}](), text, 0) // skipped
				sameAsV1(t, nil, textTypes[0], text, 0)
				sameAsV1(t, a, textTypes[0], text[:len(text)-3], 0)
			}
			a.Reset()
		}
	}
}

// Runs of characters of each length, at all offsets in a word, with escapes between them, and with bytes at
// the limits of UTF-8.
func TestTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := arena.NewArena(64<<10, 0)
	edges := "\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff\x7f"
	pieces := []string{"a", "123456789", `\n`, `\"`, `\u00e9`, `\ud83d\ude00`, "é", "\u07ff", "\u0800", "日", "\u2028", "\ud7ff", "\ue000", "\uffff", "😀", "\U0010ffff",
		"\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xc1\xbf", "\xf8\x88\x80\x80"}
	docs := 20_000
	if testing.Short() {
		docs = 2_000
	}
	for n := range docs {
		var doc strings.Builder
		for k := range 10 {
			doc.WriteString([]string{`["`, `","`}[min(k, 1)])
			for range r.IntN(6) {
				piece := pieces[r.IntN(16)]
				switch r.IntN(20) {
				case 0:
					piece = pieces[r.IntN(len(pieces))]
				case 1:
					i := r.IntN(len(edges))
					piece = edges[i : i+1]
				}
				doc.WriteString(strings.Repeat(piece, 1+r.IntN([]int{1, 3, 12}[r.IntN(3)])))
			}
		}
		text := []byte(doc.String() + `"]`)
		if r.IntN(4) == 0 {
			text[r.IntN(len(text))] = edges[r.IntN(len(edges))]
		}
		sameAsV1(t, a, textTypes[n%len(textTypes)], text, 0)
		a.Reset()
	}
}

// goodEnd is scanUTF8 in terms of package utf8.
func goodEnd(text []byte) (i int) {
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		i += size
	}
	return i
}

// sameGood compares scanUTF8, with vectors and without, with goodEnd.
func sameGood(t *testing.T, text []byte) {
	t.Helper()
	doc := append(bytes.Clone(text), make([]byte, docSlack)...)
	s := scanner{base: xunsafe.DataOf(doc), n: len(text)}
	defer func(on bool) { vectored = on }(vectored)
	want := goodEnd(text)
	for range 2 {
		if got := s.scanUTF8(0); got != want {
			t.Fatalf("%q is good up to %d, not %d; vectors: %v", text, want, got, vectored)
		}
		if !taken(&s, want) {
			t.Fatalf("%q is left to words", text)
		}
		vectored = false
	}
}

// taken reports whether vectors scan a valid text to its end. If they called it invalid, words would find its
// end, and only the time would show.
func taken(s *scanner, good int) bool {
	if !vectored || good < s.n || s.n < docSlack {
		return true
	}
	end, _ := s.scanBlocks(0)
	return end > 0
}

// Each byte that ends a text, at each place of two blocks, before and after characters of each length. A
// character that is cut off at the end of the last block must be checked again.
func TestBlocks(t *testing.T) {
	ends := []string{`"`, `\`, "\x1f", "\x00", "", "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xe3", "\xe3\x80", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf8\x88\x80\x80", "\xff", "\x7f", "é", "日", "😀", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"}
	for _, c := range []string{"a", "é", "日", "😀"} {
		for at := range 80 {
			before := strings.Repeat("a", at%len(c)) + strings.Repeat(c, at/len(c))
			for _, end := range ends {
				for _, behind := range []string{"", "a", strings.Repeat(c, 40)} {
					sameGood(t, []byte(before+end+behind))
				}
			}
		}
	}
}

// Any two bytes, in one block and across two, as the beginning and the end of a character. Each bit of the
// vectors' tables matters.
func TestPairs(t *testing.T) {
	for _, before := range []string{"\x7f", strings.Repeat("é", 15) + "\x7f"} {
		for _, c := range []string{"", "\xe1", "\xf1", "\xf1\x80"} {
			for _, behind := range []string{"", "\x80", "\xbf\xbf"} {
				text := []byte(before + c + "12" + behind + strings.Repeat("日", 16))
				doc := append(bytes.Clone(text), make([]byte, docSlack)...)
				s := scanner{base: xunsafe.DataOf(doc), n: len(text)}
				at := len(before + c)
				for pair := range 1 << 16 {
					doc[at], doc[at+1] = byte(pair>>8), byte(pair)
					if got, want := s.scanUTF8(0), goodEnd(doc[:s.n]); got != want || !taken(&s, want) {
						t.Fatalf("%q is good up to %d, not %d, or left to words", doc[:s.n], got, want)
					}
				}
			}
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte("日本語の文章を読み書き 🙂 é"), byte(200), 40)
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, text []byte, c byte, at int) {
		sameGood(t, text)
		sameText(t, a, string(text))
		long := bytes.Repeat(text, 1+64/max(len(text), 1)) // long enough for blocks
		sameGood(t, long)
		if len(long) > 0 {
			long[uint(at)%uint(len(long))] = c
			sameGood(t, long)
			sameText(t, a, string(long))
		}
	})
}

// BenchmarkVectors decodes and encodes a text of 64 KB, with vectors and as on processors without them.
func BenchmarkVectors(b *testing.B) {
	defer func(on bool) { vectored = on }(vectored)
	a := arena.NewArena(256<<10, 0)
	text := strings.Repeat("a text with ä €uro, ", 3000)
	doc, err := Marshal(nil, text)
	if err != nil {
		b.Fatal(err)
	}
	for _, vectored = range []bool{vectored, false} {
		b.Run(fmt.Sprintf("decode/vectors=%t", vectored), func(b *testing.B) {
			for range b.N {
				a.Reset()
				var decoded string
				if err := Unmarshal(a, doc, &decoded); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("encode/vectors=%t", vectored), func(b *testing.B) {
			text := strings.Clone(text)
			for range b.N {
				a.Reset()
				if _, err := Marshal(a, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
