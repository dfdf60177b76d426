package arenavet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// reportAppend reports a builtin append to memory of an arena.
func (f *function) reportAppend(a atom, call *ssa.Call) {
	f.c.appended[call.Pos()] = true
	text := "builtin append to " + f.memoryName(a) + ", moves it to the heap when it is full, without a word: "
	if a.site.slab {
		f.find(ruleAppend, call.Pos(), nil, text+"make it with the capacity that it needs, and fill it by index")
		return
	}
	text += "use arena.Append"
	if fix, ok := f.c.appendFix(a, call); ok {
		f.find(ruleAppend, call.Pos(), nil, text, fix)
		return
	}
	f.find(ruleAppend, call.Pos(), nil, text)
}

// appendFix rewrites append(s, x) to arena.Append(a, s, x), if the source
// names the arena where the append stands.
func (c *checker) appendFix(a atom, call *ssa.Call) (analysis.SuggestedFix, bool) {
	none := analysis.SuggestedFix{}
	expr := c.calls[call.Pos()]
	if expr == nil || len(expr.Args) == 0 {
		return none, false
	}
	pkg := c.arenaName(expr.Pos())
	owner := c.arenaExpr(a.site.pos)
	if pkg == "" || owner == nil || !c.visible(owner, expr.Pos()) {
		return none, false
	}
	edits, ok := c.appendEdits(expr, pkg, types.ExprString(owner))
	if !ok {
		return none, false
	}
	return analysis.SuggestedFix{Message: "use " + pkg + ".Append", TextEdits: edits}, true
}

// appendEdits makes an append a call of pkg.Append, if that means the same.
func (c *checker) appendEdits(expr *ast.CallExpr, pkg, arena string) ([]analysis.TextEdit, bool) {
	slice, ok := c.pass.TypesInfo.TypeOf(expr.Args[0]).Underlying().(*types.Slice)
	if !ok {
		return nil, false
	}
	edits := []analysis.TextEdit{
		{Pos: expr.Fun.Pos(), End: expr.Fun.End(), NewText: []byte(pkg + ".Append")},
		{Pos: expr.Args[0].Pos(), End: expr.Args[0].Pos(), NewText: []byte(arena + ", ")},
	}
	for _, item := range expr.Args[1:] {
		t := c.pass.TypesInfo.TypeOf(item)
		if expr.Ellipsis.IsValid() {
			if isText(t) { // append alone takes a string for bytes
				edits = append(edits,
					analysis.TextEdit{Pos: item.Pos(), End: item.Pos(), NewText: []byte("[]byte(")},
					analysis.TextEdit{Pos: item.End(), End: item.End(), NewText: []byte(")")})
			}
			continue
		}
		if !types.Identical(t, slice.Elem()) && t != types.Typ[types.UntypedNil] {
			// The type could not be inferred.
			name := c.elemName(slice.Elem())
			if name == "" {
				return nil, false
			}
			edits[0].NewText = []byte(pkg + ".Append[" + name + "]")
		}
	}
	return edits, true
}

// elemName is how the package's source writes a type, where that needs no import.
func (c *checker) elemName(t types.Type) string {
	n, ok := t.(*types.Named)
	switch {
	case isError(t):
		return "error"
	case types.Identical(t, types.Universe.Lookup("any").Type()):
		return "any"
	case !ok || n.Obj().Parent() != c.pass.Pkg.Scope() || n.TypeArgs().Len() > 0:
		return ""
	}
	return n.Obj().Name()
}

// arenaName is what the file at pos calls package arena, or empty.
func (c *checker) arenaName(pos token.Pos) string {
	return c.arenaNameIn(c.pass.Pkg.Scope().Innermost(pos), pos)
}

// arenaNameIn is arenaName where the innermost scope at pos is known.
func (c *checker) arenaNameIn(scope *types.Scope, pos token.Pos) string {
	for _, file := range c.pass.Files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != arenaPath {
				continue
			}
			name := "arena"
			if spec.Name != nil {
				name = spec.Name.Name
			}
			_, obj := scope.LookupParent(name, pos)
			if _, ok := obj.(*types.PkgName); ok {
				return name
			}
		}
	}
	return ""
}

// arenaExpr is the arena that the call at a parenthesis allocates from.
func (c *checker) arenaExpr(lparen token.Pos) ast.Expr {
	call := c.calls[lparen]
	if call == nil {
		return nil
	}
	var found ast.Expr
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && arenaType(c.pass.TypesInfo.TypeOf(sel.X)) == "Arena" {
		found = sel.X
	}
	for _, arg := range call.Args {
		if arenaType(c.pass.TypesInfo.TypeOf(arg)) == "Arena" {
			if found != nil {
				return nil
			}
			found = arg
		}
	}
	if found == nil || !simple(found) {
		return nil
	}
	return found
}

// visible reports whether e means the same at pos.
func (c *checker) visible(e ast.Expr, pos token.Pos) bool {
	return c.visibleIn(c.pass.Pkg.Scope().Innermost(pos), e, pos)
}

// visibleIn is visible where the innermost scope at pos is known.
func (c *checker) visibleIn(scope *types.Scope, e ast.Expr, pos token.Pos) bool {
	switch e := e.(type) {
	case *ast.Ident:
		if scope == nil {
			return false
		}
		_, obj := scope.LookupParent(e.Name, pos)
		return obj != nil && obj == c.pass.TypesInfo.ObjectOf(e)
	case *ast.SelectorExpr:
		return c.visibleIn(scope, e.X, pos)
	}
	return false
}
