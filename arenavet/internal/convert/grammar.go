package convert

import (
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A parser that goyacc has made is changed in its grammar's actions and in the parser alike: an edit
// of an action changes no table of the parser, so that goyacc makes the same of the grammar, and
// which version and flags the program makes it with need not be known. Where the parser's text is not
// what the grammar's actions come to, neither is touched.

// grammar is the source of a parser.
type grammar struct {
	file    string // of the grammar
	text    []byte
	parser  string // the file that goyacc has made
	made    []byte
	prefix  string // of goyacc's names
	actions []*action
	head    [2]int // where an import can stand, in the parser and in the grammar
}

// action is a block of Go, in the parser and in the grammar.
type action struct {
	tokens []lexeme // of the parser
	own    []lexeme // of the grammar, for each of them: several have one where that is a $1
}

// lexeme is a token and its place.
type lexeme struct {
	from, to int
	text     string
}

var (
	lineDirective = regexp.MustCompile(`(?m)^[ \t]*//line (.*\.y):(\d+)[ \t]*$`)
	dollar        = regexp.MustCompile(`^\$(?:<\w+>)?(\$|\d+)`)
)

// grammarOf is the name of the grammar that goyacc has made a file of, or empty. Older ones of its files
// have no line that says so, but tell of the grammar's lines.
func grammarOf(file *ast.File) string {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if at, ok := strings.CutPrefix(c.Text, "//line "); ok {
				if name, _, ok := strings.Cut(at, ".y:"); ok {
					return filepath.Base(name) + ".y"
				}
			}
		}
	}
	return ""
}

// readGrammar reads the grammar of a file that goyacc has made.
func readGrammar(file *ast.File, name string) (*grammar, error) {
	g := &grammar{parser: name, file: filepath.Join(filepath.Dir(name), grammarOf(file))}
	var err, err2 error
	g.made, err = os.ReadFile(name)
	g.text, err2 = os.ReadFile(g.file)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(fn.Name.Name, "NewParser") {
			g.prefix = strings.TrimSuffix(fn.Name.Name, "NewParser")
		}
	}
	if g.prefix == "" {
		return nil, errors.New("it has no NewParser: an older goyacc has made it")
	}
	last := 0 // where the action before ends
	starts := []int{0}
	for i, c := range g.text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	for _, m := range lineDirective.FindAllSubmatchIndex(g.made, -1) {
		tokens := block(g.made, m[1], false)
		line, _ := strconv.Atoi(string(g.made[m[4]:m[5]]))
		if len(tokens) == 0 || line < 1 || line > len(starts) {
			continue // not of an action
		}
		own := block(g.text, openBrace(g.text, max(last, starts[line-1])), true)
		if len(own) == 0 {
			return nil, fmt.Errorf("there is no action in its line %d", line)
		}
		last = own[len(own)-1].to
		a, ok := g.match(tokens, own)
		if !ok {
			return nil, fmt.Errorf("the action of its line %d is not that of the parser: make it anew first", line)
		}
		g.actions = append(g.actions, a)
	}
	return g, g.findHead()
}

// findHead finds where an import can stand: behind the package's name in the grammar, and behind
// the import that goyacc writes there.
func (g *grammar) findHead() error {
	own := regexp.MustCompile(`(?m)^[ \t]*package[ \t]+\w+[^\n]*\n\s*`).FindIndex(g.text)
	made := regexp.MustCompile(`(?m)^import __yyfmt__ "fmt"\s*\n\s*//line [^\n]*\n\s*`).FindIndex(g.made)
	if own == nil || made == nil {
		return errors.New("it has no package clause that goyacc writes its import behind")
	}
	g.head = [2]int{made[1], own[1]}
	return nil
}

// openBrace is where the next block begins.
func openBrace(text []byte, from int) int {
	for i := from; i < len(text) && i >= 0; i++ {
		if text[i] == '{' && !(i > 0 && text[i-1] == '\'' && i+1 < len(text) && text[i+1] == '\'') {
			return i
		}
	}
	return len(text)
}

// block are the tokens of a block of Go at an offset, without semicolons; or none where there is no block.
// In a grammar a reference to a symbol is one token.
func block(text []byte, at int, own bool) (all []lexeme) {
	src := text[at:]
	if own { // the scanner takes no dollars: they become names of the same length
		src = []byte(string(src))
		for i := 0; i < len(src); i++ {
			if m := dollar.Find(src[i:]); m != nil {
				for k := range m {
					src[i+k] = '_'
				}
			}
		}
	}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	failed := false
	s.Init(file, src, func(token.Position, string) { failed = true }, 0)
	depth := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || failed || len(all) == 0 && tok != token.LBRACE {
			return nil
		}
		if tok == token.SEMICOLON {
			continue
		}
		if lit == "" {
			lit = tok.String()
		}
		from := at + file.Offset(pos)
		all = append(all, lexeme{from, from + len(lit), string(text[from : from+len(lit)])})
		switch tok {
		case token.LBRACE:
			depth++
		case token.RBRACE:
			if depth--; depth == 0 {
				return all
			}
		}
	}
}

// match finds for each token of the parser's action that of the grammar's.
func (g *grammar) match(made, own []lexeme) (*action, bool) {
	a := &action{tokens: made}
	is := func(k int, text string) bool { return k < len(made) && made[k].text == text }
	for i, o := range own {
		k := len(a.own)
		n := 1
		switch m := dollar.FindStringSubmatch(o.text); {
		case m == nil:
			if !is(k, o.text) {
				return nil, false
			}
		case m[1] == "$":
			if !is(k, g.prefix+"VAL") {
				return nil, false
			}
		default:
			if n = 4; !is(k, g.prefix+"Dollar") || !is(k+2, m[1]) {
				return nil, false
			}
		}
		if o.text[0] == '$' && is(k+n, ".") && (i+1 == len(own) || is(k+n+2, own[i+1].text) || own[i+1].text[0] == '$') {
			n += 2 // the symbol's type
		}
		for range n {
			a.own = append(a.own, o)
		}
	}
	return a, len(a.own) == len(made)
}

// actionAt is the action at a place of the parser, or nil.
func (g *grammar) actionAt(offset int) *action {
	for _, a := range g.actions {
		if a.tokens[0].from <= offset && offset < a.tokens[len(a.tokens)-1].to {
			return a
		}
	}
	return nil
}
