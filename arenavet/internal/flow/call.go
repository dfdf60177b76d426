package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// call models a call and returns its value.
func (f *function) call(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, deferred bool) value {
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return f.builtin(st, instr, common, b.Name())
	}
	args := f.evalAll(st, common.Args)
	reached := f.targets(st, common)
	name := ""
	if len(reached) == 1 {
		name = catalog.CalleeName(catalog.Origin(reached[0].fn))
		if v, ok := f.modeled(st, instr, common, name, args, reached[0].args, deferred); ok {
			return v
		}
	}
	if yields, ok := f.iterator(st, common); ok && len(args) == 1 {
		f.iterate(st, instr, args[0], yields)
		return nil
	}
	if catalog.Waits(common) {
		f.wait(st)
	}
	f.sinkCall(st, instr, name, args)
	f.keepers(st, instr, name, args)
	f.lends(st, instr, common, name, args)
	f.registered(st, instr, common, args)
	f.useArgs(st, instr, common, name, args, reached)
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
		for _, e := range s.Effects {
			if e.Op == OpServe {
				f.applyServe(st, instr, e, t.args)
			}
		}
	}
	f.callArguments(st, instr, args, reached...)
	if !known {
		if len(reached) == 0 && !common.IsInvoke() {
			f.yields(st, f.eval(st, common.Value), args)
			if out = f.lentTo(st, instr, f.eval(st, common.Value), args); common.Signature().Results().Len() == 1 {
				out = out.sel(access.Tuple(0))
			}
		}
		return out.union(f.unknownCall(st, instr, common, name, args))
	}
	return out.union(f.unseen(st, instr, out))
}

// modeled models a call of a function with a model of its own, and reports whether the named one has. all are the
// arguments with the receiver of a method value.
func (f *function) modeled(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, name string, args, all []value, deferred bool) (value, bool) {
	pkg := catalog.PackageOf(name)
	short := strings.TrimPrefix(name, pkg+".")
	switch pkg {
	case catalog.ArenaPath:
		return f.arenaCall(st, instr, common, short, all, deferred)
	case catalog.ArenaPath + "/arenareflect":
		return f.arenaCall(st, instr, common, "arenareflect."+short, all, deferred)
	case catalog.FixedpoolPath:
		return f.fixedpoolCall(st, instr, short, all, deferred)
	case jsonPath:
		return f.jsonCall(st, instr, common, short, all)
	case protobufPath:
		return f.protobufCall(st, instr, common, short, all)
	}
	st.mutexCall(name)
	pos, last := f.position(instr), len(args)-1
	switch {
	case catalog.StartsGoroutine[name] && last >= 0:
		f.use(st, args[0], instr)
		f.lendGroup(st, args[0], pos)
		f.starts(st, f.closures(st, args[last], nil), args[last:], pos)
	case name == "testing.T.Run" && ssaform.CallsParallel(common.Args[2]):
		f.starts(st, f.closures(st, args[2], nil), args[2:], pos)
	case name == "testing.B.RunParallel":
		f.parallel(st, f.closures(st, args[1], nil), args[1:], pos)
	case name == "golang.org/x/sync/singleflight.Group.Do":
		return f.runs(st, instr, args[2], nil), true // the function's results, for all callers
	case name == grpcPath+".Wrap", name == grpcPath+".WrapBy", name == catalog.ConnectOption:
		return f.tagged(instr, tagAdapter), true
	case name == grpcPath+".Keep":
		f.keeps(st)
		return nil, false
	case name != "runtime.KeepAlive": // which reads nothing
		return nil, false
	}
	return nil, true
}

// unseen returns the parts of a result that the callee's summary does not mention and that may later hold an arena,
// such as an object from a constructor.
func (f *function) unseen(st *state, instr ssa.CallInstruction, known value) value {
	v, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	var out value
	for _, e := range f.unknown(st, v, v.Type()) {
		if len(known.sel(e.path)) == 0 && isContainer(access.TypeAlong(v.Type(), e.path)) {
			out = out.add(e)
		}
	}
	return out
}

// isContainer reports whether an arena, or memory of one, can be stored in the object that a value of type t leads to.
func isContainer(t types.Type) bool {
	if t == nil || catalog.IsHandle(t) {
		return false
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Pointer:
		return !access.PointerFree(u.Elem())
	case *types.Interface:
		return !catalog.IsError(t)
	}
	return false
}
