package flow

import "golang.org/x/tools/go/ssa"

// isLoopBody reports whether fn is the body of a range over a function. The
// function that it is given to calls it, if at all, before it returns.
func isLoopBody(fn *ssa.Function) bool {
	return fn != nil && fn.Synthetic == "range-over-func yield"
}

// usesOnly reports whether v is the body of a range over a function that leaves
// the arenas that it captures with their owner: whoever calls it, they are
// still to be put back after the loop.
func (f *function) usesOnly(v value) bool {
	atoms := v.atoms()
	if len(atoms) != 1 || !isLoopBody(atoms[0].Site.fn) {
		return false
	}
	body := atoms[0].Site.fn
	s := f.c.Summary(body)
	if s == nil {
		return false
	}
	for _, b := range body.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := instr.(*ssa.Defer); ok {
				return false // its call comes with those of the function around it
			}
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
