package parser

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// parser reads tokens, one ahead.
type parser struct {
	a     *arena.Arena
	lex   *lexer
	tok   Token
	ahead []Token
	depth int
	scope *scope
	warns []string
}

// scope is what names are known.
type scope struct {
	outer *scope
	names map[string]*Name
}

// maxDepth bounds how deep expressions lie in each other.
const maxDepth = 200

// Parse reads a program.
func Parse(a *arena.Arena, src []byte) (*Program, []string, error) {
	p := &parser{a: a, lex: newLexer(a, src)}
	p.open()
	if err := p.advance(); err != nil {
		return nil, nil, err
	}
	prog := &Program{}
	for p.tok.Kind != EOF {
		s, err := p.statement()
		if err != nil {
			return nil, nil, err
		}
		prog.Stmts = append(prog.Stmts, s)
	}
	prog.Comments = p.lex.comments
	return prog, p.warns, nil
}

func (p *parser) open() { p.scope = &scope{outer: p.scope, names: map[string]*Name{}} }

func (p *parser) close() { p.scope = p.scope.outer }

// declare makes a name known, and warns where it hides another one.
func (p *parser) declare(n *Name) {
	for s := p.scope; s != nil; s = s.outer {
		if old := s.names[n.Text]; old != nil {
			p.warn(n.At, n.Text+" hides that of line "+strconv.Itoa(old.At.Line))
			break
		}
	}
	p.scope.names[n.Text] = n
}

func (p *parser) warn(at Pos, text string) {
	w := strconv.Itoa(at.Line) + ": "
	w += text
	p.warns = append(p.warns, w)
}

func (p *parser) advance() error {
	if len(p.ahead) > 0 {
		p.tok, p.ahead = p.ahead[0], p.ahead[1:]
		return nil
	}
	t, err := p.lex.next()
	p.tok = t
	return err
}

// peek is the token after this one.
func (p *parser) peek() (Token, error) {
	if len(p.ahead) == 0 {
		t, err := p.lex.next()
		if err != nil {
			return t, err
		}
		p.ahead = append(p.ahead, t)
	}
	return p.ahead[0], nil
}

func (p *parser) is(op string) bool {
	return (p.tok.Kind == OPERATOR || p.tok.Kind == KEYWORD) && p.tok.Text == op
}

func (p *parser) fail(want string) error {
	got := p.tok.Kind.String()
	if p.tok.Text != "" {
		got = strconv.Quote(p.tok.Text)
	}
	return &SyntaxError{p.tok.At, "want " + want + ", got " + got}
}

func (p *parser) expect(op string) error {
	if !p.is(op) {
		return p.fail(strconv.Quote(op))
	}
	return p.advance()
}

// accept passes over op, if that is here.
func (p *parser) accept(op string) (bool, error) {
	if !p.is(op) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) name() (*Name, error) {
	if p.tok.Kind != NAME {
		return nil, p.fail("a name")
	}
	n := &Name{At: p.tok.At, Text: p.tok.Text}
	return n, p.advance()
}

func (p *parser) statement() (Node, error) {
	at := p.tok.At
	var n Node
	var err error
	switch {
	case p.is("let"):
		n, err = p.let()
	case p.is("if"):
		return p.choice()
	case p.is("for"):
		return p.loop()
	case p.is("return"):
		if err = p.advance(); err == nil {
			var v Node
			v, err = p.expression(0)
			n = &Return{at, v}
		}
	default:
		var x Node
		x, err = p.expression(0)
		n = &ExprStmt{x}
	}
	if err != nil {
		return nil, err
	}
	_, err = p.accept(";")
	return n, err
}

func (p *parser) let() (Node, error) {
	n := &Let{At: p.tok.At}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.Name, err = p.name(); err != nil {
		return nil, err
	}
	if err = p.expect("="); err != nil {
		return nil, err
	}
	if n.Value, err = p.expression(0); err != nil {
		return nil, err
	}
	p.declare(n.Name)
	return n, nil
}

func (p *parser) choice() (Node, error) {
	at := p.tok.At
	if err := p.advance(); err != nil {
		return nil, err
	}
	cond, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	then, err := p.block()
	if err != nil {
		return nil, err
	}
	n := &If{At: at, Cond: cond, Then: then}
	if ok, err := p.accept("else"); !ok || err != nil {
		return n, err
	}
	if p.is("if") {
		n.Else, err = p.choice()
		return n, err
	}
	b, err := p.block()
	if err != nil {
		return nil, err
	}
	n.Else = b
	return n, nil
}

func (p *parser) loop() (Node, error) {
	n := &For{At: p.tok.At}
	err := p.advance()
	if err != nil {
		return nil, err
	}
	if n.Val, err = p.name(); err != nil {
		return nil, err
	}
	if ok, err := p.accept(","); err != nil {
		return nil, err
	} else if ok {
		n.Key = n.Val
		if n.Val, err = p.name(); err != nil {
			return nil, err
		}
	}
	if err = p.expect("in"); err != nil {
		return nil, err
	}
	if n.Of, err = p.expression(0); err != nil {
		return nil, err
	}
	n.Body, err = p.block()
	return n, err
}

func (p *parser) block() (*Block, error) {
	b := new(Block)
	b.At = p.tok.At
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	p.open()
	defer p.close()
	for !p.is("}") {
		s, err := p.statement()
		if err != nil {
			return nil, err
		}
		b.Stmts = append(b.Stmts, s)
	}
	return b, p.advance()
}

// power is how strongly an operator binds; 0 is for what is none.
func power(t Token) int {
	if t.Kind != OPERATOR {
		return 0
	}
	switch t.Text {
	case "?":
		return 1
	case "??":
		return 2
	case "||":
		return 3
	case "&&":
		return 4
	case "==", "!=":
		return 5
	case "<", "<=", ">", ">=":
		return 6
	case "+", "-":
		return 7
	case "*", "/", "%":
		return 8
	}
	return 0
}

func (p *parser) expression(least int) (Node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, &SyntaxError{p.tok.At, "too deep"}
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		op := p.tok
		n := power(op)
		if n == 0 || n <= least {
			return x, nil
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if op.Text == "?" {
			if x, err = p.conditional(op.At, x); err != nil {
				return nil, err
			}
			continue
		}
		y, err := p.expression(n)
		if err != nil {
			return nil, err
		}
		x = &Binary{At: op.At, Op: op.Text, X: x, Y: y}
	}
}

func (p *parser) conditional(at Pos, c Node) (Node, error) {
	x, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	y, err := p.expression(0)
	return &Choice{at, c, x, y}, err
}

func (p *parser) unary() (Node, error) {
	if p.is("-") || p.is("!") {
		op := p.tok
		if err := p.advance(); err != nil {
			return nil, err
		}
		x, err := p.unary()
		return &Unary{At: op.At, Op: op.Text, X: x}, err
	}
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.suffixes(x)
}

func (p *parser) suffixes(x Node) (Node, error) {
	for {
		at := p.tok.At
		switch {
		case p.is("("):
			args, err := p.list("(", ")")
			if err != nil {
				return nil, err
			}
			x = &Call{At: at, Fun: x, Args: args}
		case p.is("["):
			if err := p.advance(); err != nil {
				return nil, err
			}
			i, err := p.expression(0)
			if err != nil {
				return nil, err
			}
			if err := p.expect("]"); err != nil {
				return nil, err
			}
			x = &Index{At: at, X: x, I: i}
		case p.is("."):
			if err := p.advance(); err != nil {
				return nil, err
			}
			n, err := p.name()
			if err != nil {
				return nil, err
			}
			x = &Select{at, x, n}
		default:
			return x, nil
		}
	}
}

// list is expressions with commas between them.
func (p *parser) list(from, to string) ([]Node, error) {
	if err := p.expect(from); err != nil {
		return nil, err
	}
	var out []Node
	for !p.is(to) {
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
		if ok, err := p.accept(","); err != nil {
			return nil, err
		} else if !ok {
			break
		}
	}
	return out, p.expect(to)
}

func (p *parser) primary() (Node, error) {
	t := p.tok
	switch {
	case t.Kind == NAME:
		next, err := p.peek()
		if err != nil {
			return nil, err
		}
		if next.Kind == OPERATOR && next.Text == "=>" {
			return p.arrow()
		}
		return p.name()
	case t.Kind == NUMBER:
		v, err := strconv.ParseFloat(strings.ReplaceAll(t.Text, "_", ""), 64)
		if err != nil {
			return nil, &SyntaxError{At: t.At, Text: "bad number " + t.Text}
		}
		return &Number{At: t.At, Text: t.Text, Value: v}, p.advance()
	case t.Kind == STRING:
		return &Text{t.At, t.Text}, p.advance()
	case t.Kind == TEMPLATE:
		n, err := p.template(t)
		if err != nil {
			return nil, err
		}
		return n, p.advance()
	case p.is("null") || p.is("true") || p.is("false"):
		return &Literal{At: t.At, Word: t.Text}, p.advance()
	case p.is("fn"):
		return p.function()
	case p.is("["):
		items, err := p.list("[", "]")
		return &List{t.At, items}, err
	case p.is("{"):
		return p.object()
	case p.is("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		x, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		return x, p.expect(")")
	}
	return nil, p.fail("an expression")
}

// arrow is x => y.
func (p *parser) arrow() (Node, error) {
	at := p.tok.At
	n, err := p.name()
	if err != nil {
		return nil, err
	}
	if err := p.expect("=>"); err != nil {
		return nil, err
	}
	body, err := p.expression(0)
	return &Func{At: at, Params: []*Name{n}, Body: body}, err
}

func (p *parser) function() (Node, error) {
	f := &Func{At: p.tok.At}
	if err := p.advance(); err != nil {
		return nil, err
	}
	args, err := p.list("(", ")")
	if err != nil {
		return nil, err
	}
	f.Params = make([]*Name, len(args))
	for i, x := range args {
		n, ok := x.(*Name)
		if !ok {
			return nil, &SyntaxError{x.Pos(), "want a name"}
		}
		f.Params[i] = n
	}
	f.Body, err = p.block()
	return f, err
}

func (p *parser) object() (Node, error) {
	o := &Object{At: p.tok.At, index: make(map[string]*Field)}
	if err := p.advance(); err != nil {
		return nil, err
	}
	for !p.is("}") {
		f, err := p.field()
		if err != nil {
			return nil, err
		}
		if o.index[f.Key] != nil {
			p.warn(f.At, fmt.Sprintf("%s is there twice", strings.ToUpper(f.Key)))
		}
		o.index[f.Key] = f
		o.Fields = append(o.Fields, f)
		if ok, err := p.accept(","); err != nil {
			return nil, err
		} else if !ok {
			break
		}
	}
	return o, p.expect("}")
}

func (p *parser) field() (*Field, error) {
	f := &Field{At: p.tok.At, Key: p.tok.Text}
	switch p.tok.Kind {
	case NAME, STRING, KEYWORD:
	default:
		return nil, p.fail("a key")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.is(":") {
		f.Value = &Name{f.At, f.Key}
		return f, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	f.Value, err = p.expression(0)
	return f, err
}

// template reads what stands in ${} as expressions.
func (p *parser) template(t Token) (Node, error) {
	n := &Template{At: t.At}
	rest := t.Text
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			break
		}
		j := strings.IndexByte(rest[i:], '}')
		if j < 0 {
			return nil, &SyntaxError{t.At, "expression without an end"}
		}
		if i > 0 {
			n.Parts = append(n.Parts, &Text{t.At, rest[:i]})
		}
		x, err := p.sub(t.At, rest[i+2:i+j])
		if err != nil {
			return nil, err
		}
		n.Parts = append(n.Parts, x)
		rest = rest[i+j+1:]
	}
	if rest != "" {
		n.Parts = append(n.Parts, &Text{t.At, rest})
	}
	return n, nil
}

// sub parses an expression that stands in a text.
func (p *parser) sub(at Pos, src string) (Node, error) {
	q := &parser{a: p.a, lex: newLexer(p.a, []byte(src)), scope: p.scope, depth: p.depth}
	q.lex.line = at.Line
	if err := q.advance(); err != nil {
		return nil, err
	}
	x, err := q.expression(0)
	if err != nil {
		return nil, err
	}
	if q.tok.Kind != EOF {
		return nil, q.fail("the expression's end")
	}
	p.warns = append(p.warns, q.warns...)
	return x, nil
}
