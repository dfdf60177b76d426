package convert

import (
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const inverseProgram = `package inverse

import (
	"bytes"
	"strings"
)

type Node struct {
	Name, Low string
	Kids      []*Node
	Code      []byte
}

type parser struct {
	text string
	step func(*parser) *Node
}

type shape interface{ draw(s string) *Node }

type square struct{}

func (square) draw(s string) *Node { return &Node{Name: s} }

func (square) other() {}

func first(p *parser) *Node { return &Node{Name: p.text + "!" + p.text} }

func Parse(text string, _ int) (*Node, error) {
	p := &parser{text: text, step: first}
	n := p.step(p)
	n.Low = strings.ToLower(text)
	n.Kids = append(n.Kids, node(text, "a"), new(Node))
	n.Code = bytes.ToLower([]byte(text))
	v := Node{Name: text}
	w := v
	n.Kids = append(n.Kids, &v, &w)
	var s shape = square{}
	n.Kids[0].Kids = []*Node{s.draw(text)}
	return n, nil
}

func node(text, more string) *Node {
	return &Node{Name: string(bytes.ToUpper([]byte(text))), Code: make([]byte, len(more))}
}
`

// A result that differs from the original in more than the arena is refused.
func TestInverse(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"go.mod": testModule(t, "example.com/inverse"), "lib.go": inverseProgram})
	p, err := analyze(Config{Dir: dir, Patterns: []string{"."}, Root: "Parse", Own: []string{"Node", "parser"}, Carry: []string{"parser"}, Strings: true, NoTests: true})
	if err != nil {
		t.Fatal(err)
	}
	files, pkgs, err := p.convertedFiles()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.checkInverse(pkgs); err != nil {
		t.Fatal(err)
	}
	name, text := "", ""
	for n, b := range files {
		name, text = n, string(b)
	}
	for _, change := range [][2]string{
		{"ParseIn(nil, p1, p2)", "ParseIn(new(arena.Arena), p1, p2)"},
		{"return ParseIn(nil, p1, p2)", "return ParseIn(nil, p1+p1, p2)"},
		{"_ int) (*Node, error) {\n\tp :=", "m int) (*Node, error) {\n\tp :="},
		{"a.ToLower(", "a.ToUpper("}, {"bytesToLowerIn(a, ", "bytesToLowerIn(nil, "}, {"c += 'a' - 'A'", "c += 'b' - 'A'"},
		{"node(a, text, \"a\")", "node(nil, text, \"a\")"}, {"node(a, text, \"a\")", "node(a, \"a\", text)"}, {"node(a, text, \"a\")", "node(a, text, \"b\")"},
		{"Node{Name: text}", "Node{Low: text}"}, {"Name: text}", "Name: text, Low: text}"},
		{"v, w)", "w, v)"}, {"(*v)", "Node{}"}, {"step: first", "step: nil"}, {"text: text, step", "step"},
		{"p.text, \"!\", p.text", "p.text, p.text, \"!\""}, {"p.mem", "(*arena.Arena)(nil)"},
		{"return n, nil", "_ = n\n\treturn n, nil"}, {"return n, nil", "return v, nil"}, {"var s shape", "var s interface{ drawIn(a *arena.Arena, s string) *Node }"},
		{"text string\n", "text string\n\tmore string\n"}, {"type square struct{}", "type square struct{}\n\nfunc more() {}"},
		{"draw(s string) *Node\n", "draw(s string) *Node\n\tother()\n"}, {"bytes.ToUpper", "bytes.ToTitle"}, {"len(more)", "len(text)"}, {"s.drawIn(a, text)", "s.draw(text + text)"},
		{"\"!\"", "\"?\""}, {"n.Low", "n.Name"}, {"Kids[0]", "Kids[1]"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Errorf("the result has no %s", change[0])
			continue
		}
		original := p.fset
		p.fset = token.NewFileSet()
		changed, err := packages.Load(p.loader(map[string][]byte{name: []byte(strings.Replace(text, change[0], change[1], 1))}), p.paths...)
		p.fset = original
		if err != nil {
			t.Fatal(err)
		}
		if changed[0].IllTyped {
			t.Errorf("%s instead of %s: %v", change[1], change[0], changed[0].Errors)
		} else if err := p.checkInverse(changed); err == nil {
			t.Errorf("%s instead of %s is accepted", change[1], change[0])
		}
	}
}
