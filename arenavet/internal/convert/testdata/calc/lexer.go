package calc

import "strings"

//go:generate goyacc -o calc.go calc.y

// Node is what the parser makes.
type Node struct {
	Text string
	List []*Node
}

type lexer struct {
	words  []string
	result []*Node
	failed bool
}

// Parse is the root.
func Parse(text string) []*Node {
	l := newLexer(text)
	yyParse(l)
	if l.failed {
		return nil
	}
	return l.result
}

func newLexer(text string) *lexer { return &lexer{words: strings.Fields(text)} }

func (l *lexer) Lex(value *yySymType) int {
	if len(l.words) == 0 {
		return 0
	}
	word := l.words[0]
	l.words = l.words[1:]
	if len(word) == 1 && strings.Contains(",+{}!=", word) {
		return int(word[0])
	}
	value.text = word
	return WORD
}

func (l *lexer) Error(string) { l.failed = true }

func setResult(l yyLexer, list []*Node) { l.(*lexer).result = list }

func newNode(text, sign string) *Node { return &Node{Text: sign + text} }
