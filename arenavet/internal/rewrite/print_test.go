package rewrite

import (
	"go/token"
	"testing"
)

func TestPrinter(t *testing.T) {
	p := &Printer{Src: []byte("f(x, y)"), Offset: func(at token.Pos) int { return int(at) }}
	p.Put(2, 3, 1, "z")
	p.Put(2, 2, 2, "a, ")
	p.Put(2, 2, 3, "b, ")
	p.Put(2, 4, 4, "overlaps")
	p.Put(6, 6, 5, "...")
	text, marks := p.Print()
	if want := "f(a, b, z, y...)"; string(text) != want {
		t.Errorf("Print() = %s, want %s", text, want)
	}
	for i, want := range []Marked{{2, 5, 2}, {5, 8, 3}, {8, 9, 1}, {12, 15, 5}} {
		if i >= len(marks) || marks[i] != want {
			t.Errorf("marks = %v, want %v at %d", marks, want, i)
		}
	}
	for at, want := range map[int]token.Pos{3: 2, 8: 1, 13: 5} {
		if m := Innermost(marks, at); m == nil || m.ID != want {
			t.Errorf("Innermost(%d) = %v, want %d", at, m, want)
		}
	}
	if m := Innermost(marks, 10); m != nil {
		t.Errorf("Innermost(10) = %v, want nil", m)
	}
}
