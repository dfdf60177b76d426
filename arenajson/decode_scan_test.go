package arenajson

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// textTypes are where strings are read: copied with the document, of which it is the only
// copy, as a name, and where nobody wants them.
var textTypes = []reflect.Type{
	reflect.TypeFor[[]string](), reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[[1]string](),
}

// Each escape of a code unit, in capital letters and not, alone and before what the next
// word has; those of a pair in all orders.
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

// Each byte as each digit of an escape, at the document's end, too.
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
				sameAsV1(t, a, reflect.TypeFor[struct{}](), text, 0) // nobody wants it
				sameAsV1(t, nil, textTypes[0], text, 0)
				sameAsV1(t, a, textTypes[0], text[:len(text)-3], 0)
			}
			a.Reset()
		}
	}
}

// Texts of runs of characters of each length, at all places of a word, with escapes
// between them, and with bytes that are at the ends of what UTF-8 allows.
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
