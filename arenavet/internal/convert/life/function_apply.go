package life

import "golang.org/x/tools/go/ssa"

// reach is all that s leads to.
func (f *function) reach(s set) set {
	all := make(set, len(s))
	var todo []ref
	visit := func(r ref) {
		if _, ok := all[r]; !ok {
			all[r] = struct{}{}
			todo = append(todo, r)
		}
	}
	for r := range s {
		visit(r)
	}
	defer func() { f.steps += len(all) }()
	seen := map[object]bool{}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[r.object] {
			continue
		}
		seen[r.object] = true
		for _, c := range f.cells[r.object] {
			for x := range c {
				visit(x)
			}
		}
	}
	return all
}

// reachAll is what any of the arguments leads to.
func (f *function) reachAll(args []set) set {
	all := set{}
	for _, a := range args {
		for x := range f.reach(a) {
			all[x] = struct{}{}
		}
	}
	return all
}

// applyTo does what a callee does.
func (f *function) applyTo(call ssa.CallInstruction, g *ssa.Function, s *summary, args []set, closure set, put func(int, set)) {
	for k := range g.FreeVars {
		bound := set{}
		for r := range closure {
			switch r.kind {
			case global, param:
				t := key(g.FreeVars[k].Type())
				bound[ref{object{kind: r.kind, n: r.n, typ: t}, "", t}] = struct{}{}
			default:
				f.collect(bound, r.object, "fv"+itoa(k), g.FreeVars[k].Type())
			}
		}
		args = append(args, bound)
	}
	reached := make([]set, len(args))
	mapped := map[object]set{}
	objects := func(o object) set {
		if m, ok := mapped[o]; ok {
			return m
		}
		m := set{}
		switch o.kind {
		case fresh:
			m[ref{f.made(fresh, call, o.typ), "", o.typ}] = struct{}{}
		case global:
			m[ref{o, "", o.typ}] = struct{}{}
		case param:
			if o.n >= len(args) {
				break
			}
			if reached[o.n] == nil {
				reached[o.n] = f.reach(args[o.n])
			}
			for r := range reached[o.n] {
				t := o.typ
				switch {
				case r.kind == param || r.kind == global:
					if unknown(r.typ) && t == "" {
						t = r.typ
					}
					if r.kind == global && f.p.types.errors[r.typ] && t != r.typ {
						break // what lies in an error lives for long in any case
					}
					if f.p.types.reaches(r.typ, t) {
						m[ref{object{kind: r.kind, n: r.n, typ: t}, "", t}] = struct{}{}
					}
					if r.to == o.typ || f.p.types.shared(r.to, o.typ) {
						m[r] = struct{}{}
					}
				default:
					if t == "" || unknown(r.to) || r.to == t || f.p.types.held[t][r.to] {
						m[r] = struct{}{}
					}
					if f.kept[r.object] && f.p.types.reaches(r.typ, t) { // others may have stored it there
						m[ref{object{kind: global, typ: t}, "", t}] = struct{}{}
					}
				}
			}
		}
		mapped[o] = m
		return m
	}
	refs := func(from set) set {
		all := set{}
		f.steps += len(from)
		for r := range from {
			for m := range objects(r.object) {
				to := r.to
				if r.path == "" && to == "" {
					to = m.to
				}
				if m.kind == global {
					all[ref{object{kind: global, n: m.n, typ: to}, "", to}] = struct{}{}
				} else {
					all[ref{m.object, join(m.path, r.path), to}] = struct{}{}
				}
			}
		}
		return all
	}
	why := Reason{"is stored by " + shortName(g) + " in what outlives the root", call.Pos()}
	for c, held := range s.cells {
		to := objects(c.object)
		if len(to) == 0 {
			continue
		}
		values := refs(held)
		for r := range f.written(to, values, why) {
			f.store(r, c.path, values, nil, why)
		}
	}
	for _, o := range s.order {
		why := s.leaks[o]
		f.leak(objects(o), nil, Reason{why.What + ", in " + shortName(g), call.Pos()})
	}
	for i, r := range s.results {
		put(i, refs(r))
	}
}
