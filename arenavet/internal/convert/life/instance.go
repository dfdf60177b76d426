package life

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// bind is a callee as a call reaches it.
func (f *function) bind(g *ssa.Function, call ssa.CallInstruction) instance {
	inst, have, c := instance{fn: g}, 0, call.Common()
	if !f.p.own[g] {
		return inst
	}
	for i, a := range c.Args {
		if c.IsInvoke() {
			i++
		}
		if to := f.boundTo(a); to != nil && have < len(inst.bound) {
			inst.bound[have] = bound{i, to}
			have++
		}
	}
	return inst
}

// boundTo is the function that a value is known to be, or nil.
func (f *function) boundTo(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return f.boundTo(v.X)
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		return origin(v)
	case *ssa.Parameter:
		for _, b := range f.inst.bound {
			if b.fn != nil && f.fn.Params[b.n] == v {
				return b.fn
			}
		}
	}
	return nil
}

// summaryOf returns the summary of a function that f uses, or nil.
func (f *function) summaryOf(g instance) *summary {
	users := f.p.users[g]
	if users == nil {
		users = map[instance]bool{}
		f.p.users[g] = users
		f.p.wake(g)
	}
	users[f.inst] = true
	return f.p.summaries[g]
}

// wake has a function looked at, again.
func (p *Program) wake(g instance) {
	if !p.queued[g] {
		p.queued[g] = true
		p.queue = append(p.queue, g)
	}
}

// reached are the functions that the root leads to, each with the instances of it.
func (p *Program) reached(root *ssa.Function) map[*ssa.Function][]*function {
	used := map[instance][]instance{}
	for g, users := range p.users {
		for user := range users {
			used[user] = append(used[user], g)
		}
	}
	all, seen := map[*ssa.Function][]*function{}, map[instance]bool{}
	todo := []instance{{fn: root}}
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f := p.functions[g]; f != nil && !seen[g] {
			seen[g] = true
			all[g.fn] = append(all[g.fn], f)
			todo = append(todo, used[g]...)
		}
	}
	return all
}

// Table is the package's variable with a table of functions without parameters, where a call is of
// one of those; or nil. Others may add to it: what that makes is taken to be new.
func Table(c *ssa.CallCommon) *ssa.Global {
	if sig := c.Signature(); c.IsInvoke() || sig.Params().Len() > 0 || sig.Results().Len() != 1 {
		return nil
	}
	v := c.Value
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	if l, ok := v.(*ssa.Lookup); ok {
		if at, ok := l.X.(*ssa.UnOp); ok {
			g, _ := at.X.(*ssa.Global)
			return g
		}
	}
	return nil
}

// closed reports whether a dynamic call reaches functions of the program alone.
func (f *function) closed(c *ssa.CallCommon) bool {
	if f.p.world.Whole || f.p.outside.closed(c.Value.Type()) {
		return true
	}
	if !c.IsInvoke() {
		return unexported(c.Signature())
	}
	u, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for m := range u.Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// unexported reports whether nobody else can write a function of a signature.
func unexported(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		t := types.Unalias(v.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && !n.Obj().Exported() {
			return true
		}
	}
	return false
}
