// Package rules turns what package flow sees into findings: one file for each rule, with what
// it says and what to do instead.
package rules

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// reporter makes findings of the faults of one function.
type reporter struct {
	pkg      *flow.Package
	fn       *ssa.Function
	waits    bool // clients may have an arenahttp.Transport
	findings []found
}

// found is a finding before it is known whether it is the first of its kind.
type found struct {
	rule finding.Rule
	pos  token.Pos
	text string
	key  any // findings with equal keys say the same; the first is reported
	fix  []analysis.SuggestedFix
	of   *flow.Event // what took the memory back, if it is about that
}

// find notes a finding.
func (r *reporter) find(of finding.Rule, pos token.Pos, key any, text string, fix ...analysis.SuggestedFix) {
	r.findings = append(r.findings, found{rule: of, pos: pos, text: text, key: key, fix: fix})
}

// findOf is find for what an event took back.
func (r *reporter) findOf(e *flow.Event, of finding.Rule, pos token.Pos, key any, text string) {
	r.findings = append(r.findings, found{rule: of, pos: pos, text: text, key: key, of: e})
}

// report reports the findings, of those that say the same the first.
func (r *reporter) report(ignored finding.IgnoredLines) {
	slices.SortStableFunc(r.findings, func(a, b found) int { return cmp.Compare(a.pos, b.pos) })
	said := map[any]bool{}
	type spot struct {
		rule finding.Rule
		pos  token.Pos
		by   string // the handler, where several are registered
	}
	// What one event took back is one mistake of a line, though a value and its
	// field are used there, or a slice and its elements are stored.
	type mistake struct {
		rule finding.Rule
		of   *flow.Event
		n    int
	}
	used := map[mistake]bool{}
	for _, x := range r.findings {
		if x.rule == finding.Stale {
			used[mistake{finding.Stale, x.of, r.pkg.Pass.Fset.Position(x.pos).Line}] = true
		}
	}
	for _, x := range r.findings {
		p := r.pkg.Pass.Fset.Position(x.pos)
		if ignored.Cover(p) {
			continue // and it has not been said: the next of its kind is
		}
		at := spot{rule: x.rule, pos: x.pos}
		if x.of != nil && strings.HasPrefix(x.of.Name, "return of ") {
			at.by = x.of.Name
		}
		if said[at] || x.key != nil && said[x.key] {
			continue
		}
		said[at] = true
		if x.key != nil {
			said[x.key] = true
		}
		if x.rule == finding.Escape && used[mistake{finding.Stale, x.of, p.Line}] {
			continue // the use that led to it is reported
		}
		one := mistake{x.rule, x.of, p.Line}
		if x.of != nil && said[one] {
			continue
		}
		said[one] = true
		r.pkg.Pass.Report(finding.Diagnostic(x.rule, x.pos, x.text, x.fix...))
	}
}

// line names a line of the source, and its file if that is not the function's.
func (r *reporter) line(pos token.Pos) string {
	p, here := r.pkg.Pass.Fset.Position(pos), r.pkg.Pass.Fset.Position(r.fn.Pos())
	if p.Filename != here.Filename {
		return strconv.Itoa(p.Line) + " of " + filepath.Base(p.Filename)
	}
	return strconv.Itoa(p.Line)
}

// taken says what took memory back: "Put on line 7 has taken back".
func (r *reporter) taken(e *flow.Event) string {
	name := e.Op.String()
	if e.Name != "" && !strings.Contains(e.Name, "$") {
		name = e.Name
	}
	if e.Deferred {
		return "the deferred " + name + " on line " + r.line(e.Pos) + " takes back"
	}
	if !e.Pos.IsValid() {
		return name + " has taken back"
	}
	return name + " on line " + r.line(e.Pos) + " has taken back"
}
