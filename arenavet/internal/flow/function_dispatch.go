package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// target is a function that a call may reach, with its arguments and then its captured variables.
type target struct {
	fn   *ssa.Function
	args []value
}

// targets returns the functions that a call may reach, or none if they are unknown.
func (f *function) targets(st *state, common *ssa.CallCommon) []target {
	args := f.evalAll(st, common.Args)
	if common.IsInvoke() {
		if fn := ssaform.Invoked(common); fn != nil {
			return []target{{fn, append([]value{f.eval(st, common.Value)}, args...)}}
		}
		return nil
	}
	if fn, ok := common.Value.(*ssa.Function); ok {
		return []target{{fn, args}}
	}
	return f.closures(st, f.eval(st, common.Value), args)
}

// closures returns the functions that v may be, with their arguments: args, others that are unknown, and captured
// variables. It returns none if v may also be an unknown function.
func (f *function) closures(st *state, v value, args []value) []target {
	var out []target
	for _, a := range v.atoms() {
		k := a.Site
		if k.fn == nil {
			return nil
		}
		all := make([]value, k.fn.Signature.Params().Len())
		copy(all, args)
		var bound []value
		for i := range k.bindings {
			var val value
			for _, p := range st.object(k).below(access.Binding(i)) {
				val = val.fill(p.off[len(access.Binding(i)):], p.atoms)
			}
			bound = append(bound, val)
		}
		if obj, ok := k.fn.Object().(*types.Func); ok && strings.HasPrefix(k.fn.Synthetic, "bound method wrapper") {
			// A method value has captured its receiver.
			if fn := k.fn.Prog.FuncValue(obj); fn != nil {
				out = append(out, target{fn, append(bound, all...)})
				continue
			}
		}
		out = append(out, target{k.fn, append(all, bound...)})
	}
	return out
}

// usesOnly reports whether v is the body of a range over a function that neither puts back nor gives away the arenas it
// has captured.
func (f *function) usesOnly(v value) bool {
	atoms := v.atoms()
	if len(atoms) != 1 || !ssaform.IsLoopBody(atoms[0].Site.fn) {
		return false
	}
	body := atoms[0].Site.fn
	s := f.c.Summary(body)
	if s == nil {
		return false
	}
	for instr := range ssaform.Instructions(body) {
		if _, ok := instr.(*ssa.Defer); ok {
			return false // it runs at the end of the enclosing function
		}
	}
	for _, e := range s.Effects {
		switch e.Op {
		case OpPut, OpUnknown, OpGoroutine:
			return false
		}
	}
	return true
}
