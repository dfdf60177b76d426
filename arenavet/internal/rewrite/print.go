package rewrite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Edit replaces a range. Its text is computed when the file is printed, and includes the edits inside the range.
type Edit struct {
	From, To token.Pos
	ID       token.Pos // of the rewrite that is dropped if the edit does not compile
	Inner    bool      // this edit is inside another edit of the same range
	Text     func() string
}

// Printer prints a file with edits.
type Printer struct {
	Src    []byte
	Offset func(token.Pos) int // in Src
	Edits  []*Edit
}

func (r *Printer) Add(from, to, id token.Pos, text func(e *Edit) string) *Edit {
	e := &Edit{From: from, To: to, ID: id}
	e.Text = func() string { return text(e) }
	r.Edits = append(r.Edits, e)
	return e
}

func (r *Printer) Put(from, to, id token.Pos, text string) *Edit {
	return r.Add(from, to, id, func(*Edit) string { return text })
}

// Marks surround the text of an edit, so that a type error can be assigned to it.
const (
	markBegin = '\x01'
	markID    = '\x02'
	markEnd   = '\x03'
)

// Span returns the text of a range with the edits inside it, except self. The edits must be sorted.
func (r *Printer) Span(from, to token.Pos, self *Edit) string {
	var b strings.Builder
	src, at, offset := r.Src, from, r.Offset
	for _, e := range r.Edits {
		if e == self || e.From < at || e.To > to {
			continue
		}
		if self != nil && e.From == e.To && e.From == from && !e.Inner { // it is before the range
			continue
		}
		if self != nil && e.From <= self.From && e.To >= self.To && !(e.From == self.From && e.To == self.To && e.Inner && !self.Inner) {
			continue
		}
		b.Write(src[offset(at):offset(e.From)])
		fmt.Fprintf(&b, "%c%d%c%s%c", markBegin, e.ID, markID, e.Text(), markEnd)
		at = e.To
	}
	b.Write(src[offset(at):offset(to)])
	return b.String()
}

func (r *Printer) Node(n ast.Node, self *Edit) string { return r.Span(n.Pos(), n.End(), self) }

// Marked is the range of an edit in the printed text.
type Marked struct {
	From, To int
	ID       token.Pos
}

// Unmark returns text without marks, and the ranges that they surrounded.
func Unmark(text string) ([]byte, []Marked) {
	var b bytes.Buffer
	var all, open []Marked
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case markBegin:
			j := i + strings.IndexByte(text[i:], markID)
			id, _ := strconv.Atoi(text[i+1 : j])
			open = append(open, Marked{From: b.Len(), ID: token.Pos(id)})
			i = j
		case markEnd:
			m := open[len(open)-1]
			open = open[:len(open)-1]
			m.To = b.Len()
			all = append(all, m)
		default:
			b.WriteByte(text[i])
		}
	}
	return b.Bytes(), all
}

// Sort orders the edits by position, outer ones first.
func (r *Printer) Sort() {
	slices.SortStableFunc(r.Edits, func(a, b *Edit) int {
		az, bz := a.To == a.From, b.To == b.From
		switch {
		case a.From != b.From:
			return int(a.From - b.From)
		case az != bz && az:
			return -1
		case az != bz:
			return 1
		case a.To != b.To:
			return int(b.To - a.To)
		case a.Inner != b.Inner && b.Inner:
			return -1
		case a.Inner != b.Inner:
			return 1
		}
		return 0
	})
}

// Innermost returns the shortest range around an offset that ok accepts, or nil.
func Innermost(ranges []Marked, at int, ok func(id token.Pos) bool) *Marked {
	var best *Marked
	for k, m := range ranges {
		if at >= m.From && at <= m.To && ok(m.ID) && (best == nil || m.To-m.From < best.To-best.From) {
			best = &ranges[k]
		}
	}
	return best
}
