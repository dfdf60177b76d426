package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// target is what a call may reach: a function, and what it is called with:
// arguments, then captured variables.
type target struct {
	fn   *ssa.Function
	args []value
}

// targets finds what a call reaches. It is empty if that is not known.
func (f *function) targets(st *state, common *ssa.CallCommon) []target {
	args := make([]value, len(common.Args))
	for i, a := range common.Args {
		args[i] = f.eval(st, a)
	}
	if common.IsInvoke() {
		if fn := invoked(common); fn != nil {
			return []target{{fn, append([]value{f.eval(st, common.Value)}, args...)}}
		}
		return nil
	}
	if fn, ok := common.Value.(*ssa.Function); ok {
		return []target{{fn, args}}
	}
	return f.closures(st, f.eval(st, common.Value), args)
}

// closures are the functions that v may be, called with args. It is empty if
// v may be another one.
func (f *function) closures(st *state, v value, args []value) []target {
	var out []target
	for _, a := range v.atoms() {
		k := a.Site
		if k.fn == nil {
			return nil
		}
		all := append([]value(nil), args...)
		var bound []value
		for i := range k.bindings {
			var val value
			for off, atoms := range st.parts(k) {
				if rest, ok := strings.CutPrefix(off, binding(i)); ok {
					for _, b := range atoms {
						val = val.add(entry{rest, b})
					}
				}
			}
			bound = append(bound, val)
		}
		if obj, ok := k.fn.Object().(*types.Func); ok && strings.HasPrefix(k.fn.Synthetic, "bound method wrapper") {
			// A method value: its receiver is what it has captured.
			if fn := k.fn.Prog.FuncValue(obj); fn != nil {
				out = append(out, target{fn, append(bound, all...)})
				continue
			}
		}
		out = append(out, target{k.fn, append(all, bound...)})
	}
	return out
}

// call is what a call does and yields.
func (f *function) call(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, deferred bool) value {
	pos := f.position(instr)
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return f.builtin(st, instr, common, b.Name())
	}
	args := make([]value, len(common.Args))
	for i, a := range common.Args {
		args[i] = f.eval(st, a)
	}
	reached := f.targets(st, common)
	if len(reached) == 1 {
		st.mutexCall(CalleeName(Origin(reached[0].fn)))
		if name := CalleeName(Origin(reached[0].fn)); strings.HasPrefix(name, ArenaPath+".") {
			if v, ok := f.arenaCall(st, instr, common, strings.TrimPrefix(name, ArenaPath+"."), reached[0].args, deferred); ok {
				return v
			}
		} else if strings.HasPrefix(name, arenaPath+"/arenareflect.") {
			if v, ok := f.arenaCall(st, instr, common, strings.TrimPrefix(name, arenaPath+"/"), reached[0].args, deferred); ok {
				return v
			}
		} else if short, ok := strings.CutPrefix(name, fixedpoolPath+"."); ok {
			if v, ok := f.fixedpoolCall(st, instr, short, reached[0].args, deferred); ok {
				return v
			}
		} else if short, ok := strings.CutPrefix(name, jsonPath+"."); ok {
			if v, ok := f.jsonCall(st, instr, common, short, reached[0].args); ok {
				return v
			}
		} else if short, ok := strings.CutPrefix(name, protobufPath+"."); ok {
			if v, ok := f.protobufCall(st, instr, common, short, reached[0].args); ok {
				return v
			}
		} else if StartsGoroutine[name] && len(args) > 0 {
			f.use(st, args[0], instr)
			f.lendGroup(st, args[0], pos)
			f.starts(st, f.passed(st, args[len(args)-1]), args[len(args)-1:], pos)
			return nil
		} else if name == "testing.T.Run" && callsParallel(common.Args[2]) {
			f.starts(st, f.passed(st, args[2]), args[2:], pos)
			return nil
		} else if name == "testing.B.RunParallel" {
			f.parallel(st, f.passed(st, args[1]), args[1:], pos)
			return nil
		} else if name == grpcPath+".Keep" {
			f.keeps(st)
		} else if name == "runtime.KeepAlive" {
			return nil // which reads nothing
		}
	}
	if yields, ok := f.iterator(st, common); ok && len(args) == 1 {
		f.iterate(st, instr, args[0], yields)
		return nil
	}
	if waits(common) {
		f.wait(st)
	}
	if len(reached) == 1 {
		f.collectorCall(st, instr, CalleeName(Origin(reached[0].fn)), args)
	}
	f.registered(st, instr, common, deferred)
	f.useArgs(st, instr, common, args, reached)
	f.touchArgs(st, args)
	var out value
	known := len(reached) > 0
	for _, t := range reached {
		s := f.c.Summary(t.fn)
		if s == nil {
			known = false
			continue
		}
		out = out.union(f.apply(st, instr, s, t.args, len(reached) == 1, deferred))
	}
	f.callArguments(st, instr, args)
	if !known {
		return out.union(f.unknownCall(st, instr, common, args, reached))
	}
	return out.union(f.unseen(st, instr, out))
}

// unseen is what a call yields beside what its summary knows: an object that has nothing
// to do with arenas yet, as a constructor returns it, whose caller may put an arena into it.
func (f *function) unseen(st *state, instr ssa.CallInstruction, known value) value {
	v, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	var out value
	for _, e := range f.unknown(st, v, v.Type()) {
		if len(known.sel(e.path)) == 0 && isContainer(typeAlong(v.Type(), e.path)) {
			out = out.add(e)
		}
	}
	return out
}

func Origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

func (f *function) touchArgs(st *state, args []value) {
	for _, a := range args {
		f.touch(st, a)
	}
}

// useArgs reports memory that was taken back and is given to a call.
func (f *function) useArgs(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value, reached []target) {
	name := ""
	if len(reached) == 1 {
		name = CalleeName(Origin(reached[0].fn))
	}
	for i, a := range args {
		if IsHandle(common.Args[i].Type()) && len(reached) > 0 && f.c.Summary(reached[0].fn) != nil {
			continue // its summary reports whether it uses it
		}
		f.use(st, a, instr)
		if readsDeep(name) {
			st.reach(a, func(b Atom, depth int) {
				if depth > 0 && b.Region != nil {
					f.use(st, one(b), instr)
				}
			})
		}
	}
	if common.IsInvoke() {
		f.use(st, f.eval(st, common.Value), instr)
	}
	if len(reached) == 1 && len(reached[0].args) > len(args) && reached[0].fn.Signature.Recv() != nil {
		f.useBy(st, reached[0].args[0], instr, unlocks(name)) // the receiver of a method value
	}
}

// callArguments makes the calls that a function may make of functions that it
// was given. Whether it does is not known, so nothing that they take back
// counts as taken back.
func (f *function) callArguments(st *state, instr ssa.CallInstruction, args []value) {
	for _, a := range args {
		for _, t := range f.passed(st, a) {
			s := f.c.Summary(t.fn)
			if s == nil {
				continue
			}
			weak := &Summary{Writes: weakWrites(s)}
			for _, e := range s.Effects {
				if e.Op == OpSent || e.Op == OpUnknown || e.Op == OpKeep || e.Op == OpUse && isLoopBody(t.fn) {
					e.Must = false
					weak.Effects = append(weak.Effects, e)
				}
			}
			f.apply(st, instr, weak, t.args, false, false)
		}
	}
}

// unknownCall is a call of a function that has no summary.
func (f *function) unknownCall(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value, reached []target) value {
	name := ""
	if len(reached) == 1 {
		name = CalleeName(Origin(reached[0].fn))
	}
	path := PackageOf(name)
	standard := name != "" && IsStandard(path)
	all := args
	if common.IsInvoke() {
		all = append([]value{f.eval(st, common.Value)}, args...)
	}
	if !standard || MayKeep(path) {
		for i, a := range all {
			if f.usesOnly(a) {
				continue
			}
			if common.IsInvoke() || !f.c.keepsToItself(common.Args[i].Type()) {
				f.letGo(st, a)
				if i < len(common.Args) {
					f.noteUnknown(st, a, common.Args[i].Type())
				}
			}
			f.clobber(st, a)
		}
	}
	if Keepers[name] && len(args) > 1 {
		for _, r := range args[0].atoms() {
			for _, v := range args[1:] {
				f.put(st, r.Site, r.off+element, nil, v, false, f.position(instr))
			}
		}
	}
	if name == "maps.Copy" || name == "maps.Insert" {
		f.fill(st, instr, args)
	}
	if common.IsInvoke() && FunctionName(common.Method) == "net/http.ResponseWriter.Header" {
		// The header is a part of the response.
		return f.at(st, all[0], element, common.Signature().Results().At(0).Type())
	}
	if v, ok := f.receives(st, instr, common, args); ok {
		return v
	}
	if standard {
		f.writes(st, instr, common, args)
		return f.standardResult(st, instr, resultOf(name, common), args)
	}
	if v, ok := instr.(ssa.Value); ok {
		return f.unknown(st, v, v.Type())
	}
	return nil
}

// noteUnknown tells callers that what they gave went to unknown code.
func (f *function) noteUnknown(st *state, v value, t types.Type) {
	if !mayHold(t, 0) {
		return
	}
	st.reachTo(v, 2, func(a Atom, _ int) {
		if a.Site.Kind == SymbolSite && a.Region == nil {
			f.effect(st, OpUnknown, a.Site, Place{}, Source{}, true, token.NoPos)
		}
	})
}

// keepsToItself reports whether only this package can reach the arenas in an object of type
// t, and puts none back: they are in fields with names of its own. So a function that is
// not known, as an option that a parser is given, takes none of them over.
func (c *Package) keepsToItself(t types.Type) bool {
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() != c.Pass.Pkg || c.puts() {
		return false
	}
	s, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() && mayHold(f.Type(), 0) {
			return false
		}
	}
	return true
}

// puts reports whether the package calls a Put of arenas.
func (c *Package) puts() bool {
	if c.putting == nil {
		found := false
		for _, call := range c.Calls {
			if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
				fn, _ := c.Pass.TypesInfo.Uses[s.Sel].(*types.Func)
				found = found || fn != nil && FunctionName(fn) == ArenaPath+".ArenaPool.Put"
			}
		}
		c.putting = &found
	}
	return *c.putting
}

// mayHold reports whether a value of type t may lead to an arena.
func mayHold(t types.Type, depth int) bool {
	if IsHandle(t) {
		return true
	}
	if depth > 5 {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return mayHold(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if mayHold(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	case *types.Slice:
		return mayHold(u.Elem(), depth+1)
	case *types.Map:
		return mayHold(u.Elem(), depth+1)
	case *types.Interface, *types.Signature:
		return true
	}
	return false
}

// clobber forgets what unknown code may have changed in the objects that v
// points to: arenas may have been exchanged, and what was stale been set anew.
func (f *function) clobber(st *state, v value) {
	for _, e := range v {
		k := e.a.Site
		for off, atoms := range st.parts(k) {
			var good []Atom
			for _, a := range atoms {
				if a.Stale == nil {
					good = addAtom(good, a)
				}
			}
			if len(good) < len(atoms) {
				for _, a := range k.initial(off) {
					good = addAtom(good, a)
				}
				st.set(k, off, good)
			}
		}
	}
}

// effect notes what the function does to an arena that its callers know.
func (f *function) effect(st *state, o Op, k *Site, mark Place, from Source, must bool, pos token.Pos) {
	var at Place
	if k != nil {
		p, ok := f.place(k)
		if !ok || k.Kind == HandleSite || strings.Contains(k.Path, any_) {
			return
		}
		at = p
	}
	f.effectAt(st, o, at, mark, from, must, pos)
}

// effectAt is effect for an arena at a place.
func (f *function) effectAt(st *state, o Op, at, mark Place, from Source, must bool, pos token.Pos) {
	key := effectKey{o, at, mark, from}
	if len(st.done) >= maxSummary {
		return
	}
	e, ok := f.effects[key]
	if !ok {
		e = Effect{Op: o, At: at, Mark: mark, From: from, Locked: true, pos: pos}
	}
	e.Locked = e.Locked && st.locked && o != OpGoroutine // which does not hold what its starter holds
	f.effects[key] = e
	st.done[key] = st.done[key] || must
}

// isContainer reports whether a value of type t is an object that an arena, or memory of one,
// can be put into.
func isContainer(t types.Type) bool {
	if t == nil || IsHandle(t) {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return !PointerFree(u.Elem())
	case *types.Interface:
		return !IsError(t)
	}
	return false
}
