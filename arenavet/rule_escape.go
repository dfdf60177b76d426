package arenavet

// returned is memory, or an arena, that is returned when it was taken back.
func (r *reporter) returned(x fault) {
	what := r.memoryName(x.Of)
	advice := "return a deep copy (strings.Clone, slices.Clone), or let the caller own the arena"
	if x.Of.region == nil {
		what, advice = r.handleName(x.Of.site), "return before Put, and let the caller put it back"
	} else if x.Of.site.slot {
		advice = "let the caller deallocate it"
	}
	r.findOf(x.Of.stale, ruleEscape, x.Pos, [3]any{ruleEscape, x.Pos, x.N}, "return of "+what+", which "+r.taken(x.Of.stale)+": "+advice)
}

// kept is memory that is stored where it outlives the function.
func (r *reporter) kept(x fault) {
	r.findOf(x.Of.stale, ruleEscape, x.Pos, [3]any{ruleEscape, x.Pos, x.Of.site}, r.memoryIs(x.Of)+" stored where it outlives the function, but "+
		r.taken(x.Of.stale)+" that memory: store a deep copy (strings.Clone, slices.Clone), or clear the place before")
}

// lent is memory that others may still use when it is taken back.
func (r *reporter) lent(x fault) {
	r.find(ruleEscape, x.Pos, [3]any{ruleEscape, x.Arena, x.Pos}, "memory of "+r.handleName(x.Arena)+" is "+x.How+", and "+
		r.taken(x.By)+" that memory while it may still be in use: pass a deep copy, or wait before that")
}
