package convert

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// findReach finds the functions that a call of the root may run: functions that are called or used as a
// value, all methods that a call of an interface may mean, and all methods of the values that a library gets.
func (p *program) findReach() {
	r := &reached{reach: map[*ssa.Function]bool{}, outside: map[*ssa.Function]bool{}, taken: p.addressTaken()}
	p.reached = r
	var queue []*ssa.Function
	add := func(f *ssa.Function, outside bool) {
		if f == nil || f.Blocks == nil {
			return
		}
		if outside {
			r.outside[f] = true
		}
		if !r.reach[f] {
			r.reach[f] = true
			queue = append(queue, f)
		}
	}
	boxed := map[types.Type]bool{}
	asserted := map[types.Type]bool{}
	type invoke struct {
		iface  *types.Interface
		method string // empty: all
	}
	invokes := map[invoke]bool{}
	dynamic := map[string]bool{}
	add(p.root.ssa, false)
	for {
		for len(queue) > 0 {
			f := queue[0]
			queue = queue[1:]
			for i := range ssaform.Instructions(f) {
				for _, op := range i.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						add(g, false)
					}
				}
				switch i := i.(type) {
				case *ssa.MakeInterface:
					if !boxed[i.X.Type()] {
						boxed[i.X.Type()] = true
						r.boxed = append(r.boxed, i.X.Type())
					}
				case *ssa.TypeAssert:
					if !asserted[i.AssertedType] {
						asserted[i.AssertedType] = true
						r.asserted = append(r.asserted, i.AssertedType)
					}
				case ssa.CallInstruction:
					c := i.Common()
					if c.IsInvoke() {
						invokes[invoke{c.Value.Type().Underlying().(*types.Interface), c.Method.Name()}] = true
						passFunctions(c, add)
						continue
					}
					switch g := c.StaticCallee(); {
					case g == nil:
						if _, ok := c.Value.(*ssa.Builtin); !ok {
							dynamic[signature(c.Value.Type())] = true
							passFunctions(c, add)
						}
					case g.Blocks == nil:
						if p.effectOf(calleeName(g)) == retains {
							passFunctions(c, add)
						} else { // what these call gets their arguments
							p.handedOut(c, add, func(i *types.Interface) { invokes[invoke{iface: i}] = true }, func(s string) { dynamic[s] = true })
						}
					}
				}
			}
		}
		for i := range invokes {
			for _, x := range p.concrete {
				if !implements(x, i.iface) {
					continue
				}
				set := p.prog.MethodSets.MethodSet(types.NewPointer(x))
				for m := range i.iface.Methods() {
					if i.method == "" || i.method == m.Name() {
						add(p.prog.MethodValue(set.Lookup(m.Pkg(), m.Name())), false)
					}
				}
			}
		}
		for s := range dynamic {
			for _, f := range r.taken[s] {
				add(f, false)
			}
		}
		if len(queue) == 0 {
			break
		}
	}
	r.functions = slices.SortedFunc(maps.Keys(r.reach), func(a, b *ssa.Function) int {
		if a.Pos().IsValid() && b.Pos().IsValid() && a.Pos() != b.Pos() {
			return p.compare(a.Pos(), b.Pos())
		}
		return strings.Compare(a.String(), b.String())
	})
}

// printed are the methods that package fmt calls.
var printed = map[string]string{"String": "func() string", "Error": "func() string", "GoString": "func() string", "Format": "func(fmt.State, rune)"}

// handedOut reports the functions and interfaces that a listed function of another package gets with a call's
// arguments, and adds the methods that package fmt calls.
func (p *program) handedOut(c *ssa.CallCommon, add func(*ssa.Function, bool), iface func(*types.Interface), dynamic func(string)) {
	pkg := catalog.PackageOf(calleeName(c.StaticCallee()))
	for _, a := range c.Args {
		for _, v := range unboxed(a) {
			if pkg == "fmt" {
				p.addPrinted(v, add)
			}
			access.Reaches(v.Type(), func(t types.Type) (found, enter bool) {
				switch u := t.Underlying().(type) {
				case *types.Interface:
					if !u.Empty() {
						iface(u)
					}
				case *types.Signature:
					dynamic(signature(u))
				}
				return false, true
			})
		}
	}
}

// passFunctions adds the functions that are arguments of a call.
func passFunctions(c *ssa.CallCommon, add func(*ssa.Function, bool)) {
	for _, a := range c.Args {
		if mc, ok := a.(*ssa.MakeClosure); ok {
			a = mc.Fn
		}
		if f, ok := a.(*ssa.Function); ok {
			add(f, c.StaticCallee() == nil || c.StaticCallee().Blocks == nil)
		}
	}
}

// unboxed returns the values that an argument holds: itself, the operand of an interface, or variadic
// arguments.
func unboxed(a ssa.Value) (all []ssa.Value) {
	switch v := a.(type) {
	case *ssa.MakeInterface:
		if i, ok := v.Type().Underlying().(*types.Interface); ok && i.Empty() {
			return []ssa.Value{v.X}
		}
	case *ssa.Slice:
		if list, ok := variadic(v); ok {
			for _, x := range list {
				all = append(all, unboxed(x)...)
			}
			return all
		}
	}
	return []ssa.Value{a}
}

// addPrinted adds the methods that package fmt calls of a value and of everything that it leads to.
func (p *program) addPrinted(v ssa.Value, add func(*ssa.Function, bool)) {
	for _, x := range p.concrete {
		if !leadsTo(v.Type(), x) {
			continue
		}
		set := p.prog.MethodSets.MethodSet(types.NewPointer(x))
		for k := range set.Len() {
			m := set.At(k).Obj().(*types.Func)
			if want, ok := printed[m.Name()]; ok && want == signature(m.Type()) {
				add(p.prog.MethodValue(set.At(k)), false)
			}
		}
	}
}

// leadsTo reports whether a value of type t may be, or lead to, one of type x.
func leadsTo(t, x types.Type) bool {
	return access.Reaches(t, func(t types.Type) (found, enter bool) {
		i, ok := t.Underlying().(*types.Interface)
		return types.Identical(t, x) || ok && implements(x, i), true
	})
}

// addressTaken lists the functions that the module uses as values, by signature.
func (p *program) addressTaken() map[string][]*ssa.Function {
	all, seen := map[string][]*ssa.Function{}, map[*ssa.Function]bool{}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		for i := range ssaform.Instructions(f) {
			var callee ssa.Value
			if c, ok := i.(ssa.CallInstruction); ok && !c.Common().IsInvoke() {
				callee = c.Common().Value
			}
			for _, op := range i.Operands(nil) {
				var g *ssa.Function
				switch v := (*op).(type) {
				case *ssa.Function:
					g = v
				case *ssa.MakeClosure:
					g = v.Fn.(*ssa.Function)
				default:
					continue
				}
				if *op != callee || op != &i.(ssa.CallInstruction).Common().Value {
					all[signature(g.Type())] = append(all[signature(g.Type())], g)
				}
				visit(g)
			}
		}
		for _, a := range f.AnonFuncs {
			visit(a)
		}
	}
	for f := range p.bySSA {
		visit(f)
	}
	for _, pkg := range p.pkgs {
		if s := p.prog.Package(pkg.Types); s != nil {
			visit(s.Func("init"))
		}
	}
	return all
}

// findOpen finds the signatures of variables that may hold functions of other packages: functions that the module uses as
// values, parameters of the root, exported variables and fields, results of other packages, and parameters of exported
// functions that may store them.
func (p *program) findOpen() {
	p.open = map[string]bool{}
	seen := map[types.Type]bool{}
	var open func(t types.Type)
	open = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		switch u := t.(type) {
		case *types.Named:
			if !p.inModule(u.Obj().Pkg()) {
				return
			}
			if s, ok := u.Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if f.Exported() {
						open(f.Type())
					}
				}
				return
			}
			open(u.Underlying())
		case *types.Signature:
			p.open[signature(u)] = true
			open(u.Params())
			open(u.Results())
		case *types.Interface:
			for m := range u.Methods() {
				open(m.Signature().Results()) // its implementation may be another package's
			}
		default:
			for part := range access.Parts(u) {
				open(part)
			}
		}
	}
	for _, v := range p.root.ssa.Params {
		open(v.Type())
	}
	for s, list := range p.taken {
		if slices.ContainsFunc(list, func(f *ssa.Function) bool { return f.Blocks == nil }) { // of other packages
			p.open[s] = true
		}
	}
	for _, t := range p.asserted { // in an interface
		if _, ok := t.Underlying().(*types.Signature); ok {
			p.open[signature(t)] = true
		}
	}
	for _, pkg := range p.pkgs {
		for _, name := range pkg.Types.Scope().Names() {
			switch o := pkg.Types.Scope().Lookup(name).(type) {
			case *types.Var, *types.TypeName:
				if o.Exported() {
					open(o.Type())
				}
			}
		}
	}
	for _, f := range p.order {
		if !f.obj.Exported() || f.ssa == nil {
			continue
		}
		for i, v := range f.ssa.Params {
			if i == 0 && f.decl.Recv != nil {
				continue
			}
			if _, isFunc := v.Type().Underlying().(*types.Signature); !isFunc || p.escapes(v, map[ssa.Value]bool{}) {
				open(v.Type())
			}
		}
	}
}
