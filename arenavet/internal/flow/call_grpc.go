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
// pb.RegisterOrdersServer(registrar, &orders{}), or with arenaconnect.Option among its
// options: each handler is then called with a request that lies in an arena, or with a
// stream of such, which is put back when the handler has returned.
func (f *function) registered(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, deferred bool) {
	switch {
	case common.StaticCallee() == nil:
	case len(common.Args) == 2 && isWrapped(common.Args[0], 0):
		f.service(st, instr, common.Args[1], deferred)
	case len(common.Args) > 1 && hasOption(common.Args[len(common.Args)-1]):
		for _, given := range common.Args[:len(common.Args)-1] {
			f.service(st, instr, given, deferred)
			if _, ok := given.Type().Underlying().(*types.Signature); !ok {
				continue
			}
			for _, t := range f.passed(st, f.eval(st, given)) {
				f.serve(st, instr, t.fn, t.args, deferred)
			}
		}
	}
}

// service serves all methods of a service that is given as an interface.
func (f *function) service(st *state, instr ssa.CallInstruction, given ssa.Value, deferred bool) {
	service, ok := given.Type().Underlying().(*types.Interface)
	boxed, isBoxed := given.(*ssa.MakeInterface)
	if !ok || !isBoxed {
		return
	}
	self := one(Atom{Site: f.symbol(boxed.X, "")}) // others have it, too
	for method := range service.Methods() {
		handler := f.handler(boxed.X.Type(), method)
		if handler == nil {
			continue
		}
		args := make([]value, len(handler.Params))
		args[0] = self
		k := f.serve(st, instr, handler, args, deferred)
		if _, known := f.place(self[0].a.Site); k != nil && !known {
			f.keptBy(st, self[0].a.Site.root, k)
		}
	}
}

// serve calls a handler with a message for each parameter that can be one. It returns the
// arena, nil if the handler keeps that.
func (f *function) serve(st *state, instr ssa.CallInstruction, handler *ssa.Function, args []value, deferred bool) *Site {
	s := f.c.Summary(handler)
	if s == nil || slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpKeep }) {
		return nil
	}
	effects, done := maps.Clone(f.effects), maps.Clone(st.done)
	defer func() { f.effects, st.done = effects, done }() // callers know nothing of these arenas
	name := handler.Name()
	k := f.site(instr, "call of "+name, HandleSite, f.position(instr))
	st.remake(k)
	arena := one(Atom{Site: k})
	d := decoded{f: f, st: st, instr: instr, arena: arena, known: map[string]value{}}
	holds := func(what, path string, message types.Type) value {
		holder := f.site(instr, what+" of "+name, LocalSite, f.position(instr))
		st.remake(holder)
		st.store(holder, path, nil, d.of(message), false)
		return one(Atom{Site: holder})
	}
	for i, p := range handler.Params {
		if i == 0 && handler.Signature.Recv() != nil {
			continue
		}
		if path, m := access.Requested(p.Type()); m != nil {
			args[i] = holds("request", path, m)
		} else if access.IsMessage(p.Type()) {
			args[i] = d.of(p.Type())
		} else if m := access.Received(p.Type()); m != nil {
			args[i] = holds("stream", access.Element, m)
		}
	}
	f.apply(st, instr, s, args, false, deferred)
	f.takeBack(st, arena, OpPut, f.position(instr), true, deferred, "return of "+name)
	return k
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

// hasOption reports whether arenaconnect.Option is among the options of a call.
func hasOption(v ssa.Value) bool {
	list, ok := v.(*ssa.Slice)
	if !ok {
		return false
	}
	all, ok := list.X.(*ssa.Alloc)
	return ok && slices.ContainsFunc(*all.Referrers(), func(at ssa.Instruction) bool {
		element, ok := at.(*ssa.IndexAddr)
		return ok && slices.ContainsFunc(*element.Referrers(), func(at ssa.Instruction) bool {
			store, ok := at.(*ssa.Store)
			return ok && isCallOf(store.Val, catalog.ConnectOption)
		})
	})
}

// isCallOf reports whether v is a result of the function of that name.
func isCallOf(v ssa.Value, name string) bool {
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.Call:
			fn := x.Call.StaticCallee()
			return fn != nil && catalog.CalleeName(catalog.Origin(fn)) == name
		default:
			return false
		}
	}
}

// isWrapped reports whether arenagrpc.Wrap returned v, a registrar. An interpreter's loop
// has phis of thousands of edges that lead to each other, of other types.
func isWrapped(v ssa.Value, depth int) bool {
	if !types.IsInterface(v.Type()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call, *ssa.ChangeInterface:
		return isCallOf(v, grpcPath+".Wrap")
	case *ssa.Phi:
		return depth < 3 && slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return isWrapped(e, depth+1) })
	}
	return false
}
