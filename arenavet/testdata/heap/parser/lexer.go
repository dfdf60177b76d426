package parser

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/ebbpool/arena"
)

// Kind says what a token is.
type Kind int

// The kinds of tokens.
const (
	EOF Kind = iota
	NAME
	NUMBER
	STRING
	TEMPLATE
	OPERATOR
	KEYWORD
)

var kindNames = map[Kind]string{
	EOF: "end of file", NAME: "name", NUMBER: "number", STRING: "string", TEMPLATE: "template", OPERATOR: "operator", KEYWORD: "keyword",
}

func (k Kind) String() string { return kindNames[k] }

var keywords = map[string]bool{
	"let": true, "if": true, "else": true, "for": true, "in": true, "return": true, "fn": true,
	"null": true, "true": true, "false": true,
}

var operators = []string{"==", "!=", "<=", ">=", "&&", "||", "??", "=>", "->"}

// Token is a word of the source.
type Token struct {
	Kind Kind
	At   Pos
	Text string
}

// lexer cuts the source into tokens.
type lexer struct {
	a        *arena.Arena
	src      []byte
	at       int
	line     int
	start    int // of the line
	comments []*Comment
}

// SyntaxError says what is wrong, and where.
type SyntaxError struct {
	At   Pos
	Text string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.At.Line, e.At.Col, e.Text)
}

func newLexer(a *arena.Arena, src []byte) *lexer {
	return &lexer{a: a, src: src, line: 1}
}

func (l *lexer) pos() Pos { return Pos{l.line, l.at - l.start + 1} }

func (l *lexer) fail(at Pos, format string, args ...any) error {
	return &SyntaxError{At: at, Text: fmt.Sprintf(format, args...)}
}

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

func (l *lexer) newline() {
	l.line++
	l.start = l.at + 1
}

// skip passes over space and comments.
func (l *lexer) skip() error {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.newline()
			l.at++
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case c == '#' || c == '/' && l.peek(1) == '/':
			l.lineComment()
		case c == '/' && l.peek(1) == '*':
			if err := l.blockComment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) lineComment() {
	at, from := l.pos(), l.at
	for l.at < len(l.src) && l.src[l.at] != '\n' {
		l.at++
	}
	l.comments = append(l.comments, &Comment{At: at, Text: trimComment(l.a, l.src[from:l.at])})
}

func (l *lexer) blockComment() error {
	at, from := l.pos(), l.at
	for l.at += 2; l.at+1 < len(l.src); l.at++ {
		switch {
		case l.src[l.at] == '\n':
			l.newline()
		case l.src[l.at] == '*' && l.src[l.at+1] == '/':
			l.at += 2
			l.comments = append(l.comments, &Comment{At: at, Text: trimComment(l.a, l.src[from:l.at])})
			return nil
		}
	}
	return l.fail(at, "comment without an end")
}

// trimComment is a comment's text in one line.
func trimComment(a *arena.Arena, src []byte) string {
	s := string(src)
	for len(s) > 0 && (s[0] == '#' || s[0] == '/' || s[0] == '*' || s[0] == ' ') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == '/' || s[len(s)-1] == '*' || s[len(s)-1] == ' ') {
		s = s[:len(s)-1]
	}
	return s
}

// next is the next token.
func (l *lexer) next() (Token, error) {
	if err := l.skip(); err != nil {
		return Token{}, err
	}
	at := l.pos()
	if l.at >= len(l.src) {
		return Token{Kind: EOF, At: at}, nil
	}
	switch c := l.src[l.at]; {
	case c >= '0' && c <= '9':
		return l.number()
	case c == '"':
		text, err := l.quoted('"')
		return Token{STRING, at, text}, err
	case c == '`':
		text, err := l.raw()
		return Token{TEMPLATE, at, text}, err
	case c == '_' || c >= utf8.RuneSelf || unicode.IsLetter(rune(c)):
		return l.word()
	}
	return l.operator()
}

func (l *lexer) operator() (Token, error) {
	at := l.pos()
	for _, op := range operators {
		if l.peek(0) == op[0] && l.peek(1) == op[1] {
			l.at += 2
			return Token{OPERATOR, at, op}, nil
		}
	}
	switch c := l.src[l.at]; c {
	case '+', '-', '*', '/', '%', '(', ')', '[', ']', '{', '}', ',', ':', '.', '?', '<', '>', '=', '!', ';':
		l.at++
		return Token{OPERATOR, at, string(l.src[l.at-1 : l.at])}, nil
	default:
		return Token{}, l.fail(at, "unexpected %q", c)
	}
}

func (l *lexer) word() (Token, error) {
	at, from := l.pos(), l.at
	for l.at < len(l.src) {
		r, n := utf8.DecodeRune(l.src[l.at:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		l.at += n
	}
	if l.at == from {
		return Token{}, l.fail(at, "unexpected %q", l.src[l.at])
	}
	text := string(l.src[from:l.at])
	if keywords[text] {
		return Token{KEYWORD, at, text}, nil
	}
	return Token{NAME, at, text}, nil
}

func (l *lexer) digits() {
	for c := l.peek(0); c >= '0' && c <= '9' || c == '_'; c = l.peek(0) {
		l.at++
	}
}

func (l *lexer) number() (Token, error) {
	at, from := l.pos(), l.at
	l.digits()
	if c := l.peek(1); l.peek(0) == '.' && c >= '0' && c <= '9' {
		l.at++
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		l.at++
		if c := l.peek(0); c == '+' || c == '-' {
			l.at++
		}
		if c := l.peek(0); c < '0' || c > '9' {
			return Token{}, l.fail(at, "exponent without digits")
		}
		l.digits()
	}
	return Token{NUMBER, at, string(l.src[from:l.at])}, nil
}

// quoted is a string with escapes.
func (l *lexer) quoted(quote byte) (string, error) {
	at := l.pos()
	l.at++
	out := make([]byte, 0, 16)
	for l.at < len(l.src) {
		c := l.src[l.at]
		l.at++
		switch c {
		case quote:
			return string(out), nil
		case '\n':
			return "", l.fail(at, "string without an end")
		case '\\':
			b, err := l.escape(at)
			if err != nil {
				return "", err
			}
			out = append(out, b...)
		default:
			out = append(out, c)
		}
	}
	return "", l.fail(at, "string without an end")
}

func (l *lexer) escape(at Pos) (string, error) {
	c := l.peek(0)
	l.at++
	switch c {
	case 'n':
		return "\n", nil
	case 't':
		return "\t", nil
	case 'r':
		return "\r", nil
	case '"', '\\', '/', '`', '$':
		return string(l.src[l.at-1 : l.at]), nil
	case 'u':
		r := rune(0)
		for range 4 {
			h := unhex(l.peek(0))
			if h < 0 {
				return "", l.fail(at, "bad escape")
			}
			r = r<<4 | rune(h)
			l.at++
		}
		return string(r), nil
	}
	return "", l.fail(at, "bad escape %q", c)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// raw is what stands between backquotes.
func (l *lexer) raw() (string, error) {
	at := l.pos()
	l.at++
	for from := l.at; l.at < len(l.src); l.at++ {
		switch l.src[l.at] {
		case '\n':
			l.newline()
		case '`':
			l.at++
			return string(l.src[from : l.at-1]), nil
		}
	}
	return "", l.fail(at, "template without an end")
}
