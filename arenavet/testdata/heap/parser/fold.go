package parser

import (
	"math"
	"strconv"

	"github.com/ebbpool/arena"
)

// Fold computes what is constant.
func Fold(a *arena.Arena, n Node) Node {
	switch n := n.(type) {
	case *Program:
		out := &Program{Stmts: make([]Node, 0, len(n.Stmts)), Comments: n.Comments}
		for _, s := range n.Stmts {
			out.Stmts = append(out.Stmts, Fold(a, s))
		}
		return out
	case *Let:
		return &Let{At: n.At, Name: n.Name, Value: Fold(a, n.Value)}
	case *ExprStmt:
		return &ExprStmt{Fold(a, n.X)}
	case *Return:
		return &Return{n.At, Fold(a, n.Value)}
	case *Block:
		return foldBlock(a, n)
	case *If:
		out := &If{At: n.At, Cond: Fold(a, n.Cond), Then: foldBlock(a, n.Then)}
		if n.Else != nil {
			out.Else = Fold(a, n.Else)
		}
		return out
	case *List:
		return &List{n.At, foldAll(a, n.Items)}
	case *Call:
		return &Call{n.At, Fold(a, n.Fun), foldAll(a, n.Args)}
	case *Unary:
		x := Fold(a, n.X)
		if v, ok := x.(*Number); ok && n.Op == "-" {
			return number(a, n.At, -v.Value)
		}
		return &Unary{n.At, n.Op, x}
	case *Choice:
		c, x, y := Fold(a, n.C), Fold(a, n.X), Fold(a, n.Y)
		if l, ok := c.(*Literal); ok {
			if l.Word == "true" {
				return x
			}
			return y
		}
		return &Choice{n.At, c, x, y}
	case *Binary:
		return foldBinary(a, n)
	}
	return n
}

func foldBlock(a *arena.Arena, b *Block) *Block {
	return &Block{b.At, foldAll(a, b.Stmts)}
}

func foldAll(a *arena.Arena, list []Node) []Node {
	out := make([]Node, len(list))
	for i, x := range list {
		out[i] = Fold(a, x)
	}
	return out
}

func number(a *arena.Arena, at Pos, v float64) *Number {
	return &Number{At: at, Text: strconv.FormatFloat(v, 'g', -1, 64), Value: v}
}

func literal(a *arena.Arena, at Pos, v bool) *Literal {
	if v {
		return &Literal{at, "true"}
	}
	return &Literal{at, "false"}
}

func foldBinary(a *arena.Arena, n *Binary) Node {
	x, y := Fold(a, n.X), Fold(a, n.Y)
	if s, ok := x.(*Text); ok && n.Op == "+" {
		if t, ok := y.(*Text); ok {
			return &Text{s.At, s.Value + t.Value}
		}
	}
	u, ok := x.(*Number)
	v, also := y.(*Number)
	if !ok || !also {
		return &Binary{n.At, n.Op, x, y}
	}
	switch at := u.At; n.Op {
	case "+":
		return number(a, at, u.Value+v.Value)
	case "-":
		return number(a, at, u.Value-v.Value)
	case "*":
		return number(a, at, u.Value*v.Value)
	case "/":
		return number(a, at, u.Value/v.Value)
	case "%":
		return number(a, at, math.Mod(u.Value, v.Value))
	case "<":
		return literal(a, at, u.Value < v.Value)
	case ">":
		return literal(a, at, u.Value > v.Value)
	case "<=":
		return literal(a, at, u.Value <= v.Value)
	case ">=":
		return literal(a, at, u.Value >= v.Value)
	case "==":
		return literal(a, at, u.Value == v.Value)
	case "!=":
		return literal(a, at, u.Value != v.Value)
	}
	return &Binary{n.At, n.Op, x, y}
}

// Names lists the names that a program uses, each once, in the order in which
// they come.
func Names(a *arena.Arena, n Node) []string {
	seen := map[string]bool{}
	var out []string
	var walk func(n Node)
	walk = func(n Node) {
		switch n := n.(type) {
		case *Program:
			for _, s := range n.Stmts {
				walk(s)
			}
		case *Let:
			walk(n.Value)
		case *ExprStmt:
			walk(n.X)
		case *Return:
			walk(n.Value)
		case *Block:
			for _, s := range n.Stmts {
				walk(s)
			}
		case *If:
			walk(n.Cond)
			walk(n.Then)
			if n.Else != nil {
				walk(n.Else)
			}
		case *For:
			walk(n.Of)
			walk(n.Body)
		case *List:
			for _, x := range n.Items {
				walk(x)
			}
		case *Object:
			for _, f := range n.Fields {
				walk(f.Value)
			}
		case *Unary:
			walk(n.X)
		case *Binary:
			walk(n.X)
			walk(n.Y)
		case *Choice:
			walk(n.C)
			walk(n.X)
			walk(n.Y)
		case *Call:
			walk(n.Fun)
			for _, x := range n.Args {
				walk(x)
			}
		case *Index:
			walk(n.X)
			walk(n.I)
		case *Select:
			if p := Path(n); p != "" {
				if !seen[p] {
					seen[p] = true
					out = append(out, p)
				}
				return
			}
			walk(n.X)
		case *Template:
			for _, x := range n.Parts {
				walk(x)
			}
		case *Func:
			walk(n.Body)
		case *Name:
			if !seen[n.Text] {
				seen[n.Text] = true
				out = append(out, n.Text)
			}
		}
	}
	walk(n)
	return out
}
