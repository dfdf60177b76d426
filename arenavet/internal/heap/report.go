package heap

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

type advice struct {
	pos  token.Pos
	text string
	fix  *rewrite.Fix // or nil
}

// adviceList is the advice for a package.
type adviceList struct {
	advices []advice
	slices  *rewrite.Slices
}

// report reports the advice, with the fixes that are safe together.
func (l *adviceList) report(pass *analysis.Pass) {
	var fixes []*rewrite.Fix
	for _, x := range l.advices {
		if x.fix != nil {
			fixes = append(fixes, x.fix)
		}
	}
	safe := rewrite.Select(pass, fixes)
	for _, x := range l.advices {
		d := finding.Diagnostic(finding.Heap, x.pos, x.text)
		if x.fix != nil {
			if safe[0] {
				d.SuggestedFixes = []analysis.SuggestedFix{{Message: "allocate it in the arena", TextEdits: slices.Concat(x.fix.Shared, x.fix.Edits)}}
			}
			safe = safe[1:]
		}
		pass.Report(d)
	}
}
