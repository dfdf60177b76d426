package heap

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

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
	switch {
	case s.Tok != token.DEFINE:
		return
	case len(s.Lhs) != len(s.Rhs):
		h.movedParts(s.Lhs...) // of x, err := f()
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

// movedParts is moved for variables that are declared together, and for parameters, which have no fix.
func (h *advisor) movedParts(list ...ast.Expr) {
	for _, l := range list {
		if id, ok := l.(*ast.Ident); ok {
			if _, at, _ := h.addressLeaves(id); at.IsValid() {
				h.useFunction(max(id.Pos(), h.body.Lbrace), "&"+id.Name+" leaves the function, so the variable is", "NewOf", false, nil)
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
		bad = bad || h.later(use)
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
	sig, ok := h.typeOf(call.Fun).Underlying().(*types.Signature)
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
