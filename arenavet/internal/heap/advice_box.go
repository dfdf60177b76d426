package heap

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// box advises an expression that becomes an any and leaves the function, unless other advice covers it.
func (h *advisor) box(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.TypeAssertExpr:
	case *ast.BinaryExpr:
		if catalog.IsText(h.typeOf(x)) {
			return
		}
	case *ast.CompositeLit:
		if _, ok := h.typeOf(x).Underlying().(*types.Struct); !ok {
			return
		}
	case *ast.CallExpr:
		name, builtin := h.called(x), h.builtin(x)
		if builtin != "" && builtin != "len" && builtin != "cap" || h.pkg.Pass.TypesInfo.Types[x.Fun].IsType() || inArena[name] != "" || ofArena[name] != "" || printed[name] != "" || makers[name] {
			return
		}
	default:
		return
	}
	to := h.convertedTo(e)
	if to == nil || !isAny(to) || !catalog.IsBoxed(h.typeOf(e)) || h.of(e) != goesOut {
		return
	}
	h.useFunction(e.Pos(), types.ExprString(e)+" in an any", "BoxOf", true, func(c rewrite.Call) []analysis.TextEdit {
		return []analysis.TextEdit{insert(e.Pos(), c.Func("BoxOf")+c.First()), insert(e.End(), ")")}
	})
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// convertedTo returns the type that e is implicitly converted to, or nil.
func (h *advisor) convertedTo(e ast.Expr) types.Type {
	switch p := h.parents[e].(type) {
	case *ast.AssignStmt:
		if i := numberOf(p.Rhs, e); i >= 0 && len(p.Lhs) == len(p.Rhs) && p.Tok == token.ASSIGN {
			return h.typeOf(p.Lhs[i])
		}
	case *ast.ReturnStmt:
		if f := h.returning(p); f != nil && f.Results().Len() == len(p.Results) {
			return f.Results().At(numberOf(p.Results, e)).Type()
		}
	case *ast.CallExpr:
		if s, ok := h.typeOf(p).Underlying().(*types.Slice); ok && h.builtin(p) == "append" && numberOf(p.Args, e) > 0 && !p.Ellipsis.IsValid() {
			return s.Elem()
		}
		if h.pkg.Pass.TypesInfo.Types[p.Fun].IsType() {
			return h.typeOf(p)
		}
	}
	return nil
}
