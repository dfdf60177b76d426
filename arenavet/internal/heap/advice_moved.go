package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
)

// moved advises var x T of a struct whose address leaves the function. A pointer replaces it.
func (h *advisor) moved(spec *ast.ValueSpec) {
	if len(spec.Names) != 1 || len(spec.Values) != 0 || spec.Type == nil || isBuilder(h.typeOf(spec.Type)) {
		return
	}
	gen, ok := h.parents[spec].(*ast.GenDecl)
	edits, at, fits := h.addressLeaves(spec.Names[0])
	if !at.IsValid() {
		return
	}
	name := spec.Names[0].Name
	h.useFunction(spec.Pos(), "&"+name+" leaves the function, so the variable is", "New", ok && fits, func(c rewrite.Call) []analysis.TextEdit {
		edits = append(edits, insert(spec.Type.End(), "]"+c.Only()))
		if gen.Lparen.IsValid() {
			return append(edits, replace(spec.Pos(), spec.Type.Pos(), name+" = "+c.Func("New")+"["))
		}
		return append(edits, replace(gen.Pos(), spec.Type.Pos(), name+" := "+c.Func("New")+"["))
	}, h.pkg.Pass.TypesInfo.Defs[spec.Names[0]])
}

// movedDefinition is moved for x := v.
func (h *advisor) movedDefinition(s *ast.AssignStmt) {
	if s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
		h.movedResult(s)
		return
	}
	loop, ofLoop := h.parents[s].(*ast.ForStmt) // its variables are copied for each iteration
	ofLoop = ofLoop && loop.Init == s
	for i, l := range s.Lhs {
		id, ok := l.(*ast.Ident)
		if !ok {
			continue
		}
		edits, at, fits := h.addressLeaves(id)
		if !at.IsValid() {
			continue
		}
		v := s.Rhs[i]
		h.useFunction(id.Pos(), "&"+id.Name+" leaves the function, so the variable is", "NewOf", fits && !ofLoop && len(s.Lhs) == 1, func(c rewrite.Call) []analysis.TextEdit {
			return append([]analysis.TextEdit{insert(v.Pos(), c.Func("NewOf")+c.First()), insert(v.End(), ")")}, edits...)
		}, h.pkg.Pass.TypesInfo.Defs[id])
	}
}

// movedResult is moved for x, err := f(), which has no fix.
func (h *advisor) movedResult(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		h.movedParts(s.Lhs...)
	}
}

// movedParts is moved for variables that are declared together, which have no fix.
func (h *advisor) movedParts(list ...ast.Expr) {
	for _, l := range list {
		if id, ok := l.(*ast.Ident); ok {
			if _, at, _ := h.addressLeaves(id); at.IsValid() {
				h.useFunction(id.Pos(), "&"+id.Name+" leaves the function, so the variable is", "NewOf", false, nil)
			}
		}
	}
}

// movedParameters is moved for parameters and receivers. The fix renames the parameter, and copies it at the beginning
// of the function.
func (h *advisor) movedParameters(body *ast.BlockStmt, lists ...*ast.FieldList) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, p := range list.List {
			for _, id := range p.Names {
				edits, at, fits := h.addressLeaves(id)
				if !at.IsValid() {
					continue
				}
				given, line := id.Name+"Given", func(pos token.Pos) int { return h.pkg.Pass.Fset.Position(pos).Line }
				_, other := h.pkg.Pass.Pkg.Scope().Innermost(body.Lbrace).LookupParent(given, token.NoPos)
				fits = fits && other == nil && h.request == "" && !strings.HasPrefix(h.arena(body.Lbrace), id.Name+".") && line(body.Lbrace) < line(body.List[0].Pos())
				h.useFunction(body.Lbrace, "&"+id.Name+" leaves the function, so its parameter "+id.Name+" is", "NewOf", fits, func(c rewrite.Call) []analysis.TextEdit {
					return append([]analysis.TextEdit{replace(id.Pos(), id.End(), given), insert(body.Lbrace+1, "\n\t"+id.Name+" := "+c.Func("NewOf")+c.First()+given+")")}, edits...)
				}, h.pkg.Pass.TypesInfo.Defs[id])
			}
		}
	}
}

// addressLeaves returns the position where the address of a struct variable, or of its field, first leaves the
// function, if any. It also returns the edits that make the variable a pointer, and whether they fit.
func (h *advisor) addressLeaves(id *ast.Ident) (edits []analysis.TextEdit, leaves token.Pos, fits bool) {
	obj := h.pkg.Pass.TypesInfo.Defs[id]
	if obj == nil || obj.Type() == nil {
		return nil, token.NoPos, false
	}
	if _, ok := obj.Type().Underlying().(*types.Struct); !ok || catalog.ArenaType(obj.Type()) != "" || isBuilder(obj.Type()) || isLock(obj.Type()) {
		return nil, token.NoPos, false
	}
	bad := false
	fits = rewrite.Sized(obj.Type())
	for _, use := range h.uses[obj] {
		bad = bad || h.later[use]
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
					fits = false // x, y := f() with an existing x
				}
			}
		}
		if ok {
			f := h.of(address)
			bad = bad || f == outlives
			goes := false
			switch p := h.parents[address].(type) {
			case *ast.ReturnStmt, *ast.AssignStmt, *ast.CompositeLit, *ast.KeyValueExpr:
				goes = f == goesOut
			case *ast.CallExpr:
				goes = f == goesOut && (h.boxed(p, address) || h.builtin(p) == "append")
			}
			if goes && !leaves.IsValid() {
				leaves = address.Pos()
			}
		}
	}
	if bad {
		leaves = token.NoPos
	}
	return edits, leaves, fits
}

// isLock reports whether t is of package sync. Goroutines may wait there beyond the arena's end.
func isLock(t types.Type) bool {
	pkg, _ := catalog.NameOf(t)
	return pkg == "sync"
}

// boxed reports whether e is an argument of an interface type. The compiler moves its target to the heap.
func (h *advisor) boxed(call *ast.CallExpr, e ast.Expr) bool {
	sig, ok := orInvalid(h.typeOf(call.Fun)).Underlying().(*types.Signature)
	i := numberOf(call.Args, e)
	if !ok || i < 0 || sig.Params().Len() == 0 {
		return false
	}
	if last := sig.Params().Len() - 1; sig.Variadic() && i >= last {
		s, ok := sig.Params().At(last).Type().(*types.Slice)
		return ok && !call.Ellipsis.IsValid() && types.IsInterface(s.Elem())
	} else if i <= last {
		return types.IsInterface(sig.Params().At(i).Type())
	}
	return false
}
