package flow

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Analyze finds out what the functions of a package do.
func Analyze(pass *analysis.Pass) *Package {
	c := Build(pass)
	for _, fn := range c.Functions {
		c.summaries[fn] = &Summary{}
	}
	c.solve()
	return c
}

// maxRounds bounds how often a function is looked at anew because one that it
// calls has changed.
const maxRounds = 6

// solve computes the summaries of functions that call each other, callees
// first, until none changes.
func (c *Package) solve() {
	users := map[*ssa.Function][]*ssa.Function{}
	mentions := func(fn *ssa.Function, f func(*ssa.Function)) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
					if g := invoked(call.Common()); g != nil {
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
	}
	var order []*ssa.Function
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if seen[fn] || c.summaries[fn] == nil {
			return
		}
		seen[fn] = true
		mentions(fn, func(g *ssa.Function) {
			users[g] = append(users[g], fn)
			visit(g)
		})
		for _, g := range fn.AnonFuncs {
			visit(g)
		}
		order = append(order, fn)
	}
	for _, fn := range c.Functions {
		visit(fn)
	}
	rounds := map[*ssa.Function]int{}
	queued := map[*ssa.Function]bool{}
	for _, fn := range order {
		queued[fn] = true
	}
	for len(order) > 0 {
		fn := order[0]
		order = order[1:]
		queued[fn] = false
		if rounds[fn]++; rounds[fn] > maxRounds {
			continue
		}
		f := newFunction(c, fn)
		s := f.solve(nil)
		if s == nil {
			c.unknown[fn], c.tooLarge[fn] = true, f.budget < 0
			continue
		}
		if s.equal(c.summaries[fn]) {
			continue
		}
		c.summaries[fn] = s
		for _, g := range users[fn] {
			if !queued[g] {
				queued[g] = true
				order = append(order, g)
			}
		}
	}
}

// Check looks at a function once more, and tells observe of its faults.
func (c *Package) Check(fn *ssa.Function, observe func(Fault)) {
	newFunction(c, fn).solve(observe)
}
