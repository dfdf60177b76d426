package convert

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// decide makes the plan. It ends, since arenas are only taken away.
func (p *plan) decide() {
	p.all = map[*ssa.Function]*planned{}
	results := map[*ssa.Function]made{}
	for _, fn := range p.functions {
		if !p.within[fn] {
			continue
		}
		calls, sites := p.life.Made(fn, p.outlives(fn))
		results[fn] = made{calls, sites}
	}
	p.findGroups()
	p.findParsers()
	p.findCarriers(results)
	p.reach(results)
	for _, f := range p.order {
		p.judge(f, results[f.fn])
	}
	for _, c := range p.carriers {
		for _, l := range c.lits {
			if f := p.all[l.fn]; f != nil && l.set {
				f.makes = append(f.makes, l)
			} else {
				l.set = false
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.order {
			bad := results[f.fn]
			changed = p.judgeTables(f, bad) || changed
			for call := range f.calls {
				leave := func(why string) { f.left[call] = why }
				if f.groups[call] != nil {
					leave = nil
				}
				for _, g := range f.callees(call) {
					if f.left[call] == "" && p.tooLong(f, bad.calls[call], g, leave) {
						changed = true
					}
				}
			}
			if f.how == byCarrier || f.how == byCapture {
				changed = p.dynamic(f, results) || changed
			}
		}
		for _, f := range p.order {
			for _, s := range f.sites {
				if why, ok := f.demotes(s); s.Reason == "" && ok {
					s.Reason, changed = why, true
				}
			}
			for _, l := range f.makes {
				if l.set && f.demoted[l.typ] != "" {
					l.set, changed = false, true
				}
			}
		}
	}
}

// tooLong is a call whose callee makes something that outlives the arena: if that is all that it
// makes, the call gets none, else the callee leaves it on the heap.
func (p *plan) tooLong(f *planned, made map[string]life.Reason, g *planned, leave func(why string)) (changed bool) {
	live := p.live(g, map[*planned]bool{})
	bad := map[string]string{}
	for t := range live {
		if why, ok := made[t]; ok {
			bad[t] = why.What + p.at(why)
		} else if why, ok := f.demoted[t]; ok {
			bad[t] = why
		}
	}
	if len(bad) == 0 {
		return false
	}
	if len(bad) == len(live) && leave != nil {
		for _, why := range bad {
			leave(why)
			return true
		}
	}
	for t, why := range bad {
		if g.demoted[t] == "" {
			g.demoted[t] = why
			changed = true
		}
	}
	return changed
}

// live are the types of what a function makes in its arena, and what it calls does.
func (p *plan) live(f *planned, seen map[*planned]bool) map[string]bool {
	all := map[string]bool{}
	var visit func(f *planned)
	visit = func(f *planned) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, s := range f.sites {
			if s.Reason != "" {
				continue
			}
			for _, i := range s.at {
				for _, t := range life.TypesOf(i) {
					all[t] = true
				}
			}
		}
		for _, t := range f.tables {
			for _, c := range t.entries {
				if !t.bad[c.typ] {
					all[c.typ] = true
				}
			}
		}
		for _, l := range f.makes {
			if l.set {
				all[l.typ] = true
			}
		}
		for call := range f.calls {
			for _, g := range f.callees(call) {
				if f.left[call] == "" {
					visit(g)
				}
			}
		}
		if n := p.graph.Nodes[f.fn]; n != nil {
			for _, e := range n.Out {
				if g := p.all[e.Callee.Func]; g != nil && (g.how == byCarrier || g.how == byCapture) {
					visit(g)
				}
			}
		}
	}
	visit(f)
	for t := range f.demoted {
		delete(all, t)
	}
	return all
}

// dynamic looks at all calls of a function that nobody gives an arena.
func (p *plan) dynamic(f *planned, results map[*ssa.Function]made) (changed bool) {
	n := p.graph.Nodes[f.fn]
	if n == nil {
		return false
	}
	for _, e := range n.In {
		r, ok := results[e.Caller.Func]
		if !ok || e.Site == nil {
			continue
		}
		caller := p.all[e.Caller.Func]
		if caller == nil {
			caller = &planned{}
		}
		changed = p.tooLong(caller, r.calls[e.Site], f, nil) || changed
	}
	return changed
}

// reach finds the functions that can have an arena.
func (p *plan) reach(results map[*ssa.Function]made) {
	var visit func(f *planned)
	visited := map[*planned]bool{}
	add := func(fn *ssa.Function, h how, arena string) *planned {
		if f := p.all[fn]; f != nil {
			return f // called by itself before
		}
		f := &planned{fn: fn, how: h, arena: arena, calls: map[ssa.Instruction]*planned{}, groups: map[ssa.Instruction]*group{}, tables: map[ssa.Instruction]*table{}, left: map[ssa.Instruction]string{}, demoted: map[string]string{}}
		p.all[fn] = f
		p.order = append(p.order, f)
		return f
	}
	visit = func(f *planned) {
		visited[f] = true
		for _, b := range f.fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, ok := call.(*ssa.Go); ok {
					continue
				}
				if call.Common().IsInvoke() {
					if gr := p.groups[call.Common().Method]; gr != nil {
						f.groups[i] = gr
						for k := len(gr.planned); k < len(gr.members); k++ {
							g := add(gr.members[k], byParameter, p.freeName(gr.members[k]))
							gr.planned = append(gr.planned, g)
						}
						f.calls[i] = gr.planned[0]
						for _, g := range gr.planned {
							if !visited[g] && p.convertible(g.fn) {
								visit(g)
							}
						}
					}
					continue
				}
				if t := p.tableOf(call); t != nil {
					f.tables[i] = t
				}
				g := call.Common().StaticCallee()
				if g == nil || !p.within[g] {
					continue
				}
				if p.all[g] == nil && p.convertible(g) {
					visit(add(g, byParameter, p.freeName(g)))
				}
				if to := p.all[g]; to != nil && to.how == byParameter {
					f.calls[i] = to
				}
			}
		}
		for _, g := range f.fn.AnonFuncs {
			if p.all[g] == nil && !p.runsLater(f, g, results) {
				visit(add(g, byCapture, f.arena))
			}
		}
	}
	for _, fn := range p.functions {
		if p.within[fn] && p.convertible(fn) && fn != p.root && !p.member[fn] {
			if path := p.carried(fn); path != "" {
				add(fn, byCarrier, path)
			}
		}
		if lexer := p.parsers[fn]; p.carriers[lexer] != nil && p.life.Settled(fn) {
			add(fn, byCarrier, p.freeName(fn))
		}
	}
	carried := slices.Clone(p.order)
	h, arena := byParameter, p.freeName(p.root)
	if p.fromContext(p.root) != "" {
		h = byContext
	}
	visit(add(p.root, h, arena))
	for _, f := range carried {
		visit(f)
	}
}

// runsLater reports whether a literal is kept by something that outlives the root.
func (p *plan) runsLater(f *planned, g *ssa.Function, results map[*ssa.Function]made) bool {
	for _, b := range f.fn.Blocks {
		for _, i := range b.Instrs {
			if m, ok := i.(*ssa.MakeClosure); ok && m.Fn == g {
				_, long := results[f.fn].sites[i]
				return long || p.life.Outward(f.fn)[life.TypesOf(i)[0]]
			}
		}
	}
	return true
}

// judge decides on a function's own sites.
func (p *plan) judge(f *planned, r made) {
	if f.how == byCapture || !p.life.Settled(f.fn) {
		return // with those of the function around it; or the root does not lead here
	}
	f.sites = p.sitesOf(f.fn)
	rest := f.sites[:0]
	for _, s := range f.sites {
		g := p.all[s.fn]
		switch {
		case s.Reason != "":
		case p.parsers[f.fn] != nil && p.grammarFor(f.fn).actionAt(p.fset.File(s.Pos).Offset(s.Pos)) == nil:
			s.Reason = "is in goyacc's own text"
		case g == nil:
			s.Reason = "is in a function literal that may run later"
		case s.kind == "closure":
			s.Reason = "is a function literal, and has no text in an arena"
		case len(s.at) == 0:
			s.Reason = "is not understood"
		}
		for _, i := range s.at {
			long := r.sites
			if s.fn != f.fn {
				_, long = p.life.Made(s.fn, nil)
			}
			if why, ok := long[i]; ok && s.Reason == "" {
				s.Reason = why.What + p.at(why)
			}
		}
		if g != nil && g != f {
			g.sites = append(g.sites, s)
		} else {
			rest = append(rest, s)
		}
	}
	f.sites = rest
}
