package convert

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// base is the function whose text a function has: of an instance, the generic one.
func (p *program) base(fn *ssa.Function) *ssa.Function {
	if outer := fn.Parent(); outer != nil {
		if of := p.base(outer); of != outer {
			for _, g := range of.AnonFuncs {
				if g.Pos() == fn.Pos() {
					return g
				}
			}
		}
		return fn
	}
	if of := fn.Origin(); of != nil && p.decls[of] != nil {
		return of
	}
	return fn
}

// outermost is the function that a literal stands in.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// textNames reports whether a call's text names a function, or the method of an interface. It may name a
// variable that is known to be the function; or, in a generic one, a method of a type parameter.
func (p *program) textNames(call ssa.CallInstruction, callee types.Object) bool {
	d := p.decls[p.base(outermost(call.Parent()))]
	if d == nil {
		return false
	}
	found := false
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Lparen == call.Common().Pos() {
			if id := calledName(c); id != nil {
				fn, ok := d.pkg.TypesInfo.Uses[id].(*types.Func)
				found = ok && callee != nil && fn.Origin() == callee.(*types.Func).Origin()
			}
		}
		return !found
	})
	return found
}
