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
		st.mutexCall(catalog.CalleeName(catalog.Origin(reached[0].fn)))
		if name := catalog.CalleeName(catalog.Origin(reached[0].fn)); strings.HasPrefix(name, catalog.ArenaPath+".") {
			if v, ok := f.arenaCall(st, instr, common, strings.TrimPrefix(name, catalog.ArenaPath+"."), reached[0].args, deferred); ok {
				return v
			}
		} else if short, ok := strings.CutPrefix(name, catalog.ArenaPath+"/"); ok && strings.HasPrefix(short, "arenareflect.") {
			if v, ok := f.arenaCall(st, instr, common, short, reached[0].args, deferred); ok {
				return v
			}
		} else if short, ok := strings.CutPrefix(name, catalog.FixedpoolPath+"."); ok {
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
		} else if catalog.StartsGoroutine[name] && len(args) > 0 {
			f.use(st, args[0], instr)
			f.lendGroup(st, args[0], pos)
			f.starts(st, f.passed(st, args[len(args)-1]), args[len(args)-1:], pos)
			return nil
		} else if name == "testing.T.Run" && ssaform.CallsParallel(common.Args[2]) {
			f.starts(st, f.passed(st, args[2]), args[2:], pos)
			return nil
		} else if name == "testing.B.RunParallel" {
			f.parallel(st, f.passed(st, args[1]), args[1:], pos)
			return nil
		} else if name == grpcPath+".Keep" {
			f.keeps(st)
		} else if name == grpcPath+".Wrap" || name == grpcPath+".WrapBy" {
			k := f.site(instr, "registrar", LocalSite, pos)
			k.wrapped = true
			return one(Atom{Site: k})
		} else if name == "runtime.KeepAlive" {
			return nil // it reads nothing
		}
	}
	if yields, ok := f.iterator(st, common); ok && len(args) == 1 {
		f.iterate(st, instr, args[0], yields)
		return nil
	}
	if catalog.Waits(common) {
		f.wait(st)
	}
	if len(reached) == 1 {
		f.collectorCall(st, instr, catalog.CalleeName(catalog.Origin(reached[0].fn)), args)
		f.bodyCall(st, instr, catalog.CalleeName(catalog.Origin(reached[0].fn)), args)
		f.keepers(st, instr, catalog.CalleeName(catalog.Origin(reached[0].fn)), args)
	}
	f.registered(st, instr, common, args, deferred)
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
		f.applyServe(st, instr, s, t.args, deferred)
	}
	f.callArguments(st, instr, args, reached...)
	if !known {
		if len(reached) == 0 && !common.IsInvoke() {
			f.yields(st, f.eval(st, common.Value), args)
			if out = f.lentTo(st, instr, f.eval(st, common.Value), args); common.Signature().Results().Len() == 1 {
				out = out.sel(access.Tuple(0))
			}
		}
		return out.union(f.unknownCall(st, instr, common, args, reached))
	}
	return out.union(f.unseen(st, instr, out))
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
