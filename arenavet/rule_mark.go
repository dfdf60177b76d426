package arenavet

// mark is a Rewind to a mark that is no longer good.
func (r *reporter) mark(x fault) {
	r.find(ruleMark, x.Pos, [3]any{ruleMark, x.Of.site, x.Of.stale}, "Rewind to a mark of "+r.handleName(x.Of.region)+", which "+
		r.taken(x.Of.stale)+" and made stale, so that it panics: rewind inner marks before outer ones, and take a new mark after Reset")
}
