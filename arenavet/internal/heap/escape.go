package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// value returns how far an expression's value gets by itself, and the places it flows to.
func (h *advisor) value(e ast.Node) (escape, []place) {
	switch p := h.parents[e].(type) {
	case *ast.ParenExpr, *ast.KeyValueExpr, *ast.CompositeLit, *ast.TypeAssertExpr:
		return stays, []place{p}
	case *ast.SliceExpr:
		if p.X == e {
			return stays, []place{p}
		}
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		if at, ok := p.(*ast.IndexExpr); ok && at.Index == e {
			if h.assigned(at) {
				return h.assignedTo(at) // a map keeps the key
			}
			return stays, nil
		}
		if x, ok := p.(ast.Expr); ok && !access.PointerFree(h.typeOf(x)) {
			if call, called := h.parents[p].(*ast.CallExpr); called && call.Fun == p {
				return goesOut, nil // a method
			}
			return stays, []place{p}
		}
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return stays, []place{p}
		}
	case *ast.BinaryExpr:
		if p.Op == token.ADD {
			return stays, []place{p}
		}
	case *ast.CallExpr:
		return h.argument(p, e)
	case *ast.ReturnStmt:
		if x, ok := e.(ast.Expr); ok && h.returnedAsError(p, x) {
			return outlives, nil
		}
		return goesOut, nil
	case *ast.SendStmt:
		return outlives, nil
	case *ast.AssignStmt:
		return h.assignment(p.Lhs, p.Rhs, e)
	case *ast.ValueSpec:
		names := make([]ast.Expr, len(p.Names))
		for i, name := range p.Names {
			names[i] = name
		}
		return h.assignment(names, p.Values, e)
	case *ast.RangeStmt:
		if p.X != e {
			return stays, nil
		}
		return h.assignedToAll([]ast.Expr{p.Key, p.Value}, func(v ast.Expr) bool { return v != nil && !access.PointerFree(h.typeOf(v)) })
	}
	return stays, nil
}

// assignment is value for an operand of an assignment, if e is on its right side.
func (h *advisor) assignment(lhs, rhs []ast.Expr, e ast.Node) (escape, []place) {
	i := numberOf(rhs, e)
	switch {
	case i < 0:
		return stays, nil
	case len(lhs) == len(rhs):
		return h.assignedTo(lhs[i])
	}
	return h.assignedToAll(lhs, func(l ast.Expr) bool { return !catalog.IsError(h.typeOf(l)) })
}

// assignedToAll is assignedTo for the expressions of a list that count.
func (h *advisor) assignedToAll(list []ast.Expr, counts func(ast.Expr) bool) (worst escape, next []place) {
	for _, e := range list {
		if counts(e) {
			own, more := h.assignedTo(e)
			worst, next = max(worst, own), append(next, more...)
		}
	}
	return worst, next
}

// assignedTo is value for a value that is assigned to e.
func (h *advisor) assignedTo(e ast.Expr) (escape, []place) {
	if catalog.IsError(h.typeOf(e)) {
		return outlives, nil
	}
	switch root := h.rootOf(e).(type) {
	case *ast.SelectorExpr: // a variable of another package
		return outlives, nil
	case *ast.Ident:
		obj := h.pkg.Pass.TypesInfo.ObjectOf(root)
		switch {
		case root.Name == "_" || obj == nil:
			return stays, nil
		case h.params[obj] && ast.Unparen(e) != root:
			return goesOut, []place{obj}
		}
		return stays, []place{obj}
	}
	return goesOut, nil
}

// variable returns the escape of a variable's value, and the places that store it.
func (h *advisor) variable(obj types.Object) (escape, []place) {
	if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
		return outlives, nil
	}
	if obj.Pos() < h.body.Pos() && !h.params[obj] {
		if obj.Pos().IsValid() && !isResult(obj) {
			return outlives, nil // a variable of the enclosing function
		}
		return goesOut, nil
	}
	own := stays
	if isResult(obj) {
		own = goesOut // a result of a literal
	}
	next := make([]place, len(h.uses[obj]))
	for i, id := range h.uses[obj] {
		next[i] = id
		if h.later(id) {
			own = outlives
		}
	}
	return own, next
}

func isResult(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && v.Kind() == types.ResultVar
}

// argument is value for an argument of a call.
func (h *advisor) argument(call *ast.CallExpr, e ast.Node) (escape, []place) {
	result := []place{call}
	if _, ok := h.parents[call].(*ast.GoStmt); ok {
		return outlives, nil
	}
	if tv, ok := h.pkg.Pass.TypesInfo.Types[call.Fun]; ok && tv.IsType() {
		if catalog.IsText(tv.Type) != catalog.IsText(h.typeOf(call.Args[0])) {
			return stays, nil // a copy
		}
		return stays, result
	}
	switch h.builtin(call) {
	case "append":
		return stays, result
	case "panic":
		return outlives, nil
	case "len", "cap", "clear", "copy", "delete", "print", "println", "close":
		return stays, nil
	}
	name, fn := h.called(call), h.function(call)
	switch name {
	case catalog.ArenaPath + ".Arena.AllocBytesToString", catalog.ArenaPath + ".Arena.AllocString", catalog.ArenaPath + ".Arena.Concat":
		return stays, nil // a copy
	case catalog.ArenaPath + ".Append":
		return stays, result
	}
	if fn == nil {
		return goesOut, nil
	}
	n := numberOf(call.Args, e)
	if fn.Signature().Recv() != nil {
		n++
	}
	failed := catalog.IsError(h.typeOf(call))
	switch u := h.pkg.UseOf(fn, n); {
	case u.Kept || failed && makesErrors(fn):
		return outlives, nil
	case !u.Returned || failed && catalog.IsStandard(catalog.PackageOf(name)):
		return goesOut, nil
	}
	return goesOut, result // also the text of a panic, which is rare
}

// makesErrors reports whether a function makes the error it returns from its arguments, judging by its name. Functions
// that save, send or encode also return errors, but those do not hold the arguments.
func makesErrors(fn *types.Func) bool {
	path := catalog.PackagePath(fn.Pkg())
	pkg := path[strings.LastIndex(path, "/")+1:]
	return pkg == "errors" || pkg == "xerrors" || strings.Contains(fn.Name(), "Err")
}

// returnedAsError reports whether a return statement returns x as an error. Errors are logged and kept after the
// request.
func (h *advisor) returnedAsError(ret *ast.ReturnStmt, x ast.Expr) bool {
	sig := h.returning(ret)
	if sig == nil || sig.Results().Len() != len(ret.Results) {
		return false
	}
	i := numberOf(ret.Results, x)
	return i >= 0 && catalog.IsError(sig.Results().At(i).Type())
}
