// Package rules turns the faults of package flow into findings, in one file for each rule.
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

// reporter collects the findings of one function.
type reporter struct {
	pkg      *flow.Package
	fn       *ssa.Function
	waits    bool // clients may use arenahttp.Transport
	findings []found
}

// found is a finding that may repeat another one.
type found struct {
	rule finding.Rule
	pos  token.Pos
	text string
	key  any // only the first finding of a key is reported
	fix  []analysis.SuggestedFix
	of   *flow.Event // the event that took the memory back, or nil
}

func (r *reporter) find(of finding.Rule, pos token.Pos, key any, text string, fix ...analysis.SuggestedFix) {
	r.findings = append(r.findings, found{rule: of, pos: pos, text: text, key: key, fix: fix})
}

// findOf adds a finding about memory that an event took back.
func (r *reporter) findOf(e *flow.Event, of finding.Rule, pos token.Pos, key any, text string) {
	r.findings = append(r.findings, found{rule: of, pos: pos, text: text, key: key, of: e})
}

// report reports the findings without repetitions.
func (r *reporter) report(ignored finding.IgnoredLines) {
	slices.SortStableFunc(r.findings, func(a, b found) int { return cmp.Compare(a.pos, b.pos) })
	said := map[any]bool{}
	type spot struct {
		rule finding.Rule
		pos  token.Pos
	}
	// Several uses on one line of memory that one event took back are one mistake, such as uses of a value and of its field.
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
			continue // the next one of its kind is reported
		}
		at := spot{rule: x.rule, pos: x.pos}
		if said[at] || x.key != nil && said[x.key] {
			continue
		}
		said[at] = true
		if x.key != nil {
			said[x.key] = true
		}
		if x.rule == finding.Escape && used[mistake{finding.Stale, x.of, p.Line}] {
			continue // the use that caused it is reported
		}
		one := mistake{x.rule, x.of, p.Line}
		if x.of != nil && said[one] {
			continue
		}
		said[one] = true
		r.pkg.Pass.Report(finding.Diagnostic(x.rule, x.pos, x.text, x.fix...))
	}
}

// line returns the number of a line, and its file if it is not the function's.
func (r *reporter) line(pos token.Pos) string {
	p, here := r.pkg.Pass.Fset.Position(pos), r.pkg.Pass.Fset.Position(r.fn.Pos())
	if p.Filename != here.Filename {
		return strconv.Itoa(p.Line) + " of " + filepath.Base(p.Filename)
	}
	return strconv.Itoa(p.Line)
}

// taken describes an event: "Put on line 7 has taken back".
func (r *reporter) taken(e *flow.Event) string {
	name := e.Op.String()
	if e.Name != "" && !strings.Contains(e.Name, "$") {
		name = e.Name
	}
	if e.Deferred {
		return "the deferred " + name + " on line " + r.line(e.Pos) + " takes back"
	}
	if !e.Pos.IsValid() {
		return name + " takes back"
	}
	return name + " on line " + r.line(e.Pos) + " has taken back"
}
