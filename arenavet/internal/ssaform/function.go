// Package ssaform answers questions about the SSA form of a function that need no analysis of values: dispatch,
// liveness, loops that empty their operand, and select statements.
package ssaform

import (
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
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && c.Call.StaticCallee() != nil && catalog.CalleeName(c.Call.StaticCallee()) == "testing.T.Parallel" {
				return true
			}
		}
	}
	return false
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
