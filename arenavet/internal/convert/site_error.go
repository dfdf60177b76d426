package convert

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/convert/life"
)

// Errors are logged and kept for long, and a request that goes well makes none: what is made for one
// is counted apart.

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// isErrorValue reports whether values of a type, or pointers to them, are errors of a type that is known.
func isErrorValue(t types.Type) bool {
	if t == nil || types.IsInterface(t) {
		return false
	}
	return types.Implements(t, errorInterface) || types.Implements(types.NewPointer(t), errorInterface)
}

// makesError reports whether a function makes nothing but an error: that is all that it returns, by its
// type, or what it has to be formatted goes to such a function.
func (p *program) makesError(fn *types.Func, seen map[*types.Func]bool) bool {
	switch catalog.FunctionName(fn) {
	case "fmt.Errorf", "errors.New", "errors.Join":
		return true
	}
	sig := fn.Signature()
	if sig.Results().Len() == 1 && isErrorValue(sig.Results().At(0).Type()) {
		return true
	}
	d := p.decls[p.ssaOf[fn]]
	if !sig.Variadic() || d == nil || seen[fn] {
		return false
	}
	if list, ok := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice); !ok || !types.IsInterface(list.Elem()) {
		return false
	}
	seen[fn] = true
	args, all, any := sig.Params().At(sig.Params().Len()-1), true, false
	var stack []ast.Node
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && d.pkg.TypesInfo.Uses[id] == args {
			any = true
			all = all && p.partOfError(d.pkg.TypesInfo, stack, seen)
		}
		stack = append(stack, n)
		return true
	})
	return any && all
}

// partOfError reports whether one of some nodes makes an error of what is in it.
func (p *program) partOfError(info *types.Info, around []ast.Node, seen map[*types.Func]bool) bool {
	for _, n := range around {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if isErrorValue(info.TypeOf(n)) {
				return true
			}
		case *ast.CallExpr:
			var id *ast.Ident
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				id = f
			case *ast.SelectorExpr:
				id = f.Sel
			default:
				continue
			}
			if fn, ok := info.Uses[id].(*types.Func); ok && p.makesError(fn, seen) {
				return true
			}
		}
	}
	return false
}

// forError reports whether what a site makes ends in an error. Of a box its line alone is known.
func (p *program) forError(fn *ssa.Function, s *Site) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	d := p.decls[fn]
	if strings.HasPrefix(s.Reason, life.OfError) {
		return true
	}
	if r := fn.Signature.Results(); r.Len() == 1 && isErrorValue(r.At(0).Type()) {
		return true
	}
	line := func(n ast.Node) (from, to int) {
		return p.fset.PositionFor(n.Pos(), false).Line, p.fset.PositionFor(n.End(), false).Line
	}
	at := p.fset.PositionFor(s.Pos, false).Line
	found := false
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if n == nil || found {
			return false
		}
		from, to := line(n)
		if at < from || to < at {
			return false
		}
		isBox := s.kind == "box" || s.kind == "arguments"
		if isBox || n.Pos() <= s.Pos && s.Pos < n.End() {
			found = p.partOfError(d.pkg.TypesInfo, []ast.Node{n}, map[*types.Func]bool{})
		}
		return true
	})
	return found
}
