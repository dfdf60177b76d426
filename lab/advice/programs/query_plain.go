package programs

import "strings"

// ParseQuery parses a GraphQL document.
func ParseQuery(text string) (uint64, error) {
	p := &queryParser{lexer: lexer{text: text}}
	p.next()
	q := &Query{}
	for p.kind != 0 {
		switch {
		case p.word("fragment"):
			q.Fragments = append(q.Fragments, p.fragment())
		case p.kind == '{':
			q.Operations = append(q.Operations, &Operation{Kind: "query", Set: p.set()})
		case p.kind == 'a':
			q.Operations = append(q.Operations, p.operation())
		default:
			p.fail("an operation or a fragment is wanted")
		}
	}
	if p.err != nil {
		return 0, p.err
	}
	return q.digest(), nil
}

type queryParser struct{ lexer }

func (p *queryParser) operation() *Operation {
	o := &Operation{Kind: p.expect('a', "a kind is wanted")}
	if p.kind == 'a' {
		o.Name = p.token
		p.next()
	}
	if p.take('(') {
		for p.kind == '$' {
			o.Variables = append(o.Variables, p.variable())
		}
		p.expect(')', "a ) is wanted")
	}
	o.Set = p.set()
	return o
}

func (p *queryParser) variable() *Variable {
	p.next()
	v := &Variable{Name: p.expect('a', "a variable is wanted")}
	p.expect(':', "a type is wanted")
	v.Type = p.typeOf()
	if p.take('=') {
		v.Default = p.literal()
	}
	return v
}

func (p *queryParser) typeOf() *Type {
	t := &Type{}
	if p.take('[') {
		t.Elem = p.typeOf()
		p.expect(']', "a ] is wanted")
	} else {
		t.Name = p.expect('a', "a type is wanted")
	}
	t.Required = p.take('!')
	return t
}

func (p *queryParser) fragment() *Fragment {
	f := &Fragment{Name: p.expect('a', "a name is wanted")}
	if !p.word("on") {
		p.fail("on is wanted")
	}
	f.On = p.expect('a', "a type is wanted")
	f.Set = p.set()
	return f
}

func (p *queryParser) set() []Selection {
	var set []Selection
	p.expect('{', "a { is wanted")
	for p.kind == 'a' || p.kind == '.' {
		set = append(set, p.selection())
	}
	p.expect('}', "a } is wanted")
	return set
}

func (p *queryParser) selection() Selection {
	if p.take('.') {
		if p.word("on") {
			return &Inline{On: p.expect('a', "a type is wanted"), Set: p.set()}
		}
		return &Spread{Name: p.expect('a', "a fragment is wanted")}
	}
	f := &Field{Name: p.expect('a', "a field is wanted")}
	if p.take(':') {
		f.Alias, f.Name = f.Name, p.expect('a', "a field is wanted")
	}
	f.Arguments = p.arguments()
	for p.take('@') {
		f.Directives = append(f.Directives, &Directive{Name: p.expect('a', "a directive is wanted"), Arguments: p.arguments()})
	}
	if p.kind == '{' {
		f.Set = p.set()
	}
	return f
}

func (p *queryParser) arguments() []Argument {
	if !p.take('(') {
		return nil
	}
	all := p.pairs()
	p.expect(')', "a ) is wanted")
	return all
}

func (p *queryParser) pairs() []Argument {
	var all []Argument
	for p.kind == 'a' {
		name := p.expect('a', "a name is wanted")
		p.expect(':', "a value is wanted")
		all = append(all, Argument{Name: name, Value: p.literal()})
	}
	return all
}

func (p *queryParser) literal() *Literal {
	kind := p.kind
	switch kind {
	case '"':
		text := p.token
		if p.escaped {
			text = unescaped(text)
		}
		p.next()
		return &Literal{Kind: kind, Text: text}
	case 'a', '0':
		return &Literal{Kind: kind, Text: p.expect(kind, "a value is wanted")}
	case '$':
		p.next()
		return &Literal{Kind: kind, Text: p.expect('a', "a variable is wanted")}
	case '[':
		p.next()
		l := &Literal{Kind: kind}
		for p.kind != ']' && p.kind != 0 {
			l.List = append(l.List, p.literal())
		}
		p.expect(']', "a ] is wanted")
		return l
	case '{':
		p.next()
		l := &Literal{Kind: kind, Fields: p.pairs()}
		p.expect('}', "a } is wanted")
		return l
	}
	p.fail("a value is wanted")
	return nil
}

// unescaped is a text without its escapes: of a backslash and a byte the byte,
// or the line end that it stands for.
func unescaped(text string) string {
	var b strings.Builder
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
