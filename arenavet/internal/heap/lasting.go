package heap

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/rewrite"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// Nothing is written with an arena that the function takes back, or that is in a field of an object that may be nil.

// lasting reports whether the arena exists at h.at, and the function does not take it back.
func (h *advisor) lasting() bool { return !h.takesBack() && h.isThere() }

// takesBack reports whether the function, or a callee, may take the arena back.
func (h *advisor) takesBack() bool {
	found := false
	ast.Inspect(h.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		fn := h.function(call)
		if fn == nil {
			return true
		}
		if catalog.PackagePath(fn.Pkg()) == catalog.ArenaPath {
			switch fn.Name() {
			case "Reset", "Release", "Rewind", "Put":
				found = true
			}
		} else {
			found = h.pkg.TakesBack(fn)
		}
		return !found
	})
	return found
}

// isThere reports whether the object that holds the arena is not nil at h.at.
func (h *advisor) isThere() bool {
	sel, ok := h.arenaExpr(h.at.Pos()).(*ast.SelectorExpr)
	if !ok {
		return true
	}
	obj := h.pkg.Pass.TypesInfo.ObjectOf(sel.X.(*ast.Ident))
	if _, isPointer := obj.Type().Underlying().(*types.Pointer); !isPointer {
		return true
	}
	for _, use := range h.uses[obj] {
		if u, ok := h.parents[use].(*ast.UnaryExpr); h.assigned(use) || ok && u.X == use {
			return false
		}
	}
	for i := range ssaform.Instructions(h.pkg.Functions...) {
		fn, b := i.Parent(), i.Block()
		if i.Pos() >= h.at.Pos() && i.Pos() < h.at.End() && (h.at != h.body || b.Index == 0 && fn.Parent() == nil) && h.dereferenced(fn, b, obj) {
			return true
		}
	}
	return false
}

// dereferenced reports whether a pointer has been dereferenced at the end of a block.
func (h *advisor) dereferenced(fn *ssa.Function, at *ssa.BasicBlock, obj types.Object) bool {
	isObject := func(v ssa.Value) bool {
		if load, ok := v.(*ssa.UnOp); ok {
			v = load.X // a captured variable
		}
		return v.Pos() == obj.Pos()
	}
	for i := range ssaform.Instructions(fn) {
		if !i.Block().Dominates(at) {
			continue
		}
		switch i := i.(type) {
		case *ssa.FieldAddr:
			if isObject(i.X) {
				return true
			}
		case *ssa.UnOp:
			if p, ok := i.X.(*ssa.Parameter); ok && isObject(p) {
				return true
			}
		case *ssa.Call:
			g := i.Call.StaticCallee()
			for k, arg := range i.Call.Args {
				if g != nil && g != fn && isObject(arg) && dereferences(g, k, 0) {
					return true
				}
			}
		}
	}
	if fn.Parent() == nil {
		return false
	}
	for i := range ssaform.Instructions(fn.Parent()) {
		if m, ok := i.(*ssa.MakeClosure); ok && m.Fn == fn && h.dereferenced(fn.Parent(), i.Block(), obj) {
			return true
		}
	}
	return false
}

// dereferences reports whether a function, or a callee, dereferences parameter n before anything else.
func dereferences(fn *ssa.Function, n, depth int) bool {
	if depth == 3 || len(fn.Blocks) == 0 || n >= len(fn.Params) {
		return false
	}
	for _, i := range fn.Blocks[0].Instrs {
		switch i := i.(type) {
		case *ssa.FieldAddr:
			if i.X == fn.Params[n] {
				return true
			}
		case *ssa.Call:
			g := i.Call.StaticCallee()
			if k := slices.Index(i.Call.Args, ssa.Value(fn.Params[n])); g != nil && k >= 0 && dereferences(g, k, depth+1) {
				return true
			}
		}
	}
	return false
}

// shared reports whether another function may change a variable.
func (h *advisor) shared(v *types.Var) bool {
	if v.Pos() < h.body.Pos() && !h.params[v] || v.Pos() > h.body.End() {
		return true
	}
	for _, id := range h.uses[v] {
		if u, ok := h.parents[id].(*ast.UnaryExpr); ok && u.X == id || h.inLiteral(id, v) {
			return true
		}
		if s, ok := h.parents[id].(*ast.SelectorExpr); ok && h.fieldOf(id) != id && s.X == id {
			return true // a field, whose address may be used
		}
	}
	return false
}

// inLiteral reports whether a variable is used in a function literal inside its scope.
func (h *advisor) inLiteral(id *ast.Ident, v *types.Var) bool {
	for n := h.parents[id]; n != nil && !(n.Pos() <= v.Pos() && v.Pos() < n.End()); n = h.parents[n] {
		if _, ok := n.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}

// growable reports whether another capacity of a call's result would be invisible.
func (h *advisor) growable(e ast.Expr) bool {
	lparen := e.(*ast.CallExpr).Lparen
	for _, fn := range h.pkg.Functions {
		if call := rewrite.CallAt(fn, lparen); call != nil {
			return h.list.slices.Growable(call) == ""
		}
	}
	return false
}
