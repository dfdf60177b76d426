package life

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Escapes are the places of World.Escapes that something of the program crosses.
func (p *Program) Escapes() map[token.Pos]*Escaped { return p.escapes }

// copied reports whether what is stored at pos is copied there. Not so where what a caller gave may be
// stored, but for texts: heap memory that leads into an arena can't be copied, and of what callers give
// it is not known.
func (f *function) copied(pos token.Pos, to, v *set) bool {
	if !f.p.world.Escapes[pos] || to.empty() || f.alike != nil {
		return false
	}
	all := f.reach(v).refs
	if all.within(&f.outer) {
		return false
	}
	e := f.p.escapes[pos]
	if e == nil {
		e = &Escaped{Func: f.fn, Sites: map[ssa.Instruction]bool{}, Made: map[ssa.Instruction]map[string]bool{}}
		f.p.escapes[pos] = e
	}
	e.Refused = e.Refused || !to.within(&f.global)
	for n := range all.all() {
		r := f.refs[n]
		if r.kind == param && (unknown(r.typ) || slices.ContainsFunc(f.p.types.next[r.typ], func(k string) bool { return k != r.typ })) {
			e.Refused = true
		}
		if r.kind == param || r.kind == global || !f.leads(r.thing) {
			continue
		}
		if r.kind == site {
			e.Sites[r.at] = true
			continue
		}
		if e.Made[r.at] == nil {
			e.Made[r.at] = map[string]bool{}
		}
		e.Made[r.at][r.typ] = true
	}
	return !e.Refused
}

// leads reports whether an object leads to others of the request's.
func (f *function) leads(g *thing) bool { return !g.held.within(&f.global) }

// inBox is the value that a store puts into an interface.
func inBox(v ssa.Value) ssa.Value {
	if m, ok := v.(*ssa.MakeInterface); ok {
		return m.X
	}
	return v
}
