package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// iterator reports whether a call is that of an iterator that a function of the
// standard library has made, as a range statement makes it, and what it
// yields. What those of other code yield is not known.
func (f *function) iterator(st *state, common *ssa.CallCommon) (yields []value, ok bool) {
	if common.IsInvoke() {
		return nil, false
	}
	t := common.Value.Type()
	elem, key := inside(t)
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
		yields = append(yields, f.at(st, v, keyStep, key))
	}
	return append(yields, f.at(st, v, element, elem)), len(atoms) > 0
}

// iterate calls the body of a range statement, or another function, with what
// an iterator yields. It runs any number of times, so that nothing that it
// does is sure to be done.
func (f *function) iterate(st *state, instr ssa.CallInstruction, body value, yields []value) {
	pos := f.position(instr)
	if c, ok := instr.Common().Args[0].(*ssa.MakeClosure); ok && !instr.Pos().IsValid() {
		pos = c.Fn.Pos() // the body of a range statement stands where that begins
	}
	walked := f.at(st, f.eval(st, instr.Common().Value), sourceStep, instr.Common().Value.Type())
	for _, v := range append(yields, walked) {
		for _, a := range v.atoms() {
			if a.Stale != nil && a.Region != nil && a.Site.Kind != MarkSite {
				f.see(Fault{Kind: FaultUse, Of: a, Pos: pos})
			}
		}
	}
	for _, t := range f.passed(st, body, yields...) {
		s := f.c.Summary(t.fn)
		if s == nil {
			f.letGo(st, body)
			continue
		}
		weak := &Summary{Writes: weakWrites(s), Effects: make([]Effect, len(s.Effects))}
		for i, e := range s.Effects {
			e.Must = false
			weak.Effects[i] = e
		}
		f.apply(st, instr, weak, t.args, false, false)
	}
}

// passed are the functions that v may be, to be called with arguments that
// begin with those, as far as they are known.
func (f *function) passed(st *state, v value, with ...value) []target {
	list := f.closures(st, v, nil)
	for i, t := range list {
		sig := t.fn.Signature
		args := make([]value, sig.Params().Len(), sig.Params().Len()+1)
		if sig.Recv() != nil {
			args = append(args, nil)
		}
		if len(t.fn.FreeVars) > 0 {
			copy(args, with)
			args = append(args, t.args...) // what it has captured comes last
		} else {
			copy(args, append(t.args[:len(t.args):len(t.args)], with...)) // a method's receiver comes first
		}
		list[i].args = args
	}
	return list
}

// weakWrites returns what a function may write that may be called or not.
func weakWrites(s *Summary) []Write {
	list := make([]Write, len(s.Writes))
	for i, w := range s.Writes {
		w.Strong = false
		list[i] = w
	}
	return list
}
