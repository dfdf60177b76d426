package flow

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// The maximum cost of a search, in entries of states that it copies or reads. Functions that deal with arenas may cost
// more than the many others. A function that costs more is unknown code.
const (
	maxCost       = 25_000_000
	maxCostOthers = 50_000
)

// solve runs the search. It returns nil if the function has no Go body or is too large.
func (f *function) solve() *Summary {
	if !f.search() {
		return nil
	}
	f.exit, f.results = nil, nil
	f.last(nil)
	if f.exit == nil {
		return &Summary{} // it does not return
	}
	return f.summarize(f.exit, f.results)
}

// search computes the state before each block, in f.in.
func (f *function) search() bool {
	blocks := f.fn.Blocks
	if len(blocks) == 0 {
		return false
	}
	f.budget = maxCostOthers
	if f.c.relevant(f.fn) {
		f.budget = maxCost
	}
	in := make([]*state, len(blocks))
	in[0] = f.entry()
	// Blocks are visited in rounds, in the order in which they run. Then all cases of a parser's large switch have
	// reached the loop's header before its next visit.
	order, at := ssaform.RunOrder(f.fn)
	queued := make([]bool, len(blocks)) // by number in order
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
			return false
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
	f.in = in
	return true
}

// last is a last pass over the blocks. It computes the state at returns or, with an observer, reports faults.
func (f *function) last(observe func(Fault)) {
	f.budget = maxCost
	f.observe = observe
	for i, b := range f.fn.Blocks {
		if _, returns := b.Instrs[len(b.Instrs)-1].(*ssa.Return); f.in[i] != nil && (returns || observe != nil) {
			f.block(f.in[i].clone(), b) // without an observer, only returns matter
		}
	}
	f.observe = nil
}

// entry returns the state at the function's entry.
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

// Analyze computes the summaries of a package's functions.
func Analyze(pass *analysis.Pass) *Package {
	c := Build(pass)
	for _, fn := range c.Functions {
		c.summaries[fn] = &Summary{}
	}
	c.solve()
	return c
}

// maxRounds bounds how often a function is analyzed because a callee's summary has changed.
const maxRounds = 6

// solve computes the summaries of functions, callees first.
func (c *Package) solve() {
	users := map[*ssa.Function][]*ssa.Function{}
	for _, group := range ssaform.Groups(c.Functions, users) {
		c.settle(group, users)
	}
}

// settle computes the summaries of a group until none changes, and then the faults. Searches of other groups are not
// kept, because their states take much memory.
func (c *Package) settle(group []*ssa.Function, users map[*ssa.Function][]*ssa.Function) {
	rounds := map[*ssa.Function]int{}
	queued := map[*ssa.Function]bool{}
	searches := map[*ssa.Function]*function{}
	for _, fn := range group {
		queued[fn] = true
	}
	for waiting, n := len(group), 0; waiting > 0; n = (n + 1) % len(group) {
		fn := group[n]
		if !queued[fn] {
			continue
		}
		queued[fn] = false
		waiting--
		if rounds[fn]++; rounds[fn] > maxRounds {
			continue
		}
		f := newFunction(c, fn)
		c.reads = map[*ssa.Function]*Summary{}

		s := f.solve()
		f.reads, c.reads = c.reads, nil
		if f.in != nil {
			searches[fn] = f
		}
		if s == nil {
			c.unknown[fn] = true
			continue
		}
		if known := c.summaries[fn]; s.equal(known) {
			continue
		}
		c.summaries[fn] = s
		for _, g := range users[fn] {
			if !queued[g] && slices.Contains(group, g) {
				queued[g] = true
				waiting++
			}
		}
	}
	for _, fn := range group {
		if f := searches[fn]; f != nil && c.relevant(fn) {
			c.Faults[fn] = f.faults()
		}
	}
}

// faults returns the faults of a function. If a summary has changed that the search has read, it searches again.
func (f *function) faults() (list []Fault) {
	for g, known := range f.reads {
		if f.c.Summary(g) != known {
			if f = newFunction(f.c, f.fn); !f.search() {
				return nil
			}
			break
		}
	}
	f.last(func(x Fault) { list = append(list, x) })
	f.in, f.exit, f.results, f.replaced, f.called = nil, nil, nil, nil, nil // the sites of faults lead to f
	return list
}
