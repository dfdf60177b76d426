package life

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// longLivedObjects are those of a function that live for long: what leaked, and what it leads to.
func (f *function) longLivedObjects(outside func(*thing) (Reason, bool)) map[*thing]Reason {
	all, todo := map[*thing]Reason{}, map[Reason][]*thing{}
	visit := func(g *thing, why Reason) {
		if _, ok := all[g]; !ok && g.kind != global {
			all[g] = why
			todo[why] = append(todo[why], g)
		}
	}
	for _, g := range f.list {
		if g.leaked {
			visit(g, g.why)
		}
	}
	for _, g := range f.list {
		if why, ok := outside(g); ok && len(g.cells) > 0 {
			visit(g, why)
		}
	}
	for _, why := range slices.SortedFunc(maps.Keys(todo), f.p.compare) { // so that each run tells the same one
		for list := todo[why]; len(list) > 0; list = todo[why] {
			g := list[len(list)-1]
			todo[why] = list[:len(list)-1]
			for n := range g.held.all() {
				visit(f.refs[n].thing, why)
			}
			if g.kind == param { // and so does all that the parameter leads to
				for _, other := range f.params {
					if other.n == g.n && len(other.cells) > 0 && f.p.types.leads(g.typ, other.typ) {
						visit(other, why)
					}
				}
			}
		}
	}
	return all
}

func none(*thing) (Reason, bool) { return Reason{}, false }

// summarize describes what the function does to others.
func (f *function) summarize() *summary {
	long := f.longLivedObjects(none)
	s, to := &summary{}, f.p.summed
	for g, why := range long {
		if g.kind == param {
			s.leaks = append(s.leaks, leaked{to.thing(g.object), why, g.kept})
		}
	}
	slices.SortFunc(s.leaks, func(a, b leaked) int {
		return cmp.Or(f.p.compare(a.why, b.why), a.n-b.n, strings.Compare(a.typ, b.typ))
	})
	outward := func(g *thing) *thing {
		if g.kind == site || g.kind == fresh {
			return to.thing(object{kind: fresh, typ: g.typ})
		}
		return to.thing(g.object)
	}
	names := map[int]int{}
	rename := func(n int) int {
		m, ok := names[n]
		if !ok {
			r := f.refs[n]
			if _, lives := long[r.thing]; lives && (r.kind == site || r.kind == fresh) {
				m = to.lasting(0, r.to)
			} else {
				m = to.number(outward(r.thing).place(r.path), r.to)
			}
			names[n] = m
		}
		return m
	}
	var todo []*thing
	seen := map[*thing]bool{}
	visit := func(g *thing) {
		if !seen[g] && g.kind != global {
			seen[g] = true
			todo = append(todo, g)
		}
	}
	for _, g := range f.params {
		if len(g.cells) > 0 {
			visit(g)
		}
	}
	for _, b := range f.fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			for len(s.results) <= i {
				s.results = append(s.results, &set{})
			}
			for n := range f.of(v).all() {
				s.results[i].put(rename(n))
				visit(f.refs[n].thing)
			}
		}
	}
	cells := map[*place]*set{}
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, ok := long[g]; ok && g.kind != param {
			continue
		}
		for _, c := range g.cells {
			at := outward(g).place(c.path)
			if cells[at] == nil {
				cells[at] = &set{}
				s.cells = append(s.cells, held{at, cells[at]})
			}
			for n := range c.cell.all() {
				if m := rename(n); to.refs[m].place != at || g.kind != param {
					cells[at].put(m)
				}
				visit(f.refs[n].thing)
			}
		}
	}
	return s
}

// Made is what a call has made, by type, that outlives the root; and what the function's own
// instructions have. Parameters of outlives are taken for long-lived.
func (p *Program) Made(fn *ssa.Function, outlives func(i int) bool) (calls map[ssa.Instruction]map[string]Reason, sites map[ssa.Instruction]Reason) {
	calls, sites = map[ssa.Instruction]map[string]Reason{}, map[ssa.Instruction]Reason{}
	for _, f := range p.instances[fn] {
		long := f.longLivedObjects(func(o *thing) (Reason, bool) {
			if o.kind == param && outlives != nil && outlives(o.n) {
				name := "a captured variable"
				if o.n < len(fn.Params) {
					name = fn.Params[o.n].Name()
				}
				return Reason{"is stored in what " + name + " leads to", fn.Pos()}, true
			}
			return Reason{}, false
		})
		for o, why := range long {
			for at := range f.makers(o.object) {
				switch o.kind {
				case site:
					if old, ok := sites[at]; !ok || p.compare(why, old) < 0 {
						sites[at] = why
					}
				case fresh:
					if calls[at] == nil {
						calls[at] = map[string]Reason{}
					}
					if old, ok := calls[at][o.typ]; !ok || p.compare(why, old) < 0 {
						calls[at][o.typ] = why
					}
				}
			}
		}
	}
	return calls, sites
}

// Outward are the types of what the function has made that its callers may see.
func (p *Program) Outward(fn *ssa.Function) map[string]bool {
	all := map[string]bool{}
	for _, f := range p.instances[fn] {
		s := p.summaries[f.inst]
		if s == nil {
			continue
		}
		add := func(c *set) {
			for n := range c.all() {
				if r := p.summed.refs[n]; r.kind == fresh {
					all[r.typ] = true
				}
			}
		}
		for _, r := range s.results {
			add(r)
		}
		for _, c := range s.cells {
			add(c.held)
		}
	}
	seen := p.seenBy(fn)
	maps.DeleteFunc(all, func(k string, _ bool) bool { return k != "" && !seen[k] && !seen[""] })
	return all
}

// seenBy are the types of what callers of a function may see of it, going by types alone: in a large
// function all leads to all.
func (p *Program) seenBy(fn *ssa.Function) map[string]bool {
	all := map[string]bool{}
	see := func(t types.Type) {
		for _, l := range leaves(t) {
			maps.Copy(all, p.types.from(key(l.typ)))
		}
	}
	for _, v := range fn.Params {
		see(v.Type())
	}
	for _, v := range fn.FreeVars {
		see(v.Type())
	}
	for v := range fn.Signature.Results().Variables() {
		see(v.Type())
	}
	return all
}

// TypesOf is how Made and Outward name what an instruction makes: one, but of a call with several
// results.
func TypesOf(i ssa.Instruction) (all []string) {
	if reads(i) {
		return []string{""}
	}
	if call, ok := i.(ssa.CallInstruction); ok && grows(call) {
		return []string{key(textType)}
	}
	v, ok := i.(ssa.Value)
	if !ok {
		return nil
	}
	if _, isTuple := v.Type().(*types.Tuple); !isTuple {
		return []string{key(v.Type())}
	}
	for _, l := range leaves(v.Type()) {
		all = append(all, key(l.typ))
	}
	return all
}

// Settled reports whether all of the program's functions were understood.
func (p *Program) Settled(fn *ssa.Function) bool { return len(p.instances[fn]) > 0 && !p.unsettled[fn] }
