package flow

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// refine applies a condition's outcome: a nil pointer leads nowhere, a nil arena need not be put back, and a failed
// call returned no arena.
func (f *function) refine(st *state, cond ssa.Value, outcome bool) {
	st.learn(cond, outcome)
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
		if v, n, ok := ssaform.SelectedCase(c); ok && outcome {
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
		isNil := outcome == (c.Op == token.EQL)
		st.learn(x, isNil)
		if isNil {
			f.refineNil(st, x)
		} else if catalog.IsError(x.Type()) {
			f.failed(st, nil)
		}
	}
}

// failed forgets the arenas of a call that has failed, or of any call if call is nil.
func (f *function) failed(st *state, call ssa.Value) {
	maps.DeleteFunc(st.open, func(k *Site, _ step) bool { return k.fallible != nil && (call == nil || k.fallible == call) })
}

// refineNil applies that x is nil.
func (f *function) refineNil(st *state, x ssa.Value) {
	v := f.eval(st, x)
	for _, a := range v.atoms() {
		delete(st.open, a.Site)
		if a.Site.Kind == LocalSite && a.Site.fn == nil {
			for _, p := range st.parts(a.Site) { // held by an object that does not exist
				for _, b := range p.atoms {
					if b.Region == nil {
						delete(st.open, b.Site)
					}
				}
			}
		}
		// Taking back a nil arena is always done.
		if p, ok := f.place(a.Site); ok && a.Site.Kind == SymbolSite {
			for _, o := range []Op{OpReset, OpRelease, OpPut} {
				st.done[f.key(effectKey{op: o, at: p})] = true
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

// edge turns out, the state at the end of b, into the state at the beginning of succ.
func (f *function) edge(out *state, b, succ *ssa.BasicBlock, n int) {
	if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && b.Succs[0] != b.Succs[1] {
		f.refine(out, branch.Cond, n == 0)
	}
	if s, ok := f.sweeps[b]; ok && n == 1 {
		f.swept(out, s)
	}
	from := 0
	for i, p := range succ.Preds {
		if p == b {
			from = i
		}
	}
	out.enter(succ, from, func(v ssa.Value) bool { return f.live.At(v, succ) })
	phis := map[ssa.Value]value{}
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis[phi] = f.eval(out, phi.Edges[from])
	}
	maps.DeleteFunc(out.regs, func(v ssa.Value, _ value) bool { return !f.live.At(v, succ) })
	maps.Copy(out.regs, phis)
	out.forgetUnreachable()
}

// swept empties the operand of a loop that ends here, except for the values that the loop stored in its elements.
func (f *function) swept(st *state, s ssaform.Sweep) {
	of := f.reload(st, s.Of)
	f.emptied(st, of, s.In)
	if s.Set == nil {
		return
	}
	var put value
	for _, e := range f.replaced[s.Set] {
		put = put.add(e)
		for _, turn := range e.a.ofEarlierTurns() {
			put = put.add(entry{e.path, turn})
		}
	}
	f.putIn(st, of, access.Element, put, token.NoPos)
}

// reload returns the value of v if it were computed here. Fields are read again.
func (f *function) reload(st *state, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return f.at(st, f.reload(st, v.X), "", v.Type())
		}
	case *ssa.FieldAddr:
		return f.reload(st, v.X).at(access.Field(v.Field))
	}
	return f.eval(st, v)
}

// selects models a select statement. The effects of each case are applied at its edge; here the effects of any case
// count.
func (f *function) selects(st *state, v *ssa.Select) value {
	for n, s := range v.States {
		if s.Dir == types.SendOnly {
			out := st
			if ssaform.Decided(v, int64(n)) {
				out = st.clone() // only to report stale values: another case does not send
			}
			f.lend(out, f.eval(st, s.Send), s.Pos, sentOnChannel)
			f.letGo(st, f.eval(st, s.Send))
		}
	}
	received := slices.ContainsFunc(v.States, func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly })
	if received && !ssaform.GivesUp(v) {
		f.wait(st)
	}
	return f.unknown(st, v, v.Type())
}

// selected models the edge to a case of a select statement. A statement with a case such as <-ctx.Done() has waited
// only in its other cases.
func (f *function) selected(st *state, v *ssa.Select, n int64) {
	if n < 0 || n >= int64(len(v.States)) {
		return
	}
	switch s := v.States[n]; {
	case s.Dir == types.SendOnly:
		f.lend(st, f.eval(st, s.Send), s.Pos, sentOnChannel)
		f.give(st, f.eval(st, s.Send), s.Pos)
	case ssaform.GivesUp(v) && !ssaform.Expires(s.Chan):
		f.wait(st)
	}
}

// stops reports whether a call that returns true has kept the function of time.AfterFunc or context.AfterFunc from
// running, which is as good as waiting for it.
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
