package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// refine uses what a condition says on the edge where it has that outcome:
// where a pointer is nil it leads nowhere, and an arena that is nil need not
// be put back; where a call failed it returned no arena.
func (f *function) refine(st *state, cond ssa.Value, outcome bool) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			f.refine(st, c.X, !outcome)
		}
	case *ssa.Call:
		if outcome && stops(&c.Call) {
			f.wait(st)
		}
	case *ssa.Extract:
		if !outcome {
			f.failed(st, c.Tuple) // a, ok := take(); ok is false
		}
	case *ssa.BinOp:
		if v, n, ok := selectedCase(c); ok && outcome {
			f.selected(st, v, n)
			return
		}
		if c.Op != token.EQL && c.Op != token.NEQ {
			return
		}
		x, y := c.X, c.Y
		if k, ok := x.(*ssa.Const); ok && k.IsNil() {
			x, y = y, x
		}
		if k, ok := y.(*ssa.Const); !ok || !k.IsNil() {
			return
		}
		if isNil := outcome == (c.Op == token.EQL); isNil {
			f.refineNil(st, x)
		} else if types.Identical(x.Type(), types.Universe.Lookup("error").Type()) {
			f.failed(st, nil)
		}
	}
}

// stops reports whether a call that returns true has kept the function of
// time.AfterFunc or context.AfterFunc from running. That is as good as having
// waited for it.
func stops(common *ssa.CallCommon) bool {
	if fn := common.StaticCallee(); fn != nil {
		return catalog.CalleeName(fn) == "time.Timer.Stop"
	}
	made, ok := common.Value.(*ssa.Call)
	if !ok {
		return false
	}
	fn := made.Call.StaticCallee()
	return fn != nil && catalog.CalleeName(fn) == "context.AfterFunc"
}

// failed is a path on which a call, or an unknown one if it is nil, has
// failed: the arenas that it would have returned don't exist.
func (f *function) failed(st *state, call ssa.Value) {
	for k := range st.open {
		if by, ok := f.fallible[k]; ok && (call == nil || by == call) {
			delete(st.open, k)
		}
	}
}

// refineNil is a path on which x is nil.
func (f *function) refineNil(st *state, x ssa.Value) {
	v := f.eval(st, x)
	for _, a := range v.atoms() {
		delete(st.open, a.Site)
		if a.Site.Kind == LocalSite && a.Site.fn == nil {
			for _, held := range st.parts(a.Site) { // by an object that there is not
				for _, b := range held {
					if b.Region == nil {
						delete(st.open, b.Site)
					}
				}
			}
		}
		// What would be done to an arena is as good as done to none.
		if p, ok := f.place(a.Site); ok && a.Site.Kind == SymbolSite {
			for _, o := range []Op{OpReset, OpRelease, OpPut} {
				st.done[effectKey{op: o, at: p}] = true
			}
			f.noteEnd(st, a.Site, nil)
		}
	}
	if _, ok := st.regs[x]; ok {
		st.regs[x] = nil
	}
	if load, ok := x.(*ssa.UnOp); ok && load.Op == token.MUL {
		at := f.eval(st, load.X)
		if exactly(at) {
			for _, a := range at.atoms() {
				st.set(a.Site, a.off, nil)
			}
		}
	}
}
