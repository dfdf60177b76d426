package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
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
	order, at := runOrder(f.fn)
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

// runOrder are the blocks that a function's first one leads to, each before those
// that it leads to, but for loops; and the place of each in that.
func runOrder(fn *ssa.Function) (order, at []int) {
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

// entry is the state in which the function begins: arguments and captured
// variables are symbols.
func (f *function) entry() *state {
	st := newState(&f.budget)
	bind := func(v ssa.Value) {
		var val value
		for _, l := range leaves(v.Type()) {
			val = val.add(entry{l.path, Atom{Site: f.symbol(v, l.path)}})
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
