package arenavet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// moved reports a struct of the function's own, declared by var x T, whose address
// leaves it, so that it is made on the heap: a pointer can take its place.
func (h *advisor) moved(spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 0 || spec.Type == nil || isBuilder(h.typeOf(spec.Type)) {
		return
	}
	gen, ok := h.parents[spec].(*ast.GenDecl)
	edits, goes, fits := h.addressLeaves(spec.Names[0])
	if !goes {
		return
	}
	name := spec.Names[0].Name
	h.useFunction(spec.Pos(), "&"+name+" leaves the function, which makes it", "New", ok && fits, func(pkg, a string) []analysis.TextEdit {
		edits = append(edits, insert(spec.Type.End(), "]("+a+")"))
		if gen.Lparen.IsValid() {
			return append(edits, replace(spec.Pos(), spec.Type.Pos(), name+" = "+pkg+".New["))
		}
		return append(edits, replace(gen.Pos(), spec.Type.Pos(), name+" := "+pkg+".New["))
	})
}

// movedDefinition is moved for x := v.
func (h *advisor) movedDefinition(s *ast.AssignStmt) {
	if s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
		h.movedResult(s)
		return
	}
	for i, l := range s.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok {
			continue
		}
		edits, goes, fits := h.addressLeaves(id)
		if !goes {
			continue
		}
		v := s.Rhs[i]
		h.useFunction(id.Pos(), "&"+id.Name+" leaves the function, which makes it", "NewOf", fits && len(s.Lhs) == 1, func(pkg, a string) []analysis.TextEdit {
			return append([]analysis.TextEdit{insert(v.Pos(), pkg+".NewOf("+a+", "), insert(v.End(), ")")}, edits...)
		})
	}
}

// movedResult is moved for x, err := f(), for which there is no such text.
func (h *advisor) movedResult(s *ast.AssignStmt) {
	if s.Tok != token.DEFINE {
		return
	}
	for _, l := range s.Lhs {
		if id, ok := l.(*ast.Ident); ok {
			if _, goes, _ := h.addressLeaves(id); goes {
				h.useFunction(id.Pos(), "&"+id.Name+" leaves the function, which makes it", "NewOf", false, nil)
			}
		}
	}
}

// addressLeaves says whether the address of a struct that id declares, or of a
// field of it, leaves the function, and writes its uses for a pointer in its place, if that fits.
func (h *advisor) addressLeaves(id *ast.Ident) (edits []analysis.TextEdit, goes, fits bool) {
	obj := h.c.pass.TypesInfo.Defs[id]
	if obj == nil || obj.Type() == nil {
		return nil, false, false
	}
	if _, ok := obj.Type().Underlying().(*types.Struct); !ok || arenaType(obj.Type()) != "" {
		return nil, false, false
	}
	bad := false
	fits = true
	ast.Inspect(h.body, func(n ast.Node) bool {
		use, ok := n.(*ast.Ident)
		if !ok || h.c.pass.TypesInfo.Uses[use] != obj {
			return true
		}
		bad = bad || h.inGoroutine(use)
		at := h.fieldOf(use)
		address, ok := h.parents[at].(*ast.UnaryExpr)
		ok = ok && address.Op == token.AND
		switch {
		case ok && at == use:
			edits = append(edits, replace(address.Pos(), use.Pos(), ""))
		case at == use:
			if s, isSelector := h.parents[use].(*ast.SelectorExpr); !isSelector || s.X != use {
				edits = append(edits, insert(use.Pos(), "*")) // its value
				if s, again := h.parents[use].(*ast.AssignStmt); again && s.Tok == token.DEFINE && slices.Contains(s.Lhs, ast.Expr(use)) {
					fits = false // x, y := f() with an x that was there before
				}
			}
		}
		if ok {
			f := h.of(address)
			bad = bad || f == outlives
			switch h.parents[address].(type) {
			case *ast.ReturnStmt, *ast.AssignStmt, *ast.CompositeLit, *ast.KeyValueExpr:
				goes = goes || f == goesOut
			}
		}
		return true
	})
	return edits, goes && !bad, fits
}

// fieldOf is the field of a variable that is named at an identifier, or a field of
// that and so on, without following a pointer; or the identifier itself.
func (h *advisor) fieldOf(id *ast.Ident) ast.Expr {
	var at ast.Expr = id
	for {
		s, ok := h.parents[at].(*ast.SelectorExpr)
		if !ok || s.X != at {
			return at
		}
		chosen, ok := h.c.pass.TypesInfo.Selections[s]
		if !ok || chosen.Kind() != types.FieldVal || chosen.Indirect() {
			return at
		}
		at = s
	}
}
