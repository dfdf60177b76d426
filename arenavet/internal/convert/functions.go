package convert

import (
	"go/ast"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// allFunctions are those with a body: the program's, and instances of generic functions of others that are
// analyzed. A body with type parameters is one of them where others can make instances of it.
func allFunctions(prog *ssa.Program, own map[*ssa.Package]bool, whole bool, declared iter.Seq[*ssa.Function]) map[*ssa.Function]bool {
	open := false
	for pkg := range own {
		open = open || !whole && offersGeneric(pkg.Pkg)
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
	for pkg := range own {
		for _, name := range pkg.Pkg.Scope().Names() {
			methods(pkg.Pkg.Scope().Lookup(name).Type())
		}
	}
	for fn := range ssautil.AllFunctions(prog) {
		add(fn)
	}
	for fn := range declared {
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

// statements are those of a list, as a block has one.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}
