package heap

import (
	"go/ast"
	"go/constant"
	"go/token"
)

// smallMap is the number of entries that a map on the stack holds without memory of the heap.
const smallMap = 8

// newMap advises a builtin map that leaves the function or may become large. There is no fix, because a Map has no
// counterpart of m[k] as a value, m[k]++, and passing the map on.
func (h *advisor) newMap(e ast.Expr) {
	if f := h.of(e); f == goesOut || f == stays && h.large(e) {
		h.useFunction(e.Pos(), "map", "NewMap", false, nil)
	}
}

// large reports whether a map is made for many entries, or gets entries in a loop.
func (h *advisor) large(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) > 1 {
		v := h.pkg.Pass.TypesInfo.Types[call.Args[1]].Value
		return v == nil || constant.Compare(v, token.GTR, constant.MakeInt64(smallMap))
	}
	s, ok := h.parents[e].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return false
	}
	id, _ := s.Lhs[0].(*ast.Ident)
	for _, id := range h.uses[h.pkg.Pass.TypesInfo.Defs[id]] {
		at, ok := h.parents[id].(*ast.IndexExpr)
		if !ok || at.X != id {
			continue
		}
		_, counts := h.parents[at].(*ast.IncDecStmt)
		if loop := h.loop(id); (counts || h.assigned(at)) && loop != nil && !within(loop, e) {
			return true
		}
	}
	return false
}

func within(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}
