package arenavet

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// fork is a.Fork(): an arena for another goroutine, which ends with a.
func (f *function) fork(st *state, instr ssa.CallInstruction, parent value, pos token.Pos) value {
	f.useHandle(st, parent, pos)
	k := f.site(instr, "", handleSite, pos)
	for _, a := range parent.atoms() {
		// In a loop a fork may be one of itself, of an earlier turn: it ends with what the
		// first was forked from.
		if a.region == nil && mayBeHandle(a.site) && !endsWith(a.site, k) {
			k.parent = a.site
		}
	}
	st.remake(k)
	return one(atom{site: k})
}

// endsWith reports whether an arena is k, or a fork of it.
func endsWith(arena, k *site) bool {
	for ; arena != nil; arena = arena.parent {
		if arena == k {
			return true
		}
	}
	return false
}

// forksOf sees the forks of k that a goroutine uses when k is taken back.
func (f *function) forksOf(st *state, k *site, pos token.Pos) {
	for fork, at := range st.handed {
		if fork != k && endsWith(fork, k) {
			f.see(fault{Kind: faultFork, Of: atom{site: fork}, Arena: k, Pos: at, Other: pos})
		}
	}
}

// putFork sees a fork that is given to a pool, which panics.
func (f *function) putFork(v value, pos token.Pos) {
	for _, a := range v.atoms() {
		if a.site.parent != nil && a.region == nil && exactly(v) {
			f.see(fault{Kind: faultForkPut, Of: a, Pos: pos})
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
			r := e.a.region
			mine = mine || r != nil && (endsWith(r, a.site) || endsWith(a.site, r) || r.kind == symbolSite && a.site.kind == symbolSite)
		}
		if !mine {
			out = out.add(e)
		}
	}
	return out
}
