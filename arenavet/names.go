package arenavet

import "go/types"

// How findings call arenas, slabs and their memory.

// handleName is what the source calls an arena.
func (r *reporter) handleName(k *site) string {
	if k == nil {
		return "the arena"
	}
	name := ""
	switch k.kind {
	case handleSite:
		if call := r.c.calls[k.pos]; call != nil && returnsHandle(r.c.pass.TypesInfo.TypeOf(call)) {
			name = r.c.names[k.pos]
		}
	case symbolSite:
		name = symbolName(k, r.c.names)
	case memorySite:
		return "its pool"
	}
	if name == "" {
		return "the arena"
	}
	return "arena " + name
}

// returnsHandle reports whether a call of result type t returns an arena first,
// rather than something that leads to one.
func returnsHandle(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	return isHandle(t)
}

// memoryName says what a is: "buf, memory of arena a".
func (r *reporter) memoryName(a atom) string {
	of := "memory of " + r.handleName(a.region)
	if a.site.slot {
		of = "a slot of " + r.handleName(a.region)
	}
	if name := r.c.names[a.site.pos]; name != "" {
		return name + ", " + of
	}
	return of
}

// memoryIs begins a sentence about a: "buf, memory of arena a, is".
func (r *reporter) memoryIs(a atom) string {
	if r.c.names[a.site.pos] == "" {
		return r.memoryName(a) + " is"
	}
	return r.memoryName(a) + ", is"
}
