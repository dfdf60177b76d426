// Package ssaform answers questions about the SSA form of a function that need no analysis of values: dispatch,
// liveness, loops that empty their operand, and select statements.
package ssaform

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// CallsParallel reports whether a test function calls t.Parallel. Such a function runs after the caller of t.Run has
// returned.
func CallsParallel(v ssa.Value) bool {
	if c, ok := v.(*ssa.MakeClosure); ok {
		v = c.Fn
	}
	fn, ok := v.(*ssa.Function)
	if !ok {
		return false
	}
	return Calls(fn, "testing.T.Parallel")
}

// Instructions returns the instructions of functions.
func Instructions(list ...*ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, fn := range list {
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					if !yield(instr) {
						return
					}
				}
			}
		}
	}
}

// Calls reports whether fn calls the named function.
func Calls(fn *ssa.Function, name string) bool {
	for instr := range Instructions(fn) {
		if c, ok := instr.(ssa.CallInstruction); ok && c.Common().StaticCallee() != nil && catalog.CalleeName(c.Common().StaticCallee()) == name {
			return true
		}
	}
	return false
}

// Declarer returns the function that declares the variable captured by v, or nil for the receiver of a method value.
func Declarer(v *ssa.FreeVar) *ssa.Function {
	literal, around := v.Parent(), v.Parent().Parent()
	if around == nil {
		return nil
	}
	for instr := range Instructions(around) {
		if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == literal {
			if outer, ok := c.Bindings[slices.Index(literal.FreeVars, v)].(*ssa.FreeVar); ok {
				return Declarer(outer)
			}
		}
	}
	return around
}

// IsParameter reports whether a is a copy of a parameter.
func IsParameter(a *ssa.Alloc) bool {
	return slices.ContainsFunc(*a.Referrers(), func(r ssa.Instruction) bool {
		s, ok := r.(*ssa.Store)
		if !ok {
			return false
		}
		_, ok = s.Val.(*ssa.Parameter)
		return ok
	})
}

// IsLoopBody reports whether fn is the body of a range over a function. It is not called after that function has
// returned.
func IsLoopBody(fn *ssa.Function) bool {
	return fn != nil && fn.Synthetic == "range-over-func yield"
}

// RunOrder returns the reachable blocks in reverse postorder, and the place of each block in it.
func RunOrder(fn *ssa.Function) (order, at []int) {
	at = make([]int, len(fn.Blocks))
	seen := make([]bool, len(fn.Blocks))
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for i := len(b.Succs) - 1; i >= 0; i-- { // a loop's body comes before the code after the loop
			if s := b.Succs[i]; !seen[s.Index] {
				visit(s)
			}
		}
		order = append(order, b.Index)
	}
	visit(fn.Blocks[0])
	slices.Reverse(order)
	for n, i := range order {
		at[i] = n
	}
	return order, at
}
