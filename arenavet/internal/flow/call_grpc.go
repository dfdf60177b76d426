package flow

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// registered is a call that registers a service with what arenagrpc.Wrap returned, as
// pb.RegisterOrdersServer(registrar, &orders{}): each handler is then called with a
// request that lies in an arena, or with a stream of such, which is put back when the
// handler has returned.
func (f *function) registered(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, deferred bool) {
	if common.StaticCallee() == nil || len(common.Args) != 2 || !isWrapped(common.Args[0], 0) {
		return
	}
	service, ok := common.Args[1].Type().Underlying().(*types.Interface)
	boxed, given := common.Args[1].(*ssa.MakeInterface)
	if !ok || !given {
		return
	}
	self := one(Atom{Site: f.symbol(boxed.X, "")}) // others have it, too
	effects, done := maps.Clone(f.effects), maps.Clone(st.done)
	defer func() { f.effects, st.done = effects, done }() // callers know nothing of these arenas
	for method := range service.Methods() {
		handler := f.handler(boxed.X.Type(), method)
		if handler == nil {
			continue
		}
		s := f.c.Summary(handler)
		if s == nil || slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpKeep }) {
			continue
		}
		k := f.site(instr, "call of "+method.Name(), HandleSite, f.position(instr))
		st.remake(k)
		arena := one(Atom{Site: k})
		d := decoded{f: f, st: st, instr: instr, arena: arena, known: map[string]value{}}
		args := make([]value, len(handler.Params))
		args[0] = self
		for i, p := range handler.Params[1:] {
			if access.IsMessage(p.Type()) {
				args[i+1] = d.of(p.Type())
			} else if m := access.Received(p.Type()); m != nil {
				stream := f.site(instr, "stream of "+method.Name(), LocalSite, f.position(instr))
				st.remake(stream)
				st.store(stream, access.Element, nil, d.of(m), false)
				args[i+1] = one(Atom{Site: stream})
			}
		}
		f.apply(st, instr, s, args, false, deferred)
		f.takeBack(st, arena, OpPut, f.position(instr), true, deferred, "return of "+method.Name())
		if _, known := f.place(self[0].a.Site); !known {
			f.keptBy(st, self[0].a.Site.root, k)
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

// receives is a call of a stream's Recv or RecvMsg, if it is one: the message is what the
// stream holds, so that callers who know the stream know whose the message is.
func (f *function) receives(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) (value, bool) {
	if !common.IsInvoke() || common.Method.Name() != "Recv" && common.Method.Name() != "RecvMsg" {
		return nil, false
	}
	m := access.Received(common.Value.Type())
	if m == nil {
		return nil, false
	}
	switch common.Method.Name() {
	case "Recv":
		return f.at(st, f.eval(st, common.Value), access.Element, m).under(access.Tuple(0)), true
	case "RecvMsg":
		into, message := args[0], m.Underlying().(*types.Pointer).Elem()
		if p, ok := ssaform.Unboxed(common.Args[0]).Type().Underlying().(*types.Pointer); !ok || !types.Identical(p.Elem(), message) {
			return nil, false
		}
		for _, from := range f.at(st, f.eval(st, common.Value), access.Element, m).atoms() {
			for _, l := range access.Leaves(message) {
				v := st.load(from.Site, from.off+l.Path, []access.Leaf{{}})
				for _, a := range into.atoms() {
					f.put(st, a.Site, a.off+l.Path, nil, v, false, f.position(instr))
				}
			}
		}
		return nil, true
	}
	return nil, false
}

const grpcPath = catalog.ArenaPath + "/adapters/grpc"

// isWrapped reports whether arenagrpc.Wrap returned v.
func isWrapped(v ssa.Value, depth int) bool {
	switch v := v.(type) {
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		return fn != nil && catalog.CalleeName(catalog.Origin(fn)) == grpcPath+".Wrap"
	case *ssa.ChangeInterface:
		return isWrapped(v.X, depth)
	case *ssa.Phi:
		return depth < 3 && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return isWrapped(e, depth+1) })
	}
	return false
}
