package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// The arena of a context belongs to a request. It ends when the request's handler returns, so memory in the handler's
// receiver, in a variable that it has captured or in a global outlives it. Other functions do not know their objects'
// lifetimes, except globals.

// endOfRequest names the event that ends the arena of a context.
const endOfRequest = "the end of the request"

// outlives reports whether an object that callers know outlives the request of a handler, or of any function.
func (f *function) outlives(k *Site) bool {
	switch root := k.root.(type) {
	case *ssa.Global:
		return true
	case *ssa.FreeVar:
		t := root.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem() // of the variable
		}
		return catalog.IsHandler(f.fn.Signature) && !inRequest(ssaform.Declarer(root)) && !f.c.ofRequest(t)
	case *ssa.Parameter:
		return catalog.IsHandler(f.fn.Signature) && f.fn.Signature.Recv() != nil && root == f.fn.Params[0] && !f.c.ofRequest(root.Type())
	}
	return false
}

// leaving reports stale values that leave the function, and arenas that it has not put back.
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
	end := f.event(OpPut, token.NoPos, false, endOfRequest)
	for o := range st.objects() {
		k := o.site
		p, ok := f.place(k)
		if k.Kind != SymbolSite || !ok || p.Fresh != 0 {
			continue
		}
		outlives := f.outlives(k)
		if !st.stale && !outlives {
			continue
		}
		for _, part := range o.parts {
			for _, first := range part.atoms {
				at, ok := f.stored[storeKey{k, part.off, first.Site}]
				if !ok {
					continue // stored by a callee, whose own analysis has the position
				}
				f.reachOwn(st, one(first), func(a Atom) {
					switch {
					case a.Region == nil, a.Site.Kind == MarkSite, a.Region.Kind == SymbolSite && a.Region.root == k.root:
						return // the holder has the arena as well, and knows when it ends
					case a.Stale == nil && outlives && OfContext(a.Region):
						a.Stale = end
					case a.Stale == nil:
						return
					}
					f.see(Fault{Kind: FaultKept, Of: a, Pos: at})
				})
			}
		}
	}
	for k, l := range st.lent {
		if OfContext(k) && catalog.IsHandler(f.fn.Signature) {
			f.see(Fault{Kind: FaultLent, Arena: k, Pos: l.pos, How: l.how, By: end})
		}
	}
	for k := range st.open {
		f.see(Fault{Kind: FaultLost, Arena: k, Pos: pos})
	}
	for k, x := range st.handed {
		if _, ok := k.root.(*ssa.Parameter); ok && (k.Path == "" || OfContext(k)) && !k.owned {
			f.seeShared(k, x, token.NoPos)
		}
	}
}

// returns models a return: it reports faults in the last pass, and joins the state at the exit otherwise.
func (f *function) returns(st *state, instr *ssa.Return) {
	results := make([]value, len(instr.Results))
	held := map[*Site]bool{}
	for k := range st.open {
		held[k] = true
	}
	for i, r := range instr.Results {
		if !access.PointerFree(r.Type()) {
			results[i] = f.eval(st, r)
		}
		st.reach(results[i], func(a Atom, _ int) {
			// An arena that is also held elsewhere is not the caller's to put back.
			if a.Site.gotten && a.Region == nil && !held[a.Site] {
				a.Site.kept = true
			}
			f.keptByCleanup(st, a)
		})
		f.letGo(st, results[i])
	}
	if f.observe != nil {
		f.leaving(st, instr, results)
		return
	}
	if f.exit == nil {
		f.exit, f.results = st.clone(), slices.Clone(results)
		return
	}
	f.exit.join(st)
	for i := range results {
		f.results[i] = f.results[i].union(results[i])
	}
}

// keptByCleanup notes the arenas that a returned function puts back or gives to unknown code. Callers need no other
// Put.
func (f *function) keptByCleanup(st *state, a Atom) {
	if a.Site.fn == nil {
		return
	}
	keep := func(v value) {
		st.reach(v, func(b Atom, _ int) {
			if b.Site.gotten && b.Region == nil {
				b.Site.kept = true
			}
		})
	}
	for _, t := range f.closures(st, one(a), nil) {
		s := f.c.Summary(t.fn)
		if s == nil {
			keep(one(a))
			continue
		}
		for _, e := range s.Effects {
			if e.Op == OpPut || e.Op == OpUnknown {
				keep(f.resolve(st, nil, e.At, t.args))
			}
		}
	}
}
