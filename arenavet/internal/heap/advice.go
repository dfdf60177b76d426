package heap

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

func typeOr(lit *ast.CompositeLit) ast.Expr {
	if lit.Type == nil {
		return ast.NewIdent("T")
	}
	return lit.Type
}

// literal advises a slice or map literal.
func (h *advisor) literal(lit *ast.CompositeLit) {
	if _, isMap := h.typeOf(lit).Underlying().(*types.Map); isMap && lit.Type != nil {
		h.newMap(lit)
		return
	}
	if h.of(lit) != goesOut || lit.Type == nil {
		return
	}
	switch h.typeOf(lit).Underlying().(type) {
	case *types.Slice:
		if len(lit.Elts) == 0 {
			return // it takes no memory
		}
		list, ok := lit.Type.(*ast.ArrayType)
		for _, x := range lit.Elts {
			if _, isKey := x.(*ast.KeyValueExpr); isKey {
				ok = false
			}
		}
		h.useFunction(lit.Pos(), "slice", "SliceOf", ok, func(c rewrite.Call) []analysis.TextEdit {
			edits := []analysis.TextEdit{replace(lit.Pos(), list.Elt.Pos(), c.Func("SliceOf")+"["), replace(list.Elt.End(), lit.Lbrace+1, "]"+c.First())}
			for _, x := range lit.Elts {
				edits = append(edits, written(x, list.Elt, c)...)
			}
			return append(edits, replace(lit.Rbrace, lit.Rbrace+1, ")"))
		})
	}
}

// written adds the type that an element of a slice literal leaves out.
func written(x, elem ast.Expr, c rewrite.Call) []analysis.TextEdit {
	lit, ok := x.(*ast.CompositeLit)
	if !ok || lit.Type != nil {
		return nil
	}
	if ptr, ok := elem.(*ast.StarExpr); ok {
		return []analysis.TextEdit{insert(lit.Pos(), c.Func("NewOf")+c.First()+types.ExprString(ptr.X)), insert(lit.End(), ")")}
	}
	return []analysis.TextEdit{insert(lit.Pos(), types.ExprString(elem))}
}

// concatenation advises a whole sum of strings.
func (h *advisor) concatenation(e *ast.BinaryExpr) {
	t := h.typeOf(e)
	if e.Op != token.ADD || !catalog.IsText(t) {
		return
	}
	edits := h.sum(e)
	if h.copied(e) || h.of(e) != goesOut {
		return
	}
	h.useMethod(e.Pos(), "string concatenation", "Concat", isString(t) && rewrite.Ordered(h.pkg.Pass.TypesInfo, h.shared, e), func(a string) []analysis.TextEdit {
		return append([]analysis.TextEdit{insert(e.Pos(), a+".Concat(")}, append(edits, insert(e.End(), ")"))...)
	})
}

func isString(t types.Type) bool { return t == types.Typ[types.String] }

// addAssign advises s += t.
func (h *advisor) addAssign(s *ast.AssignStmt) {
	if s.Tok != token.ADD_ASSIGN || !catalog.IsText(h.typeOf(s.Lhs[0])) {
		return
	}
	edits := h.sum(s.Rhs[0])
	if h.target(s.Lhs[0]) != goesOut {
		return
	}
	name := types.ExprString(s.Lhs[0])
	plain := catalog.Simple(s.Lhs[0]) // other operands would be evaluated twice
	h.useMethod(s.Pos(), "string concatenation", "Concat", plain && isString(h.typeOf(s.Lhs[0])) && rewrite.Ordered(h.pkg.Pass.TypesInfo, h.shared, s.Lhs[0], s.Rhs[0]), func(a string) []analysis.TextEdit {
		return append([]analysis.TextEdit{replace(s.TokPos, s.TokPos+2, "= "+a+".Concat("+name+","), insert(s.Rhs[0].End(), ")")}, edits...)
	})
}

func (h *advisor) makes(e *ast.CallExpr) {
	if _, isMap := h.typeOf(e).Underlying().(*types.Map); isMap {
		h.newMap(e)
		return
	}
	if h.of(e) != goesOut {
		return
	}
	if rewrite.SliceOf(h.typeOf(e)) != nil {
		list, ok := e.Args[0].(*ast.ArrayType)
		if named, _ := h.namedSlice(e.Args[0]); named {
			ok = true
		}
		ok = ok && rewrite.Ints(h.pkg.Pass.TypesInfo, e.Args[1:]) && (len(e.Args) == 3 || rewrite.Pure(e.Args[1]))
		_, elem := h.namedSlice(e.Args[0])
		h.useFunction(e.Pos(), "make", "MakeSlice", ok, func(c rewrite.Call) []analysis.TextEdit {
			var edits []analysis.TextEdit
			tail := ""
			if len(e.Args) == 2 {
				tail = ", " + types.ExprString(e.Args[1])
			}
			if list != nil {
				edits = append(edits, replace(e.Pos(), list.Elt.Pos(), c.Func("MakeSlice")+"["), replace(list.Elt.End(), e.Args[1].Pos(), "]"+c.First()))
			} else {
				edits = append(edits, replace(e.Pos(), e.Args[1].Pos(), types.ExprString(e.Args[0])+"("+c.Func("MakeSlice")+"["+elem+"]"+c.First()))
				tail += ")"
			}
			if tail != "" {
				edits = append(edits, replace(e.Args[len(e.Args)-1].End(), e.Rparen, tail))
			}
			return edits
		})
	}
}

// namedSlice reports whether t is the name of a slice type, and returns the source form of its element type.
func (h *advisor) namedSlice(t ast.Expr) (ok bool, elem string) {
	s := rewrite.SliceOf(h.typeOf(t))
	if !catalog.Simple(t) || s == nil {
		return false, ""
	}
	if b, isBasic := s.Elem().(*types.Basic); isBasic {
		elem = b.Name()
	} else if p, isPointer := s.Elem().(*types.Pointer); isPointer {
		if elem = rewrite.ElemName(h.pkg.Pass, p.Elem()); elem != "" {
			elem = "*" + elem
		}
	} else {
		elem = rewrite.ElemName(h.pkg.Pass, s.Elem())
	}
	return elem != "", elem
}

// appends advises an append to a slice that the function makes or keeps. A caller's slice is the caller's choice.
func (h *advisor) appends(e *ast.CallExpr) {
	if len(e.Args) < 2 || h.pkg.Appended[e.Lparen] || h.of(e) == outlives {
		return
	}
	if s, ok := e.Args[0].(*ast.SliceExpr); ok && s.Max != nil {
		return // it asks for a copy
	}
	if id, ok := h.rootOf(e.Args[0]).(*ast.Ident); ok {
		obj := h.pkg.Pass.TypesInfo.Uses[id]
		if obj != nil && (h.params[obj] && ast.Expr(id) == e.Args[0] || h.target(e.Args[0]) != goesOut) {
			return
		}
	}
	_, ok := rewrite.AppendEdits(h.pkg.Pass, e, rewrite.Call{})
	ok = ok && h.list.slices.SafeAppend(h.pkg.Pass, e, h.parents[e])
	h.useFunction(e.Pos(), "append", "Append", ok, func(c rewrite.Call) []analysis.TextEdit {
		edits, _ := rewrite.AppendEdits(h.pkg.Pass, e, c)
		return edits
	})
}

// sum replaces the operators of a sum by commas.
func (h *advisor) sum(e ast.Expr) []analysis.TextEdit {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD || h.pkg.Pass.TypesInfo.Types[e].Value != nil {
		return nil
	}
	h.done[b] = true
	return append(h.sum(b.X), replace(b.OpPos, b.OpPos+1, ","))
}
