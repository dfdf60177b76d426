package flow

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
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
		k := f.site(instr, "", HandleSite, pos)
		st.remake(k)
		return one(Atom{Site: k}), true
	case "ArenaPool.Get":
		k := f.site(instr, "", HandleSite, pos)
		k.gotten = true
		f.lostInLoop(st, k)
		st.remake(k)
		st.open[k] = true
		return one(Atom{Site: k}), true
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
		f.takeBack(st, arg(0), OpReset, pos, true, deferred, short)
	case "Arena.Release", "Slab.Release":
		f.useHandle(st, arg(0), pos)
		f.takeBack(st, arg(0), OpRelease, pos, true, deferred, short)
	case "Arena.Mark":
		f.useHandle(st, arg(0), pos)
		return f.mark(st, f.site(instr, "", MarkSite, pos), arg(0)), true
	case "Arena.Rewind":
		f.useHandle(st, arg(0), pos)
		f.rewind(st, arg(0), arg(1), pos, true, deferred, short)
	case "Arena.Stats", "Slab.Stats":
		f.useHandle(st, arg(0), pos)

	case "Arena.Fork":
		return f.fork(st, instr, arg(0), pos), true

	case "ArenaPool.Put":
		f.putFork(arg(1), pos)
		f.takeBack(st, arg(1), OpPut, pos, true, deferred, short)
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

// allocate returns what an allocating function returns: memory of each arena that
// it may have been given, or of Go's heap if that is nil.
func (f *function) allocate(st *state, instr ssa.CallInstruction, name string, arena value) value {
	f.useHandle(st, arena, f.position(instr))
	k := f.site(instr, "", MemorySite, f.position(instr))
	k.uninit = name == "MakeSliceUninit"
	k.Slab = strings.HasPrefix(name, "Slab.")
	if args := instr.Common().Args; len(args) > 0 {
		k.owner = args[0]
	}
	if v, ok := instr.(ssa.Value); ok {
		k.typ = catalog.TypeName(typeAlong(v.Type(), deref))
	}
	st.remake(k)
	if k.uninit {
		st.unread[k] = true
	}
	return f.memory(st, k, arena)
}

// memory is k as memory of what arena may be.
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
		f.put(st, a.Site, a.off+element, nil, items, false, f.position(instr))
	}
	f.put(st, grown[0].a.Site, element, nil, old, false, f.position(instr))
	return out
}

// useHandle is an operation on an arena that only its owner may do.
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

// exactly reports whether v is one thing, so that what is done to it is done to
// that.
func exactly(v value) bool {
	atoms := v.atoms()
	if len(atoms) == 0 {
		return false
	}
	for _, a := range atoms {
		if a.Site != atoms[0].Site || a.Site.isOld || summarySymbol(a.Site) {
			return false
		}
	}
	return true
}

// takeBack is what a Reset, Release, Put or Deallocate of v does. Where it is
// not known that it is done, or to which arena, it takes nothing back.
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
		f.effect(st, o, region, Place{}, Source{}, certain, pos)
		if !certain {
			continue
		}
		e := f.event(o, pos, deferred, name)
		f.forksOf(st, region, pos)
		f.noteEnd(st, region, e)
		if l, ok := st.lent[region]; ok {
			f.see(Fault{Kind: FaultLent, Arena: region, Pos: l.pos, How: l.how, By: e})
		}
		st.rewrite(func(k *Site) bool { return endsWith(k, region) }, func(x Atom) (Atom, bool) {
			if x.Stale == nil && (endsWith(x.Region, region) || x.Region == nil &&
				(o == OpPut && x.Site == region || x.Site != region && endsWith(x.Site, region))) {
				x.Stale = e
			}
			return x, true
		})
		delete(st.marks, region)
	}
}

// mark is a Mark of arena at k.
func (f *function) mark(st *state, k *Site, arena value) value {
	if st.made[k] && k.bit != 0 {
		// Everything that exists is older than the new mark.
		st.rewrite(func(*Site) bool { return true }, func(a Atom) (Atom, bool) {
			a.after &^= k.bit
			if a.Site == k {
				return a, false
			}
			return a, true
		})
	}
	st.made[k] = true
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

// rewind takes back what was allocated from arena after m.
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
			st.rewrite(func(k *Site) bool { return k == a.Site }, func(x Atom) (Atom, bool) {
				if x.Stale == nil && x.Region == a.Site && x.after&b.Site.bit != 0 {
					x.Stale = e
				}
				return x, true
			})
		}
	}
}

// do is ArenaPool.Do: it calls the function with an arena that it puts back
// when the function is done.
func (f *function) do(st *state, instr ssa.CallInstruction, fn value, pos token.Pos, deferred bool) {
	k := f.site(instr, "do", HandleSite, pos)
	st.remake(k)
	arena := one(Atom{Site: k})
	called := f.closures(st, fn, []value{arena})
	for _, t := range called {
		args := t.args
		s := f.c.Summary(t.fn)
		if s == nil {
			continue
		}
		f.apply(st, instr, s, args, len(called) == 1, deferred)
		for _, e := range s.Effects {
			if e.Op == OpPut && e.At == (Place{}) {
				f.see(Fault{Kind: FaultTwice, Of: Atom{Site: k, Stale: &Event{Op: OpPut, Pos: e.pos, Name: "Put"}}, Op: OpPut, Pos: pos})
			}
		}
	}
	if len(called) == 0 {
		f.letGo(st, fn)
	}
	f.takeBack(st, arena, OpPut, pos, true, deferred, "Do")
}

// lostInLoop reports an arena that was not put back when its Get runs again
// and nothing holds the earlier one any more.
func (f *function) lostInLoop(st *state, k *Site) {
	if !st.open[k] || !st.made[k] {
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
	for in, o := range st.cells {
		for _, atoms := range o.parts {
			for _, a := range atoms {
				held = held || a.Site == k && in != k
			}
		}
	}
	delete(st.open, k)
	if !held {
		f.see(Fault{Kind: FaultLost, Arena: k})
	}
}
