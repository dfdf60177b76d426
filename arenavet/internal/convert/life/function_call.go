package life

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// results are a call's, to be added to.
func (f *function) results(call ssa.CallInstruction) func(i int, s *set) {
	v := call.Value()
	if v == nil {
		return func(int, *set) {}
	}
	t, ok := v.Type().(*types.Tuple)
	if !ok {
		return func(_ int, s *set) { f.add(v, s) }
	}
	if f.tuples[v] == nil {
		f.tuples[v] = make([]*set, t.Len())
		for i := range f.tuples[v] {
			f.tuples[v][i] = &set{}
		}
	}
	return func(i int, s *set) { f.fill(f.tuples[v][i], s, t.At(i).Type()) }
}

// resultTypes are those of a call.
func resultTypes(call ssa.CallInstruction) (all []types.Type) {
	for v := range call.Common().Signature().Results().Variables() {
		all = append(all, v.Type())
	}
	return all
}

func (f *function) call(call ssa.CallInstruction) {
	c := call.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(call, b.Name())
		return
	}
	var args []*set
	if c.IsInvoke() {
		args = append(args, f.of(c.Value))
	}
	for _, a := range c.Args {
		args = append(args, f.of(a))
	}
	if _, ok := call.(*ssa.Go); ok {
		why := Reason{"is given to a goroutine", call.Pos()}
		for _, a := range append(args, f.of(c.Value)) {
			f.leak(a, nil, why)
		}
	}
	if c.IsInvoke() && types.Implements(c.Value.Type(), errorType) && c.Method.Name() == "Error" {
		f.elsewhere(call, "", args)
		return
	}
	seen := false
	one := c.StaticCallee() != nil || f.boundTo(c.Value) != nil
	outside := !one && !f.closed(c)
	for _, g := range f.callees(call) {
		if f.p.own[g] && !f.p.unsettled[g] {
			seen = true
			if s := f.summaryOf(f.bind(g, call)); s != nil {
				f.apply(call, g, s, args)
			}
		} else if outside = true; one {
			f.elsewhere(call, catalog.CalleeName(g), args)
			return
		}
	}
	if !seen && !f.p.world.Whole && f.p.outside.closed(c.Value.Type()) {
		return // none is made where the root leads to: it is nil, or there is no such call
	}
	if !seen || outside {
		f.unknown(call, args)
	}
}

// unknown is a call of a function that nobody has seen.
func (f *function) unknown(call ssa.CallInstruction, args []*set) {
	c := call.Common()
	if f.ofTable(c, args) {
		f.p.assume(Assumption{Func: f.fn, Type: c.Value.Type().String(), Own: true}, call.Pos())
		put := f.results(call)
		for n := range args[0].all() {
			r := f.refs[n]
			for i, t := range resultTypes(call) {
				for _, l := range leaves(t) {
					put(i, setOf(f.number(r.thing.place("*"), key(l.typ))))
				}
			}
			for _, a := range args[1:] {
				f.store(r, "*", a, nil, Reason{})
			}
		}
		return
	}
	if c.IsInvoke() && keepsNothing[c.Method.Name()] {
		f.elsewhere(call, "", args)
		return
	}
	if Table(c) != nil {
		put := f.results(call)
		k := key(c.Signature().Results().At(0).Type())
		put(0, setOf(f.whole(f.made(site, call, k), k)))
		f.p.assume(Assumption{Func: f.fn, Type: c.Signature().Results().At(0).Type().String(), New: true}, call.Pos())
		return
	}
	if len(c.Args) == 1 && isLoop(c.Args[0]) { // of an iterator, which must not keep it
		f.callbacks(call, append(args, f.of(c.Value)))
		return
	}
	why := Reason{"is given to a function that is not known", call.Pos()}
	for i, a := range args {
		if i > 0 || !c.IsInvoke() {
			f.leak(a, nil, why)
		}
	}
	f.unknownResults(call)
}

// ofTable reports whether a call is of a method of what a table of the package has just made, where others can
// put only what embeds a type of the package: the interface has a method that is not exported.
func (f *function) ofTable(c *ssa.CallCommon, args []*set) bool {
	if !c.IsInvoke() || args[0].empty() {
		return false
	}
	embedded := false
	for m := range c.Value.Type().Underlying().(*types.Interface).Methods() {
		embedded = embedded || !m.Exported()
	}
	for n := range args[0].all() {
		r := f.refs[n]
		if r.at == nil {
			return false
		}
		for at := range f.makers(r.object) {
			call, made := at.(ssa.CallInstruction)
			if r.kind != site && r.kind != fresh || made && Table(call.Common()) == nil {
				return false
			}
		}
	}
	return embedded
}

// isLoop reports whether a value is the body of a loop over a function.
func isLoop(v ssa.Value) bool {
	m, ok := v.(*ssa.MakeClosure)
	return ok && m.Fn.(*ssa.Function).Synthetic == "range-over-func yield"
}

func (f *function) unknownResults(call ssa.CallInstruction) {
	put := f.results(call)
	for i, t := range resultTypes(call) {
		for _, l := range leaves(t) {
			put(i, setOf(f.lasting(0, key(l.typ))))
		}
	}
}

// keepsNothing lists methods of interfaces that keep no argument, by their contract.
var keepsNothing = map[string]bool{
	"Read": true, "Write": true, "WriteString": true, "WriteByte": true, "WriteRune": true, "ReadByte": true, "ReadRune": true,
	"Error": true, "String": true, "Less": true, "Swap": true, "Len": true, "Close": true, "Header": true, "WriteHeader": true,
	"Unwrap": true, "Is": true, "UnreadByte": true, "UnreadRune": true,
}

// elsewhere is a call of a function of another module, or of the standard library.
func (f *function) elsewhere(call ssa.CallInstruction, name string, args []*set) {
	invoked := name == ""
	pkg := catalog.PackageOf(name)
	sig := call.Common().Signature()
	receiver := sig.Recv() != nil || call.Common().IsInvoke()
	switch name {
	case "fmt.Errorf":
		f.errorf(call, args)
		f.calledBack(call, pkg, args)
		f.unknownResults(call)
		return
	case "errors.New":
		if f.border(call.Pos(), call.Common().Args[0]) {
			f.unknownResults(call)
			return
		}
	}
	if decodes(name) {
		f.decode(call, call.Common().Args[1], args[1])
		f.unknownResults(call)
		return
	}
	if name != "" && !catalog.IsStandard(pkg) || catalog.StartsGoroutine[name] || catalog.Keepers[name] || catalog.MayKeep(pkg) || pkg == "errors" || keepsApart(pkg, name) {
		if pkg == "errors" && !strings.HasSuffix(name, "New") && !strings.HasSuffix(name, "Join") {
			f.calledBack(call, pkg, args)
			f.keepErrors(args)
			if f.unknownResults(call); name == "errors.As" {
				f.target(call, args)
			}
			return
		}
		why := Reason{"is given to " + name, call.Pos()}
		for i, a := range args {
			if i > 0 || !receiver {
				f.leak(a, nil, why)
				f.leak(f.reach(a).refs, nil, why)
			}
		}
		f.unknownResults(call)
		return
	}
	f.callbacks(call, args)
	if !invoked {
		f.calledBack(call, pkg, args)
	}
	copies := copiesAll(pkg, name)
	put := f.results(call)
	var all *set
	for i, t := range resultTypes(call) {
		if len(leaves(t)) == 0 {
			continue
		}
		if catalog.IsError(t) {
			f.keepErrors(args)
			put(i, setOf(f.lasting(0, key(t))))
			continue
		}
		for _, l := range leaves(t) {
			k := key(l.typ)
			if at, ok := call.(ssa.Instruction); ok {
				n := f.whole(f.made(site, at, k), k)
				put(i, setOf(n))
				if !copies {
					if all == nil {
						all = f.reachAll(args)
					}
					f.store(f.refs[n], "*", all, nil, Reason{})
				}
			}
		}
		if !copies {
			put(i, all)
		}
	}
	if grows(call) {
		f.grow(call, args[0])
	}
	if receiver && len(args) > 1 && !copies && !invoked && !keepsNone(name) {
		for n := range args[0].all() {
			for i, a := range args[1:] {
				if _, isText := paramType(sig, i).Underlying().(*types.Basic); !isText || !readsText(name) {
					f.store(f.refs[n], "*", a, nil, Reason{"is kept by what outlives the root, in " + name, call.Pos()})
				}
			}
		}
	}
}

// keepErrors notes that others have the errors that arguments lead to: what they give may be one of those.
func (f *function) keepErrors(args []*set) {
	for _, a := range args {
		for _, g := range f.reach(a).things {
			if g.leaked {
				f.keep(g)
			}
		}
	}
}

func paramType(sig *types.Signature, i int) types.Type {
	if i < sig.Params().Len() {
		return sig.Params().At(i).Type()
	}
	return types.Typ[types.Invalid]
}

// callbacks are functions that are given to a function of another module: it calls them with what it
// is given.
func (f *function) callbacks(call ssa.CallInstruction, args []*set) {
	var all *set
	for _, v := range call.Common().Args {
		sig, ok := v.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		if all == nil {
			all = f.reachAll(args)
		}
		g := f.boundTo(v)
		if _, none := v.(*ssa.Const); none || g != nil && !f.p.own[g] && catalog.IsStandard(catalog.PackageOf(catalog.CalleeName(g))) {
			continue
		}
		if g == nil || !f.p.own[g] {
			if len(leaves(sig.Params())) == 0 {
				continue // a list's indices, or runes
			}
			f.leak(all, nil, Reason{"is given to a function that is not known", call.Pos()})
			continue
		}
		given := make([]*set, len(g.Params))
		for i := range given {
			given[i] = all
		}
		f.run(applied{call: call, to: g, with: v}, given, f.of(v))
	}
}

func (f *function) builtin(call ssa.CallInstruction, name string) {
	c := call.Common()
	switch name {
	case "append", "copy":
		if len(c.Args) < 2 {
			return
		}
		to := f.of(c.Args[0])
		if name == "append" {
			f.make(call.Value())
			f.add(call.Value(), to)
			to = f.of(call.Value())
		}
		s, ok := c.Args[0].Type().Underlying().(*types.Slice)
		if !ok {
			return
		}
		why := Reason{"is appended to what outlives the root", call.Pos()}
		for _, l := range leaves(s.Elem()) {
			held := &set{}
			for _, a := range c.Args {
				if name == "copy" && a == c.Args[0] {
					continue
				}
				for r := range f.places(f.of(a)) {
					f.load(held, r, "[]"+l.path, l.typ)
				}
			}
			if f.copied(call.Pos(), f.of(c.Args[0]), held) {
				continue
			}
			for r := range f.places(f.written(to, held, why)) {
				f.store(r, "[]"+l.path, held, l.typ, why)
			}
		}
	case "panic":
		f.leak(f.of(c.Args[0]), nil, Reason{"is what a panic has", call.Pos()})
	case "recover":
		f.longLived(call.Value())
	case "ssa:wrapnilchk", "min", "max":
		for _, a := range c.Args {
			f.add(call.Value(), f.of(a))
		}
	case "String", "StringData", "Slice", "SliceData", "Add":
		for _, a := range c.Args {
			f.leak(f.of(a), nil, Reason{"is converted by unsafe", call.Pos()})
		}
		f.longLived(call.Value())
	}
}

func (f *function) apply(call ssa.CallInstruction, g *ssa.Function, s *summary, args []*set) {
	var closure *set
	if c := call.Common(); !c.IsInvoke() && len(g.FreeVars) > 0 {
		closure = f.of(c.Value)
	}
	if call.Common().IsInvoke() && len(g.Params) != len(args) {
		f.unknown(call, args) // a wrapper of another shape
		return
	}
	f.applyTo(applied{call: call, to: g}, s, args, closure, f.results(call))
}

// callees are those that a call may reach.
func (f *function) callees(call ssa.CallInstruction) (all []*ssa.Function) {
	p := f.p
	if g := call.Common().StaticCallee(); g != nil {
		return []*ssa.Function{origin(g)}
	}
	if g := f.boundTo(call.Common().Value); g != nil {
		return []*ssa.Function{g}
	}
	if c := call.Common(); !p.world.Whole && sealed(c) && !p.outside.closed(c.Value.Type()) {
		return p.sealedIn(c)
	}
	if n := p.graph.Nodes[f.fn]; n != nil {
		for _, e := range n.Out {
			if e.Site == call {
				all = append(all, origin(e.Callee.Func))
			}
		}
	}
	return all
}
