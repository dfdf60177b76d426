package ssaform

import (
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Groups returns functions, callees first, and mutually recursive functions together. It records in users the functions
// that mention a function.
func Groups(functions []*ssa.Function, users map[*ssa.Function][]*ssa.Function) (out [][]*ssa.Function) {
	mentions := func(fn *ssa.Function, f func(*ssa.Function)) {
		for instr := range Instructions(fn) {
			if call, ok := instr.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
				if g := Invoked(call.Common()); g != nil {
					f(catalog.Origin(g))
				}
			}
			for _, p := range instr.Operands(nil) {
				if g, ok := (*p).(*ssa.Function); ok {
					f(catalog.Origin(g))
				}
			}
		}
	}
	member := map[*ssa.Function]bool{}
	for _, fn := range functions {
		member[fn] = true
	}
	// Tarjan's algorithm.
	number, lowest, place := map[*ssa.Function]int{}, map[*ssa.Function]int{}, map[*ssa.Function]int{} // place: after its callees
	var open []*ssa.Function
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		number[fn] = len(number) + 1
		lowest[fn] = number[fn]
		open = append(open, fn)
		see := func(g *ssa.Function) {
			if !member[g] {
				return
			}
			if number[g] == 0 {
				visit(g)
			}
			lowest[fn] = min(lowest[fn], lowest[g])
		}
		mentions(fn, func(g *ssa.Function) {
			users[g] = append(users[g], fn)
			see(g)
		})
		for _, g := range fn.AnonFuncs {
			see(g)
		}
		place[fn] = len(place)
		if lowest[fn] < number[fn] {
			return
		}
		group := slices.Clone(open[slices.Index(open, fn):])
		open = open[:len(open)-len(group)]
		for _, g := range group {
			lowest[g] = math.MaxInt // the group is complete
		}
		slices.SortFunc(group, func(a, b *ssa.Function) int { return place[a] - place[b] })
		out = append(out, group)
	}
	for _, fn := range functions {
		if number[fn] == 0 {
			visit(fn)
		}
	}
	return out
}
