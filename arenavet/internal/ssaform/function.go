// Package ssaform answers what the SSA form of a function shows by itself, before any value
// is followed: what a call reaches, which registers are read where, which loops empty what
// they range over, and which way a select statement went.
package ssaform

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// CallsParallel reports whether a test's function calls t.Parallel: it then runs
// when the function that has called t.Run has returned.
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

// IsLoopBody reports whether fn is the body of a range over a function. The
// function that it is given to calls it, if at all, before it returns.
func IsLoopBody(fn *ssa.Function) bool {
	return fn != nil && fn.Synthetic == "range-over-func yield"
}

// RunOrder are the blocks that a function's first one leads to, each before those
// that it leads to, but for loops; and the place of each in that.
func RunOrder(fn *ssa.Function) (order, at []int) {
	at = make([]int, len(fn.Blocks))
	seen := make([]bool, len(fn.Blocks))
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		for i := len(b.Succs) - 1; i >= 0; i-- { // so that a loop's body comes before what is behind it
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
