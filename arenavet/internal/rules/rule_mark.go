package rules

import (
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// mark reports a Rewind to a stale mark.
func (r *reporter) mark(x flow.Fault) {
	r.find(finding.Mark, x.Pos, [3]any{finding.Mark, x.Of.Site, x.Of.Stale}, "Rewind to a mark of "+r.handleName(x.Of.Region)+", which "+
		r.taken(x.Of.Stale)+", so it panics: rewind inner marks before outer ones, and take a new mark after Reset")
}
