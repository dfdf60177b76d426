// Package maker makes texts on the heap.
package maker

import "github.com/ebbpool/arena"

type Atom uint32

var names = "abc"

func (a Atom) String() string { return names[a>>8 : a&0xff] }

func Text(b []byte) string {
	if len(b) == 1 {
		return Atom(1).String()
	}
	return string(b)
}

func Twice(b []byte) (s string, ok bool) {
	s = Text(b)
	return s, true
}

func Save(v any) error { return nil }

func NewError(text string) error { return &failure{text} }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// InArena takes an arena, and makes its text on the heap.
func InArena(a *arena.Arena, b []byte) string { return string(b) + "." }

// A Writer has an arena, and makes its text on the heap.
type Writer struct{ A *arena.Arena }

func (w *Writer) Text(b []byte) string { return string(b) }
