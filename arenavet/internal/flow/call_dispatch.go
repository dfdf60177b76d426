package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// target is what a call may reach: a function, and what it is called with:
// arguments, then captured variables.
type target struct {
	fn   *ssa.Function
	args []value
}

// targets finds what a call reaches. It is empty if that is not known.
func (f *function) targets(st *state, common *ssa.CallCommon) []target {
	args := make([]value, len(common.Args))
	for i, a := range common.Args {
		args[i] = f.eval(st, a)
	}
	if common.IsInvoke() {
		if fn := invoked(common); fn != nil {
			return []target{{fn, append([]value{f.eval(st, common.Value)}, args...)}}
		}
		return nil
	}
	if fn, ok := common.Value.(*ssa.Function); ok {
		return []target{{fn, args}}
	}
	return f.closures(st, f.eval(st, common.Value), args)
}

// closures are the functions that v may be, called with args. It is empty if
// v may be another one.
func (f *function) closures(st *state, v value, args []value) []target {
	var out []target
	for _, a := range v.atoms() {
		k := a.Site
		if k.fn == nil {
			return nil
		}
		all := append([]value(nil), args...)
		var bound []value
		for i := range k.bindings {
			var val value
			for off, atoms := range st.parts(k) {
				if rest, ok := strings.CutPrefix(off, binding(i)); ok {
					for _, b := range atoms {
						val = val.add(entry{rest, b})
					}
				}
			}
			bound = append(bound, val)
		}
		if obj, ok := k.fn.Object().(*types.Func); ok && strings.HasPrefix(k.fn.Synthetic, "bound method wrapper") {
			// A method value: its receiver is what it has captured.
			if fn := k.fn.Prog.FuncValue(obj); fn != nil {
				out = append(out, target{fn, append(bound, all...)})
				continue
			}
		}
		out = append(out, target{k.fn, append(all, bound...)})
	}
	return out
}

// maxDispatch is how many calls and variables concreteType looks through.
const maxDispatch = 4

// invoked is the method that a call through an interface reaches, where the source shows
// which type is in it, as that of a constructor that returns an interface: nil for others.
func invoked(common *ssa.CallCommon) *ssa.Function {
	t := concreteType(common.Value, 0, 0)
	if t == nil || types.IsInterface(t) {
		return nil
	}
	prog := common.Value.Parent().Prog
	found := prog.MethodSets.MethodSet(t).Lookup(common.Method.Pkg(), common.Method.Name())
	if found == nil || len(found.Index()) != 1 {
		return nil // it has none, or that of an embedded field
	}
	own, ok := found.Obj().(*types.Func)
	if !ok {
		return nil
	}
	fn := prog.FuncValue(own.Origin())
	if fn == nil || !types.Identical(fn.Signature.Recv().Type(), t) {
		return nil // it is called with what a pointer leads to
	}
	return fn
}

// concreteType is the type of what is in an interface, result n of a call that has several;
// nil where there may be several, or none is known.
func concreteType(v ssa.Value, n, depth int) types.Type {
	if depth > maxDispatch {
		return nil
	}
	same := func(list []ssa.Value, n int) (t types.Type) {
		for _, v := range list {
			if k, ok := v.(*ssa.Const); ok && k.IsNil() {
				continue // a call of which panics
			}
			u := concreteType(v, n, depth+1)
			if u == nil || t != nil && !types.Identical(t, u) {
				return nil
			}
			t = u
		}
		return t
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X.Type()
	case *ssa.ChangeInterface:
		return concreteType(v.X, n, depth)
	case *ssa.Extract:
		return concreteType(v.Tuple, v.Index, depth)
	case *ssa.Phi:
		return same(v.Edges, n)
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil {
			return nil
		}
		var list []ssa.Value
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				list = append(list, ret.Results[n])
			}
		}
		return same(list, 0)
	}
	return nil
}
