package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// apply models a call of a function with summary s.
func (f *function) apply(st *state, instr ssa.CallInstruction, s *Summary, args []value, certain, deferred bool) value {
	pos := f.position(instr)
	name := ""
	if fn := instr.Common().StaticCallee(); fn != nil {
		name = catalog.Origin(fn).Name()
	}
	if certain {
		f.applyUses(st, instr, s, args, name)
	}
	for _, e := range s.Effects {
		v := f.resolve(st, instr, e.At, args)
		must := e.Must && certain
		held := st.locked
		st.locked = held || e.Locked
		switch e.Op {
		case OpUse:
			f.useHandle(st, v, pos)
		case OpUnknown:
			f.letGo(st, v)
			f.clobber(st, v)
			for _, a := range v.atoms() {
				f.effect(st, OpUnknown, a.Site, Place{}, Source{}, true, token.NoPos)
			}
		case OpGoroutine:
			f.hand(st, v, pos, false)
			f.letGo(st, v) // the goroutine may put it back
		case OpSent:
			f.lend(st, f.remade(st, instr, "sent", e.From, args), pos, "kept by the call")
		case OpRuns:
			run := f.resolve(st, instr, e.From.At, args)
			f.starts(st, f.closures(st, run, nil), []value{run}, pos)
		case OpKeep:
			f.keeps(st)
		case OpYields:
			f.applyYields(st, instr, e, args, v, deferred, name)
		case OpServe: // see applyServe
		case OpWait:
			if must {
				f.wait(st)
			}
		case OpFinalizer, OpCleanup, OpWeak, OpUnique, OpBody:
			f.applySink(st, instr, e, args, name)
		case OpDecode:
			f.applyDecode(st, instr, e, args, v)
		case OpRewind:
			f.rewind(st, v, f.resolve(st, instr, e.Mark, args), pos, must, deferred, name)
		default:
			f.takeBack(st, v, e.Op, pos, must, deferred, name)
		}
		st.locked = held
	}
	for _, w := range s.Writes {
		f.applyWrite(st, instr, w, args, certain)
	}
	out := f.rebuild(st, instr, "r", s.Results, args, instr.Common().Signature().Results())
	if results := instr.Common().Signature().Results(); results.Len() == 1 {
		return out.sel(access.Tuple(0))
	}
	return out
}

// applyWrite applies a callee's write.
func (f *function) applyWrite(st *state, instr ssa.CallInstruction, w Write, args []value, certain bool) {
	i := strings.LastIndex(w.To.Path, access.Deref)
	if i < 0 || strings.Contains(w.To.Path, access.Anything) {
		return
	}
	parent, off := w.To, w.To.Path[i+len(access.Deref):]
	parent.Path = w.To.Path[:i]
	if w.To.Global != "" { // what the callee stores of a context's arena is reported there
		w.From = slices.DeleteFunc(slices.Clone(w.From), func(fl Flow) bool { return fl.From.ofContext() })
	}
	v := f.rebuild(st, instr, "w"+w.To.key(), w.From, args, nil)
	pos := f.inside(w.pos, instr)
	targets := f.resolve(st, instr, parent, args).atoms()
	for _, a := range targets {
		strong := w.Strong && certain && len(targets) == 1 && !a.Site.isOld && !strings.Contains(a.off+off, access.Element) && !summarySymbol(a.Site)
		if certain && w.empties() {
			strong = true // see emptied
		}
		f.put(st, a.Site, a.off+off, []access.Leaf{{}}, v, strong, pos)
		delete(st.unread, a.Site)
	}
	if len(targets) == 0 {
		f.letGo(st, v)
	}
}

// keeps notes that a handler takes ownership of its arena.
func (f *function) keeps(st *state) {
	k := f.key(effectKey{op: OpKeep})
	f.effects[k], st.done[k] = Effect{Op: OpKeep}, true
}

// applySink applies a callee's call of one of sinks.
func (f *function) applySink(st *state, instr ssa.CallInstruction, e Effect, args []value, name string) {
	v := f.remade(st, instr, "sink", e.From, args)
	f.sinks(st, e.Op, keptBy(e.Op, v, typeAt(instr.Common().Args, e.From.At)), name, f.inside(e.pos, instr))
}

// typeAt returns the type of the argument at p, or nil. Arguments of a generic function have more precise types than
// its parameters.
func typeAt(args []ssa.Value, p Place) types.Type {
	if p.Param < 0 || p.Param >= len(args) {
		return nil
	}
	return access.TypeAlong(args[p.Param].Type(), p.Path)
}

// applyYields calls an argument that a callee calls, with memory or an arena of the callee. If the callee takes the
// arena back, the results are stale.
func (f *function) applyYields(st *state, instr ssa.CallInstruction, e Effect, args []value, called value, deferred bool, name string) {
	yielded := make([]value, e.Mark.Param+1)
	given := &yielded[e.Mark.Param]
	if e.From.Kind == Handle {
		k := f.site(instr, "lent", HandleSite, f.position(instr))
		st.remake(k)
		*given = one(Atom{Site: k})
	} else {
		*given = f.remade(st, instr, "yields", e.From, args)
	}
	f.yields(st, called, yielded)
	out := f.lentTo(st, instr, called, yielded).union(f.runs(st, instr, called, yielded))
	if e.From.Gotten {
		f.takeBack(st, *given, OpPut, f.position(instr), true, deferred, name)
		arena, by := (*given)[0].a.Site, f.event(OpPut, f.position(instr), deferred, name)
		out = slices.Clone(out)
		for i, e := range out {
			if endsWith(e.a.Region, arena) && e.a.Stale == nil {
				out[i].a.Stale = by
			}
		}
	}
	f.called[siteKey{instr, e.At.key()}] = out
}

// yields notes the values that are passed to a function that only callers know.
func (f *function) yields(st *state, called value, args []value) {
	for _, fn := range called.atoms() {
		for i, v := range args {
			for _, e := range v {
				if src, ok := f.source(e.a); ok && (src.Kind == Memory || isArena(e.a) || isItem(e.a)) && e.path == "" && fn.off == "" {
					src.Gotten = src.Kind == Handle // summarize clears it if the function does not take the arena back
					f.effect(st, OpYields, fn.Site, Place{Param: i}, src, false, token.NoPos)
				}
			}
		}
	}
}

// isItem reports whether a is text, or an element of a collection, that callers know.
func isItem(a Atom) bool {
	if a.Site.Kind != SymbolSite {
		return false
	}
	_, t, ok := symbolType(a.Site)
	return ok && catalog.IsText(t) || strings.HasSuffix(a.Site.Path, access.Element)
}

// isArena reports whether a is an arena by its type.
func isArena(a Atom) bool {
	if a.Region != nil || a.Site.Kind != SymbolSite {
		return a.Region == nil && a.Site.Kind == HandleSite
	}
	_, t, ok := symbolType(a.Site)
	return ok && catalog.IsHandle(t)
}

// lentTo returns the results of a function that only callers know and that is given an arena. They may be memory of it.
func (f *function) lentTo(st *state, instr ssa.CallInstruction, called value, args []value) value {
	var out value
	for _, fn := range called.atoms() {
		at, ok := f.place(fn.Site)
		if !ok || fn.Site.Kind != SymbolSite {
			continue
		}
		_, t, ok := symbolType(fn.Site)
		if !ok {
			continue
		}
		sig, ok := t.Underlying().(*types.Signature)
		if !ok {
			continue
		}
		for _, arena := range slices.Concat(args...) {
			if arena.path != "" || !isArena(arena.a) {
				continue
			}
			for _, l := range access.Leaves(sig.Results()) {
				k := f.site(instr, "result "+l.Path+at.key(), MemorySite, f.position(instr))
				at.Off = l.Path
				k.called = &Source{Kind: Called, At: at}
				at.Off = ""
				st.remake(k)
				out = out.add(entry{l.Path, Atom{Site: k, Region: arena.a.Site}})
			}
		}
	}
	return out
}

// maxNested is the depth of literals that call the literals that they are given.
const maxNested = 2

// runs calls a function any number of times, and returns its results.
func (f *function) runs(st *state, instr ssa.CallInstruction, body value, with []value) value {
	var out value
	for _, t := range f.closures(st, body, with) {
		s := f.c.Summary(t.fn)
		if s == nil {
			f.letGo(st, body)
			continue
		}
		f.nested++ // a literal that calls itself would not end
		f.apply(st, instr, s.weak(func(e Effect) bool { return e.Op != OpYields || f.nested <= maxNested }), t.args, false, false)
		f.nested--
		out = out.union(f.rebuild(st, instr, "result of "+t.fn.Name(), s.Results, t.args, t.fn.Signature.Results()))
	}
	return out
}
