package rules

import (
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// returned reports stale memory, or a stale arena, that is returned.
func (r *reporter) returned(x flow.Fault) {
	what := r.memoryName(x.Of)
	advice := "return a deep copy (strings.Clone, slices.Clone), or let the caller own the arena"
	if x.Of.Region == nil {
		what, advice = r.handleName(x.Of.Site), "return before Put, and let the caller put it back"
	} else if x.Of.Site.Slot {
		advice = "let the caller deallocate it"
	}
	r.findOf(x.Of.Stale, finding.Escape, x.Pos, [3]any{finding.Escape, x.Pos, x.N}, "return of "+what+", which "+r.taken(x.Of.Stale)+": "+advice)
}

// kept reports stale memory in an object that outlives the function.
func (r *reporter) kept(x flow.Fault) {
	r.findOf(x.Of.Stale, finding.Escape, x.Pos, [3]any{finding.Escape, x.Pos, x.Of.Site}, r.memoryIs(x.Of)+" stored where it outlives the function, but "+
		r.taken(x.Of.Stale)+" that memory: store a deep copy (strings.Clone, arena.Escape), or clear the place before")
}

// lent reports memory that others may still use when it is taken back.
func (r *reporter) lent(x flow.Fault) {
	r.find(finding.Escape, x.Pos, [3]any{finding.Escape, x.Arena, x.Pos}, "memory of "+r.handleName(x.Arena)+" is "+x.How+", and "+
		r.taken(x.By)+" that memory while it may still be in use: pass a deep copy, or wait before that")
}

// request reports handlers that keep their requests.
func (r *reporter) request(x flow.Fault) {
	r.find(finding.Escape, x.Pos, nil, "memory of the request is kept by "+x.Via+
		", and its arena is put back when the call ends: keep a deep copy (strings.Clone, proto.Clone)")
}
