package arenavet

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const grpcPath = arenaPath + "/adapters/grpc"

// registered is a call that registers a service with what arenagrpc.Wrap returned, as
// pb.RegisterOrdersServer(registrar, &orders{}): each handler is then called with a
// request that lies in an arena, which is put back when the handler has returned.
func (f *function) registered(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, deferred bool) {
	if common.StaticCallee() == nil || len(common.Args) != 2 || !isWrapped(common.Args[0], 0) {
		return
	}
	service, ok := common.Args[1].Type().Underlying().(*types.Interface)
	boxed, given := common.Args[1].(*ssa.MakeInterface)
	if !ok || !given {
		return
	}
	self := one(atom{site: f.symbol(boxed.X, "")}) // others have it, too
	effects, done := maps.Clone(f.effects), maps.Clone(st.done)
	defer func() { f.effects, st.done = effects, done }() // callers know nothing of these arenas
	for method := range service.Methods() {
		handler := f.handler(boxed.X.Type(), method)
		if handler == nil {
			continue
		}
		s := f.c.summary(handler)
		i := slices.IndexFunc(handler.Params[1:], func(p *ssa.Parameter) bool { return isMessage(p.Type()) })
		if s == nil || i < 0 {
			continue
		}
		k := f.site(instr, "call of "+method.Name(), handleSite, f.position(instr))
		st.remake(k)
		arena := one(atom{site: k})
		d := decoded{f: f, st: st, instr: instr, arena: arena, known: map[string]value{}}
		args := make([]value, len(handler.Params))
		args[0], args[i+1] = self, d.of(handler.Params[i+1].Type())
		f.apply(st, instr, s, args, false, deferred)
		f.takeBack(st, arena, opPut, f.position(instr), true, deferred, "return of "+method.Name())
		if _, known := f.place(self[0].a.site); !known {
			f.keptBy(st, self[0].a.site.root, k)
		}
	}
}

// keptBy reports memory of an arena that lies in what root leads to when the arena was
// put back. (Of parameters and globals checkReturn says it.)
func (f *function) keptBy(st *state, root ssa.Value, arena *site) {
	for k, cells := range st.cells {
		if k.kind != symbolSite || k.root != root {
			continue
		}
		for off, atoms := range cells {
			for _, a := range atoms {
				at, ok := f.stored[storeKey{k, off, a.site}]
				if ok && a.region == arena && a.stale != nil {
					f.reportKept(a, at)
				}
			}
		}
	}
}

// handler is the function of type t that is method of a service; nil where it is not t's
// own, as those that are embedded for what is not implemented.
func (f *function) handler(t types.Type, method *types.Func) *ssa.Function {
	if !method.Exported() {
		return nil
	}
	found := f.fn.Prog.MethodSets.MethodSet(t).Lookup(method.Pkg(), method.Name())
	if found == nil || len(found.Index()) != 1 {
		return nil
	}
	own, ok := found.Obj().(*types.Func)
	if !ok {
		return nil
	}
	fn := f.fn.Prog.FuncValue(own.Origin())
	if fn == nil || len(fn.Params) == 0 {
		return nil
	}
	return fn
}

// isMessage says whether t is a pointer to a struct, as generated messages are.
func isMessage(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

// ofProtobuf says whether t is what each generated message has for package proto's own
// records, which lead to all of its types and to nothing that is decoded.
func ofProtobuf(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && strings.HasPrefix(packagePath(named.Obj().Pkg()), "google.golang.org/protobuf/internal/")
}

// isWrapped says whether v is what arenagrpc.Wrap returned.
func isWrapped(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		return fn != nil && calleeName(origin(fn)) == grpcPath+".Wrap"
	case *ssa.ChangeInterface:
		return isWrapped(v.X, depth)
	case *ssa.Phi:
		return depth < 3 && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return isWrapped(e, depth+1) })
	}
	return false
}
