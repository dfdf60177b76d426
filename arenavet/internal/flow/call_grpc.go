package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// A request of gRPC or connect-go is memory of an arena if its service is registered with an adapter. The arena is put
// back when the call ends. So a handler that keeps a part of its request is right or wrong depending on its
// registration, and reported there.

// tagged returns the result of a function that returns a registrar or an option of an adapter.
func (f *function) tagged(instr ssa.CallInstruction, tag string) value {
	k := f.site(instr, "tagged "+tag, LocalSite, f.position(instr))
	k.tag = tag
	return one(Atom{Site: k})
}

// registered reports the handlers and interceptors among the arguments of a call that keep their requests.
func (f *function) registered(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) {
	if common.IsInvoke() && common.Method.Name() == "RegisterService" && len(common.Args) == 2 {
		f.register(st, instr, f.eval(st, common.Value), common.Args[1])
	}
	if !f.c.serves || len(args) == 0 {
		return
	}
	last := len(args) - 1
	serves := slices.ContainsFunc(f.contents(st, args[last], common.Args[last].Type()), func(e entry) bool { return e.a.Site.tag == tagAdapter })
	for i, given := range common.Args {
		v := args[i]
		if _, ok := given.Type().Underlying().(*types.Slice); ok {
			v = f.contents(st, v, given.Type())
		}
		f.keptBy(st, instr, v, serves && i < last)
		for _, x := range append(ssaform.Operands(given), given) {
			if x != nil && (serves && i < last || access.Intercepts(x.Type())) {
				f.keep(instr, f.c.keepersOf(ssaform.DynamicType(x), x.Type()))
			}
		}
	}
}

// keptBy reports the functions of v that keep their requests. handler says that they are methods of a service.
func (f *function) keptBy(st *state, instr ssa.CallInstruction, v value, handler bool) {
	for _, a := range v.atoms() {
		if a.Site.tag != "" && a.Site.tag != tagAdapter {
			f.keep(instr, []string{a.Site.tag})
			continue
		}
		for _, t := range f.closures(st, one(a), nil) {
			if pos, keeps := f.c.keeps(t.fn, handler, 0); keeps {
				f.see(Fault{Kind: FaultRequest, Pos: f.inside(pos, instr), Via: f.c.nameOf(t.fn, f.fn)})
			}
		}
	}
}

// keep reports handlers that keep their requests, by name.
func (f *function) keep(instr ssa.CallInstruction, names []string) {
	if len(names) > 0 {
		f.see(Fault{Kind: FaultRequest, Pos: f.position(instr), Via: strings.Join(names, ", ")})
	}
}

// anyRegistrar is the Mark of an OpServe whose registrar is an adapter's.
var anyRegistrar = Place{Param: -1}

// register registers a service. If the registrar or the service is an argument of the function, callers register it.
func (f *function) register(st *state, instr ssa.CallInstruction, registrar value, given ssa.Value) {
	given = ssaform.Unchanged(given)
	if p, ok := given.(*ssa.Parameter); ok {
		f.registerAs(st, instr, registrar, Place{Param: slices.Index(f.fn.Params, p)}, nil)
		return
	}
	names := f.c.keepersOf(ssaform.DynamicType(given), given.Type())
	for _, a := range f.eval(st, given).atoms() {
		if a.Site.tag != "" {
			names = append(names, a.Site.tag)
		}
	}
	if len(names) > 0 {
		f.registerAs(st, instr, registrar, Place{Param: -1}, names)
	}
}

// registerAs registers the service at a place of callers, or handlers that keep their requests.
func (f *function) registerAs(st *state, instr ssa.CallInstruction, registrar value, service Place, names []string) {
	for _, a := range registrar.atoms() {
		at, known := f.place(a.Site)
		switch {
		case a.Site.tag == tagAdapter && len(names) == 0:
			f.effectAt(st, OpServe, service, anyRegistrar, Source{}, true, token.NoPos)
		case a.Site.tag == tagAdapter:
			f.keep(instr, names)
		case known && a.Site.Kind == SymbolSite && at.Param >= 0:
			f.effectAt(st, OpServe, service, at, Source{Type: strings.Join(names, ", ")}, true, token.NoPos)
		}
	}
}

// applyServe registers the service that a callee registers.
func (f *function) applyServe(st *state, instr ssa.CallInstruction, e Effect, args []value) {
	registrar := f.tagged(instr, tagAdapter)
	if e.Mark != anyRegistrar {
		registrar = f.resolve(st, instr, e.Mark, args)
	}
	if given := instr.Common().Args; e.From.Type != "" {
		f.registerAs(st, instr, registrar, e.At, []string{e.From.Type})
	} else if e.At.Param < len(given) {
		f.register(st, instr, registrar, given[e.At.Param])
	}
}

// messages models the methods that return the messages of a handler's parameter: Recv and RecvMsg of a stream, Any of a
// connect.AnyRequest, and getters of a request of unknown type. It reports whether the call is one of them.
func (f *function) messages(st *state, instr ssa.CallInstruction, common *ssa.CallCommon, args []value) (value, bool) {
	call, ok := instr.(*ssa.Call)
	if !ok || !common.IsInvoke() {
		return nil, false
	}
	from := f.eval(st, common.Value)
	if isGetter(common) || catalog.IsConnect(common.Value.Type(), "AnyRequest") && common.Method.Name() == "Any" {
		return f.at(st, from, access.Element, call.Type()).union(f.unknown(st, call, call.Type())), true
	}
	m := access.Received(common.Value.Type())
	if m == nil {
		return nil, false
	}
	switch common.Method.Name() {
	case "Recv":
		return f.at(st, from, access.Element, m).under(access.Tuple(0)), true
	case "RecvMsg":
		message := m.Underlying().(*types.Pointer).Elem()
		if p, ok := ssaform.Unboxed(common.Args[0]).Type().Underlying().(*types.Pointer); !ok || !types.Identical(p.Elem(), message) {
			return nil, false
		}
		f.putIn(st, args[0], "", f.at(st, f.at(st, from, access.Element, m), "", message), f.position(instr))
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
