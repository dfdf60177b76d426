package rewrite

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// SafeAppend reports whether arena.Append may replace append e, whose parent node is parent.
func (p *Slices) SafeAppend(pass *analysis.Pass, e *ast.CallExpr, parent ast.Node) bool {
	for _, fn := range p.Functions {
		if call := CallAt(fn, e.Lparen); call != nil {
			return p.Appendable(pass.TypesInfo, e, parent, call) == "" && p.isOwn(pass.Pkg, call)
		}
	}
	return false
}

// isOwn reports whether an append changes a variable, or a field of an object that this package has made. Other packages
// may copy a struct and append to the field of both copies.
func (p *Slices) isOwn(pkg *types.Package, call *ssa.Call) bool {
	base, _ := Base(call)
	load, ok := base.(*ssa.UnOp)
	if !ok {
		return true
	}
	f, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return true
	}
	t, ok := types.Unalias(f.X.Type().Underlying().(*types.Pointer).Elem()).(*types.Named)
	if !ok {
		return false
	}
	if !t.Obj().Exported() || pkg.Name() == "main" || t.Obj().Parent() != pkg.Scope() {
		return true // other packages cannot name it
	}
	seen := map[*ssa.Function]bool{}
	for _, fn := range p.Functions {
		if given(fn, t) && mayRun(fn, call.Parent(), t, seen) {
			return false
		}
	}
	return true
}

// given reports whether other packages may call a function with a value that leads to t, or whether it takes one out of
// an exported variable or an interface.
func given(fn *ssa.Function, t *types.Named) bool {
	obj := fn.Object()
	if obj == nil || obj.Exported() {
		for _, p := range fn.Params {
			if leads(p.Type(), t, map[types.Type]bool{}) {
				return true
			}
		}
	}
	for i := range ssaform.Instructions(fn) {
		switch i := i.(type) {
		case *ssa.TypeAssert:
			if leads(i.AssertedType, t, map[types.Type]bool{}) {
				return true
			}
		case *ssa.UnOp:
			if g, ok := i.X.(*ssa.Global); ok && g.Object() != nil && g.Object().Exported() && leads(i.Type(), t, map[types.Type]bool{}) {
				return true
			}
		}
	}
	return false
}

// leads reports whether a value of a type, or a result of a function, may lead to one of t without an interface in between.
func leads(from types.Type, t *types.Named, seen map[types.Type]bool) bool {
	from = types.Unalias(from)
	if seen[from] {
		return false
	}
	seen[from] = true
	if types.Identical(from, t) {
		return true
	}
	if f, ok := from.Underlying().(*types.Signature); ok {
		from = f.Results()
	}
	for part := range access.Parts(from) {
		if leads(part, t, seen) {
			return true
		}
	}
	return false
}

// mayRun reports whether a call of fn may run target. An unknown function that is given a value of type t may.
func mayRun(fn, target *ssa.Function, t *types.Named, seen map[*ssa.Function]bool) bool {
	if fn == target {
		return true
	}
	if seen[fn] {
		return false
	}
	seen[fn] = true
	for i := range ssaform.Instructions(fn) {
		for _, op := range i.Operands(nil) {
			if g, ok := (*op).(*ssa.Function); ok && mayRun(g, target, t, seen) {
				return true
			}
		}
		c, ok := i.(ssa.CallInstruction)
		if !ok || c.Common().StaticCallee() != nil {
			continue
		}
		if _, builtin := c.Common().Value.(*ssa.Builtin); builtin {
			continue
		}
		for _, a := range append(c.Common().Args, c.Common().Value) {
			if leads(a.Type(), t, map[types.Type]bool{}) {
				return true
			}
		}
	}
	return false
}
