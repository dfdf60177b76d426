package flow

import (
	"go/token"
	"go/types"
	"slices"
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

// rebuild makes here what a callee describes by flows, and the objects that it
// leads to. What says what it is for, to tell the parts of one call apart; t is
// its type, or nil.
func (f *function) rebuild(st *state, instr ssa.CallInstruction, what string, flows []Flow, args []value, t types.Type) value {
	var out value
	objects := map[string][]*Site{} // what may lie behind the pointer at a path
	pointers := map[*Site]value{}
	flows = slices.Clone(flows)
	slices.SortStableFunc(flows, func(a, b Flow) int { return strings.Count(a.Path, deref) - strings.Count(b.Path, deref) })
	// add puts v where path says: into the value, or an object behind it.
	var add func(path string, v value)
	add = func(path string, v value) {
		i := strings.LastIndex(path, deref)
		if i < 0 {
			out = out.union(v.under(path))
			return
		}
		parent, off := path[:i], path[i+len(deref):]
		if len(objects[parent]) == 0 {
			// An object of Go's own memory that holds something from an arena.
			k := f.site(instr, what+" object "+parent, LocalSite, f.position(instr))
			k.typ = catalog.TypeName(typeAlong(t, parent+deref))
			st.remake(k)
			objects[parent] = append(objects[parent], k)
			pointers[k] = one(Atom{Site: k})
			add(parent, one(Atom{Site: k}))
		}
		for _, k := range objects[parent] {
			st.store(k, off, nil, v, false)
		}
	}
	for n, fl := range flows {
		if fl.From.Kind == Again {
			continue
		}
		v := f.sourceValue(st, instr, what+" "+fl.Path+itoa(n), fl.From, args)
		if (fl.From.Kind == Memory || fl.From.Kind == Body) && len(v) > 0 {
			k := v[0].a.Site
			objects[fl.Path] = append(objects[fl.Path], k)
			pointers[k] = v
			if k.typ == "" {
				k.typ = catalog.TypeName(typeAlong(t, fl.Path+deref))
			}
		}
		if in := typeAlong(t, fl.Path); fl.From.Kind == Memory && in != nil && isComposite(in) {
			// A generic function decoded it: only here it is known what there is in it.
			d := decoded{f: f, st: st, instr: instr, arena: f.resolve(st, instr, fl.From.At, args), known: map[string]value{}}
			for _, l := range leaves(in) {
				add(fl.Path+l.path, d.of(l.typ))
			}
			continue
		}
		add(fl.Path, v)
	}
	for _, fl := range flows { // when all the objects are there
		if fl.From.Kind == Again {
			for _, k := range objects[fl.From.At.Path] {
				add(fl.Path, pointers[k])
			}
		}
	}
	return out
}

// resolve returns what a callee's place is here.
func (f *function) resolve(st *state, instr ssa.CallInstruction, p Place, args []value) value {
	var v value
	switch {
	case p.Global != "":
		g := f.c.global(p.Global)
		if g == nil {
			return nil
		}
		v = one(Atom{Site: f.symbol(g, "")})
	case p.Fresh != 0:
		return one(Atom{Site: f.site(instr, "h"+itoa(p.Fresh), HandleSite, f.position(instr))})
	case p.Param >= 0 && p.Param < len(args):
		v = args[p.Param]
	default:
		return nil
	}
	return follow(st, v, p.Path).at(p.Off)
}

// follow returns what path leads to from v. Beyond the depth that paths have,
// nothing is known: to take everything that can be reached for it would relate
// values that have nothing to do with each other.
func follow(st *state, v value, path string) value {
	if strings.Contains(path, any_) {
		return nil
	}
	whole := path
	for path != "" {
		i := strings.Index(path, deref)
		if i < 0 {
			return v.sel(path)
		}
		pointers := v.sel(path[:i]).atoms()
		path = path[i+len(deref):]
		off := path
		if j := strings.Index(path, deref); j >= 0 {
			off = path[:j]
		}
		path = strings.TrimPrefix(path, off)
		off, times, again := strings.Cut(off, recur)
		v = nil
		for _, a := range pointers {
			v = v.union(st.load(a.Site, a.off+off, []leaf{{}}))
		}
		if again {
			done := whole[:len(whole)-len(path)-len(recur)-len(times)]
			v = around(st, v, done, int(times[0]-'0'))
		}
	}
	return v
}

// sourceValue returns what a callee's source is here.
func (f *function) sourceValue(st *state, instr ssa.CallInstruction, part string, src Source, args []value) value {
	switch src.Kind {
	case Same:
		return f.resolve(st, instr, src.At, args)
	case Handle:
		v := f.resolve(st, instr, src.At, args)
		if len(v) == 0 {
			return nil
		}
		k := v[0].a.Site
		if !f.freshened(st, k, part) {
			f.lostInLoop(st, k)
			st.remake(k)
		}
		k.gotten = src.Gotten
		if src.Gotten {
			st.open[k] = true
			if call, ok := instr.(ssa.Value); ok && mayFail(instr.Common()) {
				f.fallible[k] = call
			}
		}
		return one(Atom{Site: k})
	case Memory:
		k := f.site(instr, part, MemorySite, f.position(instr))
		k.Slab, k.typ = src.Slab, src.Type
		st.remake(k)
		return f.memory(st, k, f.resolve(st, instr, src.At, args))
	case Body:
		k := f.site(instr, part, LocalSite, f.position(instr))
		st.remake(k)
		k.fn, k.bindings = src.fn, len(src.fn.FreeVars)
		return one(Atom{Site: k})
	case Taken:
		k := f.site(instr, part, MarkSite, f.position(instr))
		return f.mark(st, k, f.resolve(st, instr, src.At, args))
	}
	return nil
}

// mayFail reports whether a call's last result is an error or a flag.
func mayFail(common *ssa.CallCommon) bool {
	r := common.Signature().Results()
	if r.Len() < 2 {
		return false
	}
	t := r.At(r.Len() - 1).Type()
	b, isBasic := t.Underlying().(*types.Basic)
	return isBasic && b.Kind() == types.Bool || types.Identical(t, types.Universe.Lookup("error").Type())
}

// freshened reports whether a handle of a call is one that this very call has
// made already: it may stand in several places of the result.
func (f *function) freshened(st *state, k *Site, part string) bool {
	key := siteKey{k, ""}
	first, ok := f.firstPart[key]
	if !ok {
		f.firstPart[key] = part
		return false
	}
	return first != part
}
