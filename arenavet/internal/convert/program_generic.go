package convert

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// allFunctions are those with a body: the program's, and instances of generic functions of others that are
// analyzed. A body with type parameters is one of them where others can make instances of it.
func (p *program) allFunctions(prog *ssa.Program, own map[*ssa.Package]bool, whole bool) map[*ssa.Function]bool {
	open := false
	for _, pkg := range p.pkgs {
		open = open || !whole && offersGeneric(pkg.Types)
	}
	all, seen := map[*ssa.Function]bool{}, map[types.Type]bool{}
	var methods func(t types.Type)
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		pkg := life.PackageOf(fn)
		if all[fn] || pkg == nil || len(fn.Blocks) == 0 || life.Parameterized(fn) && !(open && own[pkg]) ||
			!own[pkg] && !(life.Analyzed[pkg.Pkg.Path()] && life.Instance(fn)) {
			return
		}
		all[fn] = true
		for _, g := range fn.AnonFuncs {
			add(g)
		}
		methods(fn.Signature)
		for _, v := range fn.FreeVars {
			methods(v.Type())
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if v, ok := i.(ssa.Value); ok {
					methods(v.Type())
				}
				for _, v := range i.Operands(nil) {
					if g, ok := (*v).(*ssa.Function); ok {
						add(g)
					}
				}
			}
		}
	}
	methods = func(t types.Type) { // of instances of generic types: who has such a value may call them
		if t = types.Unalias(t); seen[t] {
			return
		}
		seen[t] = true
		if n, ok := t.(*types.Named); ok {
			if pkg := prog.Package(n.Obj().Pkg()); pkg == nil || !own[pkg] {
				return
			}
			if set := prog.MethodSets.MethodSet(types.NewPointer(n)); n.TypeArgs().Len() > 0 && !types.IsInterface(n) {
				for sel := range set.Methods() {
					if fn := prog.MethodValue(sel); fn != nil && sel.Obj().(*types.Func).Signature().TypeParams().Len() == 0 {
						add(fn)
					}
				}
			}
			t = n.Underlying()
		}
		switch t := t.(type) {
		case *types.Tuple:
			for v := range t.Variables() {
				methods(v.Type())
			}
		case *types.Signature:
			methods(t.Params())
			methods(t.Results())
		case *types.Struct:
			for v := range t.Fields() {
				methods(v.Type())
			}
		case *types.Map:
			methods(t.Key())
			methods(t.Elem())
		case *types.Interface:
			for m := range t.Methods() {
				methods(m.Signature())
			}
		case interface{ Elem() types.Type }:
			methods(t.Elem())
		}
	}
	for _, pkg := range p.pkgs {
		for _, name := range pkg.Types.Scope().Names() {
			methods(pkg.Types.Scope().Lookup(name).Type())
		}
	}
	for fn := range ssautil.AllFunctions(prog) {
		add(fn)
	}
	for fn := range p.decls {
		add(fn)
	}
	return all
}

// offersGeneric reports whether others can make instances of what a package has: of exported functions,
// types and methods with type parameters.
func offersGeneric(pkg *types.Package) bool {
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		switch t := types.Unalias(obj.Type()).(type) {
		case *types.Named:
			for m := range t.Origin().Methods() {
				if m.Exported() && m.Signature().TypeParams().Len() > 0 {
					return true
				}
			}
			if _, isType := obj.(*types.TypeName); isType && obj.Exported() && t.TypeParams().Len() > 0 {
				return true
			}
		case *types.Signature:
			if obj.Exported() && t.TypeParams().Len() > 0 {
				return true
			}
		}
		if alias, ok := obj.Type().(*types.Alias); ok && obj.Exported() && alias.TypeParams().Len() > 0 {
			return true
		}
	}
	return false
}

// base is the function whose text a function has: of an instance, the generic one.
func (p *program) base(fn *ssa.Function) *ssa.Function {
	if outer := fn.Parent(); outer != nil {
		if of := p.base(outer); of != outer {
			for _, g := range of.AnonFuncs {
				if g.Pos() == fn.Pos() {
					return g
				}
			}
		}
		return fn
	}
	if of := fn.Origin(); of != nil && p.decls[of] != nil {
		return of
	}
	return fn
}

// outermost is the function that a literal stands in.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// bodies are those that run for a function: of a generic one, its instances that the root leads to.
func (p *plan) bodies(fn *ssa.Function) []*ssa.Function {
	if !life.Parameterized(fn) {
		return []*ssa.Function{fn}
	}
	return p.instances[fn]
}

// findInstances finds the bodies of generic functions and their literals.
func (p *plan) findInstances() {
	p.instances = map[*ssa.Function][]*ssa.Function{}
	for _, fn := range p.functions {
		if of := p.base(fn); p.within[fn] && life.Parameterized(of) {
			p.instances[of] = append(p.instances[of], fn)
		}
	}
}

// settled reports whether all bodies of a function were understood.
func (p *plan) settled(fn *ssa.Function) bool {
	all := p.bodies(fn)
	return len(all) > 0 && !slices.ContainsFunc(all, func(g *ssa.Function) bool { return !p.life.Settled(g) })
}

// textNames reports whether a call's text names a function, or the method of an interface. It may name a
// variable that is known to be the function; or, in a generic one, a method of a type parameter.
func (p *plan) textNames(call ssa.CallInstruction, callee types.Object) bool {
	d := p.decls[p.base(outermost(call.Parent()))]
	if d == nil {
		return false
	}
	found := false
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Lparen == call.Common().Pos() {
			if id := calledName(c); id != nil {
				fn, ok := d.pkg.TypesInfo.Uses[id].(*types.Func)
				found = ok && callee != nil && fn.Origin() == callee.(*types.Func).Origin()
			}
		}
		return !found
	})
	return found
}
