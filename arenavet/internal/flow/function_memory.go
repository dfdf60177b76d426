package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// allocate returns the result of an allocation: memory of the arena, or of Go's heap if the arena is nil.
func (f *function) allocate(st *state, instr ssa.CallInstruction, name string, arena value) value {
	f.useHandle(st, arena, f.position(instr))
	k := f.site(instr, "", MemorySite, f.position(instr))
	k.uninit, k.box = name == "MakeSliceUninit", name == "BoxOf"
	if args := instr.Common().Args; len(args) > 0 {
		k.owner = args[0]
	}
	if v, ok := instr.(ssa.Value); ok {
		k.typ = catalog.TypeName(access.TypeAlong(v.Type(), access.Deref))
	}
	st.remake(k)
	if k.uninit {
		st.unread[k] = true
	}
	return f.memory(st, k, arena)
}

// memory returns k as memory of arena.
func (f *function) memory(st *state, k *Site, arena value) value {
	var out value
	for _, a := range arena.atoms() {
		if a.Site.Kind == MemorySite || a.Site.Kind == LocalSite {
			continue
		}
		st.dirty |= st.marks[a.Site]
		out = out.add(entry{"", Atom{Site: k, Region: a.Site, after: st.marks[a.Site]}})
	}
	if len(out) == 0 {
		out = one(Atom{Site: k})
	}
	return out
}

// mark models a Mark of arena.
func (f *function) mark(st *state, k *Site, arena value) value {
	if st.made.has(k) && k.bit != 0 {
		// Everything that exists is older than the new mark.
		st.rewrite(func(*Site) bool { return true }, 0, func(a Atom) (Atom, bool) {
			a.after &^= k.bit
			if a.Site == k {
				return a, false
			}
			return a, true
		})
	}
	st.made.add(k)
	var out value
	for _, a := range arena.atoms() {
		if a.Region != nil {
			continue
		}
		out = out.add(entry{"", Atom{Site: k, Region: a.Site, after: st.marks[a.Site] & st.dirty &^ k.bit}})
		st.marks[a.Site] |= k.bit
	}
	st.dirty &^= k.bit
	return out
}

// useHandle models an operation that only an arena's owner may do.
func (f *function) useHandle(st *state, arena value, pos token.Pos) {
	for _, a := range arena.atoms() {
		if a.Region != nil || !mayBeHandle(a.Site) {
			continue
		}
		if a.Stale != nil {
			f.see(Fault{Kind: FaultHandle, Of: a, Pos: pos})
		}
		f.usedByOwner(st, a.Site, pos)
		f.effect(st, OpUse, a.Site, Place{}, Source{}, len(arena) == 1, pos)
	}
}

// lostInLoop reports an arena that nothing holds any more when its Get runs again.
func (f *function) lostInLoop(st *state, k *Site) {
	if !st.open[k] || !st.made.has(k) {
		return
	}
	held := false
	for v, val := range st.regs {
		if _, ok := v.(*ssa.Phi); ok {
			for _, a := range val.atoms() {
				held = held || a.Site == k
			}
		}
	}
	for o := range st.objects() {
		for _, p := range o.parts {
			for _, a := range p.atoms {
				held = held || a.Site == k && o.site != k
			}
		}
	}
	delete(st.open, k)
	if !held {
		f.see(Fault{Kind: FaultLost, Arena: k})
	}
}
