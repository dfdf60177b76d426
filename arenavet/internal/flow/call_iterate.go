package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

// iterator reports whether a call is of an iterator that the standard library made, and returns the values it yields.
func (f *function) iterator(st *state, common *ssa.CallCommon) (yields []value, ok bool) {
	if common.IsInvoke() {
		return nil, false
	}
	t := common.Value.Type()
	elem, key := access.Inside(t)
	if _, isFunc := t.Underlying().(*types.Signature); !isFunc || elem == nil {
		return nil, false
	}
	v := f.eval(st, common.Value)
	atoms := v.atoms()
	for _, a := range atoms {
		if a.Site.Kind != LocalSite || a.Site.fn != nil {
			return nil, false
		}
	}
	if key != nil {
		yields = append(yields, f.at(st, v, access.Key, key))
	}
	return append(yields, f.at(st, v, access.Element, elem)), len(atoms) > 0
}

// iterate calls the body of a range statement, or another function, with the values of an iterator. It runs any number
// of times, so none of its effects is certain.
func (f *function) iterate(st *state, instr ssa.CallInstruction, body value, yields []value) {
	pos := f.position(instr)
	if c, ok := instr.Common().Args[0].(*ssa.MakeClosure); ok && !instr.Pos().IsValid() {
		pos = c.Fn.Pos() // the position of the range statement
	}
	walked := f.at(st, f.eval(st, instr.Common().Value), access.Source, instr.Common().Value.Type())
	for _, v := range append(yields, walked) {
		for _, a := range v.atoms() {
			if a.Stale != nil && a.Region != nil && a.Site.Kind != MarkSite {
				f.see(Fault{Kind: FaultUse, Of: a, Pos: pos})
			}
		}
	}
	f.runs(st, instr, body, yields)
}
