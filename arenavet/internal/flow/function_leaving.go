package flow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// leaving sees what leaves the function although it was taken back, and what was not
// given back.
func (f *function) leaving(st *state, instr *ssa.Return, results []value) {
	pos := f.position(instr)
	for i, v := range results {
		f.reachOwn(st, v, func(a Atom) {
			if a.Stale == nil || a.Site.Kind == MarkSite {
				return
			}
			f.see(Fault{Kind: FaultReturn, Of: a, Pos: pos, N: i})
		})
	}
	for k, o := range st.cells {
		p, ok := f.place(k)
		if k.Kind != SymbolSite || !ok || p.Fresh != 0 {
			continue
		}
		for off, atoms := range o.parts {
			for _, first := range atoms {
				at, ok := f.stored[storeKey{k, off, first.Site}]
				if !ok {
					continue // it came with a call; the callee's own analysis knows where
				}
				f.reachOwn(st, one(first), func(a Atom) {
					if a.Stale == nil || a.Region == nil || a.Site.Kind == MarkSite || a.Region.Kind == SymbolSite && a.Region.root == k.root {
						return // whoever holds both the memory and the arena knows when it ends
					}
					f.see(Fault{Kind: FaultKept, Of: a, Pos: at})
				})
			}
		}
	}
	for k := range st.open {
		f.see(Fault{Kind: FaultLost, Arena: k, Pos: pos})
	}
	for k, at := range st.handed {
		if _, ok := k.root.(*ssa.Parameter); ok && k.Path == "" && !f.owned[k] {
			f.seeShared(k, at, token.NoPos)
		}
	}
}

// reachOwn calls fn for what v leads to through objects of the function itself.
func (f *function) reachOwn(st *state, v value, fn func(Atom)) {
	seen := map[Atom]bool{}
	var walk func(a Atom)
	walk = func(a Atom) {
		if seen[a] {
			return
		}
		seen[a] = true
		fn(a)
		if a.Site.Kind == LocalSite || a.Site.Kind == MemorySite {
			for off, atoms := range st.parts(a.Site) {
				if !strings.HasPrefix(off, a.off) && a.Site.fn == nil {
					continue
				}
				for _, b := range atoms {
					walk(b)
				}
			}
		}
	}
	for _, e := range v {
		walk(e.a)
	}
}
