package arenavet

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// arenaCall is a call of a function of package arena. It reports whether it
// knows the function.
func (f *function) arenaCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args []value, deferred bool) (value, bool) {
	pos := f.position(instr)
	arg := func(i int) value {
		if i < len(args) {
			return args[i]
		}
		return nil
	}
	short := name[strings.LastIndex(name, ".")+1:]
	switch name {
	case "NewArena", "NewSlab":
		k := f.site(instr, "", handleSite, pos)
		st.remake(k)
		return one(atom{site: k}), true
	case "ArenaPool.Get":
		k := f.site(instr, "", handleSite, pos)
		k.gotten = true
		f.lostInLoop(st, k)
		st.remake(k)
		st.open[k] = true
		return one(atom{site: k}), true
	case "NewArenaPool", "NewAutoPool":
		return f.unknownInstr(st, instr), true

	case "New", "MakeSlice", "MakeSliceUninit", "Arena.AllocString", "Arena.AllocBytes", "Arena.AllocBytesToString",
		"Slab.New", "Slab.MakeSlice":
		for i, a := range args[1:] {
			if len(common.Args) > i+1 {
				f.read(st, a, instr)
			}
		}
		return f.allocate(st, instr, name, arg(0)), true
	case "Append":
		return f.arenaAppend(st, instr, common, args), true

	case "Arena.Reset", "Slab.Reset":
		f.useHandle(st, arg(0), pos)
		f.takeBack(st, arg(0), opReset, pos, true, deferred, short)
	case "Arena.Release", "Slab.Release":
		f.useHandle(st, arg(0), pos)
		f.takeBack(st, arg(0), opRelease, pos, true, deferred, short)
	case "Arena.Mark":
		f.useHandle(st, arg(0), pos)
		return f.mark(st, f.site(instr, "", markSite, pos), arg(0)), true
	case "Arena.Rewind":
		f.useHandle(st, arg(0), pos)
		f.rewind(st, arg(0), arg(1), pos, true, deferred, short)
	case "Arena.Stats", "Slab.Stats":
		f.useHandle(st, arg(0), pos)

	case "Arena.Fork":
		return f.fork(st, instr, arg(0), pos), true

	case "ArenaPool.Put":
		f.putFork(arg(1), pos)
		f.takeBack(st, arg(1), opPut, pos, true, deferred, short)
	case "ArenaPool.Do":
		f.do(st, instr, arg(1), pos, deferred)
	default:
		return f.madeCall(st, instr, common, name, args)
	}
	return nil, true
}

func (f *function) unknownInstr(st *state, instr ssa.CallInstruction) value {
	if v, ok := instr.(ssa.Value); ok {
		return f.unknown(st, v, v.Type())
	}
	return nil
}

// allocate is what an allocating function returns: memory of each arena that
// it may have been given, or of Go's heap if that is nil.
func (f *function) allocate(st *state, instr ssa.CallInstruction, name string, arena value) value {
	f.useHandle(st, arena, f.position(instr))
	k := f.site(instr, "", memorySite, f.position(instr))
	k.uninit = name == "MakeSliceUninit"
	k.slab = strings.HasPrefix(name, "Slab.")
	if args := instr.Common().Args; len(args) > 0 {
		k.owner = args[0]
	}
	if v, ok := instr.(ssa.Value); ok {
		k.typ = typeName(typeAlong(v.Type(), deref))
	}
	st.remake(k)
	if k.uninit {
		st.unread[k] = true
	}
	return f.memory(st, k, arena)
}

// memory is k as memory of what arena may be.
func (f *function) memory(st *state, k *site, arena value) value {
	var out value
	for _, a := range arena.atoms() {
		if a.site.kind == memorySite || a.site.kind == localSite {
			continue
		}
		st.dirty |= st.marks[a.site]
		out = out.add(entry{"", atom{site: k, region: a.site, after: st.marks[a.site]}})
	}
	if len(out) == 0 {
		out = one(atom{site: k})
	}
	return out
}

// arenaAppend is arena.Append(a, s, items...): s, or a copy of it in a.
func (f *function) arenaAppend(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) value {
	for len(args) < 3 {
		args = append(args, nil)
	}
	f.use(st, args[1], instr)
	f.use(st, args[2], instr)
	items := value(nil)
	if len(common.Args) == 3 {
		items = f.contents(st, args[2], common.Args[2].Type())
	}
	grown := f.allocate(st, instr, "Append", args[0])
	out := args[1].union(grown)
	old := value(nil)
	if len(common.Args) > 1 {
		old = f.contents(st, args[1], common.Args[1].Type())
	}
	f.touch(st, args[1])
	for _, a := range out.atoms() {
		f.put(st, a.site, a.off+element, nil, items, false, f.position(instr))
	}
	f.put(st, grown[0].a.site, element, nil, old, false, f.position(instr))
	return out
}

// useHandle is an operation on an arena that only its owner may do.
func (f *function) useHandle(st *state, arena value, pos token.Pos) {
	for _, a := range arena.atoms() {
		if a.region != nil || !mayBeHandle(a.site) {
			continue
		}
		if a.stale != nil {
			f.see(fault{Kind: faultHandle, Of: a, Pos: pos})
		}
		f.usedByOwner(st, a.site, pos)
		f.effect(st, opUse, a.site, Place{}, Source{}, len(arena) == 1, pos)
	}
}

// exactly reports whether v is one thing, so that what is done to it is done to
// that.
func exactly(v value) bool {
	atoms := v.atoms()
	if len(atoms) == 0 {
		return false
	}
	for _, a := range atoms {
		if a.site != atoms[0].site || a.site.isOld || summarySymbol(a.site) {
			return false
		}
	}
	return true
}

// takeBack is what a Reset, Release, Put or Deallocate of v does. Where it is
// not known that it is done, or to which arena, it takes nothing back.
func (f *function) takeBack(st *state, v value, o op, pos token.Pos, must, deferred bool, name string) {
	certain := must && exactly(v)
	reported := false
	for _, a := range v.atoms() {
		region := a.site
		if o == opDeallocate && !region.slot || o != opDeallocate && (a.region != nil || !mayBeHandle(region)) {
			continue
		}
		if o == opPut {
			delete(st.open, region)
		}
		if o == opPut || o == opDeallocate {
			if a.stale != nil && !reported && exactly(v) {
				f.see(fault{Kind: faultTwice, Of: a, Op: o, Pos: pos})
				reported = true
			}
			if o == opPut {
				f.usedByOwner(st, region, pos)
			}
		}
		f.effect(st, o, region, Place{}, Source{}, certain, pos)
		if !certain {
			continue
		}
		e := f.event(o, pos, deferred, name)
		f.forksOf(st, region, pos)
		f.noteEnd(st, region, e)
		if l, ok := st.lent[region]; ok {
			f.see(fault{Kind: faultLent, Arena: region, Pos: l.pos, How: l.how, By: e})
		}
		st.rewrite(func(k *site) bool { return endsWith(k, region) }, func(x atom) (atom, bool) {
			if x.stale == nil && (endsWith(x.region, region) || x.region == nil &&
				(o == opPut && x.site == region || x.site != region && endsWith(x.site, region))) {
				x.stale = e
			}
			return x, true
		})
		delete(st.marks, region)
	}
}

// mark is a Mark of arena at k.
func (f *function) mark(st *state, k *site, arena value) value {
	if st.made[k] && k.bit != 0 {
		// Everything that exists is older than the new mark.
		st.rewrite(func(*site) bool { return true }, func(a atom) (atom, bool) {
			a.after &^= k.bit
			if a.site == k {
				return a, false
			}
			return a, true
		})
	}
	st.made[k] = true
	var out value
	for _, a := range arena.atoms() {
		if a.region != nil {
			continue
		}
		out = out.add(entry{"", atom{site: k, region: a.site, after: st.marks[a.site] & st.dirty &^ k.bit}})
		st.marks[a.site] |= k.bit
	}
	st.dirty &^= k.bit
	return out
}

// rewind takes back what was allocated from arena after m.
func (f *function) rewind(st *state, arena, m value, pos token.Pos, must, deferred bool, name string) {
	certain := must && exactly(arena) && exactly(m)
	for _, a := range m.atoms() {
		if a.stale != nil && exactly(m) {
			f.see(fault{Kind: faultMark, Of: a, Pos: pos})
		}
	}
	for _, a := range arena.atoms() {
		if a.region != nil {
			continue
		}
		for _, b := range m.atoms() {
			if p, ok := f.place(b.site); ok && b.site.kind == symbolSite {
				f.effect(st, opRewind, a.site, p, Source{}, certain, pos)
			}
			if !certain || b.site.kind != markSite || b.region != a.site {
				continue
			}
			e := f.event(opRewind, pos, deferred, name)
			st.rewrite(func(k *site) bool { return k == a.site }, func(x atom) (atom, bool) {
				if x.stale == nil && x.region == a.site && x.after&b.site.bit != 0 {
					x.stale = e
				}
				return x, true
			})
		}
	}
}

// do is ArenaPool.Do: it calls the function with an arena that it puts back
// when the function is done.
func (f *function) do(st *state, instr ssa.CallInstruction, fn value, pos token.Pos, deferred bool) {
	k := f.site(instr, "do", handleSite, pos)
	st.remake(k)
	arena := one(atom{site: k})
	called := f.closures(st, fn, []value{arena})
	for _, t := range called {
		args := t.args
		s := f.c.summary(t.fn)
		if s == nil {
			continue
		}
		f.apply(st, instr, s, args, len(called) == 1, deferred)
		for _, e := range s.Effects {
			if e.Op == opPut && e.At == (Place{}) {
				f.see(fault{Kind: faultTwice, Of: atom{site: k, stale: &event{op: opPut, pos: e.pos, name: "Put"}}, Op: opPut, Pos: pos})
			}
		}
	}
	if len(called) == 0 {
		f.letGo(st, fn)
	}
	f.takeBack(st, arena, opPut, pos, true, deferred, "Do")
}

// lostInLoop reports an arena that was not put back when its Get runs again
// and nothing holds the earlier one any more.
func (f *function) lostInLoop(st *state, k *site) {
	if !st.open[k] || !st.made[k] {
		return
	}
	held := false
	for v, val := range st.regs {
		if _, ok := v.(*ssa.Phi); ok {
			for _, a := range val.atoms() {
				held = held || a.site == k
			}
		}
	}
	for in, o := range st.cells {
		for _, atoms := range o.parts {
			for _, a := range atoms {
				held = held || a.site == k && in != k
			}
		}
	}
	delete(st.open, k)
	if !held {
		f.see(fault{Kind: faultLost, Arena: k})
	}
}
