package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// fork is a.Fork(): an arena for another goroutine, which ends with a.
func (f *function) fork(st *state, instr ssa.CallInstruction, parent value, pos token.Pos) value {
	f.useHandle(st, parent, pos)
	k := f.site(instr, "", HandleSite, pos)
	for _, a := range parent.atoms() {
		// In a loop a fork may be one of itself, of an earlier turn: it ends with what the
		// first was forked from.
		if a.Region == nil && mayBeHandle(a.Site) && !endsWith(a.Site, k) {
			k.Parent = a.Site
		}
	}
	st.remake(k)
	return one(Atom{Site: k})
}

// endsWith reports whether an arena is k, or a fork of it.
func endsWith(arena, k *Site) bool {
	for ; arena != nil; arena = arena.Parent {
		if arena == k {
			return true
		}
	}
	return false
}

// forksOf sees the forks of k that a goroutine uses when k is taken back.
func (f *function) forksOf(st *state, k *Site, pos token.Pos) {
	for fork, at := range st.handed {
		if fork != k && endsWith(fork, k) {
			f.see(Fault{Kind: FaultFork, Of: Atom{Site: fork}, Arena: k, Pos: at, Other: pos})
		}
	}
}

// putFork sees a fork that is given to a pool, which panics.
func (f *function) putFork(v value, pos token.Pos) {
	for _, a := range v.atoms() {
		if a.Site.Parent != nil && a.Region == nil && exactly(v) {
			f.see(Fault{Kind: FaultForkPut, Of: a, Pos: pos})
		}
	}
}

// escaped is Escape(a, v): v without what lies in a, which was copied to Go's heap.
// Arenas of callers may be the same one by different names.
func escaped(v, arena value) value {
	var out value
	for _, e := range v {
		mine := false
		for _, a := range arena.atoms() {
			r := e.a.Region
			mine = mine || r != nil && (endsWith(r, a.Site) || endsWith(a.Site, r) || r.Kind == SymbolSite && a.Site.Kind == SymbolSite)
		}
		if !mine {
			out = out.add(e)
		}
	}
	return out
}
