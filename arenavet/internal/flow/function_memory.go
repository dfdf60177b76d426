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
	k.box = name == "BoxOf"
	if v, ok := instr.(ssa.Value); ok {
		k.typ = catalog.TypeName(access.TypeAlong(v.Type(), access.Deref))
	}
	st.remake(k)
	if name == "MakeSliceUninit" {
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
	if _, open := st.open[k]; !open || !st.made.has(k) {
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

// takeBack models a Reset, Release, Put or Deallocate of v. It takes nothing back unless the call is certain, and the
// arena is known.
func (f *function) takeBack(st *state, v value, o Op, pos token.Pos, must, deferred bool, name string) {
	certain := must && exactly(v)
	reported := false
	for _, a := range v.atoms() {
		region := a.Site
		if o == OpDeallocate && !region.Slot || o != OpDeallocate && (a.Region != nil || !mayBeHandle(region)) {
			continue
		}
		if o == OpPut {
			delete(st.open, region)
		}
		if o == OpPut || o == OpDeallocate {
			if a.Stale != nil && !reported && exactly(v) {
				f.see(Fault{Kind: FaultTwice, Of: a, Op: o, Pos: pos})
				reported = true
			}
			if o == OpPut {
				f.usedByOwner(st, region, pos)
			}
		}
		region.ended = true
		f.effect(st, o, region, Place{}, Source{}, certain, pos)
		if !certain {
			continue
		}
		e := f.event(o, pos, deferred, name)
		happen(st, st.back, e, pos, "")
		f.forksOf(st, region, pos)
		f.noteEnd(st, region, e)
		if l, ok := st.lent[region]; ok {
			f.see(Fault{Kind: FaultLent, Arena: region, Pos: l.pos, How: l.how, By: e})
		}
		st.rewrite(func(k *Site) bool { return endsWith(k, region) }, 0, func(x Atom) (Atom, bool) {
			if x.Stale == nil && (endsWith(x.Region, region) || x.Region == nil &&
				(o == OpPut && x.Site == region || x.Site != region && endsWith(x.Site, region))) {
				x.Stale = e
			}
			return x, true
		})
		delete(st.marks, region)
	}
}

// rewind takes back the allocations from arena after m.
func (f *function) rewind(st *state, arena, m value, pos token.Pos, must, deferred bool, name string) {
	certain := must && exactly(arena) && exactly(m)
	for _, a := range m.atoms() {
		if a.Stale != nil && exactly(m) {
			f.see(Fault{Kind: FaultMark, Of: a, Pos: pos})
		}
	}
	for _, a := range arena.atoms() {
		if a.Region != nil {
			continue
		}
		for _, b := range m.atoms() {
			if p, ok := f.place(b.Site); ok && b.Site.Kind == SymbolSite {
				f.effect(st, OpRewind, a.Site, p, Source{}, certain, pos)
			}
			if !certain || b.Site.Kind != MarkSite || b.Region != a.Site {
				continue
			}
			e := f.event(OpRewind, pos, deferred, name)
			happen(st, st.back, e, pos, "")
			st.rewrite(func(k *Site) bool { return k == a.Site }, a.Site.hint, func(x Atom) (Atom, bool) {
				if x.Stale == nil && x.Region == a.Site && x.after&b.Site.bit != 0 {
					x.Stale = e
				}
				return x, true
			})
		}
	}
}

// fork models a.Fork. The fork ends with a.
func (f *function) fork(st *state, instr ssa.CallInstruction, parent value, pos token.Pos) value {
	f.useHandle(st, parent, pos)
	k := f.site(instr, "", HandleSite, pos)
	for _, a := range parent.atoms() {
		// In a loop, a fork may be a fork of itself, of an earlier iteration. It ends with the first one's parent.
		if a.Region == nil && mayBeHandle(a.Site) && !endsWith(a.Site, k) {
			k.Parent = a.Site
		}
	}
	st.remake(k)
	return one(Atom{Site: k})
}

// forksOf reports the forks of k that a goroutine uses when k is taken back.
func (f *function) forksOf(st *state, k *Site, pos token.Pos) {
	for fork, x := range st.handed {
		if fork != k && endsWith(fork, k) {
			f.see(Fault{Kind: FaultFork, Of: Atom{Site: fork}, Arena: k, Pos: x.pos, Other: pos})
		}
	}
}

// putFork reports a fork that is put back, which panics.
func (f *function) putFork(v value, pos token.Pos) {
	for _, a := range v.atoms() {
		if a.Site.Parent != nil && a.Region == nil && exactly(v) {
			f.see(Fault{Kind: FaultForkPut, Of: a, Pos: pos})
		}
	}
}
