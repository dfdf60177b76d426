// Package rewrite replaces source by calls of package arena that mean the same.
package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// AppendEdits returns the edits that replace an append by a call of c. It returns false if it cannot write the type of
// the elements there.
func AppendEdits(pass *analysis.Pass, expr *ast.CallExpr, c Call) ([]analysis.TextEdit, bool) {
	list := types.Unalias(pass.TypesInfo.TypeOf(expr.Args[0]))
	slice := SliceOf(list)
	if slice == nil {
		return nil, false
	}
	edits := []analysis.TextEdit{
		{Pos: expr.Fun.Pos(), End: expr.Fun.End(), NewText: []byte(c.Func("Append"))},
		{Pos: expr.Lparen, End: expr.Lparen + 1, NewText: []byte(c.First())},
	}
	if p, ok := list.(*types.TypeParam); ok { // the result needs a conversion to it
		edits[0].NewText = []byte(p.Obj().Name() + "(" + c.Func("Append"))
		edits = append(edits, analysis.TextEdit{Pos: expr.End(), End: expr.End(), NewText: []byte(")")})
	}
	for _, item := range expr.Args[1:] {
		t := pass.TypesInfo.TypeOf(item)
		if expr.Ellipsis.IsValid() {
			if catalog.IsText(t) { // only append takes a string for bytes
				edits = append(edits,
					analysis.TextEdit{Pos: item.Pos(), End: item.Pos(), NewText: []byte("[]byte(")},
					analysis.TextEdit{Pos: item.End(), End: item.End(), NewText: []byte(")")})
			}
			continue
		}
		if !types.Identical(t, slice.Elem()) && t != types.Typ[types.UntypedNil] {
			// The type could not be inferred.
			name := ElemName(pass, slice.Elem())
			if name == "" {
				name = imported(pass, slice.Elem(), expr.Pos())
			}
			if name == "" {
				return nil, false
			}
			edits[0].NewText = append(edits[0].NewText, "["+name+"]"...)
			return edits, true
		}
	}
	return edits, true
}

// SliceOf returns the slice type that t is, or that all types of a type parameter are, or nil.
func SliceOf(t types.Type) *types.Slice {
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
		s, _ := t.Underlying().(*types.Slice)
		return s
	}
	constraint, one := t.Underlying().(*types.Interface), (*types.Slice)(nil)
	for e := range constraint.EmbeddedTypes() {
		u, ok := e.(*types.Union)
		if !ok || u.Len() != 1 || one != nil {
			return nil
		}
		if one, ok = u.Term(0).Type().Underlying().(*types.Slice); !ok {
			return nil
		}
	}
	return one
}

// ElemName returns the source form of a type that needs no import, or "".
func ElemName(pass *analysis.Pass, t types.Type) string {
	n, ok := t.(*types.Named)
	if p, isParameter := t.(*types.TypeParam); isParameter {
		return p.Obj().Name()
	}
	switch {
	case catalog.IsError(t):
		return "error"
	case types.Identical(t, types.Universe.Lookup("any").Type()):
		return "any"
	case !ok || n.Obj().Parent() != pass.Pkg.Scope() || n.TypeArgs().Len() > 0:
		return ""
	}
	return n.Obj().Name()
}

// imported returns the source form of a type of a package that the file at pos imports, or "".
func imported(pass *analysis.Pass, t types.Type, pos token.Pos) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeArgs().Len() > 0 || !n.Obj().Exported() || n.Obj().Pkg() == nil || n.Obj().Parent() != n.Obj().Pkg().Scope() {
		return ""
	}
	for _, file := range pass.Files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		for _, spec := range file.Imports {
			of := pass.TypesInfo.PkgNameOf(spec)
			if of == nil || of.Imported() != n.Obj().Pkg() {
				continue
			}
			if _, obj := pass.Pkg.Scope().Innermost(pos).LookupParent(of.Name(), pos); obj == of {
				return of.Name() + "." + n.Obj().Name()
			}
		}
	}
	return ""
}

// ArenaName returns the name of package arena in the file at pos, or "".
func ArenaName(pass *analysis.Pass, pos token.Pos) string {
	return ArenaNameIn(pass, pass.Pkg.Scope().Innermost(pos), pos)
}

// ArenaNameIn is ArenaName with the innermost scope at pos.
func ArenaNameIn(pass *analysis.Pass, scope *types.Scope, pos token.Pos) string {
	for _, file := range pass.Files {
		if pos < file.FileStart || pos > file.FileEnd {
			continue
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != catalog.ArenaPath {
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

// Visible reports whether e means the same at pos.
func Visible(pass *analysis.Pass, e ast.Expr, pos token.Pos) bool {
	return VisibleIn(pass, pass.Pkg.Scope().Innermost(pos), e, pos)
}

// VisibleIn is Visible with the innermost scope at pos.
func VisibleIn(pass *analysis.Pass, scope *types.Scope, e ast.Expr, pos token.Pos) bool {
	switch e := e.(type) {
	case *ast.Ident:
		if scope == nil {
			return false
		}
		_, obj := scope.LookupParent(e.Name, pos)
		return obj != nil && obj == pass.TypesInfo.ObjectOf(e)
	case *ast.SelectorExpr:
		return VisibleIn(pass, scope, e.X, pos)
	}
	return false
}
