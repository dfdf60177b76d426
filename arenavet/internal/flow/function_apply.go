package flow

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// apply is a call of a function that s describes, with args.
func (f *function) apply(st *state, instr ssa.CallInstruction, s *Summary, args []value, certain, deferred bool) value {
	pos := f.position(instr)
	name := ""
	if fn := instr.Common().StaticCallee(); fn != nil {
		name = catalog.Origin(fn).Name()
	}
	if certain {
		f.applyReads(st, instr, s, args)
		f.applyLate(st, instr, s, args, name)
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
			f.letGo(st, v) // the goroutine may be the one that puts it back
		case OpSent:
			f.lend(st, f.sourceValue(st, instr, "sent", e.From, args), pos, "kept by the call")
		case OpRuns:
			run := f.resolve(st, instr, e.From.At, args)
			f.starts(st, f.passed(st, run), []value{run}, pos)
		case OpKeep:
			f.keeps(st)
		case OpWait:
			if must {
				f.wait(st)
			}
		case OpFinalizer, OpCleanup, OpWeak, OpUnique:
			f.applyCollected(st, instr, e, args, name)
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
		return out.sel(tuple(0))
	}
	return out
}

// applyWrite is what a callee leaves at a place that its caller knows.
func (f *function) applyWrite(st *state, instr ssa.CallInstruction, w Write, args []value, certain bool) {
	i := strings.LastIndex(w.To.Path, deref)
	if i < 0 || strings.Contains(w.To.Path, any_) {
		return
	}
	parent, off := w.To, w.To.Path[i+len(deref):]
	parent.Path = w.To.Path[:i]
	v := f.rebuild(st, instr, "w"+w.To.key(), w.From, args, nil)
	// A literal of this function shows the place where it is. For other callees
	// the mistake is the call: they may be right for everyone else.
	pos := w.pos
	if !f.within(pos) {
		pos = f.position(instr)
	}
	targets := f.resolve(st, instr, parent, args).atoms()
	for _, a := range targets {
		strong := w.Strong && certain && len(targets) == 1 && !a.Site.isOld && !strings.Contains(a.off+off, element) && !summarySymbol(a.Site)
		if certain && w.empties() {
			strong = true // as emptied does it
		}
		f.put(st, a.Site, a.off+off, []leaf{{}}, v, strong, pos)
		delete(st.unread, a.Site)
	}
	if len(targets) == 0 {
		f.letGo(st, v)
	}
}

// keeps notes that a handler takes its arena over, so that it is not put back when it
// returns.
func (f *function) keeps(st *state) {
	f.effects[effectKey{op: OpKeep}] = Effect{Op: OpKeep}
	st.done[effectKey{op: OpKeep}] = true
}

// collected reports arena memory that is given to the collector's API, by the
// function called via if that is not empty, and tells callers where it may be
// theirs.
func (f *function) collected(st *state, o Op, v value, via string, pos token.Pos) {
	for _, e := range v {
		a := e.a
		switch {
		case a.Site.Kind == MarkSite:
		case a.Region != nil:
			if a.Stale == nil { // or the use of it is reported
				f.see(Fault{Kind: FaultCollector, Op: o, Of: a, Via: via, Pos: pos})
			}
		case a.Site.Kind == SymbolSite:
			if src, ok := f.source(a); ok {
				f.effect(st, o, nil, Place{}, src, true, pos)
			}
		}
	}
}

// keptBy is the part of v, of type t, that a function of the collector's keeps
// without a copy. All of them keep the pointer that they are given. Unique.Make
// is given a value, and copies the strings in it, but not those in an interface
// or behind a pointer. A nil type is not known.
func keptBy(o Op, v value, t types.Type) value {
	if o != OpUnique || t == nil {
		return v
	}
	var out value
	for _, l := range leaves(t) {
		if catalog.IsText(l.typ) {
			continue
		}
		for _, e := range v {
			if rest, ok := strings.CutPrefix(e.path, l.path); ok && (rest == "" || types.IsInterface(l.typ)) {
				out = out.add(e)
			}
		}
	}
	return out
}

// applyCollected is what a callee gives to the collector's API.
func (f *function) applyCollected(st *state, instr ssa.CallInstruction, e Effect, args []value, name string) {
	pos := e.pos
	if !f.within(pos) {
		pos = f.position(instr)
	}
	v := f.sourceValue(st, instr, "collected", e.From, args)
	f.collected(st, e.Op, keptBy(e.Op, v, typeAt(instr.Common().Args, e.From.At)), name, pos)
}
