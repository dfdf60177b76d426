package convert

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph"
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
		if all, ok := results[p.base(fn)]; ok { // another instance's
			maps.Copy(all.calls, calls)
			maps.Copy(all.sites, sites)
		} else {
			results[p.base(fn)] = made{calls, sites}
		}
	}
	p.findGroups()
	p.findParsers()
	p.findCarriers(results)
	p.reach(results)
	for _, f := range p.order {
		p.judge(f, results)
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
			for _, call := range p.ordered(f) {
				leave := func(why string) { f.leave(call, why) }
				if f.groups[call] != nil {
					leave = nil
				}
				for _, g := range f.callees(call) {
					if f.left[call] == "" && p.tooLong(f, bad.calls[call], g, p.body(call, g), leave) {
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
				if l.set && !l.into && f.demoted[l.typ] != "" {
					l.set, changed = false, true
				}
			}
		}
	}
}

// tooLong is a call whose callee makes something that outlives the arena: if that is all that it
// makes, the call gets none, else the callee leaves it on the heap.
func (p *plan) tooLong(f *planned, made map[string]life.Reason, g *planned, body *ssa.Function, leave func(why string)) (changed bool) {
	live, apart := p.live(g, body)
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
		for _, c := range apart {
			c.demote(bad)
		}
		leave(bad[slices.Min(slices.Collect(maps.Keys(bad)))])
		return true
	}
	return g.demote(bad)
}

// demote notes types that a function leaves on the heap, and why.
func (f *planned) demote(bad map[string]string) (changed bool) {
	for t, why := range bad {
		if f.demoted[t] == "" {
			f.demoted[t] = why
			changed = true
		}
	}
	return changed
}

// ordered are the calls of a function that may get an arena, as they stand in the text.
func (p *plan) ordered(f *planned) []ssa.Instruction {
	return slices.SortedFunc(maps.Keys(f.calls), func(a, b ssa.Instruction) int {
		return cmp.Or(p.compare(callPos(a), callPos(b)), strings.Compare(a.Parent().String(), b.Parent().String()))
	})
}

// leave has the calls at a place get no arena: a generic function has one in each of its bodies.
func (f *planned) leave(call ssa.Instruction, why string) {
	for other := range f.calls {
		if callPos(other) == callPos(call) {
			f.left[other] = why
		}
	}
}

// body is the one that a call runs of a function: of a generic one, an instance's.
func (p *plan) body(call ssa.Instruction, g *planned) *ssa.Function {
	if to := call.(ssa.CallInstruction).Common().StaticCallee(); to != nil && life.Instance(to) && p.base(to) == g.fn {
		return to
	}
	return g.fn
}

// live are the types of what a body of a function makes in its arena, and what it calls does. Those of the functions
// that have an arena apart from that are listed.
func (p *plan) live(f *planned, body *ssa.Function) (_ map[string]bool, apart []*planned) {
	all, seen := map[string]bool{}, map[*ssa.Function]bool{}
	var visit func(f *planned, body *ssa.Function)
	visit = func(f *planned, body *ssa.Function) {
		if seen[body] {
			return
		}
		seen[body] = true
		ofBody := func(i ssa.Instruction) bool {
			return !life.Parameterized(f.fn) || outermost(i.Parent()) == outermost(body)
		}
		for _, s := range f.sites {
			if s.Reason != "" {
				continue
			}
			for _, i := range s.at {
				if !ofBody(i) {
					continue
				}
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
			if l.set && !l.into {
				all[l.typ] = true
			}
		}
		for call := range f.calls {
			for _, g := range f.callees(call) {
				if f.left[call] == "" && ofBody(call) {
					visit(g, p.body(call, g))
				}
			}
		}
		if n := p.graph.Nodes[body]; n != nil {
			for _, e := range n.Out {
				if g := p.all[p.base(e.Callee.Func)]; g != nil && (g.how == byCarrier || g.how == byCapture) {
					if !seen[outermost(e.Callee.Func)] {
						apart = append(apart, g)
					}
					visit(g, e.Callee.Func)
				}
			}
		}
	}
	visit(f, body)
	for t := range f.demoted {
		delete(all, t)
	}
	return all, apart
}

// dynamic looks at all calls of a function that nobody gives an arena.
func (p *plan) dynamic(f *planned, results map[*ssa.Function]made) (changed bool) {
	for _, body := range p.bodies(f.fn) {
		for _, e := range p.callers(body) {
			r, ok := results[p.base(e.Caller.Func)]
			if !ok || e.Site == nil {
				continue
			}
			caller := p.all[p.base(e.Caller.Func)]
			if caller == nil {
				caller = &planned{}
			}
			changed = p.tooLong(caller, r.calls[e.Site], f, body, nil) || changed
		}
	}
	return changed
}

// callers are the calls of a function, and those of the wrappers that call it.
func (p *plan) callers(fn *ssa.Function) (all []*callgraph.Edge) {
	seen := map[*ssa.Function]bool{}
	for todo := []*ssa.Function{fn}; len(todo) > 0; {
		n := p.graph.Nodes[todo[0]]
		todo = todo[1:]
		if n == nil {
			continue
		}
		for _, e := range n.In {
			if all = append(all, e); isWrapper(e.Caller.Func) && !seen[e.Caller.Func] {
				seen[e.Caller.Func] = true
				todo = append(todo, e.Caller.Func)
			}
		}
	}
	return all
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
		for _, i := range p.instructions(f.fn) {
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if _, ok := call.(*ssa.Go); ok {
				continue
			}
			if call.Common().IsInvoke() {
				if gr := p.groups[call.Common().Method]; gr != nil && p.textNames(call, gr.method) {
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
			if g = p.base(g); !p.textNames(call, g.Object()) {
				continue
			}
			if p.all[g] == nil && p.convertible(g) {
				visit(add(g, byParameter, p.freeName(g)))
			}
			if to := p.all[g]; to != nil && to.how == byParameter {
				f.calls[i] = to
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
		if lexer := p.parsers[fn]; p.carriers[lexer] != nil && p.settled(fn) {
			add(fn, byCarrier, p.freeName(fn))
		}
	}
	carried := slices.Clone(p.order)
	h, arena := byParameter, p.freeName(p.root)
	if fromContext(p.root) != "" {
		h = byContext
	}
	visit(add(p.root, h, arena))
	for _, f := range carried {
		visit(f)
	}
}

// runsLater reports whether a literal is kept by something that outlives the root.
func (p *plan) runsLater(f *planned, g *ssa.Function, results map[*ssa.Function]made) bool {
	later, found := false, false
	for _, i := range p.instructions(f.fn) {
		if m, ok := i.(*ssa.MakeClosure); ok && p.base(m.Fn.(*ssa.Function)) == g {
			_, long := results[f.fn].sites[i]
			later, found = later || long || p.life.Outward(i.Parent())[life.TypesOf(i)[0]], true
		}
	}
	return later || !found
}

// instructions are those of a function's bodies.
func (p *plan) instructions(fn *ssa.Function) (all []ssa.Instruction) {
	for _, body := range p.bodies(fn) {
		for _, b := range body.Blocks {
			all = append(all, b.Instrs...)
		}
	}
	return all
}

// judge decides on a function's own sites.
func (p *plan) judge(f *planned, results map[*ssa.Function]made) {
	if f.how == byCapture || !p.settled(f.fn) {
		return // with those of the function around it; or the root does not lead here
	}
	f.sites = p.sitesOf(f.fn, p.bodies(f.fn))
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
			long := results[p.base(i.Parent())]
			if why, ok := long.sites[i]; ok && s.Reason == "" {
				s.Reason = why.What + p.at(why)
			}
			for _, t := range slices.Sorted(maps.Keys(long.calls[i])) { // what an analyzed function of another package makes
				why := long.calls[i][t]
				if g := i.(ssa.CallInstruction).Common().StaticCallee(); g != nil && life.Instance(g) && s.Reason == "" {
					s.Reason = why.What + p.at(why)
				}
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
