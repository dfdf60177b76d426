package rewrite

import (
	"bytes"
	"cmp"
	"go/token"
	"slices"
)

// Edit replaces a range of the source, or inserts text at a position.
type Edit struct {
	From, To token.Pos
	ID       token.Pos // of the rewrite that is dropped if the edit does not compile
	Text     string
}

// Printer prints a file with edits.
type Printer struct {
	Src    []byte
	Offset func(token.Pos) int // in Src
	Edits  []Edit
}

// Put adds an edit. Insertions at one position keep their order.
func (r *Printer) Put(from, to, id token.Pos, text string) {
	r.Edits = append(r.Edits, Edit{from, to, id, text})
}

// Marked is the range of an edit in the printed text.
type Marked struct {
	From, To int
	ID       token.Pos
}

// Print returns the text with the edits, and their ranges in it. Of edits that overlap it applies the first.
func (r *Printer) Print() ([]byte, []Marked) {
	slices.SortStableFunc(r.Edits, func(a, b Edit) int { // insertions come first
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(min(a.To-a.From, 1), min(b.To-b.From, 1)))
	})
	var b bytes.Buffer
	var marks []Marked
	at := 0
	for _, e := range r.Edits {
		if r.Offset(e.From) < at {
			continue
		}
		b.Write(r.Src[at:r.Offset(e.From)])
		marks = append(marks, Marked{b.Len(), b.Len() + len(e.Text), e.ID})
		b.WriteString(e.Text)
		at = r.Offset(e.To)
	}
	b.Write(r.Src[at:])
	return b.Bytes(), marks
}

// Innermost returns the shortest range around an offset, or nil.
func Innermost(ranges []Marked, at int) *Marked {
	var best *Marked
	for k, m := range ranges {
		if at >= m.From && at <= m.To && (best == nil || m.To-m.From < best.To-best.From) {
			best = &ranges[k]
		}
	}
	return best
}
