package advice

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ebbpool/arena"
)

// A template is text with {{name}} for values and {{#list}}...{{/}} for repeated parts.
type piece struct {
	text   string // literal text
	name   string // of a value or a list
	pieces []*piece
}

// scope maps names to values. Missing names are looked up in the outer scope.
type scope struct {
	values map[string]string
	outer  *scope
}

func (s *scope) find(name string) string {
	for ; s != nil; s = s.outer {
		if v, ok := s.values[name]; ok {
			return v
		}
	}
	return ""
}

// render parses a template and fills it in. A list has as many rows as its name has letters.
func render(text string) string {
	pieces, _ := parsePieces(text)
	top := &scope{values: map[string]string{"title": "Orders", "user": "jo"}}
	return fill(pieces, top)
}

func parsePieces(text string) (pieces []*piece, rest string) {
	for len(text) > 0 {
		before, after, ok := strings.Cut(text, "{{")
		if before != "" {
			pieces = append(pieces, &piece{text: before})
		}
		if !ok {
			return pieces, ""
		}
		tag, after, _ := strings.Cut(after, "}}")
		text = after
		switch {
		case tag == "/":
			return pieces, text
		case tag[0] == '#':
			p := &piece{name: tag[1:]}
			p.pieces, text = parsePieces(text)
			pieces = append(pieces, p)
		default:
			pieces = append(pieces, &piece{name: tag})
		}
	}
	return pieces, ""
}

func fill(pieces []*piece, s *scope) string {
	var out strings.Builder
	for _, p := range pieces {
		switch {
		case p.pieces != nil:
			for i := range len(p.name) {
				row := &scope{values: map[string]string{"row": rowNames[i%len(rowNames)], "list": p.name}, outer: s}
				out.WriteString(fill(p.pieces, row))
			}
		case p.name != "":
			out.WriteString("<b>" + s.find(p.name) + "</b>")
		default:
			out.WriteString(p.text)
		}
	}
	return out.String()
}

var rowNames = []string{"first", "second", "third", "fourth"}

func newTemplate() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	rng := rand.New(rand.NewPCG(13, 14))
	for i := range 20 {
		var b strings.Builder
		fmt.Fprintf(&b, "<h1>{{title}} %d</h1> for {{user}}\n", i)
		for range 3 + rng.IntN(4) {
			fmt.Fprintf(&b, "<ul>{{#%s}}<li>{{row}} of {{list}}, {{user}}</li>\n{{/}}</ul>", tagsOf[rng.IntN(len(tagsOf))])
		}
		inputs = append(inputs, []byte(b.String()))
	}
	return inputs, func(b []byte) uint64 { return sumOf(render(string(b))) }, templateIn
}

var tagsOf = []string{"items", "orders", "addresses", "tags"}
