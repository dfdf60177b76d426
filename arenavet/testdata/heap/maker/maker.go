// Package maker makes texts on the heap.
package maker

import "github.com/ebbpool/arena"

func Text(b []byte) string { return string(b) }

func Save(v any) error { return nil }

func NewError(text string) error { return &failure{text} }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// InArena takes an arena, and makes its text on the heap.
func InArena(a *arena.Arena, b []byte) string { return string(b) + "." }

// A Writer has an arena, and makes its text on the heap.
type Writer struct{ A *arena.Arena }

func (w *Writer) Text(b []byte) string { return string(b) }
