package flow

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// hand notes that a goroutine uses the arenas that v may be. That is fine if
// their owner leaves them alone from then on, or waits for the goroutine.
func (f *function) hand(st *state, v value, pos token.Pos, puts bool) {
	for _, a := range v.atoms() {
		k := a.Site
		if a.Region != nil || k.isOld || !mayBeHandle(k) {
			continue
		}
		if a.Stale != nil {
			f.see(Fault{Kind: FaultHandle, Of: a, Pos: pos})
		}
		if _, twice := st.handed[k]; twice {
			f.seeShared(k, pos, token.NoPos)
			continue
		}
		st.handed[k] = pos
		if puts {
			f.owned[k] = true
		}
		f.effect(st, OpGoroutine, k, Place{}, Source{}, true, pos)
	}
}

// give notes that arenas were sent on a channel: whoever receives one owns it
// from then on, until something comes back.
func (f *function) give(st *state, v value, pos token.Pos) {
	for _, a := range v.atoms() {
		k := a.Site
		if _, given := st.handed[k]; given || a.Region != nil || k.isOld || !mayBeHandle(k) {
			continue
		}
		st.handed[k] = pos
		f.given[pos] = true
		f.owned[k] = true
	}
}

// usedByOwner is a use of an arena that may be in a goroutine's hands.
func (f *function) usedByOwner(st *state, k *Site, pos token.Pos) {
	if at, ok := st.handed[k]; ok {
		f.seeShared(k, at, pos)
	}
}

func (f *function) seeShared(k *Site, pos, other token.Pos) {
	f.see(Fault{Kind: FaultShared, Arena: k, Pos: pos, Other: other, Given: f.given[pos]})
}

// byGoroutine is how memory is lent that a goroutine was given.
const byGoroutine = "captured by a goroutine"

// isFunction reports whether a symbol is a function itself, not one that some
// object holds.
func isFunction(k *Site) bool {
	if k.Kind != SymbolSite {
		return false
	}
	fields, t, ok := symbolType(k)
	if !ok || fields != "" {
		return false
	}
	_, ok = t.Underlying().(*types.Signature)
	return ok
}

// lend notes that memory that v leads to was given to someone who may use it
// at any time from now on.
func (f *function) lend(st *state, v value, pos token.Pos, how string) {
	captured := map[Atom]bool{} // by literals, which hold what they need in objects of the function
	if how == byGoroutine {
		f.reachOwn(st, v, func(a Atom) { captured[a] = a.Site.Kind == SymbolSite && !coordinates(a.Site) })
	}
	st.reach(v, func(a Atom, depth int) {
		// A function that a goroutine has captured is called there, however it
		// was captured. One that was sent may be called one after another.
		runs := how == byGoroutine && isFunction(a.Site)
		if a.Region == nil && a.Site.Kind == SymbolSite && (depth == 0 || runs || captured[a]) {
			if src, ok := f.source(a); ok && runs {
				f.effect(st, OpRuns, nil, Place{}, src, true, pos)
			} else if ok {
				f.effect(st, OpSent, nil, Place{}, src, true, pos)
			}
		}
		if a.Region == nil || a.Site.Kind == MarkSite || a.Site.Slot {
			return
		}
		if a.Stale != nil {
			f.see(Fault{Kind: FaultUse, Of: a, Pos: pos})
			return
		}
		if _, ok := st.lent[a.Region]; !ok {
			st.lent[a.Region] = lending{pos, how}
		}
		if src, ok := f.source(a); ok {
			f.effect(st, OpSent, nil, Place{}, src, true, pos)
		}
	})
}

// coordinates reports whether a symbol is there to be shared, as a WaitGroup is, or an
// arena, whose users are counted elsewhere.
func coordinates(k *Site) bool {
	_, t, ok := symbolType(k)
	if !ok || catalog.IsHandle(t) {
		return ok
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && catalog.PackagePath(named.Obj().Pkg()) == "sync"
}

// lendGroup notes that a WaitGroup's memory was given to a goroutine, which
// counts down in it when it is done. What the group's object holds was not.
func (f *function) lendGroup(st *state, group value, pos token.Pos) {
	for _, a := range group.atoms() {
		if a.Region == nil || a.Stale != nil {
			continue
		}
		if _, ok := st.lent[a.Region]; !ok {
			st.lent[a.Region] = lending{pos, byGoroutine}
		}
	}
}

// wait notes that other goroutines were waited for: nobody else uses what was
// handed to them.
func (f *function) wait(st *state) {
	clear(st.handed)
	clear(st.lent)
	maps.DeleteFunc(st.done, func(k effectKey, _ bool) bool { return k.op == OpSent }) // callers need not wait
	f.effects[effectKey{op: OpWait}] = Effect{Op: OpWait}
	st.done[effectKey{op: OpWait}] = true
}

// goroutine is a go statement.
func (f *function) goroutine(st *state, instr *ssa.Go, common *ssa.CallCommon) {
	args := make([]value, len(common.Args))
	for i, a := range common.Args {
		args[i] = f.eval(st, a)
	}
	all := args
	if _, ok := common.Value.(*ssa.Builtin); !ok {
		all = append(all[:len(all):len(all)], f.eval(st, common.Value))
	}
	f.starts(st, f.targets(st, common), all, f.position(instr))
}

// starts is the start of a goroutine that calls what called says; all is
// everything that it was given.
func (f *function) starts(st *state, called []target, all []value, pos token.Pos) {
	for _, v := range all {
		f.touch(st, v)
	}
	known := len(called) > 0
	for _, t := range called {
		name := catalog.CalleeName(catalog.Origin(t.fn))
		if usesReceiver(name) && len(t.args) > 0 {
			f.hand(st, t.args[0], pos, false)
			continue
		}
		s := f.c.Summary(t.fn)
		if s == nil {
			known = false
			if name != "" && catalog.IsStandard(catalog.PackageOf(name)) {
				known = true
			}
			continue
		}
		used := map[*Site]bool{}
		puts := map[*Site]bool{}
		for _, e := range s.Effects {
			if e.Op == OpPut {
				for _, a := range f.resolve(st, nil, e.At, t.args).atoms() {
					puts[a.Site] = true
				}
			}
		}
		for _, e := range s.Effects {
			if e.Locked {
				continue // it waits for its turn
			}
			switch e.Op {
			case OpUse, OpPut, OpReset, OpRelease, OpRewind, OpGoroutine:
			case OpUnknown:
				// A struct that holds an arena is not the arena.
				if !handlePlace(t.fn, e.At) {
					continue
				}
			default:
				continue
			}
			all := f.resolve(st, nil, e.At, t.args).atoms()
			for _, a := range all {
				if !used[a.Site] {
					used[a.Site] = true
					if _, twice := st.handed[a.Site]; twice && oneOfSeveral(all, a) {
						continue // this turn's may be another one
					}
					f.hand(st, one(a), pos, puts[a.Site])
				}
			}
		}
	}
	for _, v := range all {
		if !known {
			for _, a := range v.atoms() {
				if a.Site.Kind == HandleSite {
					f.hand(st, one(a), pos, false)
				}
			}
		}
		f.lend(st, v, pos, byGoroutine)
		f.letGo(st, v)
	}
}

// oneOfSeveral reports whether an arena that was taken in a loop may also be one of
// an earlier turn, as the elements of a slice of arenas are.
func oneOfSeveral(all []Atom, a Atom) bool {
	return a.Site.older != nil && slices.ContainsFunc(all, func(b Atom) bool { return b.Site == a.Site.older })
}

// usesReceiver reports whether a function is a method of an arena or a slab.
func usesReceiver(name string) bool {
	return strings.HasPrefix(name, catalog.ArenaPath+".Arena.") || strings.HasPrefix(name, catalog.ArenaPath+".Allocator.") || strings.HasPrefix(name, catalog.ArenaPath+".Slab.")
}

// parallel is a call that runs what called says in several goroutines and
// waits for them: they share what they have captured with each other, but
// nobody else.
func (f *function) parallel(st *state, called []target, all []value, pos token.Pos) {
	handed, lent := maps.Clone(st.handed), maps.Clone(st.lent)
	f.starts(st, called, all, pos)
	f.starts(st, called, all, pos)
	st.handed, st.lent = handed, lent
}

// callsParallel reports whether a test's function calls t.Parallel: it then runs
// when the function that has called t.Run has returned.
func callsParallel(v ssa.Value) bool {
	if c, ok := v.(*ssa.MakeClosure); ok {
		v = c.Fn
	}
	fn, ok := v.(*ssa.Function)
	if !ok {
		return false
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && c.Call.StaticCallee() != nil && catalog.CalleeName(c.Call.StaticCallee()) == "testing.T.Parallel" {
				return true
			}
		}
	}
	return false
}

// handlePlace reports whether a place of fn is an arena itself.
func handlePlace(fn *ssa.Function, p Place) bool {
	if p.Param < 0 {
		return false
	}
	if p.Param < len(fn.Params) {
		return p.Path == "" && catalog.IsHandle(fn.Params[p.Param].Type())
	}
	if i := p.Param - len(fn.Params); i < len(fn.FreeVars) {
		t := fn.FreeVars[i].Type()
		if p.Path == deref {
			if ptr, ok := t.Underlying().(*types.Pointer); ok {
				return catalog.IsHandle(ptr.Elem())
			}
		}
		return p.Path == "" && catalog.IsHandle(t)
	}
	return false
}

// builtin is a call of a builtin function.
func (f *function) builtin(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string) value {
	args := make([]value, len(common.Args))
	for i, a := range common.Args {
		args[i] = f.eval(st, a)
	}
	switch name {
	case "append":
		return f.builtinAppend(st, instr, common, args)
	case "copy":
		f.use(st, args[0], instr)
		f.read(st, args[1], instr)
		items := f.contents(st, args[1], common.Args[1].Type())
		for _, a := range args[0].atoms() {
			delete(st.unread, a.Site)
			f.put(st, a.Site, a.off+element, nil, items, false, f.position(instr))
		}
	case "clear":
		f.use(st, args[0], instr)
		f.touch(st, args[0])
		f.emptied(st, args[0], common.Args[0].Type())
	case "print", "println":
		for _, a := range args {
			f.read(st, a, instr)
		}
	case "ssa:wrapnilchk", "String", "StringData", "Slice", "SliceData", "Add":
		return args[0]
	case "min", "max":
		var out value
		for _, a := range args {
			out = out.union(a)
		}
		return out
	}
	return nil
}

// builtinAppend is append(s, items...): s, or a copy of it on Go's heap.
func (f *function) builtinAppend(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) value {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	f.use(st, args[0], instr)
	if len(args) > 1 {
		f.read(st, args[1], instr)
	}
	// s[:n:n] asks for a copy: nothing is silent about it.
	if s, ok := common.Args[0].(*ssa.Slice); !ok || s.Max == nil {
		for _, a := range args[0].atoms() {
			if a.Region != nil && a.Stale == nil && !a.Site.Slot {
				f.c.Appended[call.Pos()] = true
				f.see(Fault{Kind: FaultAppend, Of: a, Pos: call.Pos(), Call: call})
				break
			}
		}
	}
	f.touch(st, args[0])
	var items value
	if len(args) > 1 && !catalog.IsText(common.Args[1].Type()) {
		items = f.contents(st, args[1], common.Args[1].Type())
	}
	old := f.contents(st, args[0], common.Args[0].Type())
	grown := f.object(st, call)
	for _, a := range args[0].atoms() {
		f.put(st, a.Site, a.off+element, nil, items, false, instr.Pos())
	}
	f.put(st, grown[0].a.Site, element, nil, old.union(items), false, instr.Pos())
	return args[0].union(grown)
}
