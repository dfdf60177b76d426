package life

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// longLivedObjects are those of a function that live for long: what leaked, and what it leads to.
func (f *function) longLivedObjects(outside func(object) (Reason, bool)) map[object]Reason {
	all, todo := map[object]Reason{}, map[Reason][]object{}
	visit := func(o object, why Reason) {
		if _, ok := all[o]; !ok && o.kind != global {
			all[o] = why
			todo[why] = append(todo[why], o)
		}
	}
	for o, why := range f.leaked {
		visit(o, why)
	}
	for o := range f.cells {
		if why, ok := outside(o); ok {
			visit(o, why)
		}
	}
	for _, why := range slices.SortedFunc(maps.Keys(todo), f.p.compare) { // so that each run tells the same one
		for list := todo[why]; len(list) > 0; list = todo[why] {
			o := list[len(list)-1]
			todo[why] = list[:len(list)-1]
			for _, c := range f.cells[o] {
				for r := range c {
					visit(r.object, why)
				}
			}
			if o.kind == param { // and so does all that the parameter leads to
				for other := range f.cells {
					if other.kind == param && other.n == o.n && f.p.types.reaches(o.typ, other.typ) {
						visit(other, why)
					}
				}
			}
		}
	}
	return all
}

// compare orders reasons by their places in the source: positions have the order in which files happened to be read.
func (p *Program) compare(a, b Reason) int {
	place := func(pos token.Pos) (string, int) {
		if file := p.root.Prog.Fset.File(pos); file != nil {
			return file.Name(), file.Offset(pos)
		}
		return "", 0
	}
	if a.Pos == b.Pos {
		return strings.Compare(a.What, b.What)
	}
	inA, atA := place(a.Pos)
	inB, atB := place(b.Pos)
	return cmp.Or(strings.Compare(inA, inB), atA-atB)
}

func none(object) (Reason, bool) { return Reason{}, false }

// summarize describes what the function does to others.
func (f *function) summarize() *summary {
	long := f.longLivedObjects(none)
	s := &summary{cells: map[cell]set{}, leaks: map[object]Reason{}}
	for o, why := range long {
		if o.kind == param {
			s.leaks[o] = why
		}
	}
	s.order = slices.SortedFunc(maps.Keys(s.leaks), func(a, b object) int { return f.p.compare(s.leaks[a], s.leaks[b]) })
	rename := func(r ref) ref {
		if _, ok := long[r.object]; ok && (r.kind == site || r.kind == fresh) {
			return ref{object{kind: global, typ: r.to}, "", r.to}
		}
		if r.kind == site || r.kind == fresh {
			r.object = object{kind: fresh, typ: r.typ}
		}
		return r
	}
	var todo []object
	seen := map[object]bool{}
	visit := func(o object) {
		if !seen[o] && o.kind != global {
			seen[o] = true
			todo = append(todo, o)
		}
	}
	for o := range f.cells {
		if o.kind == param {
			visit(o)
		}
	}
	for _, b := range f.fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			for len(s.results) <= i {
				s.results = append(s.results, set{})
			}
			for r := range f.of(v) {
				s.results[i][rename(r)] = struct{}{}
				visit(r.object)
			}
		}
	}
	for len(todo) > 0 {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, ok := long[o]; ok && o.kind != param {
			continue
		}
		to := rename(ref{object: o})
		for path, c := range f.cells[o] {
			at := cell{to.object, path}
			if s.cells[at] == nil {
				s.cells[at] = set{}
			}
			for r := range c {
				if n := rename(r); n.object != to.object || n.path != path || o.kind != param {
					s.cells[at][n] = struct{}{}
				}
				visit(r.object)
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
		long := f.longLivedObjects(func(o object) (Reason, bool) {
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
			for at := range f.makers(o) {
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
		add := func(c set) {
			for r := range c {
				if r.kind == fresh {
					all[r.typ] = true
				}
			}
		}
		for _, r := range s.results {
			add(r)
		}
		for _, c := range s.cells {
			add(c)
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
