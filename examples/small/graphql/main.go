// Command graphql parses queries of a language like GraphQL. A query's tree consists of many small nodes that
// refer to each other and end together, which suits an arena.
package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ebbpool/arena"
)

// field is a node: a name, arguments, and selected fields.
type field struct {
	name, alias string
	arguments   []argument
	fields      []*field
}

type argument struct{ name, value string }

// parser allocates the tree from its arena. Names are substrings of the query.
type parser struct {
	arena *arena.Arena
	text  string // the rest
	err   error
}

func parse(a *arena.Arena, text string) ([]*field, error) {
	p := &parser{arena: a, text: text}
	fields := p.fields(0)
	if p.skip(); p.err == nil && p.text != "" {
		p.fail("want the end")
	}
	return fields, p.err
}

const deepest = 10

// fields parses { a b c }.
func (p *parser) fields(depth int) (fields []*field) {
	if depth > deepest {
		p.fail("nested too deeply")
	}
	p.want("{")
	for p.err == nil && !p.take("}") {
		fields = arena.Append(p.arena, fields, p.field(depth))
	}
	return fields
}

// field parses name, or alias: name(argument: value) { ... }.
func (p *parser) field(depth int) *field {
	f := arena.NewOf(p.arena, field{name: p.word()})
	if p.take(":") {
		f.alias, f.name = f.name, p.word()
	}
	if p.take("(") {
		for p.err == nil && !p.take(")") {
			name := p.word()
			p.want(":")
			f.arguments = arena.Append(p.arena, f.arguments, argument{name, p.word()})
			p.take(",")
		}
	}
	if p.skip(); strings.HasPrefix(p.text, "{") {
		f.fields = p.fields(depth + 1)
	}
	return f
}

// word parses a name, a number, or a quoted string.
func (p *parser) word() string {
	p.skip()
	n := 0
	if strings.HasPrefix(p.text, `"`) {
		n = strings.IndexByte(p.text[1:], '"') + 2
	} else {
		n = len(p.text) - len(strings.TrimLeftFunc(p.text, func(r rune) bool {
			return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		}))
	}
	if n < 1 || n > len(p.text) || p.text[:n] == `"` {
		p.fail("want a name or a value")
		return ""
	}
	word := p.text[:n]
	p.text = p.text[n:]
	return word
}

func (p *parser) skip() { p.text = strings.TrimLeftFunc(p.text, unicode.IsSpace) }

func (p *parser) take(sign string) bool {
	p.skip()
	rest, found := strings.CutPrefix(p.text, sign)
	p.text = rest
	return found
}

func (p *parser) want(sign string) {
	if !p.take(sign) {
		p.fail("want " + sign)
	}
}

// fail records the first error. The error outlives the arena, so it contains a copy of the query's text, made
// by fmt.
func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s before %.12q", what, p.text)
	}
	p.text = ""
}

func show(fields []*field, indent string) {
	for _, f := range fields {
		fmt.Printf("%s%s", indent, f.name)
		for _, x := range f.arguments {
			fmt.Printf(" %s=%s", x.name, x.value)
		}
		if f.alias != "" {
			fmt.Printf(" as %s", f.alias)
		}
		fmt.Println()
		show(f.fields, indent+"  ")
	}
}

func main() {
	pool := arena.NewAutoPool(0)
	for _, query := range []string{
		`{ me { name first: friends(count: 2, by: "age") { name born { year } } } version }`,
		`{ me { name `,
		`{ me(id 5) { name } }`,
		strings.Repeat("{ a", 12),
	} {
		pool.Do(func(a *arena.Arena) {
			fields, err := parse(a, query)
			if err != nil {
				fmt.Println("error:", err)
				return
			}
			show(fields, "")
		})
	}
}
