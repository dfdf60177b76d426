package flow

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// What a search may cost, in entries of states that it copies or looks at. A function that
// costs more is treated as code that nothing is known of. Those that deal with
// arenas may cost more than the many that don't, where only what they do with
// their arguments matters.
const (
	maxCost       = 100_000_000
	maxCostOthers = 50_000
)

// solve runs the search. It returns nil if the function has no body that can
// be read or is too large.
func (f *function) solve(observe func(Fault)) *Summary {
	blocks := f.fn.Blocks
	if len(blocks) == 0 {
		return nil
	}
	f.budget = maxCostOthers
	if f.c.relevant(f.fn) {
		f.budget = maxCost
	}
	in := make([]*state, len(blocks))
	in[0] = f.entry()
	// In turns, as the blocks run, and not the first of them again as soon as it has
	// changed: what all the cases of a parser's large switch bring back to its head is
	// carried on from there at once.
	order, at := ssaform.RunOrder(f.fn)
	queued := make([]bool, len(blocks)) // by their number in order
	queued[0] = true
	for waiting, n := 1, 0; waiting > 0; n = (n + 1) % len(order) {
		if !queued[n] {
			continue
		}
		queued[n] = false
		waiting--
		i := order[n]
		st := in[i].clone()
		f.block(st, blocks[i])
		if f.budget < 0 {
			return nil
		}
		for n, succ := range blocks[i].Succs {
			out := st
			if n < len(blocks[i].Succs)-1 {
				out = st.clone()
			}
			f.edge(out, blocks[i], succ, n)
			changed := false
			if in[succ.Index] == nil {
				in[succ.Index] = out
				changed = true
			} else {
				changed = in[succ.Index].join(out)
			}
			if changed && !queued[at[succ.Index]] {
				queued[at[succ.Index]] = true
				waiting++
			}
		}
	}
	f.exit, f.results = nil, nil
	f.budget = maxCost // the last pass is short
	f.observe = observe
	for i, b := range blocks {
		if in[i] != nil {
			f.block(in[i].clone(), b)
		}
	}
	f.observe = nil
	if f.exit == nil {
		return &Summary{} // it never returns
	}
	return f.summarize(f.exit, f.results)
}

// entry is the state in which the function begins: arguments and captured
// variables are symbols.
func (f *function) entry() *state {
	st := newState(&f.budget)
	bind := func(v ssa.Value) {
		var val value
		for _, l := range access.Leaves(v.Type()) {
			val = val.add(entry{l.Path, Atom{Site: f.symbol(v, l.Path)}})
		}
		st.regs[v] = val
	}
	for _, p := range f.fn.Params {
		bind(p)
	}
	for _, v := range f.fn.FreeVars {
		bind(v)
	}
	return st
}

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
					if g := ssaform.Invoked(call.Common()); g != nil {
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
