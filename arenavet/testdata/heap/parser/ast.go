// Package parser reads a small language of values and expressions: JSON with
// names, operators, calls, functions and templates in strings. It has an arena at
// hand and makes everything on the heap, as code does that is about to be moved.
package parser

import "strings"

// Pos is a place in the source.
type Pos struct{ Line, Col int }

// Node is a part of a program.
type Node interface {
	Pos() Pos
	write(w *writer)
}

// Program is a list of statements.
type Program struct {
	Stmts    []Node
	Comments []*Comment
}

// Comment is a comment, without what marks it.
type Comment struct {
	At   Pos
	Text string
}

// Let binds a name.
type Let struct {
	At    Pos
	Name  *Name
	Value Node
}

// ExprStmt is an expression for itself.
type ExprStmt struct{ X Node }

// If is a choice between two blocks.
type If struct {
	At   Pos
	Cond Node
	Then *Block
	Else Node
}

// For runs its body for each element.
type For struct {
	At   Pos
	Key  *Name
	Val  *Name
	Of   Node
	Body *Block
}

// Return ends a function.
type Return struct {
	At    Pos
	Value Node
}

// Block is a list of statements in braces.
type Block struct {
	At    Pos
	Stmts []Node
}

// Name is an identifier.
type Name struct {
	At   Pos
	Text string
}

// Number is a number, as it was written.
type Number struct {
	At    Pos
	Text  string
	Value float64
}

// Text is a string without its quotes.
type Text struct {
	At    Pos
	Value string
}

// Template is a string with expressions in it.
type Template struct {
	At    Pos
	Parts []Node
}

// Literal is null, true or false.
type Literal struct {
	At   Pos
	Word string
}

// List is [x, y].
type List struct {
	At    Pos
	Items []Node
}

// Object is {k: v}.
type Object struct {
	At     Pos
	Fields []*Field
	index  map[string]*Field
}

// Field is one field of an object.
type Field struct {
	At    Pos
	Key   string
	Value Node
}

// Unary is an operator before its operand.
type Unary struct {
	At Pos
	Op string
	X  Node
}

// Binary is an operator between operands.
type Binary struct {
	At   Pos
	Op   string
	X, Y Node
}

// Choice is c ? x : y.
type Choice struct {
	At      Pos
	C, X, Y Node
}

// Call is f(args).
type Call struct {
	At   Pos
	Fun  Node
	Args []Node
}

// Index is x[i].
type Index struct {
	At   Pos
	X, I Node
}

// Select is x.name.
type Select struct {
	At   Pos
	X    Node
	Name *Name
}

// Func is a function.
type Func struct {
	At     Pos
	Params []*Name
	Body   Node
}

// Pos says where a node begins.
func (n *Program) Pos() Pos {
	if len(n.Stmts) == 0 {
		return Pos{1, 1}
	}
	return n.Stmts[0].Pos()
}
func (n *Let) Pos() Pos      { return n.At }
func (n *ExprStmt) Pos() Pos { return n.X.Pos() }
func (n *If) Pos() Pos       { return n.At }
func (n *For) Pos() Pos      { return n.At }
func (n *Return) Pos() Pos   { return n.At }
func (n *Block) Pos() Pos    { return n.At }
func (n *Name) Pos() Pos     { return n.At }
func (n *Number) Pos() Pos   { return n.At }
func (n *Text) Pos() Pos     { return n.At }
func (n *Template) Pos() Pos { return n.At }
func (n *Literal) Pos() Pos  { return n.At }
func (n *List) Pos() Pos     { return n.At }
func (n *Object) Pos() Pos   { return n.At }
func (n *Unary) Pos() Pos    { return n.At }
func (n *Binary) Pos() Pos   { return n.X.Pos() }
func (n *Choice) Pos() Pos   { return n.C.Pos() }
func (n *Call) Pos() Pos     { return n.Fun.Pos() }
func (n *Index) Pos() Pos    { return n.X.Pos() }
func (n *Select) Pos() Pos   { return n.X.Pos() }
func (n *Func) Pos() Pos     { return n.At }

// Get finds a field of an object.
func (n *Object) Get(key string) Node {
	if f := n.index[key]; f != nil {
		return f.Value
	}
	return nil
}

// Path is a chain of names: a.b.c. It is empty for anything else.
func Path(n Node) string {
	var parts []string
	for {
		switch x := n.(type) {
		case *Select:
			parts = append(parts, x.Name.Text)
			n = x.X
			continue
		case *Name:
			parts = append(parts, x.Text)
		default:
			return ""
		}
		break
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, ".")
}
