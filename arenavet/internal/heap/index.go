package heap

import (
	"go/ast"
	"go/types"
)

// index is what one walk over a function notes, so that no question about one place
// of it needs another.
type index struct {
	parents map[ast.Node]ast.Node
	uses    map[types.Object][]*ast.Ident        // of variables
	later   map[*ast.Ident]bool                  // uses that may run when the arena is over
	loops   map[*ast.Ident]ast.Node              // the innermost loop around a use
	returns map[*ast.ReturnStmt]*types.Signature // of the function that is returned from
	nodes   int                                  // of the body
}

// readIndex walks over the function.
func (h *advisor) readIndex() {
	h.index = index{
		parents: map[ast.Node]ast.Node{}, uses: map[types.Object][]*ast.Ident{}, later: map[*ast.Ident]bool{},
		loops: map[*ast.Ident]ast.Node{}, returns: map[*ast.ReturnStmt]*types.Signature{},
	}
	type around struct {
		node  ast.Node
		later bool             // within a goroutine, or a literal that runs later
		loop  ast.Node         // the innermost
		sig   *types.Signature // of the innermost literal, or the function
	}
	var stack []around
	in := around{sig: h.signature}
	ast.Inspect(h.body, func(n ast.Node) bool {
		if n == nil {
			in = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			return true
		}
		h.nodes++
		if in.node != nil {
			h.parents[n] = in.node
		}
		stack = append(stack, in)
		in.node = n
		switch n := n.(type) {
		case *ast.Ident:
			if obj, ok := h.pkg.Pass.TypesInfo.Uses[n].(*types.Var); ok {
				h.uses[obj] = append(h.uses[obj], n)
				if in.later {
					h.later[n] = true
				}
				if in.loop != nil {
					h.loops[n] = in.loop
				}
			}
		case *ast.GoStmt:
			in.later = true
		case *ast.FuncLit:
			in.sig, _ = h.typeOf(n).(*types.Signature)
			in.later = in.later || h.runsLater(n)
		case *ast.ForStmt, *ast.RangeStmt:
			in.loop = n
		case *ast.ReturnStmt:
			h.returns[n] = in.sig
		}
		return true
	})
}

// scope is the innermost one at a part of the function.
func (h *advisor) scope(n ast.Node) *types.Scope {
	for ; n != nil; n = h.parents[n] {
		at := n
		if lit, ok := n.(*ast.FuncLit); ok {
			at = lit.Type
		}
		if s := h.pkg.Pass.TypesInfo.Scopes[at]; s != nil {
			return s
		}
	}
	return h.pkg.Pass.TypesInfo.Scopes[h.header]
}
