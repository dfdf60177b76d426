package programs

// Query is the tree of a GraphQL document: what a recursive-descent parser makes.
type Query struct {
	Operations []*Operation
	Fragments  []*Fragment
}

// Operation is a query, a mutation or a subscription.
type Operation struct {
	Kind, Name string
	Variables  []*Variable
	Set        []Selection
}

// Variable is one that an operation takes.
type Variable struct {
	Name    string
	Type    *Type
	Default *Literal // nil without one
}

// Type is a type's name, or a list of another.
type Type struct {
	Name     string
	Elem     *Type
	Required bool
}

// Fragment is a named set of fields.
type Fragment struct {
	Name, On string
	Set      []Selection
}

// Selection is a *Field, a *Spread or an *Inline.
type Selection interface{ digest(d *digest) }

// Field is a field that is asked for.
type Field struct {
	Alias, Name string
	Arguments   []Argument
	Directives  []*Directive
	Set         []Selection
}

// Argument is a value with its name.
type Argument struct {
	Name  string
	Value *Literal
}

// Directive is an @name with arguments.
type Directive struct {
	Name      string
	Arguments []Argument
}

// Spread is a ...name.
type Spread struct{ Name string }

// Inline is a fragment where it is used.
type Inline struct {
	On  string
	Set []Selection
}

// Literal is a value: $name, a number, a text, a name, a list or an object.
type Literal struct {
	Kind   byte // the first byte of its token
	Text   string
	List   []*Literal
	Fields []Argument
}

// lexer cuts a GraphQL document into tokens; none is a copy.
type lexer struct {
	text    string
	at      int
	kind    byte // 'a' for a name, '0' for a number, '"', '.' for three of them, 0 at the end; else the byte itself
	token   string
	escaped bool // the token is a text with escapes in it
	err     error
}

// next goes to the next token.
func (l *lexer) next() {
	s := l.text
	i := l.at
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == ',' || s[i] == '#') {
		if s[i] == '#' {
			for i < len(s) && s[i] != '\n' {
				i++
			}
			continue
		}
		i++
	}
	if i == len(s) {
		l.at, l.kind, l.token = i, 0, ""
		return
	}
	from := i
	switch c := s[i]; {
	case isLetter(c):
		for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
			i++
		}
		l.kind, l.token = 'a', s[from:i]
	case isDigit(c) || c == '-':
		for i++; i < len(s) && (isDigit(s[i]) || s[i] == '.'); i++ {
		}
		l.kind, l.token = '0', s[from:i]
	case c == '"':
		l.escaped = false
		for i++; i < len(s) && s[i] != '"'; i++ {
			if s[i] == '\\' {
				l.escaped = true
				i++
			}
		}
		if i >= len(s) {
			l.at = len(s)
			l.fail("a text has no end")
			return
		}
		l.kind, l.token = '"', s[from+1:i]
		i++
	default:
		i++
		if c == '.' && i+2 <= len(s) && s[i:i+2] == ".." {
			i += 2
		}
		l.kind, l.token = c, s[from:i]
	}
	l.at = i
}

// fail keeps the first error, and has the text end there.
func (l *lexer) fail(what string) {
	if l.err == nil {
		l.err = &SyntaxError{l.at, what}
	}
	l.at, l.kind, l.token = len(l.text), 0, ""
}

func (l *lexer) take(kind byte) bool {
	if l.kind != kind {
		return false
	}
	l.next()
	return true
}

func (l *lexer) expect(kind byte, what string) string {
	token := l.token
	if !l.take(kind) {
		l.fail(what)
	}
	return token
}

func (l *lexer) word(name string) bool {
	if l.kind != 'a' || l.token != name {
		return false
	}
	l.next()
	return true
}

func (q *Query) digest() uint64 {
	var d digest
	for _, o := range q.Operations {
		d.text(o.Kind)
		d.text(o.Name)
		for _, v := range o.Variables {
			d.text(v.Name)
			for t := v.Type; t != nil; t = t.Elem {
				d.text(t.Name)
				if t.Required {
					d.number(1)
				}
			}
			v.Default.digest(&d)
		}
		selections(&d, o.Set)
	}
	for _, f := range q.Fragments {
		d.text(f.Name)
		d.text(f.On)
		selections(&d, f.Set)
	}
	return uint64(d)
}

func selections(d *digest, set []Selection) {
	d.number(uint64(len(set)))
	for _, s := range set {
		s.digest(d)
	}
}

func (f *Field) digest(d *digest) {
	d.text(f.Alias)
	d.text(f.Name)
	arguments(d, f.Arguments)
	for _, x := range f.Directives {
		d.text(x.Name)
		arguments(d, x.Arguments)
	}
	selections(d, f.Set)
}

func (s *Spread) digest(d *digest) { d.text(s.Name) }

func (s *Inline) digest(d *digest) {
	d.text(s.On)
	selections(d, s.Set)
}

func arguments(d *digest, all []Argument) {
	for _, a := range all {
		d.text(a.Name)
		a.Value.digest(d)
	}
}

func (l *Literal) digest(d *digest) {
	if l == nil {
		return
	}
	d.number(uint64(l.Kind))
	d.text(l.Text)
	for _, x := range l.List {
		x.digest(d)
	}
	arguments(d, l.Fields)
}
