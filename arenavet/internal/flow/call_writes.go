package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// writes makes the calls of methods that a function of the standard library may
// make of a writer that it is given, as fmt.Fprintf does: what they store in the
// writer is there afterwards. Whether it makes them is not known, so nothing that
// they take back counts as taken back.
func (f *function) writes(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) {
	for i, arg := range common.Args {
		m, ok := arg.(*ssa.MakeInterface)
		if !ok || !types.IsInterface(arg.Type()) {
			continue
		}
		for _, name := range []string{"Write", "WriteString", "WriteByte", "WriteRune", "ReadFrom"} {
			if obj, _, _ := types.LookupFieldOrMethod(arg.Type(), false, nil, "Write"); obj == nil {
				break // it is not given as a writer
			}
			obj, path, _ := types.LookupFieldOrMethod(m.X.Type(), false, f.c.Pass.Pkg, name)
			method, ok := obj.(*types.Func)
			if !ok || len(path) != 1 {
				continue
			}
			fn := f.c.ssa.Prog.FuncValue(method)
			if fn == nil {
				continue
			}
			if s := f.c.Summary(fn); s != nil {
				f.apply(st, instr, &Summary{Writes: weakWrites(s)}, []value{args[i]}, false, false)
			}
		}
	}
}
