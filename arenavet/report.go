package arenavet

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// reporter makes findings of the faults of one function.
type reporter struct {
	c        *checker
	fn       *ssa.Function
	findings []found
}

// found is a finding before it is known whether it is the first of its kind.
type found struct {
	rule rule
	pos  token.Pos
	text string
	key  any // findings with equal keys say the same; the first is reported
	fix  []analysis.SuggestedFix
	of   *event // what took the memory back, if it is about that
}

// check reports the misuse in a function.
func check(c *checker, fn *ssa.Function, ignored ignoredLines) {
	r := &reporter{c: c, fn: fn}
	c.check(fn, r.fault)
	r.report(ignored)
}

// fault finds out which rule a fault breaks.
func (r *reporter) fault(x fault) {
	switch x.Kind {
	case faultUse:
		r.staleMemory(x)
	case faultHandle:
		r.staleHandle(x)
	case faultLate:
		r.late(x)
	case faultReturn:
		r.returned(x)
	case faultKept:
		r.kept(x)
	case faultLent:
		r.lent(x)
	case faultTwice:
		r.twice(x)
	case faultLost:
		r.lost(x)
	case faultForkPut:
		r.forkPut(x)
	case faultMark:
		r.mark(x)
	case faultShared:
		r.shared(x)
	case faultFork:
		r.forkShared(x)
	case faultUnwritten:
		r.unwritten(x)
	case faultAppend:
		r.appends(x)
	case faultCollector:
		r.collected(x)
	}
}

// find notes a finding.
func (r *reporter) find(of rule, pos token.Pos, key any, text string, fix ...analysis.SuggestedFix) {
	r.findings = append(r.findings, found{rule: of, pos: pos, text: text, key: key, fix: fix})
}

// findOf is find for what an event took back.
func (r *reporter) findOf(e *event, of rule, pos token.Pos, key any, text string) {
	r.findings = append(r.findings, found{rule: of, pos: pos, text: text, key: key, of: e})
}

// report reports the findings, of those that say the same the first.
func (r *reporter) report(ignored ignoredLines) {
	slices.SortStableFunc(r.findings, func(a, b found) int { return cmp.Compare(a.pos, b.pos) })
	said := map[any]bool{}
	type spot struct {
		rule rule
		pos  token.Pos
	}
	// What one event took back is one mistake of a line, though a value and its
	// field are used there, or a slice and its elements are stored.
	type mistake struct {
		rule rule
		of   *event
		n    int
	}
	used := map[mistake]bool{}
	for _, x := range r.findings {
		if x.rule == ruleStale {
			used[mistake{ruleStale, x.of, r.c.pass.Fset.Position(x.pos).Line}] = true
		}
	}
	for _, x := range r.findings {
		p := r.c.pass.Fset.Position(x.pos)
		if ignored.cover(p) {
			continue // and it has not been said: the next of its kind is
		}
		at := spot{x.rule, x.pos}
		if said[at] || x.key != nil && said[x.key] {
			continue
		}
		said[at] = true
		if x.key != nil {
			said[x.key] = true
		}
		if x.rule == ruleEscape && used[mistake{ruleStale, x.of, p.Line}] {
			continue // the use that led to it is reported
		}
		one := mistake{x.rule, x.of, p.Line}
		if x.of != nil && said[one] {
			continue
		}
		said[one] = true
		r.c.pass.Report(diagnostic(x.rule, x.pos, x.text, x.fix...))
	}
}

// line names a line of the source, and its file if that is not the function's.
func (r *reporter) line(pos token.Pos) string {
	p, here := r.c.pass.Fset.Position(pos), r.c.pass.Fset.Position(r.fn.Pos())
	if p.Filename != here.Filename {
		return strconv.Itoa(p.Line) + " of " + filepath.Base(p.Filename)
	}
	return strconv.Itoa(p.Line)
}

// taken says what took memory back: "Put on line 7 has taken back".
func (r *reporter) taken(e *event) string {
	name := e.op.String()
	if e.name != "" && !strings.Contains(e.name, "$") {
		name = e.name
	}
	if e.deferred {
		return "the deferred " + name + " on line " + r.line(e.pos) + " takes back"
	}
	if !e.pos.IsValid() {
		return name + " has taken back"
	}
	return name + " on line " + r.line(e.pos) + " has taken back"
}
