package flow

import (
	"go/constant"
	"go/token"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// A step that happens on a path where a condition is true has not happened where the same condition is false later:
//
//	if async {
//		go use(a)
//	}
//	...
//	if !async {
//		a.Reset() // no goroutine uses a
//	}
//
// Conditions are registers that are true or nil. They are followed through the merging of paths, so a variable such as
// done, which is set together with the step, is also one.

// happen notes a step on the current path.
func happen[K comparable](s *state, steps map[K]step, k K, pos token.Pos, how string) {
	x, ok := steps[k]
	if !ok {
		x = step{pos: pos, how: how}
	}
	x.when = s.known
	steps[k] = x
}

// learn applies the outcome of a condition.
func (s *state) learn(v ssa.Value, is bool) {
	never := func(x step) bool {
		was, ok := x.when[v]
		return ok && was != is
	}
	for _, steps := range []map[*Site]step{s.open, s.handed, s.lent} {
		maps.DeleteFunc(steps, func(_ *Site, x step) bool { return never(x) })
	}
	for e, x := range s.back {
		if never(x) {
			delete(s.back, e)
			s.rewrite(func(*Site) bool { return true }, 0, func(a Atom) (Atom, bool) { return a, a.Stale != e })
		}
	}
	s.known = s.known.and(outcomes{v: is})
}

// and returns the outcomes in o or p.
func (o outcomes) and(p outcomes) outcomes {
	if len(o) == 0 {
		return p
	}
	if len(p) > 0 {
		o = maps.Clone(o)
		maps.Copy(o, p)
	}
	return o
}

// both returns the outcomes in o and p.
func (o outcomes) both(p outcomes) outcomes {
	out := outcomes{}
	for v, is := range o {
		if was, ok := p[v]; ok && was == is {
			out[v] = is
		}
	}
	return out
}

// joinSteps adds steps on other paths, and reports whether steps has changed. known and others are the outcomes on the
// paths of each.
func joinSteps[K comparable](steps, more map[K]step, known, others outcomes) (changed bool) {
	for k, x := range steps {
		x.when = x.when.and(known)
		steps[k] = x
	}
	for k, y := range more {
		x, ok := steps[k]
		if y.when = y.when.and(others); ok {
			y.pos, y.how, y.when = x.pos, x.how, x.when.both(y.when)
		}
		changed = changed || !ok || len(y.when) < len(x.when)
		steps[k] = y
	}
	return changed
}

// enter carries outcomes to block succ from its predecessor number from. live tells the registers that are read there.
func (s *state) enter(succ *ssa.BasicBlock, from int, live func(ssa.Value) bool) {
	carry := func(o outcomes, constants bool) outcomes {
		out := outcomes{}
		for v, is := range o {
			if made, ok := v.(ssa.Instruction); live(v) && !(ok && succ.Dominates(made.Block())) { // which computes it again
				out[v] = is
			}
		}
		for _, instr := range succ.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			is, ok := o[phi.Edges[from]]
			if k, isConst := phi.Edges[from].(*ssa.Const); isConst && constants {
				is, ok = outcomeOf(k)
			}
			if ok {
				out[phi] = is
			}
		}
		return out
	}
	s.known = carry(s.known, true)
	for _, steps := range []map[*Site]step{s.open, s.handed, s.lent} {
		for k, x := range steps {
			x.when = carry(x.when, false)
			steps[k] = x
		}
	}
	for e, x := range s.back {
		x.when = carry(x.when, false)
		s.back[e] = x
	}
}

// outcomeOf returns the outcome of a constant, if it is a boolean or nil.
func outcomeOf(k *ssa.Const) (is, ok bool) {
	if k.IsNil() {
		return true, true
	}
	if k.Value != nil && k.Value.Kind() == constant.Bool {
		return constant.BoolVal(k.Value), true
	}
	return false, false
}
