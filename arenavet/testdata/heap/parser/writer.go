package parser

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// writer writes programs as text.
type writer struct {
	a      *arena.Arena
	lines  []string
	line   string
	indent int
}

// Format is the text of a program in one way of writing.
func Format(a *arena.Arena, n Node) string {
	w := &writer{a: a}
	n.write(w)
	w.end()
	return strings.Join(w.lines, "\n")
}

func (w *writer) text(s string) { w.line += s }

func (w *writer) end() {
	if w.line != "" {
		w.lines = append(w.lines, strings.Repeat("  ", w.indent)+w.line)
	}
	w.line = ""
}

func (w *writer) list(from string, items []Node, to string) {
	w.text(from)
	for i, x := range items {
		if i > 0 {
			w.text(", ")
		}
		x.write(w)
	}
	w.text(to)
}

func (n *Program) write(w *writer) {
	for _, s := range n.Stmts {
		s.write(w)
		w.end()
	}
}

func (n *Let) write(w *writer) {
	w.text("let " + n.Name.Text + " = ")
	n.Value.write(w)
}

func (n *ExprStmt) write(w *writer) { n.X.write(w) }

func (n *If) write(w *writer) {
	w.text("if ")
	n.Cond.write(w)
	w.text(" ")
	n.Then.write(w)
	if n.Else != nil {
		w.text(" else ")
		n.Else.write(w)
	}
}

func (n *For) write(w *writer) {
	w.text("for ")
	if n.Key != nil {
		w.text(n.Key.Text + ", ")
	}
	w.text(n.Val.Text + " in ")
	n.Of.write(w)
	w.text(" ")
	n.Body.write(w)
}

func (n *Return) write(w *writer) {
	w.text("return ")
	n.Value.write(w)
}

func (n *Block) write(w *writer) {
	w.text("{")
	w.end()
	w.indent++
	for _, s := range n.Stmts {
		s.write(w)
		w.end()
	}
	w.indent--
	w.text("}")
}

func (n *Name) write(w *writer)    { w.text(n.Text) }
func (n *Number) write(w *writer)  { w.text(strconv.FormatFloat(n.Value, 'g', -1, 64)) }
func (n *Text) write(w *writer)    { w.text(strconv.Quote(n.Value)) }
func (n *Literal) write(w *writer) { w.text(n.Word) }
func (n *List) write(w *writer)    { w.list("[", n.Items, "]") }

func (n *Template) write(w *writer) {
	w.text("`")
	for _, x := range n.Parts {
		if t, ok := x.(*Text); ok {
			w.text(t.Value)
			continue
		}
		w.text("${")
		x.write(w)
		w.text("}")
	}
	w.text("`")
}

func (n *Object) write(w *writer) {
	w.text("{")
	for i, f := range n.Fields {
		if i > 0 {
			w.text(", ")
		}
		w.text(f.Key + ": ")
		f.Value.write(w)
	}
	w.text("}")
}

func (n *Unary) write(w *writer) {
	w.text(n.Op)
	n.X.write(w)
}

func (n *Binary) write(w *writer) {
	w.text("(")
	n.X.write(w)
	w.text(" " + n.Op + " ")
	n.Y.write(w)
	w.text(")")
}

func (n *Choice) write(w *writer) {
	w.text("(")
	n.C.write(w)
	w.text(" ? ")
	n.X.write(w)
	w.text(" : ")
	n.Y.write(w)
	w.text(")")
}

func (n *Call) write(w *writer) {
	n.Fun.write(w)
	w.list("(", n.Args, ")")
}

func (n *Index) write(w *writer) {
	n.X.write(w)
	w.list("[", []Node{n.I}, "]")
}

func (n *Select) write(w *writer) {
	n.X.write(w)
	w.text("." + n.Name.Text)
}

func (n *Func) write(w *writer) {
	w.text("fn(")
	for i, p := range n.Params {
		if i > 0 {
			w.text(", ")
		}
		w.text(p.Text)
	}
	w.text(") ")
	if b, ok := n.Body.(*Block); ok {
		b.write(w)
		return
	}
	(&Block{At: n.At, Stmts: []Node{&Return{n.At, n.Body}}}).write(w)
}

// Describe is a line about each statement.
func Describe(a *arena.Arena, p *Program) string {
	var b strings.Builder
	for i, s := range p.Stmts {
		fmt.Fprintf(&b, "%d: ", i)
		b.WriteString(kindOf(a, s))
		b.WriteByte('\n')
	}
	return b.String()
}

func kindOf(a *arena.Arena, n Node) string {
	name := fmt.Sprintf("%T", n)
	if l, ok := n.(*Let); ok {
		return name[8:] + " " + l.Name.Text
	}
	return strings.ToLower(name[8:])
}
