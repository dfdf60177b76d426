package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

func (f *function) touchArgs(st *state, args []value) {
	for _, a := range args {
		f.touch(st, a)
	}
}

// useArgs reports stale memory that is passed to a call of the named function.
func (f *function) useArgs(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value, reached []target) {
	for i, a := range args {
		if catalog.IsHandle(common.Args[i].Type()) && len(reached) > 0 && f.c.Summary(reached[0].fn) != nil {
			continue // its summary reports whether it uses it
		}
		if catalog.ReadsDeep(name) {
			f.useDeep(st, a, instr)
		} else {
			f.use(st, a, instr)
		}
	}
	if common.IsInvoke() {
		f.use(st, f.eval(st, common.Value), instr)
	}
	if len(reached) == 1 && len(reached[0].args) > len(args) && reached[0].fn.Signature.Recv() != nil {
		f.useBy(st, reached[0].args[0], instr, ssaform.Unlocks(name)) // the receiver of a method value
	}
}

// callArguments applies the functions that are passed to a call, because the callee may call them. It may also not call
// them, so they take nothing back. If a summary tells which values the callee passes to them, apply has applied them.
func (f *function) callArguments(st *state, instr ssa.CallInstruction, args []value, reached ...target) {
	for i, a := range args {
		if slices.ContainsFunc(reached, func(t target) bool {
			s := f.c.Summary(t.fn)
			return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpYields && e.At == Place{Param: i} })
		}) {
			continue
		}
		for _, t := range f.closures(st, a, nil) {
			s := f.c.Summary(t.fn)
			if s == nil {
				continue
			}
			weak := s.weak(func(e Effect) bool {
				return e.Op == OpSent || e.Op == OpUnknown || e.Op == OpKeep || e.Op == OpUse && ssaform.IsLoopBody(t.fn)
			})
			f.apply(st, instr, weak, t.args, false, false)
		}
	}
}

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
