package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Sized reports whether values of a type take memory. Pointers to values of size zero may be equal.
func Sized(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if Sized(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return u.Len() > 0 && Sized(u.Elem())
	}
	return true
}

// Ints reports whether all expressions are of type int, or constants.
func Ints(info *types.Info, args []ast.Expr) bool {
	for _, a := range args {
		tv := info.Types[a]
		if b, ok := tv.Type.(*types.Basic); !ok || b.Kind() != types.Int && tv.Value == nil {
			return false
		}
	}
	return true
}

// Pure reports whether an expression may be evaluated twice.
func Pure(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); !ok || id.Name != "len" && id.Name != "cap" {
				pure = false
			}
		case *ast.UnaryExpr:
			pure = pure && n.Op != token.ARROW
		case *ast.FuncLit:
			pure = false
		}
		return pure
	})
	return pure
}

// Ordered reports whether operands have the same values in whatever order they are evaluated: if one of them calls a
// function, the others are constants, calls, or variables that no function but the present one can change.
func Ordered(info *types.Info, shared func(*types.Var) bool, operands ...ast.Expr) bool {
	calls, reads := false, false
	for _, e := range operands {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if tv := info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() && !changesNothing(info, n) {
					calls = true
					return false // its arguments are evaluated with it
				}
			case *ast.UnaryExpr:
				calls = calls || n.Op == token.ARROW
			case *ast.SelectorExpr:
				s := info.Selections[n]
				reads = reads || s != nil && s.Kind() == types.FieldVal
			case *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr:
				reads = true
			case *ast.Ident:
				v, ok := info.Uses[n].(*types.Var)
				reads = reads || ok && !v.IsField() && shared(v)
			}
			return true
		})
	}
	return !calls || !reads
}

// changesNothing reports whether a call is of a function of the standard library that only computes, from basic values
// and slices of them.
func changesNothing(info *types.Info, call *ast.CallExpr) bool {
	s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.Uses[s.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "strconv", "strings", "unicode", "unicode/utf8", "math", "path", "html":
	default:
		return false
	}
	for _, arg := range call.Args {
		t := info.TypeOf(arg)
		if s := SliceOf(t); s != nil {
			t = s.Elem()
		}
		if _, basic := t.Underlying().(*types.Basic); !basic {
			return false
		}
	}
	return true
}
