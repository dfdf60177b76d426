package rules

import (
	"go/types"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// handleName returns the name of an arena in the source.
func (r *reporter) handleName(k *flow.Site) string {
	if k == nil {
		return "the arena"
	}
	name := ""
	if flow.OfContext(k) {
		return "the context's arena"
	}
	switch k.Kind {
	case flow.HandleSite:
		if call := r.pkg.Calls[k.Pos]; call != nil && returnsHandle(r.pkg.Pass.TypesInfo.TypeOf(call)) {
			name = r.pkg.Names[k.Pos]
		}
	case flow.SymbolSite:
		name = flow.SymbolName(k, r.pkg.Names)
	case flow.MemorySite:
		return "its pool"
	}
	if name == "" {
		return "the arena"
	}
	return "arena " + name
}

// returnsHandle reports whether the first result of a call of type t is an arena.
func returnsHandle(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	return catalog.IsHandle(t)
}

// memoryName describes a: "buf, memory of arena a".
func (r *reporter) memoryName(a flow.Atom) string {
	of := "memory of " + r.handleName(a.Region)
	if a.Site.Slot {
		of = "a slot of " + r.handleName(a.Region)
	}
	if name := r.pkg.Names[a.Site.Pos]; name != "" {
		return name + ", " + of
	}
	return of
}

// memoryIs begins a sentence about a: "buf, memory of arena a, is".
func (r *reporter) memoryIs(a flow.Atom) string {
	if r.pkg.Names[a.Site.Pos] == "" {
		return r.memoryName(a) + " is"
	}
	return r.memoryName(a) + ", is"
}
