package appends

import (
	"iter"
	"strings"

	"github.com/ebbpool/arena"
)

// A slice on Go's heap, to which the body of a loop over a function appends.
func fineHeapInSeq(a *arena.Arena, words iter.Seq[string]) []string {
	var toks []string
	for w := range words {
		toks = append(toks, a.AllocString(w))
	}
	return append(toks, "end")
}

// The same by a function literal.
func fineHeapInLiteral(a *arena.Arena, words []string) []string {
	var toks []string
	add := func(w string) { toks = append(toks, a.AllocString(w)) }
	for _, w := range words {
		add(w)
	}
	return append(toks, "end")
}

type lexer struct {
	a    *arena.Arena
	toks []string
}

func (l *lexer) push(s string) { l.toks = append(l.toks, l.a.AllocString(s)) }

// The same by a method, in a field.
func fineHeapInField(l *lexer, in string) []string {
	for _, w := range strings.Fields(in) {
		l.push(w)
	}
	l.toks = append(l.toks, "EOF")
	return l.toks
}

func (l *lexer) pushInArena(s string) { l.toks = arena.Append(l.a, l.toks, s) }

// A helper that appends in the arena leaves an arena slice.
func inField(l *lexer, in string) {
	l.pushInArena(in)
	l.toks = append(l.toks, "EOF") // want `builtin append to memory of arena l.a`
}
