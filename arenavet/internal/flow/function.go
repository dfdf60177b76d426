package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// function is the analysis of one function: a search for what may hold at
// each of its points, block by block until nothing changes, and then one more
// pass over the blocks that reports.
type function struct {
	c  *Package
	fn *ssa.Function

	sites     map[siteKey]*Site
	symbols   map[symbolKey]*Site
	events    map[eventKey]*Event
	stored    map[storeKey]token.Pos // where something was put into an object
	effects   map[effectKey]Effect
	live      *liveness                 // which registers have to be known where
	sweeps    map[*ssa.BasicBlock]sweep // loops that empty what they range over, by their head
	replaced  map[*ssa.Store]value      // what a store has put into an element
	firstPart map[siteKey]string        // of a call's result: where a handle stands first
	given     map[token.Pos]bool        // where arenas were sent on a channel
	owned     map[*Site]bool            // arenas that a goroutine was handed for good: it puts them back
	fallible  map[*Site]ssa.Value       // arenas of calls that also return an error or a flag
	kept      map[*Site]bool            // arenas that are returned, but held by something else as well
	bits      int
	handles   int

	budget  int         // what the search may still cost
	observe func(Fault) // in the last pass, where someone asks for it

	exit    *state // what may hold at some return; nil before one is reached
	results []value
}

type siteKey struct {
	instr any // an instruction or a function
	part  string
}

type symbolKey struct {
	root ssa.Value
	path string
}

type eventKey struct {
	op  Op
	pos token.Pos
}

type storeKey struct {
	in  *Site
	off string
	of  *Site
}

func newFunction(c *Package, fn *ssa.Function) *function {
	return &function{
		c: c, fn: fn, live: livenessOf(fn), sweeps: sweepsOf(fn), replaced: map[*ssa.Store]value{}, sites: map[siteKey]*Site{}, symbols: map[symbolKey]*Site{}, events: map[eventKey]*Event{},
		stored: map[storeKey]token.Pos{}, effects: map[effectKey]Effect{}, firstPart: map[siteKey]string{}, given: map[token.Pos]bool{}, owned: map[*Site]bool{}, kept: map[*Site]bool{}, fallible: map[*Site]ssa.Value{},
	}
}

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

// symbol returns what path leads to from root.
func (f *function) symbol(root ssa.Value, path string) *Site {
	asked := symbolKey{root, path}
	if k := f.symbols[asked]; k != nil {
		return k
	}
	path = fold(root, path)
	key := symbolKey{root, path}
	k := f.symbols[key]
	if k == nil {
		k = &Site{Kind: SymbolSite, root: root, Path: path, Pos: root.Pos()}
		k.child = func(off string) *Site { return f.symbol(root, path+deref+off) }
		f.symbols[key] = k
	}
	f.symbols[asked] = k
	return k
}

// site is the site of what an instruction makes.
func (f *function) site(instr any, part string, kind SiteKind, pos token.Pos) *Site {
	key := siteKey{instr, part}
	k := f.sites[key]
	if k == nil {
		k = &Site{Kind: kind, Pos: pos}
		switch kind {
		case HandleSite:
			f.handles++
			k.id = f.handles
		case MarkSite:
			if f.bits < 64 {
				k.bit = 1 << f.bits
				f.bits++
			}
		}
		f.sites[key] = k
	}
	return k
}

func (f *function) event(o Op, pos token.Pos, deferred bool, name string) *Event {
	key := eventKey{o, pos}
	e := f.events[key]
	if e == nil {
		e = &Event{Op: o, Pos: pos, Deferred: deferred, Name: name}
		f.events[key] = e
	}
	return e
}

// eval returns what v may be.
func (f *function) eval(st *state, v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return nil
	case *ssa.Global:
		return one(Atom{Site: f.symbol(v, "")})
	case *ssa.Function:
		k := f.site(v, "", LocalSite, v.Pos())
		k.fn = v
		return one(Atom{Site: k})
	}
	return st.regs[v]
}

// unknown is a value that nothing is known of but that it stays the same
// until v is computed anew.
func (f *function) unknown(st *state, v ssa.Value, t types.Type) value {
	of := func(k *Site) bool { return k != nil && k.Kind == SymbolSite && k.root == v }
	anchor := f.symbol(v, "")
	if st.made[anchor] {
		for k := range st.cells {
			if of(k) {
				delete(st.cells, k)
			}
		}
		st.rewrite(of, func(a Atom) (Atom, bool) {
			if of(a.Site) || of(a.Region) {
				return a, false
			}
			return a, true
		})
	}
	st.made[anchor] = true
	var val value
	for _, l := range leaves(t) {
		switch types.Unalias(l.typ).Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Map, *types.Slice:
			val = val.add(entry{l.path, Atom{Site: f.symbol(v, l.path)}})
		}
	}
	return val
}

// edge makes out, what may hold at the end of b, what may hold at the beginning of succ.
func (f *function) edge(out *state, b, succ *ssa.BasicBlock, n int) {
	if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && b.Succs[0] != b.Succs[1] {
		f.refine(out, branch.Cond, n == 0)
	}
	if s, ok := f.sweeps[b]; ok && n == 1 {
		f.swept(out, s)
	}
	from := 0
	for i, p := range succ.Preds {
		if p == b {
			from = i
		}
	}
	phis := map[ssa.Value]value{}
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis[phi] = f.eval(out, phi.Edges[from])
	}
	for v := range out.regs {
		if !f.live.at(v, succ) {
			delete(out.regs, v)
		}
	}
	for v, val := range phis {
		out.regs[v] = val
	}
	out.forgetUnreachable()
}
