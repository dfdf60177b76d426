package programs

import "github.com/ebbpool/arena"

// ParseQueryIn is ParseQuery in an arena.
func ParseQueryIn(a *arena.Arena, text string) (uint64, error) {
	p := arena.NewOf(a, arenaQueryParser{lexer{text: text}, a})
	p.next()
	q := arena.New[Query](a)
	for p.kind != 0 {
		switch {
		case p.word("fragment"):
			q.Fragments = arena.Append(p.arena, q.Fragments, p.fragment())
		case p.kind == '{':
			q.Operations = arena.Append(p.arena, q.Operations, arena.NewOf(p.arena, Operation{Kind: "query", Set: p.set()}))
		case p.kind == 'a':
			q.Operations = arena.Append(p.arena, q.Operations, p.operation())
		default:
			p.fail("an operation or a fragment is wanted")
		}
	}
	if p.err != nil {
		return 0, p.err
	}
	return q.digest(), nil
}

type arenaQueryParser struct {
	lexer
	arena *arena.Arena
}

func (p *arenaQueryParser) operation() *Operation {
	o := arena.NewOf(p.arena, Operation{Kind: p.expect('a', "a kind is wanted")})
	if p.kind == 'a' {
		o.Name = p.token
		p.next()
	}
	if p.take('(') {
		for p.kind == '$' {
			o.Variables = arena.Append(p.arena, o.Variables, p.variable())
		}
		p.expect(')', "a ) is wanted")
	}
	o.Set = p.set()
	return o
}

func (p *arenaQueryParser) variable() *Variable {
	p.next()
	v := arena.NewOf(p.arena, Variable{Name: p.expect('a', "a variable is wanted")})
	p.expect(':', "a type is wanted")
	v.Type = p.typeOf()
	if p.take('=') {
		v.Default = p.literal()
	}
	return v
}

func (p *arenaQueryParser) typeOf() *Type {
	t := arena.New[Type](p.arena)
	if p.take('[') {
		t.Elem = p.typeOf()
		p.expect(']', "a ] is wanted")
	} else {
		t.Name = p.expect('a', "a type is wanted")
	}
	t.Required = p.take('!')
	return t
}

func (p *arenaQueryParser) fragment() *Fragment {
	f := arena.NewOf(p.arena, Fragment{Name: p.expect('a', "a name is wanted")})
	if !p.word("on") {
		p.fail("on is wanted")
	}
	f.On = p.expect('a', "a type is wanted")
	f.Set = p.set()
	return f
}

func (p *arenaQueryParser) set() []Selection {
	var set []Selection
	p.expect('{', "a { is wanted")
	for p.kind == 'a' || p.kind == '.' {
		set = arena.Append(p.arena, set, p.selection())
	}
	p.expect('}', "a } is wanted")
	return set
}

func (p *arenaQueryParser) selection() Selection {
	if p.take('.') {
		if p.word("on") {
			return arena.NewOf(p.arena, Inline{On: p.expect('a', "a type is wanted"), Set: p.set()})
		}
		return arena.NewOf(p.arena, Spread{Name: p.expect('a', "a fragment is wanted")})
	}
	f := arena.NewOf(p.arena, Field{Name: p.expect('a', "a field is wanted")})
	if p.take(':') {
		f.Alias, f.Name = f.Name, p.expect('a', "a field is wanted")
	}
	f.Arguments = p.arguments()
	for p.take('@') {
		f.Directives = arena.Append(p.arena, f.Directives, arena.NewOf(p.arena, Directive{Name: p.expect('a', "a directive is wanted"), Arguments: p.arguments()}))
	}
	if p.kind == '{' {
		f.Set = p.set()
	}
	return f
}

func (p *arenaQueryParser) arguments() []Argument {
	if !p.take('(') {
		return nil
	}
	all := p.pairs()
	p.expect(')', "a ) is wanted")
	return all
}

func (p *arenaQueryParser) pairs() []Argument {
	var all []Argument
	for p.kind == 'a' {
		name := p.expect('a', "a name is wanted")
		p.expect(':', "a value is wanted")
		all = arena.Append(p.arena, all, Argument{Name: name, Value: p.literal()})
	}
	return all
}

func (p *arenaQueryParser) literal() *Literal {
	kind := p.kind
	switch kind {
	case '"':
		text := p.token
		if p.escaped {
			text = unescapedIn(p.arena, text)
		}
		p.next()
		return arena.NewOf(p.arena, Literal{Kind: kind, Text: text})
	case 'a', '0':
		return arena.NewOf(p.arena, Literal{Kind: kind, Text: p.expect(kind, "a value is wanted")})
	case '$':
		p.next()
		return arena.NewOf(p.arena, Literal{Kind: kind, Text: p.expect('a', "a variable is wanted")})
	case '[':
		p.next()
		l := arena.NewOf(p.arena, Literal{Kind: kind})
		for p.kind != ']' && p.kind != 0 {
			l.List = arena.Append(p.arena, l.List, p.literal())
		}
		p.expect(']', "a ] is wanted")
		return l
	case '{':
		p.next()
		l := arena.NewOf(p.arena, Literal{Kind: kind, Fields: p.pairs()})
		p.expect('}', "a } is wanted")
		return l
	}
	p.fail("a value is wanted")
	return nil
}

// unescapedIn is unescaped in an arena.
func unescapedIn(a *arena.Arena, text string) string {
	b := arena.NewBuffer(a, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			if c = text[i]; c == 'n' {
				c = '\n'
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
