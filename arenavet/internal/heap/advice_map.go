package heap

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// smallMap is the number of entries that a map on the stack holds without memory of the heap.
const smallMap = 8

// newMap advises a builtin map that leaves the function or may become large.
func (h *advisor) newMap(e ast.Expr) {
	f := h.of(e)
	if f == outlives || f == stays && !h.large(e) {
		return
	}
	edits, ok := h.mapUses(e)
	key, elem, hint := h.mapParts(e)
	h.useFunction(e.Pos(), "map", "NewMap", ok && key != nil, func(c rewrite.Call) []analysis.TextEdit {
		made := []analysis.TextEdit{replace(e.Pos(), key.Pos(), c.Func("NewMap")+"["), replace(key.End(), elem.Pos(), ", ")}
		if hint == nil {
			made = append(made, replace(elem.End(), e.End(), "]"+c.First()+"0)"))
		} else {
			made = append(made, replace(elem.End(), hint.Pos(), "]"+c.First()))
		}
		return append(made, edits...)
	}, h.mapVariable(e))
}

// mapParts returns the parts of a map's type. key is nil if NewMap cannot make it.
func (h *advisor) mapParts(e ast.Expr) (key, elem, hint ast.Expr) {
	var t ast.Expr
	switch e := e.(type) {
	case *ast.CallExpr:
		t = e.Args[0]
		if len(e.Args) > 1 {
			if hint = e.Args[1]; !types.Identical(h.typeOf(hint), types.Typ[types.Int]) {
				return nil, nil, hint
			}
		}
	case *ast.CompositeLit:
		if t = e.Type; len(e.Elts) > 0 {
			return nil, nil, nil
		}
	}
	if m, ok := t.(*ast.MapType); ok {
		return m.Key, m.Value, hint
	}
	return nil, nil, hint
}

// large reports whether a map is made for many entries, or gets entries in a loop.
func (h *advisor) large(e ast.Expr) bool {
	if _, _, hint := h.mapParts(e); hint != nil {
		v := h.pkg.Pass.TypesInfo.Types[hint].Value
		return v == nil || constant.Compare(v, token.GTR, constant.MakeInt64(smallMap))
	}
	obj := h.mapVariable(e)
	if obj == nil {
		return false
	}
	for _, id := range h.uses[obj] {
		at, ok := h.parents[id].(*ast.IndexExpr)
		if !ok || at.X != id {
			continue
		}
		_, counts := h.parents[at].(*ast.IncDecStmt)
		if loop := h.loops[id]; (counts || h.assigned(at)) && loop != nil && !within(loop, e) {
			return true
		}
	}
	return false
}

func within(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

// mapVariable returns the variable that m := make(...) declares, or nil.
func (h *advisor) mapVariable(e ast.Expr) types.Object {
	s, ok := h.parents[e].(*ast.AssignStmt)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return nil
	}
	id, _ := s.Lhs[0].(*ast.Ident)
	return h.pkg.Pass.TypesInfo.Defs[id]
}

// mapUses returns the edits for the uses of a map's variable. It reports whether a Map has a counterpart for each use:
// it has none for m[k] as a value, m[k]++, and passing the map on.
func (h *advisor) mapUses(e ast.Expr) (edits []analysis.TextEdit, ok bool) {
	obj := h.mapVariable(e)
	if obj == nil {
		return nil, false
	}
	ok = true
	for _, id := range h.uses[obj] {
		more := h.mapUse(id)
		edits, ok = append(edits, more...), ok && more != nil
	}
	return edits, ok
}

// mapUse returns the edits for one use of a map, or nil.
func (h *advisor) mapUse(id *ast.Ident) []analysis.TextEdit {
	switch p := h.parents[id].(type) {
	case *ast.IndexExpr:
		if p.X != id {
			return nil
		}
		switch s := h.parents[p].(type) {
		case *ast.AssignStmt:
			switch {
			case len(s.Rhs) == 1 && s.Rhs[0] == p && len(s.Lhs) == 2:
				return []analysis.TextEdit{replace(p.Lbrack, p.Lbrack+1, ".Get("), replace(p.Rbrack, p.Rbrack+1, ")")}
			case len(s.Lhs) == 1 && s.Lhs[0] == p && s.Tok == token.ASSIGN && rewrite.Ordered(h.pkg.Pass.TypesInfo, h.shared, p.Index, s.Rhs[0]):
				return []analysis.TextEdit{replace(p.Lbrack, p.Lbrack+1, ".Set("), replace(p.Rbrack, s.Rhs[0].Pos(), ", "), insert(s.Rhs[0].End(), ")")}
			}
		case *ast.ValueSpec:
			if len(s.Names) == 2 && len(s.Values) == 1 {
				return []analysis.TextEdit{replace(p.Lbrack, p.Lbrack+1, ".Get("), replace(p.Rbrack, p.Rbrack+1, ")")}
			}
		}
	case *ast.CallExpr:
		switch h.builtin(p) {
		case "len":
			return []analysis.TextEdit{replace(p.Pos(), id.Pos(), ""), replace(id.End(), p.End(), ".Len()")}
		case "clear":
			return []analysis.TextEdit{replace(p.Pos(), id.Pos(), ""), replace(id.End(), p.End(), ".Clear()")}
		case "delete":
			return []analysis.TextEdit{replace(p.Pos(), id.Pos(), ""), replace(id.End(), p.Args[1].Pos(), ".Delete("), replace(p.Args[1].End(), p.End(), ")")}
		}
	case *ast.RangeStmt:
		if p.X != id {
			return nil
		}
		all := ".All()"
		if p.Value == nil {
			all = ".Keys()"
		}
		return []analysis.TextEdit{insert(id.End(), all)}
	}
	return nil
}
