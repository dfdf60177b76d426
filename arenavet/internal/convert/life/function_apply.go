package life

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// reach is all that s leads to. It must not be changed.
func (f *function) reach(s *set) reached {
	if f.at != f.changes || f.reached == nil {
		f.at, f.reached = f.changes, map[*set]reached{}
	}
	all, ok := f.reached[s]
	if !ok {
		all = f.follow(s)
		f.reached[s] = all
	}
	return all
}

// follow finds it.
func (f *function) follow(s *set) reached {
	all := reached{refs: &set{}, held: &set{}}
	f.looks++
	var todo []*place
	visit := func(more *set) {
		f.steps += more.size()
		for n := range more.all() {
			if p := f.refs[n].place; all.refs.put(n) && p.looked != f.looks {
				p.looked = f.looks
				todo = append(todo, p)
				if g := p.thing; g.looked != f.looks {
					g.looked = f.looks
					all.things = append(all.things, g)
				}
			}
		}
	}
	hold := func(more *set) {
		if f.steps += more.size(); !more.within(all.held) {
			all.held.putAll(more)
			visit(more)
		}
	}
	visit(s)
	for i := 0; i < len(todo); i++ {
		p := todo[i]
		if p.path == "" || p.path == "*" {
			hold(&p.held)
			continue
		}
		for _, c := range p.cells { // a part leads to nothing beside it
			if c.path == "*" || strings.HasPrefix(c.path, p.path) {
				hold(c.cell)
			}
		}
	}
	for _, g := range all.things {
		if g.kept {
			all.seen.kept++
		}
	}
	all.seen.refs, all.seen.held, all.seen.direct = all.refs.len(), all.held.len(), s.len()
	return all
}

// reachAll is what any of the arguments leads to.
func (f *function) reachAll(args []*set) *set {
	all := &set{}
	for _, a := range args {
		all.putAll(f.reach(a).refs)
	}
	return all
}

// application tells a summary in the terms of a caller.
type application struct {
	f    *function
	call ssa.CallInstruction
	args []*set
	of   map[*thing]*set // what the summary's objects are
	refs map[int]*set    // the same of its references
}

// objects are what an object of the summary is at the call.
func (a *application) objects(o *thing) *set {
	s := a.of[o]
	if s != nil {
		return s
	}
	s = &set{}
	a.of[o] = s
	f := a.f
	switch {
	case o.kind == fresh:
		s.put(f.whole(f.made(fresh, a.call, o.typ), o.typ))
	case o.kind == global:
		s.put(f.whole(o.object, o.typ))
	case o.n < len(a.args):
		a.given(s, o)
	}
	return s
}

// given finds what may be an object that a parameter of the callee's leads to.
func (a *application) given(s *set, o *thing) {
	f, fits := a.f, a.f.fitting(o.typ)
	from := a.args[o.n]
	if o.deep {
		all := f.reach(from)
		for n := range all.refs.both(&f.outer) {
			if m, ok := fits.led[n]; ok {
				s.put(m)
			}
			f.steps++
		}
		for _, g := range all.things {
			if g.kept && g.kind != param && f.p.types.leads(g.typ, o.typ) { // others may have stored it there
				s.put(f.lasting(0, o.typ))
				break
			}
		}
		from = all.held
	}
	s.putIn(from, &fits.are)
	for n := range from.both(&f.outer) {
		if m, ok := fits.others[n]; ok {
			s.put(m)
		}
	}
}

// fitting goes over the references that are new.
func (f *function) fitting(typ string) *fitting {
	h := f.fits[typ]
	if h == nil {
		h = &fitting{others: map[int]int{}, led: map[int]int{}}
		f.fits[typ] = h
	}
	types := f.p.types
	for ; h.known < len(f.refs); h.known++ {
		r, t := f.refs[h.known], typ
		if !f.outer.has(h.known) {
			if t == "" || r.to == t || types.shared(r.to, t) || r.to == box && unknown(t) {
				h.are.put(h.known)
			}
			continue
		}
		if unknown(r.typ) && t == "" {
			t = r.typ
		}
		if r.kind == global && types.errors[r.typ] && t != r.typ {
			continue // who loads from one knows that this lives for long
		}
		o := object{kind: r.kind, n: r.n, deep: r.deep, typ: t}
		if r.to == typ || types.shared(r.to, typ) {
			h.are.put(h.known)
			if r.typ != t && r.path == "" && (unknown(r.typ) || !unknown(t)) && f.may(o, "") { // else it is known better, or none
				h.others[h.known] = f.whole(o, t)
			}
		}
		from := r.typ
		if _, told := types.next[r.to]; told && r.path != "" && !unknown(r.to) {
			from = r.to // a part leads to nothing beside it
		}
		if types.leads(from, t) {
			if o.deep = r.kind == param; f.may(o, "") {
				h.led[h.known] = f.whole(o, t)
			}
		}
	}
	return h
}

// told are references of the summary at the call.
func (a *application) told(from *set) *set {
	all := &set{}
	for n := range from.all() {
		s := a.refs[n]
		if s == nil {
			s = &set{}
			a.refs[n] = s
			r := a.f.p.summed.refs[n]
			for m := range a.objects(r.thing).all() {
				if at := a.f.refs[m]; a.f.may(at.object, join(at.path, r.path)) {
					s.put(a.f.behind(m, n))
				}
			}
		}
		a.f.steps += s.size()
		all.putAll(s)
	}
	return all
}

// behind is a reference to that part of what m refers to which the summary's reference n has.
func (f *function) behind(m, n int) int {
	f.steps++
	known := f.told[n]
	if more := m + 1 - len(known); more > 0 {
		known = append(known, make([]int32, more)...)
		f.told[n] = known
	}
	if known[m] == 0 {
		at, r := f.refs[m], f.p.summed.refs[n]
		to := r.to
		if r.path == "" && unknown(to) && at.to != "" { // it is the same reference
			to = at.to
		}
		if at.kind == global {
			known[m] = int32(f.lasting(at.n, to) + 1)
		} else {
			known[m] = int32(f.number(at.part(r.path), to) + 1)
		}
	}
	return int(known[m] - 1)
}

// applyTo does what a callee does, unless it has done so with the same.
func (f *function) applyTo(at applied, s *summary, args []*set, closure *set, put func(int, *set)) {
	g := at.to
	for k := range g.FreeVars {
		bound, t := &set{}, key(g.FreeVars[k].Type())
		for n := range closure.all() {
			switch r := f.refs[n]; r.kind {
			case global, param:
				bound.put(f.whole(object{kind: r.kind, n: r.n, deep: r.kind == param, typ: t}, t))
			default:
				f.collect(bound, r.thing, "fv"+itoa(k), t)
			}
		}
		args = append(args, bound)
	}
	now := effect{of: s}
	for _, arg := range args {
		all := f.reach(arg)
		now.seen.refs += all.seen.refs
		now.seen.held += all.seen.held
		now.seen.kept += all.seen.kept
		now.seen.direct += all.seen.direct
	}
	if f.effects[at] == now {
		return
	}
	f.effects[at] = now
	a := &application{f: f, call: at.call, args: args, of: map[*thing]*set{}, refs: map[int]*set{}}
	why := Reason{"is stored by " + shortName(g) + " in what outlives the root", at.call.Pos()}
	for _, c := range s.cells {
		to := a.objects(c.place.thing)
		if to.empty() {
			continue
		}
		values := a.told(c.held)
		for r := range f.places(f.written(to, values, why)) {
			f.store(r, c.path, values, nil, why)
		}
	}
	for _, l := range s.leaks {
		why := Reason{l.why.What + ", in " + shortName(g), at.call.Pos()}
		if l.kept {
			f.leak(a.objects(l.thing), nil, why)
		} else {
			f.outlive(a.objects(l.thing), why)
		}
	}
	for i, r := range s.results {
		put(i, a.told(r))
	}
}
