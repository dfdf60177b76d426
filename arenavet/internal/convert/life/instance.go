package life

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
	"sync"

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

// compareInstances gives instances an order, for reasons that are the same in each run.
func compareInstances(a, b instance) int {
	for i := range a.bound {
		if x, y := a.bound[i], b.bound[i]; x != y {
			return cmp.Or(x.n-y.n, compareFunctions(x.fn, y.fn))
		}
	}
	return compareFunctions(a.fn, b.fn)
}

func compareFunctions(a, b *ssa.Function) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Or(strings.Compare(a.String(), b.String()), a.Prog.Fset.Position(a.Pos()).Offset-b.Prog.Fset.Position(b.Pos()).Offset)
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
	return sealed(c)
}

// sealed reports whether nobody else can write what a dynamic call calls. Who embeds an interface has its
// methods that are not exported, but can't replace them.
func sealed(c *ssa.CallCommon) bool {
	if c.IsInvoke() {
		return !c.Method.Exported()
	}
	return unexported(c.Signature())
}

// sealedIn are the functions that a sealed call may reach: others may have given it any of the program's.
func (p *Program) sealedIn(c *ssa.CallCommon) (all []*ssa.Function) {
	if sig := c.Signature(); !c.IsInvoke() {
		for _, g := range p.taken[""] { // of generic code
			if g.Signature.Params().Len() == sig.Params().Len() && g.Signature.Results().Len() == sig.Results().Len() {
				all = append(all, g)
			}
		}
		return append(all, p.taken[key(sig)]...)
	}
	i, ok := c.Value.Type().Underlying().(*types.Interface)
	k := key(c.Value.Type()) + c.Method.Name()
	all, known := p.sealed[k]
	if !ok || known {
		return all
	}
	for _, t := range p.types.concrete {
		if types.Implements(t, i) {
			sel := p.root.Prog.MethodSets.MethodSet(t).Lookup(c.Method.Pkg(), c.Method.Name())
			g := p.root.Prog.MethodValue(sel)
			if g == nil { // of a generic type
				g = p.root.Prog.FuncValue(sel.Obj().(*types.Func).Origin())
			}
			if g != nil {
				all = append(all, origin(g))
			}
		}
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	p.sealed[k] = all
	return all
}

// dynamic are the functions that a call by way of a value may reach.
func (p *Program) dynamic(call ssa.CallInstruction) (all []*ssa.Function) {
	if n := p.graph.Nodes[call.Parent()]; n != nil {
		for _, e := range n.Out {
			if e.Site == call {
				all = append(all, origin(e.Callee.Func))
			}
		}
	}
	if c := call.Common(); c.StaticCallee() == nil && !p.world.Whole && sealed(c) {
		all = append(all, p.sealedIn(c)...)
	}
	return all
}

// unexported reports whether nobody else can write a function of a signature.
func unexported(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		t := types.Unalias(v.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && !n.Obj().Exported() && !hasAlias(n) {
			return true
		}
	}
	return false
}

// hasAlias reports whether a type has a name that is exported, too; or a pointer to it has one.
func hasAlias(n *types.Named) bool {
	has, ok := aliased.Load(n.Origin())
	if !ok {
		has = findAlias(n)
		aliased.Store(n.Origin(), has)
	}
	return has.(bool)
}

var aliased sync.Map

func findAlias(n *types.Named) bool {
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if obj, ok := scope.Lookup(name).(*types.TypeName); ok && obj.IsAlias() && obj.Exported() {
			t := types.Unalias(obj.Type())
			if ptr, ok := t.(*types.Pointer); ok {
				t = types.Unalias(ptr.Elem())
			}
			if other, ok := t.(*types.Named); ok && other.Origin() == n.Origin() {
				return true
			}
		}
	}
	return false
}
