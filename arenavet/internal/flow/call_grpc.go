package flow

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// registered finds the services and interceptors that a call registers, and serves each handler.
func (f *function) registered(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value, deferred bool) {
	if common.IsInvoke() && common.Method.Name() == "RegisterService" && len(common.Args) == 2 {
		f.register(st, instr, f.eval(st, common.Value), common.Args[1], deferred)
	}
	if f.c.serves() {
		for i, v := range common.Args {
			f.intercepts(st, instr, v, args[i], deferred)
		}
	}
	if common.StaticCallee() == nil || len(common.Args) < 2 || !hasOption(common.Args[len(common.Args)-1]) {
		return
	}
	for i, given := range common.Args[:len(common.Args)-1] {
		f.service(st, instr, given, deferred)
		if _, ok := given.Type().Underlying().(*types.Signature); ok {
			for _, t := range f.passed(st, args[i]) {
				f.serve(st, instr, t.fn, t.args, deferred)
			}
		}
	}
}

// anyRegistrar is the Mark of an OpServe whose registrar is wrapped.
var anyRegistrar = Place{Param: -1}

// register registers a service. If the registrar or the service is an argument of the function, callers register it.
func (f *function) register(st *state, instr ssa.CallInstruction, registrar value, given ssa.Value, deferred bool) {
	for _, a := range registrar.atoms() {
		if a.Site.wrapped {
			f.registerAt(st, instr, anyRegistrar, given, deferred)
		} else if at, ok := f.place(a.Site); ok && a.Site.Kind == SymbolSite && at.Param >= 0 {
			f.registerAt(st, instr, at, given, deferred)
		}
	}
}

func (f *function) registerAt(st *state, instr ssa.CallInstruction, registrar Place, given ssa.Value, deferred bool) {
	given = ssaform.Unchanged(given)
	if p, ok := given.(*ssa.Parameter); ok {
		f.effectAt(st, OpServe, Place{Param: slices.Index(f.fn.Params, p)}, registrar, Source{}, true, token.NoPos)
	} else if registrar == anyRegistrar {
		f.service(st, instr, given, deferred)
	} else {
		for name := range f.keeping(st, instr, given, deferred) {
			f.effectAt(st, OpServe, Place{Param: -1}, registrar, Source{Type: name}, true, token.NoPos)
		}
	}
}

// keeping returns the names of a service's handlers that keep their requests.
func (f *function) keeping(st *state, instr ssa.CallInstruction, given ssa.Value, deferred bool) map[string]bool {
	names := map[string]bool{}
	observe := f.observe
	f.observe = func(x Fault) {
		for _, by := range []*Event{x.By, x.Of.Stale} {
			if name, ok := strings.CutPrefix(by.name(), returnOf); ok {
				names[name] = true
			}
		}
	}
	f.service(st.clone(), instr, given, deferred)
	f.observe = observe
	return names
}

// applyServe registers the services that a callee registers.
func (f *function) applyServe(st *state, instr ssa.CallInstruction, s *Summary, args []value, deferred bool) {
	for _, e := range s.Effects {
		if e.Op == OpServe {
			f.registerFor(st, instr, e, args, deferred)
		}
	}
}

func (f *function) registerFor(st *state, instr ssa.CallInstruction, e Effect, args []value, deferred bool) {
	registrar := one(Atom{Site: f.site(instr, "registrar", LocalSite, token.NoPos)})
	if registrar[0].a.Site.wrapped = true; e.Mark != anyRegistrar {
		registrar = f.resolve(st, instr, e.Mark, args)
	}
	if given := instr.Common().Args; e.From.Type == "" && e.At.Param < len(given) {
		f.register(st, instr, registrar, given[e.At.Param], deferred)
		return
	}
	for _, a := range registrar.atoms() {
		if at, ok := f.place(a.Site); ok && a.Site.Kind == SymbolSite && at.Param >= 0 {
			f.effectAt(st, OpServe, e.At, at, e.From, true, token.NoPos)
		} else if a.Site.wrapped && e.From.Type != "" {
			k := f.site(instr, "call of "+e.From.Type, HandleSite, f.position(instr))
			by := f.event(OpPut, token.NoPos, false, returnOf+e.From.Type)
			f.see(Fault{Kind: FaultKept, Of: Atom{Site: k, Region: k, Stale: by}, Pos: f.position(instr)})
		}
	}
}

// intercepts serves the interceptors among a call's arguments, and the RecvMsg method of a stream that an interceptor
// passes on.
func (f *function) intercepts(st *state, instr ssa.CallInstruction, given ssa.Value, v value, deferred bool) {
	t := given.Type()
	if list, ok := t.Underlying().(*types.Slice); ok && access.IsInterceptor(list.Elem()) {
		t, v = list.Elem(), f.contents(st, v, t)
	}
	if access.IsInterceptor(t) {
		for _, c := range f.passed(st, v) {
			f.serve(st, instr, c.fn, c.args, deferred)
		}
	}
	if boxed, ok := given.(*ssa.MakeInterface); ok && access.IsServerStream(t) {
		if method := f.fn.Prog.MethodSets.MethodSet(boxed.X.Type()).Lookup(nil, "RecvMsg"); method != nil && len(method.Index()) == 1 {
			if handler := f.handler(method); handler != nil {
				f.serve(st, instr, handler, make([]value, 2), deferred)
			}
		}
	}
}

// service serves the methods of a service that is passed as an interface. If that interface has no methods, it serves
// the methods with the parameters of a handler.
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
		f.serve(st, instr, handler, args, deferred)
	}
}

func hasMethod(i *types.Interface, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(i, false, nil, name)
	return obj != nil
}

// embedded returns the receiver of a promoted method.
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

// serve calls a handler with a request that belongs to an arena, or with a stream of such requests, and puts the arena
// back.
func (f *function) serve(st *state, instr ssa.CallInstruction, handler *ssa.Function, args []value, deferred bool) {
	s := f.c.Summary(handler)
	if s == nil || slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Op == OpKeep }) {
		return
	}
	effects, done := maps.Clone(f.effects), maps.Clone(st.done)
	name := handler.Name()
	if strings.Contains(name, "$") {
		name = "the handler"
	}
	f.serving = name + " "
	defer func() { f.effects, st.done, f.serving = effects, done, "" }() // callers know nothing of these arenas
	before := st.made.clone()
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
		if access.IsInterceptor(handler.Signature) || handler.Name() == "RecvMsg" {
			if access.IsAny(p.Type()) {
				args[i] = f.anything(st, instr, name, arena, s, i)
			}
		} else if path, m := access.Requested(p.Type()); m != nil {
			args[i] = holds("request", path, m)
		} else if access.IsMessage(p.Type()) {
			args[i] = d.of(p.Type())
		} else if m := access.Received(p.Type()); m != nil {
			args[i] = holds("stream", access.Element, m)
		}
	}
	f.apply(st, instr, s, args, false, deferred)
	f.takeBack(st, arena, OpPut, f.position(instr), true, deferred, returnOf+name)
	f.keptIn(st, k, before)
}

// handler returns the function that a method of a service runs, or nil if it is unknown.
func (f *function) handler(method *types.Selection) *ssa.Function {
	own, ok := method.Obj().(*types.Func)
	if !ok || types.IsInterface(own.Signature().Recv().Type()) {
		return nil
	}
	return f.fn.Prog.FuncValue(own.Origin())
}

// receives models Recv and RecvMsg of a stream, which holds the message, and getters of a request of unknown type. It
// reports whether the call is one of them.
func (f *function) receives(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) (value, bool) {
	if !common.IsInvoke() {
		return nil, false
	}
	if call, ok := instr.(*ssa.Call); ok && isGetter(common) {
		return f.at(st, f.eval(st, common.Value), access.Element, call.Type()).union(f.unknown(st, call, call.Type())), true
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

// isGetter reports whether a call is of a getter, as generated messages have, on an argument of type any.
func isGetter(common *ssa.CallCommon) bool {
	sig := common.Signature()
	if !strings.HasPrefix(common.Method.Name(), "Get") || sig.Params().Len() != 0 || sig.Results().Len() != 1 {
		return false
	}
	v := common.Value
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	asserted, ok := v.(*ssa.TypeAssert)
	if !ok {
		return false
	}
	_, given := asserted.X.(*ssa.Parameter)
	return given && access.IsAny(asserted.X.Type())
}

// anything returns a request of unknown type. Everything that a handler with summary s reaches from it is memory of the
// arena.
func (f *function) anything(st *state, instr ssa.CallInstruction, name string, arena value, s *Summary, param int) value {
	k := f.site(instr, "request of "+name, MemorySite, f.position(instr))
	st.remake(k)
	v := f.memory(st, k, arena)
	note := func(p Place) {
		if p.Param != param || p.Global != "" {
			return
		}
		for _, off := range strings.Split(p.Path, access.Deref)[1:] {
			st.store(k, off, nil, v, false)
		}
	}
	flows := func(list []Flow) {
		for _, fl := range list {
			note(fl.From.At)
		}
	}
	flows(s.Results)
	for _, w := range s.Writes {
		flows(w.From)
	}
	for _, e := range s.Effects {
		note(e.From.At)
	}
	return v
}

// returnOf begins the name of the event that ends a handler's arena.
const returnOf = "return of "

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

// isCallOf reports whether v is a result of the named function.
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
