package arenavet

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
		f.reachOwn(st, v, func(a atom) {
			if a.stale == nil || a.site.kind == markSite {
				return
			}
			f.see(fault{Kind: faultReturn, Of: a, Pos: pos, N: i})
		})
	}
	for k, o := range st.cells {
		p, ok := f.place(k)
		if k.kind != symbolSite || !ok || p.Fresh != 0 {
			continue
		}
		for off, atoms := range o.parts {
			for _, first := range atoms {
				at, ok := f.stored[storeKey{k, off, first.site}]
				if !ok {
					continue // it came with a call; the callee's own analysis knows where
				}
				f.reachOwn(st, one(first), func(a atom) {
					if a.stale == nil || a.region == nil || a.site.kind == markSite || a.region.kind == symbolSite && a.region.root == k.root {
						return // whoever holds both the memory and the arena knows when it ends
					}
					f.see(fault{Kind: faultKept, Of: a, Pos: at})
				})
			}
		}
	}
	for k := range st.open {
		f.see(fault{Kind: faultLost, Arena: k, Pos: pos})
	}
	for k, at := range st.handed {
		if _, ok := k.root.(*ssa.Parameter); ok && k.path == "" && !f.owned[k] {
			f.seeShared(k, at, token.NoPos)
		}
	}
}

// reachOwn calls fn for what v leads to through objects of the function itself.
func (f *function) reachOwn(st *state, v value, fn func(atom)) {
	seen := map[atom]bool{}
	var walk func(a atom)
	walk = func(a atom) {
		if seen[a] {
			return
		}
		seen[a] = true
		fn(a)
		if a.site.kind == localSite || a.site.kind == memorySite {
			for off, atoms := range st.parts(a.site) {
				if !strings.HasPrefix(off, a.off) && a.site.fn == nil {
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
