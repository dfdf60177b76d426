package arenavet

// keptByCleanup notes the arenas that a, if it is a function that leaves with
// them, puts back or gives to unknown code: who calls it needs no other Put.
func (f *function) keptByCleanup(st *state, a atom) {
	if a.site.fn == nil {
		return
	}
	keep := func(v value) {
		st.reach(v, func(b atom, _ int) {
			if b.site.gotten && b.region == nil {
				f.kept[b.site] = true
			}
		})
	}
	for _, t := range f.closures(st, one(a), make([]value, a.site.fn.Signature.Params().Len())) {
		s := f.c.summary(t.fn)
		if s == nil {
			keep(one(a))
			continue
		}
		for _, e := range s.Effects {
			if e.Op == opPut || e.Op == opUnknown {
				keep(f.resolve(st, nil, e.At, t.args))
			}
		}
	}
}
