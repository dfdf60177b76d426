// Package coarse has lists of a type of which one holds what its root returns, and another the lexer,
// which no such result can hold: no type that a caller sees leads to it.
package coarse

// Item is part of a tree.
type Item interface{ item() }

// Node is what the root returns.
type Node struct{ Child Item }

// Leaf is an item.
type Leaf struct{ Text string }

func (*Leaf) item() {}

type lexer struct {
	text string
	step func(l *lexer) *Leaf
}

// Parse is the root.
func Parse(text string) *Node {
	l := &lexer{text: text, step: word}
	own := []any{l}
	made := []any{own[0].(*lexer).step(l)}
	return &Node{Child: made[0].(Item)}
}

func word(l *lexer) *Leaf { return &Leaf{Text: l.text} }
