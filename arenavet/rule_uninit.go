package arenavet

// unwritten is a read of memory that nothing has written.
func (r *reporter) unwritten(x fault) {
	r.find(ruleUninit, x.Pos, x.Of.site, "read of "+r.memoryName(x.Of)+
		", which MakeSliceUninit did not clear and nothing has written yet: write it first, or use MakeSlice")
}
