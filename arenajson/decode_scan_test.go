package arenajson

import (
	"fmt"
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
