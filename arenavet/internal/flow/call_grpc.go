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
	case common.IsInvoke() && common.Method.Name() == "RegisterService" && len(common.Args) == 2 && isWrapped(common.Value, 0):
		f.service(st, instr, common.Args[1], deferred)
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

// service serves all methods of a service that is given as an interface: those of the interface, or all that look like
// handlers if it has none.
func (f *function) service(st *state, instr ssa.CallInstruction, given ssa.Value, deferred bool) {
	service, ok := given.Type().Underlying().(*types.Interface)
	boxed, isBoxed := given.(*ssa.MakeInterface)
	if !ok || !isBoxed {
		return
	}
	set := f.fn.Prog.MethodSets.MethodSet(boxed.X.Type())
	self := one(Atom{Site: f.symbol(boxed.X, "")}) // others have it, too
	for method := range set.Methods() {
		if service.NumMethods() > 0 && !hasMethod(service, method.Obj().Name()) || !method.Obj().Exported() {
			continue
		}
		handler := f.handler(method)
		if handler == nil {
			continue
		}
		args := make([]value, handler.Signature.Params().Len()+1)
		args[0] = f.embedded(st, self, boxed.X.Type(), method.Index())
		k := f.serve(st, instr, handler, args, deferred)
		if _, known := f.place(self[0].a.Site); k != nil && !known {
			f.keptBy(st, self[0].a.Site.root, k)
		}
	}
}

func hasMethod(i *types.Interface, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(i, false, nil, name)
	return obj != nil
}

// embedded is the field of an object of type t that a promoted method is called with.
func (f *function) embedded(st *state, self value, t types.Type, index []int) value {
	for _, i := range index[:len(index)-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		if t = field.Type(); types.IsInterface(t) {
			return nil
		} else if _, ok := t.Underlying().(*types.Pointer); ok {
			self = f.at(st, self, access.Field(i), t)
		} else {
			self = self.at(access.Field(i))
		}
	}
	return self
}

// serve calls a handler with a message for each parameter that can be one. It returns the
// arena, nil if the handler keeps that.
func (f *function) serve(st *state, instr ssa.CallInstruction, handler *ssa.Function, args []value, deferred bool) *Site {
	s := f.c.Summary(handler)
	if s == nil || slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpKeep }) {
		return nil
	}
	effects, done := maps.Clone(f.effects), maps.Clone(st.done)
	name := handler.Name()
	f.serving = name + " "
	defer func() { f.effects, st.done, f.serving = effects, done, "" }() // callers know nothing of these arenas
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
	first := len(args) - handler.Signature.Params().Len() - len(handler.FreeVars)
	for i := range handler.Signature.Params().Len() {
		p := handler.Signature.Params().At(i)
		i += first
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

// handler is the function that a method of a service runs, its own or that of an embedded field; nil if that is not
// known. That of another package is known by its fact.
func (f *function) handler(method *types.Selection) *ssa.Function {
	own, ok := method.Obj().(*types.Func)
	if !ok || types.IsInterface(own.Signature().Recv().Type()) {
		return nil
	}
	return f.fn.Prog.FuncValue(own.Origin())
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
